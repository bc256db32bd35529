//===- locals.cpp - the names of a function's variables
//---------------------===//
//
// The AST is walked in the order of the source, so variables come by in the
// order of their declarations, those of inner blocks among them. Only a
// reference to each name is kept: most functions of most headers get no site.
//
//===------------------------------------------------------------------------===//

#include "plugin.h"

#include "ast/clang-compat.h"

using namespace clang;
using namespace llvm;

namespace dftrace {

/// The function that a scope is part of; the body of an OpenMP region is a
/// scope of its own.
static const FunctionDecl *functionAround(const DeclContext *Scope) {
  while (isa<CapturedDecl>(Scope))
    Scope = Scope->getParent();
  return dyn_cast<FunctionDecl>(Scope);
}

void noteLocal(const NamedDecl *Variable) {
  const FunctionDecl *F = functionAround(Variable->getDeclContext());
  if (!F || F->isDependentContext())
    return;
  // The compiler's own have no name, are implicit or have dots.
  if (Variable->getIdentifier() && !Variable->isImplicit() &&
      !Variable->getName().contains('.'))
    Plugin.Locals[F].push_back(Variable->getName());
}

} // namespace dftrace
