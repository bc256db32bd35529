//===- plugin.h - what the files of the plugin share
//------------------------===//

#ifndef DFTRACE_LLVM_PLUGIN_H
#define DFTRACE_LLVM_PLUGIN_H

#include "compat.h"

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"

#include <string>

namespace dftrace {

/// What the front end knows of a function and its IR does not say.
struct Declaration {
  std::string File;
  unsigned Line = 0;
  std::string Parameters; ///< names joined by commas
  bool NoInstrument = false;
  bool Invoker = false;    ///< part of a lambda's conversion to a pointer
  bool CallsOther = false; ///< a destructor whose body is another's
};

/// The plugin's arguments, and what was made of them.
struct PluginState {
  std::string AllowlistPath; ///< as it was given
  std::string ReportPath;    ///< empty: no report is asked for
  bool Verbose = false;
  dft_allowlist *Allowlist = nullptr;
  std::string Directory;     ///< relative source paths count from here
  std::string Report;        ///< JSON lines of this translation unit
  unsigned Seen = 0;         ///< functions that the pass has looked at
  unsigned Instrumented = 0; ///< those that got hooks

  /// Filled from the AST, by linkage name. Without an AST (opt, lld) debug
  /// information stands in.
  bool HasDeclarations = false;
  llvm::StringMap<Declaration> Declarations;
};

extern PluginState Plugin;

// pass.cpp
llvm::PassPluginLibraryInfo getPassPluginInfo();

// ir.cpp: arguments where no Clang reads them.

/// Loads the allowlist that the options of opt or the environment name; ends
/// the process with a message where there is none. Nothing is silently left
/// uninstrumented.
void loadAllowlistForIR();

// hook.cpp: the code of the two hooks.

/// Puts the enter hook before an instruction; returns the call's token.
llvm::Value *enterHook(llvm::Instruction *At, llvm::GlobalVariable *Site);
void exitHook(llvm::Instruction *At, llvm::GlobalVariable *Site,
              llvm::Value *Token);

// site.cpp

/// A static site for F. The first one of a module brings the registration
/// along.
llvm::GlobalVariable *makeSite(llvm::Function &F, const dft_names &Names,
                               const Declaration &Source,
                               const dft_verdict &Verdict);

/// The test of the site's switch, and the two calls.
llvm::Value *siteIsOn(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site);
llvm::Value *callEnter(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site);
void callExit(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site,
              llvm::Value *Token);

/// Whether F is the constructor that registers this module's sites.
bool isRegistration(const llvm::Function &F);

/// The note that says: this unit was compiled with the plugin.
void makeNote(llvm::Module &M);

} // namespace dftrace

#endif
