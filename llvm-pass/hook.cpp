//===- hook.cpp - the code of the two hooks ------------------------------===//
//
// On x86-64 each is one piece of inline assembly:
//
//   enter:  xorl %eax, %eax            exit:  testq token, token
//           cmpb $0, site.on                  jne 2f
//           jne 2f                         1:
//        1:
//                          and, out of the way,
//        2: leaq site, %r11                2: movq token, %r11
//           call __dftrace_quick_enter        leaq site, %r10
//           jmp 1b                            call __dftrace_quick_exit
//                                             jmp 1b
//
// To the compiler this is one instruction without a branch that changes a few
// registers. So the optimizers see no additional blocks or calls, which would
// be most of the cost of instrumentation at compile time, and few registers are
// saved for a call that is rarely made. The call goes through the GOT, which is
// bound before the program starts; the resolver of a PLT entry would change
// registers. "alignstack" tells LLVM that the assembly uses the stack below the
// stack pointer. The unwind information of the function does not cover the
// second part. That of the hooks sends unwinders to label 1, which it finds by
// decoding the jump; hence the jump has a 32-bit displacement.
//
// On other targets, and in code models in which the GOT may be out of reach,
// both hooks are ordinary code:
//
//   token = site.on ? __dftrace_enter(&site) : 0;
//   if (token) __dftrace_exit(&site, token);
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace dftrace {

bool hasQuickHooks(const Module &M) {
  Triple Target(M.getTargetTriple());
  auto Model = M.getCodeModel();
  return Target.getArch() == Triple::x86_64 && Target.isOSBinFormatELF() &&
         !compatIsX32(Target) && !(Model && *Model == CodeModel::Large);
}

/// What a hook costs to the inliner: as much as five instructions. The call is
/// not included, because a program that is not traced does not make it.
static const char HookCost[] = "25";

/// Volatile inline assembly that uses the stack.
static CallInst *assembly(IRBuilder<> &B, FunctionType *Type, StringRef Text,
                          StringRef Constraints, ArrayRef<Value *> Operands) {
  CallInst *Call = B.CreateCall(InlineAsm::get(Type, Text, Constraints,
                                               /*hasSideEffects=*/true,
                                               /*isAlignStack=*/true),
                                Operands);
  Call->setDoesNotThrow();
  Call->addFnAttr(Attribute::get(B.getContext(), "call-inline-cost", HookCost));
  return Call;
}

// $(...$|...$): AT&T syntax and Intel syntax (-masm=intel).

#define JUMP_BACK "\t{disp32} jmp 1b\n"

/// The type of an assembly's results: one integer for each register that it
/// changes. Unused results in place of clobbers make compilation faster. In
/// every hook, LLVM searches its register classes for each register by name:
/// for a clobber all classes, twice; for a result until the first match, and
/// the classes of 8 and 16 bits come first. LLVM keeps nothing in a register of
/// which a part changes, so a part is enough: the 8-bit one, or the 16-bit one
/// where a register has two 8-bit parts. "A" is %rax and needs no search. The
/// flags are a result only where no result is used: LLVM may copy the results
/// if one is used, and cannot copy the flags. There is no clobber "memory",
/// because the hooks do not change the program's memory.
static StructType *changed(IRBuilder<> &B, ArrayRef<unsigned> Bits) {
  SmallVector<Type *, 7> Types;
  for (unsigned Width : Bits)
    Types.push_back(B.getIntNTy(Width));
  return StructType::get(B.getContext(), Types);
}

static Value *quickEnter(IRBuilder<> &B, GlobalVariable *Site) {
  Value *Results = assembly(
      B,
      FunctionType::get(changed(B, {64, 16, 8, 8}), {Site->getType()}, false),
      "xor$(l %eax, %eax$| eax, eax$)\n"
      "\tcmp$(b $$0, ${4:c}(%rip)$| byte ptr [rip + ${4:c}], 0$)\n"
      "\tjne 2f\n"
      "1:\n"
      "\t.subsection 1\n"
      "2:\tlea$(q ${4:c}(%rip), %r11$| r11, [rip + ${4:c}]$)\n"
      "\t.weak __dftrace_quick_enter\n"
      "\tcall$(q *__dftrace_quick_enter@GOTPCREL(%rip)"
      "$| qword ptr [rip + __dftrace_quick_enter@GOTPCREL]$)\n" JUMP_BACK
      "\t.subsection 0",
      "=&A,=&{dx},=&{r10b},=&{r11b},s,~{flags}", {Site});
  return B.CreateExtractValue(Results, 0, "dftrace_token");
}

static void quickExit(IRBuilder<> &B, GlobalVariable *Site, Value *Token) {
  assembly(B,
           FunctionType::get(changed(B, {64, 16, 16, 8, 8, 8, 32}),
                             {Token->getType(), Site->getType()}, false),
           "test$(q$) $7, $7\n"
           "\tjne 2f\n"
           "1:\n"
           "\t.subsection 1\n"
           "2:\tmov$(q $7, %r11$| r11, $7$)\n"
           "\tlea$(q ${8:c}(%rip), %r10$| r10, [rip + ${8:c}]$)\n"
           "\t.weak __dftrace_quick_exit\n"
           "\tcall$(q *__dftrace_quick_exit@GOTPCREL(%rip)"
           "$| qword ptr [rip + __dftrace_quick_exit@GOTPCREL]$)\n" JUMP_BACK
           "\t.subsection 0",
           "=&A,=&{cx},=&{dx},=&{sil},=&{r10b},=&{r11b},=&{flags},r,s",
           {Token, Site});
}

/// Branch weights of a cold path: its code moves out of the way.
static MDNode *unlikely(LLVMContext &Context) {
  return MDBuilder(Context).createBranchWeights(1, 2000);
}

static Instruction *branchUnlikely(Value *Condition, Instruction *At,
                                   const DebugLoc &Location) {
  Instruction *Then = SplitBlockAndInsertIfThen(Condition, At, false,
                                                unlikely(At->getContext()));
  Then->setDebugLoc(Location);
  return Then;
}

static Value *portableEnter(IRBuilder<> &B, GlobalVariable *Site,
                            Instruction *At) {
  BasicBlock *Entry = At->getParent();
  DebugLoc Location = B.getCurrentDebugLocation();
  Instruction *Then = branchUnlikely(siteIsOn(B, Site), At, Location);
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Location);
  Value *Entered = callEnter(B, Site);

  B.SetInsertPoint(&*At->getParent()->begin());
  PHINode *Token = B.CreatePHI(B.getInt64Ty(), 2, "dftrace_token");
  Token->addIncoming(B.getInt64(0), Entry);
  Token->addIncoming(Entered, Then->getParent());
  return Token;
}

static void portableExit(IRBuilder<> &B, GlobalVariable *Site, Value *Token,
                         Instruction *At) {
  DebugLoc Location = B.getCurrentDebugLocation();
  Instruction *Then = branchUnlikely(B.CreateIsNotNull(Token), At, Location);
  B.SetInsertPoint(Then);
  B.SetCurrentDebugLocation(Location);
  callExit(B, Site, Token);
}

/// A debug location in F, without a line.
static DebugLoc hookLocation(const Function &F) {
  if (DISubprogram *Debug = F.getSubprogram())
    return DILocation::get(F.getContext(), 0, 0, Debug);
  return DebugLoc();
}

void whenTraced(IRBuilder<> &B, Instruction *At, Value *Token) {
  DebugLoc Location = hookLocation(*At->getFunction());
  B.SetInsertPoint(At);
  B.SetCurrentDebugLocation(Location);
  B.SetInsertPoint(branchUnlikely(B.CreateIsNotNull(Token), At, Location));
  B.SetCurrentDebugLocation(Location);
}

// Through the GOT for inline-assembly hooks: in an executable that is not
// position-independent the linker would otherwise resolve a weak function that
// is missing to null.
Value *hookAddress(IRBuilder<> &B, const char *Name, FunctionType *Type) {
  Module &M = *B.GetInsertBlock()->getModule();
  if (!hasQuickHooks(M))
    return M.getOrInsertFunction(Name, Type).getCallee();
  std::string Symbol = Name;
  auto *Address = B.CreateCall(
      InlineAsm::get(FunctionType::get(compatPointer(M.getContext()), false),
                     "mov$(q " + Symbol +
                         "@GOTPCREL(%rip), $0$| $0, qword "
                         "ptr [rip + " +
                         Symbol + "@GOTPCREL]$)\n\t.weak " + Symbol,
                     "=r", /*hasSideEffects=*/false));
  Address->setDoesNotThrow();
  return B.CreatePointerCast(Address, compatPointerTo(Type));
}

Value *enterHook(Instruction *At, GlobalVariable *Site) {
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(hookLocation(*At->getFunction()));
  return hasQuickHooks(*At->getModule()) ? quickEnter(B, Site)
                                         : portableEnter(B, Site, At);
}

void exitHook(Instruction *At, GlobalVariable *Site, Value *Token) {
  IRBuilder<> B(At);
  B.SetCurrentDebugLocation(hookLocation(*At->getFunction()));
  if (hasQuickHooks(*At->getModule()))
    quickExit(B, Site, Token);
  else
    portableExit(B, Site, Token, At);
}

} // namespace dftrace
