//===- unnamed.h - functions whose linkage name is not known yet ---------===//

#ifndef DFTRACE_LLVM_UNNAMED_H
#define DFTRACE_LLVM_UNNAMED_H

#include "plugin.h"

#include "ast/clang-compat.h"

#include "clang/AST/Mangle.h"

namespace dftrace {

/// The linkage names of functions, as far as the AST knows them. A cache: names
/// are needed more than once, and mangling is slow.
class LinkageNames {
  clang::ASTNameGenerator Generator;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<std::string>> Cache;

public:
  explicit LinkageNames(clang::ASTContext &Context) : Generator(Context) {}

  /// A constructor or destructor has several.
  const std::vector<std::string> &of(const clang::FunctionDecl *F);

  /// Whether they have a component that the code generator is going to number.
  bool areMadeUp(const clang::FunctionDecl *F);
};

/// The annotation of each function that has one.
using Marks = llvm::DenseMap<const clang::FunctionDecl *, std::string>;

/// Annotates the functions in D whose linkage names are not known yet. To be
/// called before the code generator sees D.
void markUnnamed(clang::ASTContext &Context, LinkageNames &Names,
                 clang::Decl *D, Marks &Marked);

} // namespace dftrace

#endif
