//===- unoptimized.cpp - hooks where Clang runs no passes ----------------===//
//
// With -save-temps, Clang writes IR that no pass has processed, and optimizes it
// in a second process. No AST action runs there, so the pass would have no
// arguments. Therefore the hooks are inserted right before such IR is written.
//
// Compiled with default visibility: llvm::Any identifies types by the address of
// a variable, which has to be the one in LLVM.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

using namespace llvm;

namespace dftrace {

void instrumentBeforeWriting(PassBuilder &PB) {
  PassInstrumentationCallbacks *Callbacks =
      PB.getPassInstrumentationCallbacks();
  if (!Callbacks)
    return;
  // The pass that writes the IR is the only one in the pipeline.
  Callbacks->registerBeforeNonSkippedPassCallback([](StringRef, Any IR) {
    if (auto *M = any_cast<const Module *>(&IR))
      instrumentModule(const_cast<Module &>(**M));
  });
}

} // namespace dftrace
