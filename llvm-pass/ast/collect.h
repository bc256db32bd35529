//===- collect.h - what the AST knows about functions ---------------------===//

#ifndef DFTRACE_LLVM_COLLECT_H
#define DFTRACE_LLVM_COLLECT_H

#include "ast/unnamed.h"

namespace dftrace {

/// Fills Plugin.Declarations and Plugin.Locals from a complete AST.
void collectDeclarations(clang::ASTContext &Context, LinkageNames &Names,
                         const Marks &Marked);

} // namespace dftrace

#endif
