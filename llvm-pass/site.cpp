//===- site.cpp - sites, hooks, registration and note as IR
//-----------------===//
//
// The data that abi.h describes. A site is an internal variable of its module
// in the section dftrace_sites; an inline function that several modules compile
// has one in each, and the runtime merges equal ones. Only its function refers
// to a site: where the function goes, the site goes.
//
// One constructor in each module hands the whole program's or library's sites
// to the runtime, before any constructor of the user's; all symbols of the
// runtime are weak, so without it the constructor does nothing.
//
//===------------------------------------------------------------------------===//

#include "plugin.h"

#include "dftrace/absent.h"

using namespace llvm;

namespace dftrace {

static const char RegistrationName[] = "dftrace_register";

/// struct dftrace_site.
static StructType *siteType(LLVMContext &Context) {
  Type *Fields[] = {Type::getInt8Ty(Context),  Type::getInt8Ty(Context),
                    Type::getInt16Ty(Context), Type::getInt32Ty(Context),
                    Type::getInt32Ty(Context), Type::getInt32Ty(Context),
                    compatPointer(Context),    Type::getInt64Ty(Context)};
  return StructType::get(Context, ArrayRef<Type *>(Fields));
}

/// A function of the runtime's: weak, so that a program links and runs without
/// it.
static FunctionCallee declareHook(Module &M, const char *Name,
                                  FunctionType *Type) {
  FunctionCallee Hook = M.getOrInsertFunction(Name, Type);
  if (auto *F = dyn_cast<Function>(Hook.getCallee())) {
    F->setLinkage(GlobalValue::ExternalWeakLinkage);
    F->setVisibility(
        GlobalValue::DefaultVisibility); // whatever -fvisibility says
    F->setDSOLocal(false);
    F->setDoesNotThrow();
  }
  return Hook;
}

static FunctionCallee declareEnter(Module &M) {
  LLVMContext &C = M.getContext();
  return declareHook(
      M, "__dftrace_enter",
      FunctionType::get(Type::getInt64Ty(C), {compatPointer(C)}, false));
}

static FunctionCallee declareExit(Module &M) {
  LLVMContext &C = M.getContext();
  return declareHook(M, "__dftrace_exit",
                     FunctionType::get(Type::getVoidTy(C),
                                       {compatPointer(C), Type::getInt64Ty(C)},
                                       false));
}

/// One end of the section, which the linker names; hidden: each program and
/// library has its own.
static Constant *declareSectionEnd(Module &M, const char *Name) {
  LLVMContext &C = M.getContext();
  GlobalVariable *End = M.getNamedGlobal(Name); // the source may have it too
  if (!End)
    End = new GlobalVariable(M, siteType(C), false,
                             GlobalValue::ExternalWeakLinkage, nullptr, Name);
  End->setVisibility(GlobalValue::HiddenVisibility);
  return ConstantExpr::getPointerCast(End, compatPointer(C));
}

/// A reference that no linker insists on and every linker heeds: see abi.h. And
/// what the program does without the runtime: see absent.h.
static void nameRuntime(Module &M) {
  if (M.getPICLevel() != PICLevel::NotPIC &&
      M.getPIELevel() == PIELevel::Default)
    M.appendModuleInlineAsm(DFTRACE_RUNTIME_WEAK);
  M.appendModuleInlineAsm(DFTRACE_RUNTIME_REFERENCE);
  Triple Target(M.getTargetTriple());
  if (!Target.isOSLinux())
    return;
  if (hasQuickHooks(M)) {
    // Clang 19 reads it in the syntax of the unit, earlier ones in AT&T's.
    if (Plugin.IntelSyntax)
      M.appendModuleInlineAsm("\t.att_syntax prefix");
    M.appendModuleInlineAsm(DFTRACE_ABSENT_X86_64);
    if (Plugin.IntelSyntax)
      M.appendModuleInlineAsm("\t.intel_syntax noprefix");
  } else if (Target.getArch() == Triple::aarch64)
    M.appendModuleInlineAsm(DFTRACE_ABSENT_AARCH64);
}

/// if (&__dftrace_register)
///   __dftrace_register(ABI, &__start_dftrace_sites, &__stop_dftrace_sites);
static void makeRegistration(Module &M) {
  LLVMContext &C = M.getContext();
  PointerType *Pointer = compatPointer(C);
  FunctionCallee Hook = declareHook(
      M, "__dftrace_register",
      FunctionType::get(Type::getVoidTy(C),
                        {Type::getInt32Ty(C), Pointer, Pointer}, false));
  Constant *Begin = declareSectionEnd(M, "__start_" DFTRACE_SITE_SECTION);
  Constant *End = declareSectionEnd(M, "__stop_" DFTRACE_SITE_SECTION);

  Function *F =
      Function::Create(FunctionType::get(Type::getVoidTy(C), false),
                       GlobalValue::InternalLinkage, RegistrationName, &M);
  F->setDoesNotThrow();
  BasicBlock *Entry = BasicBlock::Create(C, "", F);
  BasicBlock *There = BasicBlock::Create(C, "there", F);
  BasicBlock *Done = BasicBlock::Create(C, "done", F);
  IRBuilder<> B(Entry);
  B.CreateCondBr(B.CreateIsNotNull(Hook.getCallee()), There, Done);
  B.SetInsertPoint(There);
  B.CreateCall(Hook, {B.getInt32(DFTRACE_ABI), Begin, End});
  B.CreateBr(Done);
  B.SetInsertPoint(Done);
  B.CreateRetVoid();
  appendToGlobalCtors(M, F, DFTRACE_REGISTER_PRIORITY);
}

bool isRegistration(const Function &F) {
  return F.hasInternalLinkage() && F.getName() == RegistrationName;
}

/// Joined by commas, each once.
static std::string localNames(const Declaration &Source) {
  std::string Names;
  auto Locals = Plugin.Locals.find(Source.Owner);
  if (Locals == Plugin.Locals.end())
    return Names;
  StringSet<> Seen;
  for (StringRef Name : Locals->second)
    if (Seen.size() < DFTRACE_LOCALS_MOST && Seen.insert(Name).second)
      Names += (Names.empty() ? "" : ",") + Name.str();
  return Names;
}

static Constant *makeText(Module &M, const dft_names &Names,
                          const Declaration &Source, const dft_verdict &Verdict,
                          const CallValues &Values, unsigned &Shape) {
  LLVMContext &C = M.getContext();
  std::string Text;
  for (StringRef Field : {StringRef(Names.qualified), StringRef(Names.linkage),
                          StringRef(Source.File), StringRef(Source.Parameters),
                          StringRef(Verdict.category)}) {
    Text += Field;
    Text.push_back('\0');
  }
  Shape = Text.size();
  StringRef Types = dft_names_parameters(&Names);
  std::string Rule =
      std::to_string(Verdict.rule->line) + ":" + Verdict.rule->text;
  std::string Locals = localNames(Source);
  for (StringRef Field : {StringRef(Values.Shape),
                          Types.empty() ? StringRef(Source.Types) : Types,
                          StringRef(Rule), StringRef(Locals)}) {
    Text += Field;
    Text.push_back('\0');
  }
  Constant *Bytes = ConstantDataArray::getString(C, Text, /*AddNull=*/false);
  auto *Global =
      new GlobalVariable(M, Bytes->getType(), true, GlobalValue::PrivateLinkage,
                         Bytes, "dftrace_text");
  Global->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  Global->setAlignment(Align(1));
  Global->setSection(DFTRACE_TEXT_SECTION);
  return ConstantExpr::getPointerCast(Global, compatPointer(C));
}

GlobalVariable *makeSite(Function &F, const dft_names &Names,
                         const Declaration &Source, const dft_verdict &Verdict,
                         const CallValues &Values, unsigned &Shape) {
  Module &M = *F.getParent();
  LLVMContext &C = M.getContext();
  if (!M.getFunction("__dftrace_register")) {
    makeRegistration(M);
    nameRuntime(M);
  }
  StructType *Type = siteType(C);
  auto Number = [&](unsigned Index, uint64_t Value) {
    return ConstantInt::get(Type->getElementType(Index), Value);
  };
  Constant *Initial = ConstantStruct::get(
      Type, {Number(0, 0), Number(1, 0), Number(2, Verdict.flags),
             Number(3, Source.Line), Number(4, 0), Number(5, 0),
             makeText(M, Names, Source, Verdict, Values, Shape), Number(7, 0)});
  auto *Site = new GlobalVariable(M, Type, false, GlobalValue::InternalLinkage,
                                  Initial, "dftrace_site");
  Site->setSection(DFTRACE_SITE_SECTION);
  Site->setAlignment(Align(alignof(struct dftrace_site)));
  return Site;
}

Value *siteIsOn(IRBuilder<> &B, GlobalVariable *Site) {
  Value *Address = B.CreatePointerCast(Site, compatPointer(B.getContext()));
  // Volatile: the runtime changes it behind the compiler's back.
  return B.CreateIsNotNull(
      B.CreateLoad(B.getInt8Ty(), Address, /*isVolatile=*/true));
}

Value *callEnter(IRBuilder<> &B, GlobalVariable *Site) {
  Module &M = *B.GetInsertBlock()->getModule();
  return B.CreateCall(
      declareEnter(M),
      {B.CreatePointerCast(Site, compatPointer(B.getContext()))});
}

void callExit(IRBuilder<> &B, GlobalVariable *Site, Value *Token) {
  Module &M = *B.GetInsertBlock()->getModule();
  B.CreateCall(
      declareExit(M),
      {B.CreatePointerCast(Site, compatPointer(B.getContext())), Token});
}

void callValues(IRBuilder<> &B, const char *Name, const CallHooks &Hooks,
                Value *Array) {
  PointerType *Pointer = compatPointer(B.getContext());
  auto *Type = FunctionType::get(
      B.getVoidTy(), {Pointer, B.getInt64Ty(), B.getInt32Ty(), Pointer}, false);
  declareHook(*B.GetInsertBlock()->getModule(), Name, Type);
  CallInst *Call = B.CreateCall(Type, hookAddress(B, Name, Type),
                                {B.CreatePointerCast(Hooks.Site, Pointer),
                                 Hooks.Token, B.getInt32(Hooks.Shape),
                                 B.CreatePointerCast(Array, Pointer)});
  Call->setDoesNotThrow();
}

/// The note's header, name and description: words in the order of the target.
static std::string noteBytes(const Module &M) {
  std::string Bytes;
  auto Word = [&](uint32_t Value) {
    for (int I = 0; I < 4; I++)
      Bytes.push_back(char(
          Value >> (M.getDataLayout().isLittleEndian() ? 8 * I : 24 - 8 * I)));
  };
  std::string Allowlist = Plugin.AllowlistPath;
  Allowlist.push_back('\0');
  Allowlist += dft_allowlist_hash(Plugin.Allowlist).text;
  Allowlist.push_back('\0');
  Word(sizeof DFTRACE_NOTE_NAME);
  Word(sizeof(struct dftrace_note_unit) + Allowlist.size());
  Word(DFTRACE_NOTE_UNIT);
  Bytes.append(DFTRACE_NOTE_NAME, sizeof DFTRACE_NOTE_NAME);
  Word(DFTRACE_ABI);
  Word(Plugin.Instrumented);
  Bytes += Allowlist;
  Bytes.resize((Bytes.size() + 3) / 4 * 4);
  return Bytes;
}

void makeNote(Module &M) {
  Constant *Bytes = ConstantDataArray::getString(M.getContext(), noteBytes(M),
                                                 /*AddNull=*/false);
  auto *Note = new GlobalVariable(
      M, Bytes->getType(), true, GlobalValue::InternalLinkage, Bytes, NoteName);
  Note->setSection(DFTRACE_NOTE_SECTION);
  Note->setAlignment(Align(4));
  appendToUsed(M, {Note}); // nothing refers to it
}

} // namespace dftrace
