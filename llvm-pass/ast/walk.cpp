//===- walk.cpp - a walk over the functions of the AST -------------------===//
//
// Does not enter types, which are half of an AST: they contain no function that
// is emitted, except decltype([] {}) since C++20.
//
//===----------------------------------------------------------------------===//

#include "ast/walk.h"

#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;

namespace dftrace {

namespace {

class Walker : public RecursiveASTVisitor<Walker> {
  Walk &To;
  bool EntersInstances, EntersTypes;

public:
  Walker(Walk &W, bool Instances, bool Types)
      : To(W), EntersInstances(Instances), EntersTypes(Types) {}

  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return EntersInstances; }

  bool TraverseTypeLoc(TypeLoc Type) {
    return !EntersTypes || RecursiveASTVisitor::TraverseTypeLoc(Type);
  }

  bool TraverseDecl(Decl *D) {
    return !To.enters(D) || RecursiveASTVisitor::TraverseDecl(D);
  }

  bool VisitFunctionDecl(FunctionDecl *F) {
    To.atFunction(F);
    return true;
  }

  bool VisitLambdaExpr(LambdaExpr *Lambda) {
    To.atLambda(Lambda);
    return true;
  }

  bool VisitVarDecl(VarDecl *Variable) {
    To.atVariable(Variable);
    return true;
  }

  bool VisitVarTemplateSpecializationDecl(VarTemplateSpecializationDecl *V) {
    return !EntersInstances || !compatPassesVariableInstances ||
           TraverseStmt(V->getInit());
  }

  bool VisitBindingDecl(BindingDecl *Binding) {
    To.atBinding(Binding);
    return true;
  }
};

} // namespace

static Walker walkerFor(Walk &W, const ASTContext &Context, bool Instances) {
  return Walker(W, Instances, Context.getLangOpts().CPlusPlus20);
}

void Walk::walk() {
  walkerFor(*this, Context, Templates == WithInstances).TraverseAST(Context);
}

void Walk::walk(Decl *D) {
  walkerFor(*this, Context, Templates == WithInstances).TraverseDecl(D);
}

void Walk::walk(Stmt *Body) {
  walkerFor(*this, Context, Templates == WithInstances).TraverseStmt(Body);
}

} // namespace dftrace
