//===- clang-compat.h - Clang's headers, and their differences between versions
//---===//

#ifndef DFTRACE_CLANG_COMPAT_H
#define DFTRACE_CLANG_COMPAT_H

#include "clang/AST/ASTContext.h"
#include "clang/Basic/LangOptions.h"

namespace dftrace {

inline void compatRemapPath(const clang::LangOptions &Options,
                            llvm::SmallString<256> &Path) {
  Options.remapPathPrefix(Path);
}

} // namespace dftrace

#endif
