//===- unnamed.h - functions whose linkage name the compiler makes up
//-------===//

#ifndef DFTRACE_LLVM_UNNAMED_H
#define DFTRACE_LLVM_UNNAMED_H

#include "plugin.h"

#include "ast/clang-compat.h"

#include "clang/AST/Mangle.h"

namespace dftrace {

/// What functions are called in the IR, as far as the AST can tell. Each is
/// asked for more than once, and costs.
class LinkageNames {
  clang::ASTNameGenerator Generator;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<std::string>> Cache;

public:
  explicit LinkageNames(clang::ASTContext &Context) : Generator(Context) {}

  /// A constructor or destructor has several.
  const std::vector<std::string> &of(const clang::FunctionDecl *F);

  /// Whether they have a part that the code generator is going to number.
  bool areMadeUp(const clang::FunctionDecl *F);
};

/// The annotation of each function that has one.
using Marks = llvm::DenseMap<const clang::FunctionDecl *, std::string>;

/// Annotates the functions in D whose names are made up. To be called before
/// the code generator sees D.
void markUnnamed(clang::ASTContext &Context, LinkageNames &Names,
                 clang::Decl *D, Marks &Marked);

} // namespace dftrace

#endif
