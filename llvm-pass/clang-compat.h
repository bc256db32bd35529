//===- clang-compat.h - Clang's headers, and their differences between versions
//---===//

#ifndef DFTRACE_CLANG_COMPAT_H
#define DFTRACE_CLANG_COMPAT_H

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "clang/Basic/LangOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace dftrace {

inline void compatRemapPath(const clang::LangOptions &Options,
                            llvm::SmallString<256> &Path) {
  Options.remapPathPrefix(Path);
}

} // namespace dftrace

#endif
