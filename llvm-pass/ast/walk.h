//===- walk.h - a walk over the functions of the AST ---------------------===//

#ifndef DFTRACE_LLVM_WALK_H
#define DFTRACE_LLVM_WALK_H

#include "ast/clang-compat.h"

namespace dftrace {

/// Calls a virtual function for each node of interest. The walk itself is
/// compiled once, in walk.cpp, because that takes long.
class Walk {
protected:
  clang::ASTContext &Context;

public:
  /// Whether the walk enters the instances of a template.
  enum Instances { WithoutInstances, WithInstances };

  Walk(clang::ASTContext &C, Instances I) : Context(C), Templates(I) {}
  virtual ~Walk() = default;

  void walk();
  void walk(clang::Decl *D);
  void walk(clang::Stmt *Body);

  /// Whether the walk enters D, which may be null.
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
