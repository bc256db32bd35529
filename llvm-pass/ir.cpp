//===- ir.cpp - arguments where there is no front end --------------------===//
//
// opt, lld and `clang x.ll` load the pass without a front end. There the
// allowlist comes from opt's -dftrace-allowlist or from the environment variable
// DFTRACER_ALLOWLIST. Without either the process ends with an error: nothing is
// silently left uninstrumented.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/WithColor.h"

using namespace llvm;

namespace dftrace {

#ifdef DFTRACE_IR_ONLY
static cl::opt<std::string>
    AllowlistOption("dftrace-allowlist", cl::value_desc("file"),
                    cl::desc("the functions that dftrace traces"));
static cl::opt<std::string>
    ReportOption("dftrace-report", cl::value_desc("file"),
                 cl::desc("dftrace reports here what it instrumented"));
#endif

/// A copy that lives as long as the compilation; null for an empty text.
static const char *keep(std::string Text) {
  return Text.empty() ? nullptr
                      : Plugin.Strings.emplace_back(std::move(Text)).c_str();
}

static void readArguments() {
#ifdef DFTRACE_IR_ONLY
  Plugin.Arguments.allowlist = keep(AllowlistOption);
  Plugin.Arguments.report = keep(ReportOption);
#endif
  if (!Plugin.Arguments.allowlist)
    if (auto Path = sys::Process::GetEnv("DFTRACER_ALLOWLIST"))
      Plugin.Arguments.allowlist = keep(*Path);
}

void loadAllowlistForIR() {
  if (Plugin.Allowlist)
    return;
  readArguments();
  const char *Path = Plugin.Arguments.allowlist;
  if (!Path) {
    WithColor::error(errs(), "dftrace")
        << "nothing is instrumented: no allowlist. Set DFTRACER_ALLOWLIST=FILE"
           " (opt also takes -dftrace-allowlist=FILE)\n";
    exit(1);
  }
  dft_allowlist_error Problem;
  Plugin.Allowlist = dft_allowlist_load(Path, &Problem);
  if (!Plugin.Allowlist) {
    raw_ostream &OS = errs();
    OS << Path << ':';
    if (Problem.line)
      OS << Problem.line << ':' << Problem.column << ':';
    OS << ' ';
    WithColor::error(OS) << Problem.message << '\n';
    exit(1);
  }
  SmallString<256> Directory;
  if (!sys::fs::current_path(Directory))
    Plugin.Directory = Directory.str().str();
}

} // namespace dftrace
