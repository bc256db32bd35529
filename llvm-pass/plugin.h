//===- plugin.h - what the files of the plugin share ----------------------===//
//
// gcc-plugin/plugin.h is its twin: the same files, in the same order.
//
//===----------------------------------------------------------------------===//

#ifndef DFTRACE_LLVM_PLUGIN_H
#define DFTRACE_LLVM_PLUGIN_H

#include "compat.h"

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"
#include "plugin-core/arguments.h"
#include "plugin-core/skip.h"
#include "plugin-core/string.h"
#include "plugin-core/values.h"

#include <list>
#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class NamedDecl;
class QualType;
} // namespace clang

namespace dftrace {

/// A parameter of the source, and how many parameters of the IR it may be.
struct DescribedValue {
  std::string Name;
  std::string Code; ///< of abi.h
  unsigned Least = 1;
  unsigned Most = 1;
  bool Indirect = false; ///< an object whose address is passed
  bool Hidden = false;   ///< not in the source, and not recorded
  bool Promoted = false; ///< passed as int or double, by a K&R definition
};

inline bool operator==(const DescribedValue &A, const DescribedValue &B) {
  return A.Name == B.Name && A.Code == B.Code && A.Least == B.Least &&
         A.Most == B.Most && A.Hidden == B.Hidden && A.Indirect == B.Indirect &&
         A.Promoted == B.Promoted;
}

/// What the front end knows about a function and the IR does not contain.
struct Declaration {
  std::string File;
  unsigned Line = 0;
  std::string Parameters; ///< names joined by commas
  std::string Types;      ///< of the parameters, if the linkage name has none
  const void *Owner = nullptr; ///< key of its variables in Plugin.Locals
  bool NoInstrument = false;
  bool Foreign = true;     ///< gnu_inline, or in a system header
  bool Invoker = false;    ///< part of a lambda's conversion to a pointer
  bool CallsOther = false; ///< a destructor that only calls another one
  bool Ambiguous = false;  ///< several functions that cannot be told apart
  std::vector<DescribedValue> Values; ///< empty: none can be recorded
  std::string Result;                 ///< code of the result; empty: none
};

/// The state of the plugin in this compilation.
struct PluginState {
  dft_plugin_arguments Arguments = {}; ///< refers to Strings
  std::list<std::string> Strings;
  dft_allowlist *Allowlist = nullptr;
  dft_string Report = {};    ///< JSON lines of this translation unit
  unsigned Seen = 0;         ///< functions that the pass has looked at
  unsigned Instrumented = 0; ///< those that got hooks
  bool IntelSyntax = false;  ///< of assembly (-masm=intel)
  std::string Directory;     ///< relative source paths start here
  bool Unoptimized = false;  ///< only our pass runs in this compilation

  /// Filled from the AST, by linkage name, or by mark if the AST does not know
  /// the linkage name. Without an AST (opt, lld), debug information is used.
  bool HasDeclarations = false;
  bool RecordsValues = false; ///< the allowlist has rules in [args]
  llvm::StringMap<Declaration> Declarations;

  /// Functions whose linkage names contain numbers of the code generator, by
  /// the name without these numbers.
  llvm::StringMap<Declaration> Numberless;

  /// Names of each function's variables. The text belongs to the preprocessor,
  /// which outlives the AST.
  llvm::DenseMap<const void *, std::vector<llvm::StringRef>> Locals;
};

extern PluginState Plugin;

/// What has happened in this process, for the warning at its end.
struct Happenings {
  bool ActionAsked = false; ///< Clang has passed the arguments
  bool PassLoaded = false;  ///< into a pipeline
  bool PassRan = false;
};

extern Happenings Happened;

/// How the annotations of the plugin begin (ast/unnamed.cpp).
const char MarkPrefix[] = "dftrace:";

/// The variable that holds a module's note.
const char NoteName[] = "dftrace_note";

// pass.cpp

llvm::PassPluginLibraryInfo getPassPluginInfo();

/// Runs the pass outside a pipeline.
void instrumentModule(llvm::Module &M);

// unoptimized.cpp
void instrumentBeforeWriting(llvm::PassBuilder &PB);

// ast/source.cpp

llvm::StringRef linkageName(const llvm::Function &F);

/// A linkage name without the numbers that the code generator gives to what
/// has no name; empty if it has none.
std::string withoutNumbers(llvm::StringRef Name);

/// Replaces the annotations of the plugin, which are all that the front end can
/// add, by attributes. Other annotations stay.
void readMarks(llvm::Module &M);

/// What the front end knows about F. Without a front end, what debug
/// information says, in Storage. Null if there is an AST that does not know F.
const Declaration *findSource(const llvm::Function &F, Declaration &Storage);

// ir.cpp

/// Loads the allowlist that the options of opt or the environment name. Without
/// one, ends the process with an error: nothing is silently left
/// uninstrumented.
void loadAllowlistForIR();

// hook.cpp

/// Whether the hooks are inline assembly for x86-64.
bool hasQuickHooks(const llvm::Module &M);

/// Inserts the enter hook before an instruction; returns the call's token.
llvm::Value *enterHook(llvm::Instruction *At, llvm::GlobalVariable *Site);
void exitHook(llvm::Instruction *At, llvm::GlobalVariable *Site,
              llvm::Value *Token);

/// Moves B to a new block before At that runs only if this call is traced.
void whenTraced(llvm::IRBuilder<> &B, llvm::Instruction *At,
                llvm::Value *Token);

/// The address of a function of the runtime.
llvm::Value *hookAddress(llvm::IRBuilder<> &B, const char *Name,
                         llvm::FunctionType *Type);

// locals.cpp

/// Adds a variable or a structured binding to those of its function, in
/// Plugin.Locals.
void noteLocal(const clang::NamedDecl *Variable);

// types.cpp

/// How a value of type T is recorded: a code of abi.h.
std::string valueCode(const clang::ASTContext &Context, clang::QualType T);

/// The types of F's parameters as a demangler spells them, for functions whose
/// linkage name does not contain them.
std::string functionTypes(const clang::ASTContext &Context,
                          const clang::FunctionDecl *F);

// ast/passing.cpp

/// What a call of F records: its values and result in Found.
void describeValues(const clang::ASTContext &Context,
                    const clang::FunctionDecl *F, Declaration &Found);

// values.cpp

/// An argument that is recorded.
struct CallValue {
  std::string Code; ///< of abi.h
  unsigned Place;   ///< the first parameter of the IR that it is passed in
  unsigned Width;   ///< how many they are
  unsigned Offset;  ///< in the array that is passed to the runtime
};

/// What a call records; nothing for a function that is not in [args].
struct CallValues {
  dft_values Layout = {};
  std::vector<CallValue> Arguments;
  std::string Result; ///< its code; empty: none is recorded

  CallValues() = default;
  CallValues(const CallValues &) = delete;
  CallValues &operator=(const CallValues &) = delete;
  ~CallValues() { dft_values_free(&Layout); }
};

/// What the hooks of a function share.
struct CallHooks {
  llvm::GlobalVariable *Site;
  llvm::Value *Token;
  unsigned Shape; ///< where the site's text describes the values
};

void selectValues(const llvm::Function &F, const Declaration &Source,
                  const dft_verdict &Verdict, CallValues &Values);

/// Records the arguments. Returns the array that the arguments, and later the
/// result, are passed in.
llvm::Value *recordArguments(llvm::Instruction *At, const CallHooks &Hooks,
                             const CallValues &Values);

/// Records the result if Exit is a return.
void recordResult(llvm::Instruction *Exit, const CallHooks &Hooks,
                  const CallValues &Values, llvm::Value *Array);

// site.cpp

/// A static site for F. The first one of a module also adds the registration.
/// Shape is set to where the site's text describes the values.
llvm::GlobalVariable *makeSite(llvm::Function &F, const dft_names &Names,
                               const Declaration &Source,
                               const dft_verdict &Verdict,
                               const CallValues &Values, unsigned &Shape);

/// The test of the site's switch, and the calls of the two hooks.
llvm::Value *siteIsOn(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site);
llvm::Value *callEnter(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site);
void callExit(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site,
              llvm::Value *Token);

/// The call of a hook that takes values, __dftrace_args or __dftrace_result.
void callValues(llvm::IRBuilder<> &B, const char *Name, const CallHooks &Hooks,
                llvm::Value *Array);

/// Whether F is the constructor that registers this module's sites.
bool isRegistration(const llvm::Function &F);

/// The note that says that this unit was compiled with the plugin.
void makeNote(llvm::Module &M);

} // namespace dftrace

#endif
