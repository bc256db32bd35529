//===- plugin.h - what the files of the plugin share
//------------------------===//

#ifndef DFTRACE_LLVM_PLUGIN_H
#define DFTRACE_LLVM_PLUGIN_H

#include "compat.h"

#include "allowlist/allowlist.h"
#include "dftrace/abi.h"

#include <string>
#include <vector>

namespace clang {
class ASTContext;
class FunctionDecl;
class NamedDecl;
class QualType;
} // namespace clang

namespace dftrace {

/// A parameter of the source, and how many of the IR's may stand for it.
struct DescribedValue {
  std::string Name;
  std::string Code; ///< of abi.h
  unsigned Least = 1;
  unsigned Most = 1;
  bool Indirect = false; ///< an object whose address is passed
  bool Hidden = false;   ///< not in the source, and not recorded
  bool Promoted = false; ///< passed as int or double, as K&R has it
};

inline bool operator==(const DescribedValue &A, const DescribedValue &B) {
  return A.Name == B.Name && A.Code == B.Code && A.Least == B.Least &&
         A.Most == B.Most && A.Hidden == B.Hidden && A.Indirect == B.Indirect &&
         A.Promoted == B.Promoted;
}

/// What the front end knows of a function and its IR does not say.
struct Declaration {
  std::string File;
  unsigned Line = 0;
  std::string Parameters; ///< names joined by commas
  std::string Types;      ///< of them, where the linkage name does not tell
  const void *Owner = nullptr; ///< whose variables are in Plugin.Locals
  bool NoInstrument = false;
  bool Foreign = true;     ///< gnu_inline, or of a system's header
  bool Invoker = false;    ///< part of a lambda's conversion to a pointer
  bool CallsOther = false; ///< a destructor whose body is another's
  bool Ambiguous = false;  ///< several that differ, and nothing to tell which
  std::vector<DescribedValue> Values; ///< empty: none can be recorded
  std::string Result;                 ///< code of the result; empty: none
};

/// The plugin's arguments, and what was made of them.
struct PluginState {
  std::string AllowlistPath; ///< as it was given
  std::string AnnouncedHash; ///< of it, part of the command; may be empty
  std::string ReportPath;    ///< empty: no report is asked for
  bool Verbose = false;
  bool IntelSyntax = false; ///< of assembly (-masm=intel)
  dft_allowlist *Allowlist = nullptr;
  std::string Directory;     ///< relative source paths count from here
  std::string Report;        ///< JSON lines of this translation unit
  unsigned Seen = 0;         ///< functions that the pass has looked at
  unsigned Instrumented = 0; ///< those that got hooks
  bool Unoptimized = false;  ///< no passes but ours run in this compilation

  /// Filled from the AST, by linkage name, or by mark where the AST does not
  /// know that. Without an AST (opt, lld) debug information stands in.
  bool HasDeclarations = false;
  bool RecordsValues = false; ///< the allowlist has rules in [args]
  llvm::StringMap<Declaration> Declarations;

  /// Functions whose names have parts that are made up, by the rest of them.
  llvm::StringMap<Declaration> Numberless;

  /// Names of each function's variables. The text is the preprocessor's, which
  /// outlives the AST.
  llvm::DenseMap<const void *, std::vector<llvm::StringRef>> Locals;
};

extern PluginState Plugin;

/// What this process came to, for the notice at its end.
struct Happenings {
  bool ActionAsked = false; ///< Clang has read the arguments
  bool PassLoaded = false;  ///< into a pipeline
  bool PassRan = false;
};

extern Happenings Happened;

/// How annotations of ours begin (unnamed.cpp).
const char MarkPrefix[] = "dftrace:";

/// The variable that holds a module's note.
const char NoteName[] = "dftrace_note";

// pass.cpp

llvm::PassPluginLibraryInfo getPassPluginInfo();

/// Runs the pass where no pipeline does.
void instrumentModule(llvm::Module &M);

// unoptimized.cpp
void instrumentBeforeWriting(llvm::PassBuilder &PB);

// source.cpp

llvm::StringRef linkageName(const llvm::Function &F);

/// A linkage name without the numbers that the code generator makes up for what
/// has no name; empty where there are none.
std::string withoutNumbers(llvm::StringRef Name);

/// From annotations, which are all that the front end can make, to attributes.
/// What others have annotated stays.
void readMarks(llvm::Module &M);

/// The front end's account of F, or what debug information says of it, which
/// Storage is for. Null where there is an AST that does not know F.
const Declaration *findSource(const llvm::Function &F, Declaration &Storage);

// ir.cpp: arguments where no Clang reads them.

/// Loads the allowlist that the options of opt or the environment name; ends
/// the process with a message where there is none. Nothing is silently left
/// uninstrumented.
void loadAllowlistForIR();

// hook.cpp: the code of the two hooks.

/// Whether they are inline assembly for x86-64.
bool hasQuickHooks(const llvm::Module &M);

/// Puts the enter hook before an instruction; returns the call's token.
llvm::Value *enterHook(llvm::Instruction *At, llvm::GlobalVariable *Site);
void exitHook(llvm::Instruction *At, llvm::GlobalVariable *Site,
              llvm::Value *Token);

/// Moves B to where code is run only if the call that At belongs to is traced.
void whenTraced(llvm::IRBuilder<> &B, llvm::Instruction *At,
                llvm::Value *Token);

/// The address of one of the runtime's functions that is called from there.
llvm::Value *hookAddress(llvm::IRBuilder<> &B, const char *Name,
                         llvm::FunctionType *Type);

// locals.cpp

/// Adds a variable or a binding to those of the function that it stands in.
void noteLocal(const clang::NamedDecl *Variable);

// types.cpp

/// What a call of F records: its values and result in Found.
void describeValues(const clang::ASTContext &Context,
                    const clang::FunctionDecl *F, Declaration &Found);

/// The types of F's parameters as a demangler spells them: for functions whose
/// linkage name does not tell.
std::string functionTypes(const clang::ASTContext &Context,
                          const clang::FunctionDecl *F);

// passing.cpp

/// How many arguments of the IR stand for a value of this type.
void countArguments(const clang::ASTContext &Context, clang::QualType T,
                    DescribedValue &Value);

// values.cpp

struct CallValue {
  std::string Code; ///< of abi.h
  unsigned Place;   ///< the first of the IR's arguments that it is
  unsigned Width;   ///< how many they are
  unsigned Offset;  ///< in the array that is handed to the runtime
};

/// What a call records; nothing of a function that is not in [args].
struct CallValues {
  std::string Shape; ///< DFTRACE_TEXT_VALUES
  std::vector<CallValue> Arguments;
  std::string Result;  ///< its code; empty: none is recorded
  std::string Without; ///< names that a rule leaves out, joined by commas
  unsigned Size = 0;   ///< of the array
};

/// What a function's hooks share.
struct CallHooks {
  llvm::GlobalVariable *Site;
  llvm::Value *Token;
  unsigned Shape; ///< where it stands in the site's text
};

CallValues selectValues(const llvm::Function &F, const Declaration &Source,
                        const dft_verdict &Verdict);

/// Returns the array that the values go through, also that of the result.
llvm::Value *recordArguments(llvm::Instruction *At, const CallHooks &Hooks,
                             const CallValues &Values);
void recordResult(llvm::Instruction *Exit, const CallHooks &Hooks,
                  const CallValues &Values, llvm::Value *Array);

// site.cpp

/// A static site for F. The first one of a module brings the registration
/// along. Shape gets the place of the description of its values.
llvm::GlobalVariable *makeSite(llvm::Function &F, const dft_names &Names,
                               const Declaration &Source,
                               const dft_verdict &Verdict,
                               const CallValues &Values, unsigned &Shape);

/// The test of the site's switch, and the two calls.
llvm::Value *siteIsOn(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site);
llvm::Value *callEnter(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site);
void callExit(llvm::IRBuilder<> &B, llvm::GlobalVariable *Site,
              llvm::Value *Token);

/// The call of a function that takes values, __dftrace_args or
/// __dftrace_result.
void callValues(llvm::IRBuilder<> &B, const char *Name, const CallHooks &Hooks,
                llvm::Value *Array);

/// Whether F is the constructor that registers this module's sites.
bool isRegistration(const llvm::Function &F);

/// The note that says: this unit was compiled with the plugin.
void makeNote(llvm::Module &M);

} // namespace dftrace

#endif
