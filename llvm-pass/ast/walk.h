//===- walk.h - a walk past the functions of the AST
//------------------------===//

#ifndef DFTRACE_LLVM_WALK_H
#define DFTRACE_LLVM_WALK_H

#include "ast/clang-compat.h"

namespace dftrace {

/// Calls a function for what it comes by. The walk itself is compiled once, in
/// walk.cpp: that takes a while.
class Walk {
protected:
  clang::ASTContext &Context;

public:
  /// Whether instances of templates are looked into where the template stands.
  enum Instances { WithoutInstances, WithInstances };

  Walk(clang::ASTContext &C, Instances I) : Context(C), Templates(I) {}
  virtual ~Walk() = default;

  void walk();
  void walk(clang::Decl *D);
  void walk(clang::Stmt *Body);

  /// Whether D, which may be null, is looked into.
  virtual bool enters(const clang::Decl *) { return true; }
  virtual void atFunction(clang::FunctionDecl *) {}
  virtual void atLambda(clang::LambdaExpr *) {}
  virtual void atVariable(clang::VarDecl *) {}
  virtual void atBinding(clang::BindingDecl *) {}

private:
  Instances Templates;
};

} // namespace dftrace

#endif
