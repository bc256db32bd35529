//===- unoptimized.cpp - hooks where Clang runs no passes
//-------------------===//
//
// With -save-temps, Clang writes IR that no pass has seen, and optimizes it in
// a second process, where no AST action runs: nobody would tell the pass what
// to do. So the hooks are put in right before such IR is written.
//
// Compiled with default visibility: Any tells types by the address of a
// variable, which has to be LLVM's own.
//
//===------------------------------------------------------------------------===//

#include "plugin.h"

using namespace llvm;

namespace dftrace {

void instrumentBeforeWriting(PassBuilder &PB) {
  PassInstrumentationCallbacks *Callbacks =
      PB.getPassInstrumentationCallbacks();
  if (!Callbacks)
    return;
  // What writes is a pass itself, and the only one.
  Callbacks->registerBeforeNonSkippedPassCallback([](StringRef, Any IR) {
    if (auto *M = any_cast<const Module *>(&IR))
      instrumentModule(const_cast<Module &>(**M));
  });
}

} // namespace dftrace
