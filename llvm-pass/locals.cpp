//===- locals.cpp - the names of a function's variables ------------------===//
//
// The walk over the AST visits variables in the order of their declarations,
// also those of inner blocks. Only a reference to each name is stored, because
// most functions of most headers get no site; site.cpp joins the names.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "ast/clang-compat.h"

using namespace clang;
using namespace llvm;

namespace dftrace {

/// The function that a scope is part of. The body of an OpenMP region is a
/// scope inside its function.
static const FunctionDecl *functionAround(const DeclContext *Scope) {
  while (isa<CapturedDecl>(Scope))
    Scope = Scope->getParent();
  return dyn_cast<FunctionDecl>(Scope);
}

void noteLocal(const NamedDecl *Variable) {
  const FunctionDecl *F = functionAround(Variable->getDeclContext());
  if (!F || F->isDependentContext())
    return;
  // Variables of the compiler have no name, are implicit or contain dots.
  if (Variable->getIdentifier() && !Variable->isImplicit() &&
      !Variable->getName().contains('.'))
    Plugin.Locals[F].push_back(Variable->getName());
}

} // namespace dftrace
