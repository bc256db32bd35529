//===- pass.cpp - the pass that puts hooks into functions ----------------===//
//
// What a function BODY becomes:
//
//   token = site.on ? __dftrace_enter(&site) : 0;
//   BODY, and before each return and each resumed unwinding:
//     if (token) __dftrace_exit(&site, token);
//
// The test of site.on is inline, so a program that is not traced executes a
// load and a branch that is not taken; hook.cpp has the code. The token stores
// the outcome of the test: enter and exit pair even when the switch changes in
// between. A musttail call must be directly before its return, so there the
// exit hook comes before the call. The runtime detects a longjmp past the exit
// hook.
//
// The pass runs at the start of the pipeline, before inlining, at every
// optimization level. At that point a coroutine is not split yet: its parts get
// hooks at the end of the pipeline, and are not inlined until then.
//
// gcc-plugin/pass.cc is the twin of this file; plugin-core/skip.h explains the
// reasons for which both skip functions.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "plugin-core/messages.h"
#include "plugin-core/report.h"

#include <mutex>

using namespace llvm;

namespace dftrace {

PluginState Plugin;

} // namespace dftrace

void dft_plugin_out_of_memory() { report_fatal_error(DFT_PLUGIN_NO_MEMORY); }

namespace dftrace {

/// The functions that ifuncs of the module name.
static SmallPtrSet<const Function *, 4> ifuncResolvers(const Module &M) {
  SmallPtrSet<const Function *, 4> Resolvers;
  for (const GlobalIFunc &IFunc : M.ifuncs())
    if (auto *F = dyn_cast<Function>(
            IFunc.getResolver()->stripPointerCastsAndAliases()))
      Resolvers.insert(F);
  return Resolvers;
}

static bool endsWith(StringRef Name, StringRef End) {
  return Name.size() > End.size() &&
         Name.substr(Name.size() - End.size()) == End;
}

/// Whether F has no counterpart in the source. With an AST, that is everything
/// that the AST does not know. Tests:
/// tests/e2e/compiler-made-functions-are-skipped.cc,
/// delete-is-one-destructor-call.cc,
/// tests/llvm/thunks-and-foreign-bodies-stay-untouched.ll.
static bool isCompilerMade(const Function &F, const Declaration *Source) {
  StringRef Name = linkageName(F);
  if (dft_skip_is_compiler_made(Name.str().c_str()))
    return true;
  // Initializes or destroys variables of a translation unit, or is part of a
  // runtime of Clang's or LLVM's.
  for (StringRef Prefix : {"__cxx_global_var_init", "__cxx_global_array_dtor",
                           "__clang_", "__dtor_", "__llvm_"})
    if (compatStartsWith(Name, Prefix))
      return true;
  // What Clang outlines from a function or adds to it, under the function's
  // name: bodies of OpenMP regions, calls of await_suspend, resolvers of
  // function multiversioning.
  for (StringRef Part : {".omp_", ".omp.", ".__await_suspend_wrapper__"})
    if (Name.contains(Part))
      return true;
  if (endsWith(Name, ".resolver"))
    return true;
  // A destructor that only calls another one, which has the body.
  if (Source && Source->CallsOther)
    return true;
  // Part of a lambda's conversion to a function pointer; it calls the lambda.
  if (Source && Source->Invoker)
    return true;
  return Plugin.HasDeclarations && !Source;
}

/// Why a function that a rule matches cannot have hooks; plugin-core/skip.h has
/// more about each reason. tests/e2e/skipped-functions-say-why.c covers them
/// all.
static dft_skip reasonToSkip(const Function &F, const Declaration &Source,
                             bool IsResolver) {
  // The source asks for it. The attribute is not in the IR: it comes from the
  // front end.
  if (Source.NoInstrument)
    return DFT_SKIP_NO_INSTRUMENT;
  // Neither prologue nor stack frame: a call would overwrite registers.
  if (F.hasFnAttribute(Attribute::Naked))
    return DFT_SKIP_NAKED;
  // Must preserve every register, including those that the runtime changes.
  if (F.getCallingConv() == CallingConv::X86_INTR ||
      F.hasFnAttribute("interrupt"))
    return DFT_SKIP_INTERRUPT;
  // A body for inlining only; the function itself is compiled in a library. IR
  // without a front end does not tell whether it is one of the program's own.
  // The inline body of a function that Clang has built in, such as memcpy, is
  // called memcpy.inline.
  bool ForInlining =
      F.hasAvailableExternallyLinkage() || endsWith(linkageName(F), ".inline");
  if (ForInlining && Source.Foreign)
    return DFT_SKIP_EXTERN_INLINE;
  // Runs before the sites and the hooks have their addresses.
  if (IsResolver)
    return DFT_SKIP_IFUNC_RESOLVER;
  return DFT_SKIP_NONE;
}

/// Makes exceptions run the exit hook of F. EscapeEnumerator would give a C++
/// function the personality of C, and LLVM does not inline between functions
/// with different personalities.
static void choosePersonality(Function &F) {
  if (F.hasPersonalityFn() || F.doesNotThrow() ||
      !compatStartsWith(linkageName(F), "_Z"))
    return;
  Module &M = *F.getParent();
  FunctionCallee Personality = M.getOrInsertFunction(
      "__gxx_personality_v0",
      FunctionType::get(Type::getInt32Ty(M.getContext()), true));
  F.setPersonalityFn(cast<Constant>(Personality.getCallee()));
}

/// The first instruction behind the allocas of the entry block. These must stay
/// in the entry block: elsewhere they would allocate stack on each execution,
/// and would not become registers.
static Instruction *bodyStart(Function &F) {
  BasicBlock &Entry = F.getEntryBlock();
  BasicBlock::iterator I = Entry.begin();
  while (isa<AllocaInst>(*I))
    ++I;
  Instruction *Start = &*I;
  for (Instruction &Each : make_early_inc_range(make_range(I, Entry.end())))
    if (auto *Alloca = dyn_cast<AllocaInst>(&Each))
      if (Alloca->isStaticAlloca())
        Alloca->moveBefore(Start);
  return Start;
}

static void addHooks(Function &F, GlobalVariable *Site,
                     const CallValues &Values, unsigned Shape) {
  // Two calls with the same arguments are two events: none of them may be
  // optimized away, even if the function is pure or const.
  compatDropMemoryAttributes(F);
  choosePersonality(F);
  Instruction *Start = bodyStart(F);
  CallHooks Hooks = {Site, enterHook(Start, Site), Shape};
  Value *Array = Values.Layout.shape.length == 0
                     ? nullptr
                     : recordArguments(Start, Hooks, Values);

  SmallVector<Instruction *, 8> Exits;
  EscapeEnumerator Escapes(F, "dftrace_cleanup", !F.doesNotThrow());
  while (IRBuilder<> *At = Escapes.Next())
    Exits.push_back(&*At->GetInsertPoint());
  for (Instruction *Exit : Exits) {
    if (Array)
      recordResult(Exit, Hooks, Values, Array);
    exitHook(Exit, Site, Hooks.Token);
  }
}

/// Adds a line for a function to the report.
static void report(const dft_names &Names, const Declaration &Source,
                   const dft_verdict &Verdict, dft_skip Skip,
                   const CallValues &Values) {
  if (!Plugin.Arguments.report)
    return;
  dft_report_entry Entry = {};
  Entry.names = &Names;
  Entry.file = Source.File.c_str();
  Entry.line = Source.Line;
  Entry.verdict = &Verdict;
  Entry.skip = Skip;
  Entry.omitted = dft_name_list_text(&Values.Layout.omitted);
  Entry.allowlist = Plugin.Arguments.allowlist;
  dft_report_add(&Plugin.Report, &Entry);
}

namespace {

/// What the allowlist says about a function.
struct Decision {
  std::string Linkage; ///< Names refers to it
  dft_names Names;
  dft_verdict Verdict;
  dft_skip Skip = DFT_SKIP_NONE; ///< why a function that matches has no hooks

  Decision(const Function &F, const Declaration &Source, bool IsResolver)
      : Linkage(linkageName(F).str()) {
    if (!dft_names_make(Linkage.c_str(), DFT_LANGUAGE_C_FAMILY, &Names))
      dft_plugin_out_of_memory();
    dft_allowlist_match(Plugin.Allowlist, &Names, Source.File.c_str(),
                        Plugin.Directory.c_str(), &Verdict);
    if (Verdict.traced)
      Skip = reasonToSkip(F, Source, IsResolver);
  }
  ~Decision() { dft_names_free(&Names); }
  Decision(const Decision &) = delete;
  Decision &operator=(const Decision &) = delete;

  bool isTraced() const { return Verdict.traced && Skip == DFT_SKIP_NONE; }
};

} // namespace

static void instrument(Function &F, bool IsResolver) {
  Declaration Storage;
  const Declaration *Source = findSource(F, Storage);
  if (isCompilerMade(F, Source))
    return;
  Decision Made(F, *Source, IsResolver);
  CallValues Values;
  Plugin.Seen++;
  if (Made.isTraced()) {
    unsigned Shape;
    Plugin.Instrumented++;
    selectValues(F, *Source, Made.Verdict, Values);
    GlobalVariable *Site =
        makeSite(F, Made.Names, *Source, Made.Verdict, Values, Shape);
    addHooks(F, Site, Values, Shape);
  }
  report(Made.Names, *Source, Made.Verdict, Made.Skip, Values);
}

/// Keeps a coroutine from being inlined until its parts get their hooks, at the
/// end of the pipeline.
static void keepApart(Function &F) {
  Declaration Storage;
  const Declaration *Source = findSource(F, Storage);
  if (F.hasFnAttribute(Attribute::AlwaysInline) || isCompilerMade(F, Source))
    return;
  Decision Made(F, *Source, false);
  if (!Made.isTraced())
    return;
  F.addFnAttr(Attribute::NoInline);
  if (Plugin.Unoptimized)
    errs() << "warning: dftrace: the coroutine '" << Made.Names.qualified
           << "' was not instrumented: it is split only after its IR is "
              "written, by -save-temps or -disable-llvm-passes\n";
}

static void writeReport(Module &M) {
  const char *Path = Plugin.Arguments.report;
  int Problem =
      Path && Plugin.Report.length ? dft_report_write(Path, &Plugin.Report) : 0;
  if (Problem)
    M.getContext().emitError(dft_plugin_message_no_report(Path, -Problem).text);
  dft_string_free(&Plugin.Report);
  if (Plugin.Arguments.verbose)
    errs() << "note: "
           << dft_plugin_message_summary(Plugin.Instrumented, Plugin.Seen,
                                         Plugin.Arguments.allowlist)
                  .text
           << "\n";
}

namespace {

/// At the start of the pipeline: every function except coroutines. At the end:
/// the parts of coroutines.
class InstrumentPass : public PassInfoMixin<InstrumentPass> {
  bool AtEnd;

  // Attributes that stay with a function. Seen: the pass has looked at it, and
  // must not do so again if the plugin is loaded twice or at link time.
  // Coroutine: it is or was one; its parts inherit the attribute.
  static constexpr char Seen[] = "dftrace-seen";
  static constexpr char Coroutine[] = "dftrace-coroutine";

  bool isDue(const Function &F) const {
    if (F.isDeclaration() || isRegistration(F) || F.hasFnAttribute(Seen))
      return false;
    return !AtEnd || F.hasFnAttribute(Coroutine);
  }

public:
  explicit InstrumentPass(bool End) : AtEnd(End) {}

  PreservedAnalyses run(Module &M, ModuleAnalysisManager &) {
    Happened.PassRan = true;
    SmallVector<Function *, 64> Functions;
    for (Function &F : M)
      if (isDue(F))
        Functions.push_back(&F);
    if (Functions.empty())
      return PreservedAnalyses::all();

    // lld compiles the modules of a ThinLTO link in parallel.
    static std::mutex OneAtATime;
    std::lock_guard<std::mutex> Lock(OneAtATime);
    loadAllowlistForIR();
    readMarks(M);
    Plugin.Seen = Plugin.Instrumented = 0; // a note counts its own module
    SmallPtrSet<const Function *, 4> Resolvers = ifuncResolvers(M);
    for (Function *F : Functions) {
      if (compatIsPresplitCoroutine(*F)) {
        F->addFnAttr(Coroutine);
        keepApart(*F);
        continue;
      }
      F->addFnAttr(Seen);
      instrument(*F, Resolvers.count(F) != 0);
    }
    makeNote(M);
    writeReport(M);
    return PreservedAnalyses::none();
  }

  // Also at -O0 and for optnone functions.
  static bool isRequired() { return true; }
};

} // namespace

void instrumentModule(Module &M) {
  ModuleAnalysisManager None;
  InstrumentPass(false).run(M, None);
  if (!M.getNamedGlobal(NoteName))
    makeNote(M); // ast/notice.cpp looks for it when the IR is compiled
}

PassPluginLibraryInfo getPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "dftrace", DFTRACE_VERSION,
          [](PassBuilder &PB) {
            Happened.PassLoaded = true;
            if (Plugin.Unoptimized)
              instrumentBeforeWriting(PB);
            compatAtPipelineStart(PB, [](ModulePassManager &MPM) {
              MPM.addPass(InstrumentPass(false));
            });
            compatAtLinkTime(PB, [](ModulePassManager &MPM) {
              MPM.addPass(InstrumentPass(false));
            });
            compatAtPipelineEnd(PB, [](ModulePassManager &MPM) {
              MPM.addPass(InstrumentPass(true));
            });
            PB.registerPipelineParsingCallback(
                [](StringRef Name, ModulePassManager &MPM,
                   ArrayRef<PassBuilder::PipelineElement>) {
                  if (Name != "dftrace")
                    return false;
                  MPM.addPass(InstrumentPass(false));
                  return true;
                });
          }};
}

} // namespace dftrace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default")))
PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return dftrace::getPassPluginInfo();
}
