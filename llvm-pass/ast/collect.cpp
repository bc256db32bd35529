//===- collect.cpp - what the AST knows about functions -------------------===//
//
// Walks the AST of a translation unit and fills Plugin.Declarations: source
// file and line, parameter names, types, attributes and variables of every
// function that may be emitted. The IR has none of these without debug
// information.
//
//===----------------------------------------------------------------------===//

#include "ast/collect.h"

#include "ast/walk.h"

#include "plugin-core/name_list.h"
#include "plugin-core/site_text.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;
using namespace llvm;

namespace dftrace {

/// The file as it may appear in the output: -ffile-prefix-map applies.
static std::string siteFile(const ASTContext &Context, PresumedLoc Location) {
  SmallString<256> Name(Location.getFilename());
  compatRemapPath(Context.getLangOpts(), Name);
  return dft_site_file(Name.c_str());
}

/// The parameters of the source; those without a name are empty.
static std::string parameterNames(const FunctionDecl *F) {
  dft_name_list Names = {};
  for (const ParmVarDecl *Parameter : F->parameters())
    dft_name_list_add(&Names, Parameter->getName().data(),
                      Parameter->getName().size());
  std::string Joined = dft_name_list_text(&Names);
  dft_name_list_free(&Names);
  return Joined;
}

namespace {

/// Visits every function that has a body and may be emitted.
class Collector : public Walk {
  LinkageNames &Names;
  const Marks &Marked;

public:
  Collector(ASTContext &C, LinkageNames &N, const Marks &M)
      : Walk(C, WithInstances), Names(N), Marked(M) {}

  void atFunction(FunctionDecl *F) override {
    if (!F->doesThisDeclarationHaveABody() || F->isDependentContext() ||
        isa<CXXDeductionGuideDecl>(F) || isUnused(F))
      return;
    Declaration Found = describe(F);
    if (Names.areMadeUp(F)) {
      noteUnnamed(F, Found);
      return;
    }
    for (const std::string &Name : Names.of(F)) {
      if (!compatStartsWith(Name, "_Z"))
        Found.Types = functionTypes(Context, F);
      Plugin.Declarations[Name] = Found;
      Plugin.Declarations[Name].CallsOther = callsOtherDestructor(F, Name);
    }
  }

  void atVariable(VarDecl *Variable) override {
    if (Variable->isLocalVarDecl() && !Variable->hasExternalStorage() &&
        !Variable->isInitCapture())
      noteLocal(Variable);
  }

  void atBinding(BindingDecl *Binding) override { noteLocal(Binding); }

private:
  static bool areAlike(const Declaration &A, const Declaration &B) {
    return A.File == B.File && A.Line == B.Line &&
           A.Parameters == B.Parameters && A.Values == B.Values &&
           A.Result == B.Result && A.NoInstrument == B.NoInstrument &&
           A.Invoker == B.Invoker;
  }

  void noteUnnamed(const FunctionDecl *F, const Declaration &Found) {
    auto Mark = Marked.find(F);
    if (Mark != Marked.end())
      Plugin.Declarations[Mark->second] = Found;
    for (const std::string &Name : Names.of(F)) {
      auto Added = Plugin.Numberless.insert({withoutNumbers(Name), Found});
      Declaration &Known = Added.first->second;
      Known.Ambiguous |= !areAlike(Known, Found);
    }
  }

  /// Most inline functions of headers are not used, and not emitted.
  bool isUnused(const FunctionDecl *F) const {
    return F->isInlined() && !F->isUsed() && !Context.DeclMustBeEmitted(F);
  }

  /// In a class with virtual bases, the complete-object destructor (D1) calls
  /// the base-object destructor (D2), which has the body.
  static bool callsOtherDestructor(const FunctionDecl *F, StringRef Name) {
    auto *Destructor = dyn_cast<CXXDestructorDecl>(F);
    return Destructor && Destructor->getParent()->getNumVBases() != 0 &&
           Name.substr(Name.size() < 4 ? 0 : Name.size() - 4) == "D1Ev";
  }

  Declaration describe(const FunctionDecl *F) {
    const SourceManager &SM = Context.getSourceManager();
    // The location of a template instance may be that of a declaration of the
    // template; its pattern is the definition.
    const FunctionDecl *Written = F->getTemplateInstantiationPattern();
    if (!Written)
      Written = F;
    PresumedLoc Location =
        SM.getPresumedLoc(SM.getExpansionLoc(Written->getLocation()));
    Declaration Result;
    Result.Owner = F;
    if (Location.isValid()) {
      Result.File = siteFile(Context, Location);
      Result.Line = Location.getLine();
    }
    Result.Parameters = parameterNames(F);
    if (Plugin.RecordsValues)
      describeValues(Context, F, Result);
    Result.NoInstrument = F->hasAttr<NoInstrumentFunctionAttr>();
    Result.Foreign = F->hasAttr<GNUInlineAttr>() ||
                     Context.getLangOpts().GNUInline ||
                     SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation()));
    if (auto *Method = dyn_cast<CXXMethodDecl>(F))
      Result.Invoker =
          Method->isLambdaStaticInvoker() ||
          (isa<CXXConversionDecl>(Method) && Method->getParent()->isLambda());
    return Result;
  }
};

} // namespace

void collectDeclarations(ASTContext &Context, LinkageNames &Names,
                         const Marks &Marked) {
  Collector(Context, Names, Marked).walk();
}

} // namespace dftrace
