//===- site.cpp - sites, hooks, registration and note as IR --------------===//
//
// The data that abi.h describes. A site is an internal variable of its module,
// in the section dftrace_sites. An inline function that several modules compile
// has one in each, and the runtime merges equal ones. Only its function refers
// to a site: when the function is removed, the site is removed.
//
// One constructor per module passes the sites of the whole program or library
// to the runtime, before any constructor of the user runs. All symbols of the
// runtime are weak: without the runtime the constructor does nothing.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "dftrace/absent.h"
#include "plugin-core/name_list.h"
#include "plugin-core/note.h"
#include "plugin-core/site_text.h"

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

/// A function of the runtime. Weak, so that a program links and runs without
/// it.
static FunctionCallee declareHook(Module &M, const char *Name,
                                  FunctionType *Type) {
  FunctionCallee Hook = M.getOrInsertFunction(Name, Type);
  if (auto *F = dyn_cast<Function>(Hook.getCallee())) {
    F->setLinkage(GlobalValue::ExternalWeakLinkage);
    F->setVisibility(
        GlobalValue::DefaultVisibility); // -fvisibility does not apply
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

/// A symbol that the linker defines at one end of the section. Hidden, because
/// each program and library has its own.
static Constant *declareSectionEnd(Module &M, const char *Name) {
  LLVMContext &C = M.getContext();
  GlobalVariable *End = M.getNamedGlobal(Name); // the source may declare it
  if (!End)
    End = new GlobalVariable(M, siteType(C), false,
                             GlobalValue::ExternalWeakLinkage, nullptr, Name);
  End->setVisibility(GlobalValue::HiddenVisibility);
  return ConstantExpr::getPointerCast(End, compatPointer(C));
}

/// Adds the reference to the runtime (DFTRACE_RUNTIME_REFERENCE in abi.h) and
/// the code that runs when the runtime is missing (absent.h).
static void nameRuntime(Module &M) {
  if (M.getPICLevel() != PICLevel::NotPIC &&
      M.getPIELevel() == PIELevel::Default)
    M.appendModuleInlineAsm(DFTRACE_RUNTIME_WEAK);
  M.appendModuleInlineAsm(DFTRACE_RUNTIME_REFERENCE);
  Triple Target(M.getTargetTriple());
  if (!Target.isOSLinux())
    return;
  if (hasQuickHooks(M)) {
    // Clang 19 reads it in the syntax of the unit, earlier versions in AT&T
    // syntax.
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

/// The names of the function's variables, in the order of their declarations.
static void addLocalNames(const Declaration &Source, dft_name_list &Names) {
  auto Locals = Plugin.Locals.find(Source.Owner);
  if (Locals == Plugin.Locals.end())
    return;
  for (StringRef Name : Locals->second)
    if (Names.count < DFTRACE_LOCALS_MAX)
      dft_name_list_add_once(&Names, Name.data(), Name.size());
}

static Constant *makeText(Module &M, const dft_names &Names,
                          const Declaration &Source, const dft_verdict &Verdict,
                          const CallValues &Values, unsigned &Shape) {
  LLVMContext &C = M.getContext();
  dft_name_list Locals = {};
  dft_string Text = {};
  addLocalNames(Source, Locals);
  const dft_site_parts Parts = {&Names,
                                &Verdict,
                                Source.File.c_str(),
                                Source.Parameters.c_str(),
                                dft_string_text(&Values.Layout.shape),
                                Source.Types.c_str(),
                                dft_name_list_text(&Locals)};
  Shape = dft_site_text_make(&Parts, &Text);
  Constant *Bytes = ConstantDataArray::getString(
      C, StringRef(Text.bytes, Text.length), /*AddNull=*/false);
  dft_name_list_free(&Locals);
  dft_string_free(&Text);
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
  // Volatile: the runtime changes it at any time.
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

void makeNote(Module &M) {
  const dft_note Note = {Plugin.Allowlist, Plugin.Arguments.allowlist,
                         Plugin.Instrumented, M.getDataLayout().isBigEndian()};
  dft_string Text = {};
  dft_note_make(&Note, &Text);
  Constant *Bytes = ConstantDataArray::getString(
      M.getContext(), StringRef(Text.bytes, Text.length), /*AddNull=*/false);
  dft_string_free(&Text);
  auto *Global = new GlobalVariable(
      M, Bytes->getType(), true, GlobalValue::InternalLinkage, Bytes, NoteName);
  Global->setSection(DFTRACE_NOTE_SECTION);
  Global->setAlignment(Align(4));
  appendToUsed(M, {Global}); // nothing refers to it
}

} // namespace dftrace
