//===- unnamed.cpp - functions whose linkage name is not known yet -------===//
//
// A lambda, or a class without a name, that no other translation unit can see is
// called $_0, $_1, ... in linkage names, in the order in which the code generator
// emits them. So the AST does not know the linkage names of their functions, nor
// of template instances for such types. These functions get an annotation before
// the code generator sees them; the pass finds it in the IR. Older versions of
// Clang drop it from constructors and destructors, and implicit functions are
// seen too late: these are identified by the rest of their linkage names, if that
// is unique.
//
//===----------------------------------------------------------------------===//

#include "ast/unnamed.h"

#include "ast/walk.h"

#include "clang/AST/Attr.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace dftrace {

const std::vector<std::string> &LinkageNames::of(const FunctionDecl *F) {
  auto Known = Cache.find(F);
  if (Known != Cache.end())
    return Known->second;
  std::vector<std::string> Names;
  if (isa<CXXConstructorDecl>(F) || isa<CXXDestructorDecl>(F))
    Names = Generator.getAllManglings(F);
  else
    Names.push_back(Generator.getName(F));
  return Cache[F] = std::move(Names);
}

bool LinkageNames::areMadeUp(const FunctionDecl *F) {
  const std::vector<std::string> &Names = of(F);
  return !Names.empty() && !withoutNumbers(Names.front()).empty();
}

namespace {

/// Visits the places where such functions can be: functions that are neither
/// inline nor templates, and classes without a name. (In inline functions and
/// templates the ABI numbers the lambdas.)
class Marker : public Walk {
  LinkageNames &Names;
  Marks &Marked;

public:
  Marker(ASTContext &C, LinkageNames &N, Marks &M)
      : Walk(C, WithoutInstances), Names(N), Marked(M) {}

  bool enters(const Decl *D) override {
    auto *F = dyn_cast_or_null<FunctionDecl>(D);
    return !F || !(F->isDependentContext() || (F->isInlined() && isNamed(F)));
  }

  void atFunction(FunctionDecl *F) override {
    if (!isNamed(F))
      mark(F);
  }

  void atLambda(LambdaExpr *Lambda) override {
    markAll(Lambda->getLambdaClass());
  }

  /// Template instances are visited one by one, when they are created.
  void visitInstance(FunctionDecl *F) {
    if (mark(F) && F->hasBody())
      walk(F->getBody());
  }

private:
  static bool isNamed(const FunctionDecl *F) {
    for (const DeclContext *Scope = F->getDeclContext(); Scope;
         Scope = Scope->getParent()) {
      if (Scope->isFunctionOrMethod())
        return false;
      auto *Class = dyn_cast<TagDecl>(Scope);
      if (Class && !Class->getIdentifier() &&
          !Class->getTypedefNameForAnonDecl())
        return false;
    }
    return true;
  }

  void markAll(const CXXRecordDecl *Class) {
    for (CXXMethodDecl *Method : Class->methods())
      mark(Method);
  }

  bool mark(FunctionDecl *F) {
    if (F->isDependentContext() || !Names.areMadeUp(F))
      return false;
    std::string Mark = MarkPrefix + std::to_string(Marked.size());
    if (Marked.insert({F, Mark}).second)
      F->addAttr(AnnotateAttr::CreateImplicit(Context, Mark, nullptr, 0));
    return true;
  }
};

} // namespace

void markUnnamed(ASTContext &Context, LinkageNames &Names, Decl *D,
                 Marks &Marked) {
  Marker Walk(Context, Names, Marked);
  auto *F = dyn_cast<FunctionDecl>(D);
  if (F && F->isTemplateInstantiation())
    Walk.visitInstance(F);
  else if (!Context.getSourceManager().isInSystemHeader(D->getBeginLoc()))
    Walk.walk(D);
}

} // namespace dftrace
