//===- notice.cpp - warns if nothing was instrumented --------------------===//
//
// Whether the pass has run is known only at the end of the process, of Clang or
// of opt: so a destructor of a static object checks it.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace dftrace {

Happenings Happened;

namespace {

class Notice {
  std::unique_ptr<MemoryBuffer> CommandLine;
  SmallVector<StringRef, 64> Arguments;

public:
  ~Notice() {
    readArguments();
    if (Happened.PassLoaded && !Happened.PassRan && !writesIR())
      warn("nothing was instrumented: the pass was loaded, but is not in this "
           "pipeline. opt takes -passes=dftrace or -passes='default<O2>'; "
           "Clang's -disable-llvm-passes leaves it out");
#ifndef DFTRACE_IR_ONLY
    if (!Happened.ActionAsked && compilesPlainIR())
      warn("LLVM IR was not instrumented: for .ll and .bc files use "
           "-fpass-plugin=.../dftrace-pass.so and DFTRACER_ALLOWLIST=FILE");
#endif
  }

private:
  static void warn(const char *Text) {
    errs() << "warning: dftrace: " << Text << "\n";
  }

  void readArguments() {
    auto File = MemoryBuffer::getFileAsStream("/proc/self/cmdline");
    if (!File)
      return;
    CommandLine = std::move(*File);
    CommandLine->getBuffer().split(Arguments, '\0');
  }

  /// IR that is written (-save-temps) may get its hooks when it is compiled.
  bool writesIR() const {
    for (StringRef Argument : Arguments)
      if (compatStartsWith(Argument, "-emit-llvm"))
        return true;
    return false;
  }

#ifndef DFTRACE_IR_ONLY
  /// Whether the input is IR without hooks: no AST action runs for IR.
  bool compilesPlainIR() const {
    for (StringRef Argument : Arguments)
      if (compatStartsWith(Argument, "-fpass-plugin="))
        return false; // the pass reports its own errors
    for (size_t I = 0; I < Arguments.size(); I++) {
      StringRef Input = Arguments[I];
      StringRef Extension =
          Input.substr(Input.size() < 3 ? Input.size() : Input.size() - 3);
      bool IsIR = Extension == ".ll" || Extension == ".bc";
      if (Input == "-x" && I + 2 < Arguments.size() &&
          Arguments[I + 1] == "ir") {
        Input = Arguments[I + 2];
        IsIR = true;
      }
      if (IsIR && !hasNote(Input))
        return true;
    }
    return false;
  }

  /// Whether an earlier compilation has inserted hooks: then there is a note,
  /// and both forms of IR contain its name.
  static bool hasNote(StringRef Path) {
    auto File = MemoryBuffer::getFile(Path);
    return File && (*File)->getBuffer().contains(NoteName);
  }
#endif
};

Notice AtEnd;

} // namespace

} // namespace dftrace
