//===- plugin.cpp - the plugin for Clang ----------------------------------===//
//
// Arguments, allowlist, dependency output, and the AST action.
//
// One flag is enough, as with GCC: -fplugin= loads this object, whose AST
// action reads the arguments and adds the object itself to the list of pass
// plugins. The action runs before the code generator, so the pass finds what
// the action has collected about functions (ast/collect.cpp). pass.cpp writes
// the report.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "ast/collect.h"
#include "ast/unnamed.h"

#include "plugin-core/messages.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendPluginRegistry.h"
#include "clang/Lex/PPCallbacks.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/Support/FileSystem.h"

#include <dlfcn.h>

using namespace clang;
using namespace llvm;

namespace dftrace {

static void reportError(DiagnosticsEngine &Diagnostics, SourceLocation Location,
                        const std::string &Message) {
  unsigned ID = Diagnostics.getCustomDiagID(DiagnosticsEngine::Error, "%0");
  Diagnostics.Report(Location, ID) << Message;
}

/// The plugin as Clang knows it: part of the names of its arguments.
static const char PluginName[] = "dftrace";

/// A copy that lives as long as the compilation.
static const char *keep(StringRef Text) {
  return Plugin.Strings.emplace_back(Text.str()).c_str();
}

static bool readArguments(DiagnosticsEngine &Diagnostics,
                          const std::vector<std::string> &Arguments) {
  dft_plugin_message Message;
  bool Fine = true;
  for (const std::string &Argument : Arguments) {
    auto [Key, Value] = StringRef(Argument).split('=');
    bool HasValue = Key.size() < Argument.size();
    if (!dft_plugin_argument_read(&Plugin.Arguments, PluginName, keep(Key),
                                  HasValue ? keep(Value) : nullptr, &Message)) {
      reportError(Diagnostics, SourceLocation(), Message.text);
      Fine = false;
    }
  }
  if (Fine &&
      !dft_plugin_arguments_check(&Plugin.Arguments, PluginName, &Message)) {
    reportError(Diagnostics, SourceLocation(), Message.text);
    Fine = false;
  }
  return Fine;
}

/// A location inside the allowlist: Clang shows the line with a caret below the
/// column.
static SourceLocation allowlistLocation(CompilerInstance &CI,
                                        const dft_allowlist_error &Problem) {
  auto File =
      CI.getFileManager().getOptionalFileRef(Plugin.Arguments.allowlist);
  if (!File || Problem.line == 0)
    return SourceLocation();
  SourceManager &SM = CI.getSourceManager();
  FileID ID = SM.createFileID(*File, SourceLocation(), SrcMgr::C_User);
  return SM.translateLineCol(ID, Problem.line, Problem.column);
}

/// The hash is part of the command only for compiler caches, which compare
/// commands. If the list has changed since the build was configured, the list
/// as it is now still decides.
static void checkHash() {
  const char *Announced = Plugin.Arguments.allowlist_hash;
  if (Announced &&
      StringRef(Announced) != dft_allowlist_hash(Plugin.Allowlist).text)
    errs()
        << "note: "
        << dft_plugin_message_changed_allowlist(Plugin.Arguments.allowlist).text
        << "\n";
}

/// Most lists have no rules in [args], and need no types.
static bool hasArgumentRules(const dft_allowlist *List) {
  for (size_t I = 0; I < dft_allowlist_count(List); I++)
    if (dft_allowlist_rule(List, I)->section == DFT_SECTION_ARGS)
      return true;
  return false;
}

static bool loadAllowlist(CompilerInstance &CI) {
  dft_allowlist_error Problem;
  const char *Path = Plugin.Arguments.allowlist;
  Plugin.Allowlist = dft_allowlist_load(Path, &Problem);
  if (!Plugin.Allowlist) {
    reportError(CI.getDiagnostics(), allowlistLocation(CI, Problem),
                dft_plugin_message_bad_allowlist(Path, &Problem).text);
    return false;
  }
  Plugin.RecordsValues = hasArgumentRules(Plugin.Allowlist);
  Plugin.IntelSyntax =
      CI.getCodeGenOpts().getInlineAsmDialect() == CodeGenOptions::IAD_Intel;
  checkHash();
  return true;
}

/// Adds the allowlist to the dependencies of the object: make and ninja rebuild
/// the object when the list changes. Clang collects dependencies through
/// callbacks of the preprocessor; the one of __has_include adds a file that is
/// not read.
static void addDependency(CompilerInstance &CI) {
  auto File =
      CI.getFileManager().getOptionalFileRef(Plugin.Arguments.allowlist);
  if (File && CI.hasPreprocessor())
    if (PPCallbacks *Listeners = CI.getPreprocessor().getPPCallbacks())
      Listeners->HasInclude(SourceLocation(), Plugin.Arguments.allowlist, false,
                            File, SrcMgr::C_User);
}

/// This object is the pass plugin as well.
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

namespace {

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
    collectDeclarations(*Context, *Names, Marked);
  }
};

/// Whether code is generated. Otherwise the AST may be stored, and must not get
/// the marks for the IR.
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
    dft_string_free(&Plugin.Report);
    Plugin = PluginState();
    SmallString<256> Directory;
    if (!sys::fs::current_path(Directory))
      Plugin.Directory = Directory.str().str();
    Plugin.Unoptimized = CI.getCodeGenOpts().DisableLLVMPasses;
    // Only an error makes the compilation fail: if this returned false without
    // one, Clang would exit with 0.
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
