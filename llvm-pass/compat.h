//===- compat.h - every difference between LLVM versions -----------------===//
//
// LLVM's headers, and helpers with names of our own where versions differ. No
// other file of this folder depends on the version, except ast/clang-compat.h.
// Tested with LLVM 14, 16 and 19.
//
//===----------------------------------------------------------------------===//

#ifndef DFTRACE_LLVM_COMPAT_H
#define DFTRACE_LLVM_COMPAT_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalIFunc.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/PassPlugin.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/EscapeEnumerator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#if LLVM_VERSION_MAJOR >= 17
#include "llvm/TargetParser/Triple.h"
#else
#include "llvm/ADT/Triple.h"
#endif

#if LLVM_VERSION_MAJOR < 14
#error "dftrace supports LLVM 14 and later"
#endif

namespace dftrace {

inline bool compatStartsWith(llvm::StringRef Text, llvm::StringRef Prefix) {
  return Text.substr(0, Prefix.size()) == Prefix;
}

/// An opaque pointer, or a pointer to bytes where pointers have a type.
inline llvm::PointerType *compatPointer(llvm::LLVMContext &Context) {
#if LLVM_VERSION_MAJOR >= 15
  return llvm::PointerType::getUnqual(Context);
#else
  return llvm::Type::getInt8PtrTy(Context);
#endif
}

/// An opaque pointer, or a pointer to T where pointers have a type.
inline llvm::PointerType *compatPointerTo(llvm::Type *T) {
#if LLVM_VERSION_MAJOR >= 15
  return llvm::PointerType::getUnqual(T->getContext());
#else
  return T->getPointerTo();
#endif
}

/// x86-64 with 32-bit pointers.
inline bool compatIsX32(const llvm::Triple &Target) {
  return Target.getEnvironment() == llvm::Triple::GNUX32 ||
         Target.getEnvironment() == llvm::Triple::MuslX32;
}

/// Whether F is a coroutine that has not been split into its parts yet.
inline bool compatIsPresplitCoroutine(const llvm::Function &F) {
#if LLVM_VERSION_MAJOR >= 15
  return F.isPresplitCoroutine();
#else
  return F.hasFnAttribute("coroutine.presplit");
#endif
}

/// Removes the attributes by which a call of F could be optimized away, from F
/// and from its calls.
inline void compatDropMemoryAttributes(llvm::Function &F) {
#if LLVM_VERSION_MAJOR >= 16
  static const llvm::Attribute::AttrKind Kinds[] = {
      llvm::Attribute::Memory, llvm::Attribute::Speculatable,
      llvm::Attribute::NoSync};
#else
  static const llvm::Attribute::AttrKind Kinds[] = {
      llvm::Attribute::ReadNone,
      llvm::Attribute::ReadOnly,
      llvm::Attribute::WriteOnly,
      llvm::Attribute::ArgMemOnly,
      llvm::Attribute::InaccessibleMemOnly,
      llvm::Attribute::InaccessibleMemOrArgMemOnly,
      llvm::Attribute::Speculatable,
      llvm::Attribute::NoSync};
#endif
  for (llvm::Attribute::AttrKind Kind : Kinds) {
    F.removeFnAttr(Kind);
    for (llvm::User *U : F.users())
      if (auto *Call = llvm::dyn_cast<llvm::CallBase>(U))
        if (Call->getCalledOperand() == &F)
          Call->removeFnAttr(Kind);
  }
}

/// Adds a pass at the start of the optimizer, at every level; before inlining.
template <typename Callback>
void compatAtPipelineStart(llvm::PassBuilder &PB, Callback Add) {
  PB.registerPipelineStartEPCallback(
      [Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) {
        Add(MPM);
      });
}

/// Adds a pass early in lld's optimizer, for modules that were compiled without
/// the plugin. Functions that the compiler has inlined before get no hooks.
template <typename Callback>
void compatAtLinkTime(llvm::PassBuilder &PB, Callback Add) {
#if LLVM_VERSION_MAJOR >= 15
  PB.registerFullLinkTimeOptimizationEarlyEPCallback(
      [Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) {
        Add(MPM);
      });
#endif
#if LLVM_VERSION_MAJOR >= 20
  PB.registerPipelineEarlySimplificationEPCallback(
      [Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel,
            llvm::ThinOrFullLTOPhase) { Add(MPM); });
#else
  PB.registerPipelineEarlySimplificationEPCallback(
      [Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) {
        Add(MPM);
      });
#endif
}

/// Adds a pass at the end of the optimizer, at every level; coroutines have
/// been split.
template <typename Callback>
void compatAtPipelineEnd(llvm::PassBuilder &PB, Callback Add) {
#if LLVM_VERSION_MAJOR >= 20
  PB.registerOptimizerLastEPCallback(
      [Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel,
            llvm::ThinOrFullLTOPhase) { Add(MPM); });
#else
  PB.registerOptimizerLastEPCallback(
      [Add](llvm::ModulePassManager &MPM, llvm::OptimizationLevel) {
        Add(MPM);
      });
#endif
}

} // namespace dftrace

#endif
