//===- clang-compat.h - Clang's headers, and their differences between versions
//---===//

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

/// Whether it is called for an object that is not among its parameters.
inline bool compatHasThis(const clang::CXXMethodDecl *Method) {
#if LLVM_VERSION_MAJOR >= 18
  return Method->isImplicitObjectMemberFunction();
#else
  return Method->isInstance();
#endif
}

/// Whether a walk leaves out what initializes an instance of a variable
/// template.
constexpr bool compatPassesVariableInstances = LLVM_VERSION_MAJOR < 16;

} // namespace dftrace

#endif
