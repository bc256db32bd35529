//===- clang-compat.h - every difference between Clang versions ----------===//

#ifndef DFTRACE_CLANG_COMPAT_H
#define DFTRACE_CLANG_COMPAT_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/LangOptions.h"

namespace dftrace {

inline void compatRemapPath(const clang::LangOptions &Options,
                            llvm::SmallString<256> &Path) {
  Options.remapPathPrefix(Path);
}

inline uint64_t compatBitWidth(const clang::ASTContext &Context,
                               const clang::FieldDecl *Field) {
#if LLVM_VERSION_MAJOR >= 20
  (void)Context;
  return Field->getBitWidthValue();
#else
  return Field->getBitWidthValue(Context);
#endif
}

/// Whether Method has a hidden parameter `this`.
inline bool compatHasThis(const clang::CXXMethodDecl *Method) {
#if LLVM_VERSION_MAJOR >= 18
  return Method->isImplicitObjectMemberFunction();
#else
  return Method->isInstance();
#endif
}

/// Whether RecursiveASTVisitor does not visit the initializers of variable
/// template instances.
constexpr bool compatPassesVariableInstances = LLVM_VERSION_MAJOR < 16;

} // namespace dftrace

#endif
