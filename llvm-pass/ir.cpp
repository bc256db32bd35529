//===- ir.cpp - arguments where no Clang reads them
//-------------------------===//
//
// opt, lld and `clang x.ll` load the pass without a front end. There the
// allowlist comes from opt's -dftrace-allowlist or from the environment
// variable DFTRACER_ALLOWLIST; without either the tool stops, rather than leave
// everything uninstrumented and say nothing.
//
//===------------------------------------------------------------------------===//

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
                    cl::desc("names the functions that dftrace traces"));
static cl::opt<std::string>
    ReportOption("dftrace-report", cl::value_desc("file"),
                 cl::desc("where dftrace says what it instrumented"));
#endif

static void readArguments() {
#ifdef DFTRACE_IR_ONLY
  Plugin.AllowlistPath = AllowlistOption;
  Plugin.ReportPath = ReportOption;
#endif
  if (Plugin.AllowlistPath.empty())
    if (auto Path = sys::Process::GetEnv("DFTRACER_ALLOWLIST"))
      Plugin.AllowlistPath = *Path;
}

void loadAllowlistForIR() {
  if (Plugin.Allowlist)
    return;
  readArguments();
  if (Plugin.AllowlistPath.empty()) {
    WithColor::error(errs(), "dftrace")
        << "nothing is instrumented: no allowlist. Set DFTRACER_ALLOWLIST=FILE"
           " (opt also takes -dftrace-allowlist=FILE)\n";
    exit(1);
  }
  dft_allowlist_error Problem;
  Plugin.Allowlist = dft_allowlist_load(Plugin.AllowlistPath.c_str(), &Problem);
  if (!Plugin.Allowlist) {
    raw_ostream &OS = errs();
    OS << Plugin.AllowlistPath << ':';
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
