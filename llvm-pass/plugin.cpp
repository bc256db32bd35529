//===- plugin.cpp - the plugin for Clang
//------------------------------------===//
//
// Arguments, allowlist, dependency output, and what the AST knows of functions
// that the IR does not.
//
// One flag does it all, as with GCC: -fplugin= loads this object, whose AST
// action reads the arguments and adds the object itself to the list of pass
// plugins. The action runs before the code generator, so the pass finds what it
// has collected.
//
//===------------------------------------------------------------------------===//

#include "ast/unnamed.h"
#include "ast/walk.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/Attr.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <dlfcn.h>

using namespace clang;
using namespace llvm;

namespace dftrace {

static const char ExpectedArguments[] =
    "-fplugin-arg-dftrace-allowlist=FILE, -fplugin-arg-dftrace-report=FILE and "
    "-fplugin-arg-dftrace-verbose";

static void reportError(DiagnosticsEngine &Diagnostics, SourceLocation Location,
                        const std::string &Message) {
  unsigned ID = Diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0");
  Diagnostics.Report(Location, ID) << Message;
}

static bool readArguments(DiagnosticsEngine &Diagnostics,
                          const std::vector<std::string> &Arguments) {
  bool Fine = true;
  auto Complain = [&](const std::string &Message) {
    reportError(Diagnostics, SourceLocation(), Message);
    Fine = false;
  };
  for (const std::string &Argument : Arguments) {
    auto [Key, Value] = StringRef(Argument).split('=');
    if (Key == "allowlist" || Key == "report") {
      if (Value.empty())
        Complain(("'-fplugin-arg-dftrace-" + Key +
                  "' needs a value: '-fplugin-arg-dftrace-" + Key + "=FILE'")
                     .str());
      (Key == "report" ? Plugin.ReportPath : Plugin.AllowlistPath) =
          Value.str();
    } else if (Key == "allowlist-hash") {
      Plugin.AnnouncedHash = Value.str();
    } else if (Argument == "verbose") {
      Plugin.Verbose = true;
    } else {
      Complain(("unknown argument '-fplugin-arg-dftrace-" + Key +
                "'; there are " + ExpectedArguments)
                   .str());
    }
  }
  if (Fine && Plugin.AllowlistPath.empty())
    Complain("the dftrace plugin needs '-fplugin-arg-dftrace-allowlist=FILE', "
             "a file that names "
             "the functions to trace");
  return Fine;
}

/// A location inside the allowlist, so that Clang shows the line and a caret
/// below the column.
static SourceLocation allowlistLocation(CompilerInstance &CI,
                                        const dft_allowlist_error &Problem) {
  auto File = CI.getFileManager().getOptionalFileRef(Plugin.AllowlistPath);
  if (!File || Problem.line == 0)
    return SourceLocation();
  SourceManager &SM = CI.getSourceManager();
  FileID ID = SM.createFileID(*File, SourceLocation(), SrcMgr::C_User);
  return SM.translateLineCol(ID, Problem.line, Problem.column);
}

/// Most lists have no such rules, and need not know of types.
static bool hasArgumentRules(const dft_allowlist *List) {
  for (size_t I = 0; I < dft_allowlist_count(List); I++)
    if (dft_allowlist_rule(List, I)->section == DFT_SECTION_ARGS)
      return true;
  return false;
}

/// The hash is in the command only for compiler caches, which compare commands.
/// A build that was configured before the list changed still compiles by the
/// list as it is.
static void checkHash() {
  if (!Plugin.AnnouncedHash.empty() &&
      Plugin.AnnouncedHash != dft_allowlist_hash(Plugin.Allowlist).text)
    errs()
        << "note: dftrace: " << Plugin.AllowlistPath
        << " has changed since 'dftrace config' printed these flags; without "
           "new ones a compiler cache may return objects made by the old "
           "list\n";
}

static bool loadAllowlist(CompilerInstance &CI) {
  dft_allowlist_error Problem;
  Plugin.Allowlist = dft_allowlist_load(Plugin.AllowlistPath.c_str(), &Problem);
  if (Plugin.Allowlist) {
    Plugin.RecordsValues = hasArgumentRules(Plugin.Allowlist);
    Plugin.IntelSyntax =
        CI.getCodeGenOpts().getInlineAsmDialect() == CodeGenOptions::IAD_Intel;
    checkHash();
    return true;
  }
  if (Problem.line)
    reportError(CI.getDiagnostics(), allowlistLocation(CI, Problem),
                Problem.message);
  else
    reportError(CI.getDiagnostics(), SourceLocation(),
                "allowlist '" + Plugin.AllowlistPath + "': " + Problem.message);
  return false;
}

/// Make and ninja rebuild an object when the allowlist that shaped it changes.
/// The collector of dependencies listens to the preprocessor, where
/// __has_include names a file without entering it.
static void addDependency(CompilerInstance &CI) {
  auto File = CI.getFileManager().getOptionalFileRef(Plugin.AllowlistPath);
  if (File && CI.hasPreprocessor())
    if (PPCallbacks *Listeners = CI.getPreprocessor().getPPCallbacks())
      Listeners->HasInclude(SourceLocation(), Plugin.AllowlistPath, false, File,
                            SrcMgr::C_User);
}

/// This very object is the pass plugin as well.
static void addPass(const CompilerInstance &CI) {
  Dl_info Self;
  if (!dladdr(reinterpret_cast<void *>(&getPassPluginInfo), &Self) ||
      !Self.dli_fname)
    return;
  auto &Plugins =
      const_cast<CompilerInstance &>(CI).getCodeGenOpts().PassPlugins;
  if (!is_contained(Plugins, Self.dli_fname))
    Plugins.push_back(Self.dli_fname);
}

/// The file as it may appear in the output: -ffile-prefix-map applies.
static std::string fileName(const ASTContext &Context, PresumedLoc Location) {
  SmallString<256> Name(Location.getFilename());
  compatRemapPath(Context.getLangOpts(), Name);
  // Clang finds a header beside "unit.c" as "./header.h", GCC as "header.h".
  StringRef Short = sys::path::remove_leading_dotslash(Name);
  return Short.str();
}

namespace {

/// Every function that has a body and may come to be emitted.
class Collector : public Walk {
  LinkageNames &Names;
  const Marks &Marked;

public:
  Collector(ASTContext &C, LinkageNames &N, const Marks &M)
      : Walk(C, WithInstances), Names(N), Marked(M) {}

  void atFunction(FunctionDecl *F) override {
    if (!F->doesThisDeclarationHaveABody() || F->isDependentContext() ||
        isa<CXXDeductionGuideDecl>(F) || isLeftOut(F))
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

  /// Headers are full of inline functions that nobody uses.
  bool isLeftOut(const FunctionDecl *F) const {
    return F->isInlined() && !F->isUsed() && !Context.DeclMustBeEmitted(F);
  }

  /// With virtual bases, the destructor of a complete object (D1) calls that of
  /// the object without them (D2), which has the body.
  static bool callsOtherDestructor(const FunctionDecl *F, StringRef Name) {
    auto *Destructor = dyn_cast<CXXDestructorDecl>(F);
    return Destructor && Destructor->getParent()->getNumVBases() != 0 &&
           Name.substr(Name.size() < 4 ? 0 : Name.size() - 4) == "D1Ev";
  }

  Declaration describe(const FunctionDecl *F) {
    const SourceManager &SM = Context.getSourceManager();
    // An instance of a template may stand where the template was declared.
    const FunctionDecl *Written = F->getTemplateInstantiationPattern();
    if (!Written)
      Written = F;
    PresumedLoc Location =
        SM.getPresumedLoc(SM.getExpansionLoc(Written->getLocation()));
    Declaration Result;
    Result.Owner = F;
    if (Location.isValid()) {
      Result.File = fileName(Context, Location);
      Result.Line = Location.getLine();
    }
    bool First = true;
    for (const ParmVarDecl *Parameter : F->parameters()) {
      if (!First)
        Result.Parameters += ',';
      First = false;
      Result.Parameters += Parameter->getName().str();
    }
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

class Consumer : public ASTConsumer {
  std::unique_ptr<LinkageNames> Names;
  Marks Marked;
  ASTContext *Context = nullptr;
  bool EmitsCode;

public:
  explicit Consumer(bool Emits) : EmitsCode(Emits) {}

  void Initialize(ASTContext &C) override {
    Context = &C;
    Names = std::make_unique<LinkageNames>(C);
  }

  bool HandleTopLevelDecl(DeclGroupRef Group) override {
    if (EmitsCode && Context->getLangOpts().CPlusPlus)
      for (Decl *D : Group)
        markUnnamed(*Context, *Names, D, Marked);
    return true;
  }

  void HandleTranslationUnit(ASTContext &) override {
    Plugin.HasDeclarations = true;
    Collector(*Context, *Names, Marked).walk();
  }
};

/// Whether the marks that IR shall have may go into the AST: not into one that
/// is stored.
bool emitsCode(const CompilerInstance &CI) {
  switch (CI.getFrontendOpts().ProgramAction) {
  case frontend::EmitAssembly:
  case frontend::EmitBC:
  case frontend::EmitLLVM:
  case frontend::EmitLLVMOnly:
  case frontend::EmitCodeGenOnly:
  case frontend::EmitObj:
    return true;
  default:
    return false;
  }
}

class Action : public PluginASTAction {
  bool Ready = false;

public:
  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &CI,
                                                 StringRef) override {
    if (Ready)
      addDependency(CI);
    return std::make_unique<Consumer>(emitsCode(CI));
  }

  bool ParseArgs(const CompilerInstance &CI,
                 const std::vector<std::string> &Arguments) override {
    Happened.ActionAsked = true;
    dft_allowlist_free(Plugin.Allowlist);
    Plugin = PluginState();
    SmallString<256> Directory;
    if (!sys::fs::current_path(Directory))
      Plugin.Directory = Directory.str().str();
    Plugin.Unoptimized = CI.getCodeGenOpts().DisableLLVMPasses;
    // Returning false alone would let Clang exit with 0: the error is what
    // fails the compilation.
    Ready = readArguments(CI.getDiagnostics(), Arguments) &&
            loadAllowlist(const_cast<CompilerInstance &>(CI));
    if (Ready)
      addPass(CI);
    return Ready;
  }

  ActionType getActionType() override { return AddBeforeMainAction; }
};

} // namespace

static FrontendPluginRegistry::Add<Action>
    Registration("dftrace",
                 "records calls of the functions that an allowlist names");

} // namespace dftrace
