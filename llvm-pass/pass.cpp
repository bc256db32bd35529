//===- pass.cpp - the pass that puts hooks into functions
//-------------------===//
//
// What a function BODY becomes:
//
//   token = site.on ? __dftrace_enter(&site) : 0;
//   BODY, and before each return and each resumed unwinding:
//     if (token) __dftrace_exit(&site, token);
//
// The test of site.on is inline, so a program that is not traced pays a load
// and a branch; hook.cpp has the code. The token remembers its answer: enter
// and exit pair even when the switch is thrown in between. A musttail call must
// be followed by its return, so there the exit hook comes before the call. A
// longjmp past the exit hook is noticed by the runtime.
//
// It runs at the start of the pipeline, before inlining, at every level of
// optimization. Coroutines are not functions yet at that point: their parts get
// hooks at the end, after the split, and are not inlined before.
//
//===------------------------------------------------------------------------===//

#include "plugin.h"

#include "plugin-core/report.h"

#include <mutex>

using namespace llvm;

namespace dftrace {

PluginState Plugin;

/// Functions that the dynamic linker runs while it is still relocating: neither
/// the sites nor the hooks have their addresses then.
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

/// Code without a counterpart in the source: thunks, initialization of globals,
/// access to thread_local variables. Where there is an AST, all that it does
/// not know.
static bool isCompilerMade(const Function &F, const Declaration *Source) {
  StringRef Name = linkageName(F);
  for (StringRef Prefix : {"_ZTh", "_ZTv", "_ZTc", "_ZTW", "_ZTH", "_GLOBAL__",
                           "__cxx_global_var_init", "__cxx_global_array_dtor",
                           "__tls_init", "__clang_", "__dtor_", "__llvm_"})
    if (compatStartsWith(Name, Prefix))
      return true;
  // What Clang outlines or adds beside a function, under that one's name:
  // bodies of OpenMP regions, calls of await_suspend, resolvers of multiple
  // versions.
  for (StringRef Part : {".omp_", ".omp.", ".__await_suspend_wrapper__"})
    if (Name.contains(Part))
      return true;
  if (endsWith(Name, ".resolver"))
    return true;
  // A deleting destructor calls the destructor, then operator delete.
  if (compatStartsWith(Name, "_Z") && endsWith(Name, "D0Ev"))
    return true;
  // A lambda's conversion to a function pointer: its call is the lambda's own.
  if (Source && (Source->Invoker || Source->CallsOther))
    return true;
  return Plugin.HasDeclarations && !Source;
}

/// Why a function that a rule matches cannot have hooks; null when it can.
static const char *reasonToSkip(const Function &F, const Declaration *Source) {
  // The source asks for it. Not in the IR: the front end has told.
  if (Source && Source->NoInstrument)
    return "attribute no_instrument_function";
  // Has neither prologue nor stack frame: a call would destroy its registers.
  if (F.hasFnAttribute(Attribute::Naked))
    return "attribute naked";
  // Must save every register that its callees use, and ours use what they like.
  if (F.getCallingConv() == CallingConv::X86_INTR ||
      F.hasFnAttribute("interrupt"))
    return "attribute interrupt";
  // The body serves inlining only, the real one is compiled elsewhere. Of a
  // C99 inline function or an extern template of the program's own, both have
  // hooks, and each call runs one of them. A library's would count only what is
  // inlined; so would IR, which does not tell them apart. Of a function that
  // Clang knows without it, such as memcpy, the body is called memcpy.inline.
  bool ForInlining =
      F.hasAvailableExternallyLinkage() || endsWith(linkageName(F), ".inline");
  if (ForInlining && (!Source || Source->Foreign))
    return "extern inline: compiled elsewhere";
  return nullptr;
}

/// An exception must not pass a function without running its exit hook.
/// EscapeEnumerator would give a C++ function the personality of C, and
/// inlining stops between different ones.
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

/// The first instruction behind the allocas of the entry block, which must stay
/// there: elsewhere they take stack anew and are no registers-to-be.
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
  // Two calls with the same arguments are two events, also of a pure or const
  // function.
  compatDropMemoryAttributes(F);
  choosePersonality(F);
  Instruction *Start = bodyStart(F);
  CallHooks Hooks = {Site, enterHook(Start, Site), Shape};
  Value *Array =
      Values.Shape.empty() ? nullptr : recordArguments(Start, Hooks, Values);

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

/// One line of the report for a function.
static void report(const dft_names &Names, const Declaration &Source,
                   const dft_verdict &Verdict, const char *Reason,
                   const std::string &Without) {
  if (Plugin.ReportPath.empty())
    return;
  dft_report_entry Entry = {};
  Entry.names = &Names;
  Entry.file = Source.File.c_str();
  Entry.line = Source.Line;
  Entry.verdict = &Verdict;
  Entry.reason = Reason;
  Entry.without = Without.c_str();
  Entry.allowlist = Plugin.AllowlistPath.c_str();
  if (char *Line = dft_report_line(&Entry)) {
    Plugin.Report += Line;
    free(Line);
  }
}

namespace {

/// What the allowlist says of a function.
struct Decision {
  std::string Linkage; ///< Names refers to it
  dft_names Names;
  dft_verdict Verdict;
  const char *Reason = nullptr; ///< why it gets no hooks all the same

  Decision(const Function &F, const Declaration &Source, bool IsResolver)
      : Linkage(linkageName(F).str()) {
    if (!dft_names_make(Linkage.c_str(), DFT_LANGUAGE_C_FAMILY, &Names))
      report_fatal_error("dftrace: out of memory");
    dft_allowlist_match(Plugin.Allowlist, &Names, Source.File.c_str(),
                        Plugin.Directory.c_str(), &Verdict);
    if (Verdict.traced)
      Reason = IsResolver ? "ifunc resolver: runs before relocation"
                          : reasonToSkip(F, &Source);
  }
  ~Decision() { dft_names_free(&Names); }
  Decision(const Decision &) = delete;
  Decision &operator=(const Decision &) = delete;

  bool isTraced() const { return Verdict.traced && !Reason; }
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
    Plugin.Instrumented++;
    unsigned Shape;
    Values = selectValues(F, *Source, Made.Verdict);
    GlobalVariable *Site =
        makeSite(F, Made.Names, *Source, Made.Verdict, Values, Shape);
    addHooks(F, Site, Values, Shape);
  }
  report(Made.Names, *Source, Made.Verdict, Made.Reason, Values.Without);
}

/// The parts of a coroutine get their hooks at the end. Until then they must
/// not become parts of others.
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
  if (!Plugin.ReportPath.empty() && !Plugin.Report.empty()) {
    int Problem = dft_report_append(Plugin.ReportPath.c_str(),
                                    Plugin.Report.data(), Plugin.Report.size());
    if (Problem)
      M.getContext().emitError("cannot write the report '" + Plugin.ReportPath +
                               "': " + strerror(-Problem));
  }
  Plugin.Report.clear();
  if (Plugin.Verbose)
    errs() << "note: dftrace: " << Plugin.Instrumented << " of " << Plugin.Seen
           << " functions instrumented by " << Plugin.AllowlistPath << "\n";
}

namespace {

/// At the start: every function but coroutines. At the end: their parts.
class InstrumentPass : public PassInfoMixin<InstrumentPass> {
  bool AtEnd;

  // Marks that stay with a function: it has been looked at, which a plugin
  // loaded twice or again at link time must heed; it is or was a coroutine,
  // which its parts inherit.
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

    // lld runs the modules of a ThinLTO link side by side.
    static std::mutex OneAtATime;
    std::lock_guard<std::mutex> Lock(OneAtATime);
    loadAllowlistForIR();
    readMarks(M);
    Plugin.Seen = Plugin.Instrumented = 0; // each note counts its own
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
    makeNote(M); // whoever compiles it sees that nothing is missing
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
