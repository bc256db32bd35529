//===- values.cpp - what a call records of its arguments and its result
//-----===//
//
// For functions in [args], behind the enter hook and before each return:
//
//   if (token) {                          if (token) {
//     values[0] = FIRST PARAMETER;          values[0] = RESULT;
//     values[1] = ...                       __dftrace_result(&site, token,
//     __dftrace_args(&site, token,                           shape, values);
//                    shape, values);      }
//   }
//
// The front end has told what the parameters are in the source; here they are
// found among the IR's, of which one may stand for none, one or several. Only
// what can be found in one way is recorded. Nothing is read through a pointer:
// what stands at an address is the runtime's to look at, which can do it
// without harm. Functions in other sections get none of this.
//
//===------------------------------------------------------------------------===//

#include "plugin.h"

using namespace llvm;

namespace dftrace {

static unsigned codeSize(StringRef Code) {
  unsigned Size = 0;
  Code.drop_front().getAsInteger(10, Size);
  return Size;
}

/// Bytes that a value of this code takes.
static unsigned valueSize(StringRef Code) {
  if (Code[0] == DFTRACE_VALUE_TYPE)
    return 0;
  if (Code[0] == DFTRACE_VALUE_REFERENCE)
    return 8;
  return (codeSize(Code) + 7) / 8 * 8;
}

/// Whether a value of this code may be two of the IR's, and First the type of
/// the first one.
static bool isPart(const Type *First, StringRef Code) {
  switch (Code[0]) {
  case DFTRACE_VALUE_SIGNED:
  case DFTRACE_VALUE_UNSIGNED:
    return codeSize(Code) == 16 && First->isIntegerTy(64);
  case DFTRACE_VALUE_COMPLEX:
    return codeSize(Code) == 4    ? First->isHalfTy()
           : codeSize(Code) == 8  ? First->isFloatTy()
           : codeSize(Code) == 16 ? First->isDoubleTy()
                                  : First->isX86_FP80Ty();
  default:
    return false;
  }
}

/// Whether it is both parts of such a value in one: complex numbers of float
/// are a vector on x86-64, others an array on AArch64.
static bool isBothParts(const Type *T, StringRef Code) {
  if (auto *Vector = dyn_cast<FixedVectorType>(T))
    return Vector->getNumElements() == 2 &&
           isPart(Vector->getElementType(), Code);
  if (auto *Array = dyn_cast<ArrayType>(T))
    return Array->getNumElements() == 2 &&
           isPart(Array->getElementType(), Code);
  if (auto *Pair = dyn_cast<StructType>(T))
    return Pair->getNumElements() == 2 &&
           Pair->getElementType(0) == Pair->getElementType(1) &&
           isPart(Pair->getElementType(0), Code);
  return false;
}

/// Whether a value of the IR's type T is one of this code.
static bool isOfCode(const Type *T, StringRef Code) {
  unsigned Size = codeSize(Code);
  switch (Code[0]) {
  case DFTRACE_VALUE_SIGNED:
  case DFTRACE_VALUE_UNSIGNED:
  case DFTRACE_VALUE_CHAR:
  case DFTRACE_VALUE_BOOL:
    return T->isIntegerTy(8 * Size) || (Size == 1 && T->isIntegerTy(1)) ||
           isBothParts(T, Code);
  case DFTRACE_VALUE_COMPLEX:
    return isBothParts(T, Code);
  case DFTRACE_VALUE_FLOAT:
    return Size == 2   ? T->isHalfTy()
           : Size == 4 ? T->isFloatTy()
           : Size == 8 ? T->isDoubleTy()
                       : T->isX86_FP80Ty();
  case DFTRACE_VALUE_QUAD:
    return T->isFP128Ty();
  default:
    return T->isPointerTy() && T->getPointerAddressSpace() == 0;
  }
}

/// Whether it is one that a definition in the style of K&R takes as the int or
/// double that callers without a prototype pass.
static bool isPromoted(const Type *T, StringRef Code) {
  switch (Code[0]) {
  case DFTRACE_VALUE_SIGNED:
  case DFTRACE_VALUE_UNSIGNED:
  case DFTRACE_VALUE_CHAR:
  case DFTRACE_VALUE_BOOL:
    return codeSize(Code) < 4 && T->isIntegerTy(32);
  case DFTRACE_VALUE_FLOAT:
    return codeSize(Code) == 4 && T->isDoubleTy();
  default:
    return false;
  }
}

static bool isView(const Type *Length, const Type *Pointer) {
  return Length->isIntegerTy(64) && Pointer->isPointerTy();
}

/// Whether it is passed in one register.
static bool fitsRegister(const Argument *A) {
  unsigned Bits = A->getType()->getPrimitiveSizeInBits().getKnownMinValue();
  return !A->hasByValAttr() &&
         (A->getType()->isPointerTy() || (Bits > 0 && Bits <= 64));
}

/// mayBe for a parameter that is not a scalar.
static bool mayBeObject(const Function &F, const DescribedValue &Value,
                        unsigned At, unsigned Count) {
  if (Value.Indirect)
    return F.getArg(At)->getType()->isPointerTy();
  if (Count == 2)
    return fitsRegister(F.getArg(At)) && fitsRegister(F.getArg(At + 1));
  return Value.Most == 1 || !fitsRegister(F.getArg(At));
}

/// Whether Count arguments of F from At on may stand for this parameter.
static bool mayBe(const Function &F, const DescribedValue &Value, unsigned At,
                  unsigned Count) {
  if (At + Count > F.arg_size())
    return false;
  if (Count == 0)
    return true;
  if (Value.Code[0] == DFTRACE_VALUE_TYPE)
    return mayBeObject(F, Value, At, Count);
  const Argument *Argument = F.getArg(At);
  if (Value.Code[0] == DFTRACE_VALUE_VIEW)
    return Count == 2 ? isView(Argument->getType(), F.getArg(At + 1)->getType())
                      : Count == 1 && Argument->hasByValAttr();
  if (Count == 2)
    return isPart(Argument->getType(), Value.Code) &&
           F.getArg(At + 1)->getType() == Argument->getType();
  if (Argument->hasByValAttr())
    return Count == 1 && Value.Code[0] == DFTRACE_VALUE_COMPLEX;
  const Type *T = Argument->getType();
  return Count == 1 && (isOfCode(T, Value.Code) ||
                        (Value.Promoted && isPromoted(T, Value.Code)));
}

namespace {

/// Which arguments of the IR's function its parameters may be.
class Places {
  const Function &F;
  const std::vector<DescribedValue> &Values;
  std::vector<std::vector<bool>> FromFront, FromBack; ///< by value and place

  template <typename Visit> void forEachStep(size_t I, Visit V) const {
    for (unsigned At = 0; At <= F.arg_size(); At++)
      for (unsigned Count = Values[I].Least; Count <= Values[I].Most; Count++)
        if (mayBe(F, Values[I], At, Count))
          V(At, Count);
  }

public:
  Places(const Function &Callee, const std::vector<DescribedValue> &Described)
      : F(Callee), Values(Described) {
    std::vector<bool> Nowhere(F.arg_size() + 1);
    FromFront.assign(Values.size() + 1, Nowhere);
    FromBack.assign(Values.size() + 1, Nowhere);
    FromFront[0][F.hasStructRetAttr() ? 1 : 0] = true;
    FromBack[Values.size()][F.arg_size()] = true;
    for (size_t I = 0; I < Values.size(); I++)
      forEachStep(I, [&](unsigned At, unsigned Count) {
        if (FromFront[I][At])
          FromFront[I + 1][At + Count] = true;
      });
    for (size_t I = Values.size(); I-- > 0;)
      forEachStep(I, [&](unsigned At, unsigned Count) {
        if (FromBack[I + 1][At + Count])
          FromBack[I][At] = true;
      });
  }

  /// True where there is but one place for value I.
  bool find(size_t I, unsigned &Place, unsigned &Width) const {
    unsigned Found = 0;
    forEachStep(I, [&](unsigned At, unsigned Count) {
      if (!FromFront[I][At] || !FromBack[I + 1][At + Count])
        return;
      Place = At;
      Width = Count;
      Found++;
    });
    return Found == 1;
  }
};

} // namespace

static bool isLeftOut(const dft_verdict &Verdict, const std::string &Name,
                      std::string &Without) {
  if (!dft_allowlist_leaves_out(Plugin.Allowlist, &Verdict.left_out,
                                Name.c_str()))
    return false;
  if (!Name.empty() &&
      ("," + Without + ",").find("," + Name + ",") == std::string::npos)
    Without += (Without.empty() ? "" : ",") + Name;
  return true;
}

static const std::string Unknown = std::string(1, DFTRACE_VALUE_TYPE) + "value";

/// Where the IR returns a result of this code; a code without value otherwise.
static std::string resultCode(const Function &F, const std::string &Code) {
  const Type *T = F.getReturnType();
  auto *Pair = dyn_cast<StructType>(T);
  bool Fits = true;
  if (Code[0] == DFTRACE_VALUE_VIEW)
    Fits = Pair && Pair->getNumElements() == 2 &&
           isView(Pair->getElementType(0), Pair->getElementType(1));
  else if (Code[0] == DFTRACE_VALUE_STRING && T->isVoidTy())
    Fits = F.hasStructRetAttr();
  else if (Code[0] != DFTRACE_VALUE_TYPE)
    Fits = isOfCode(T, Code);
  return Fits ? Code : Unknown;
}

CallValues selectValues(const Function &F, const Declaration &Source,
                        const dft_verdict &Verdict) {
  CallValues Values;
  if (!(Verdict.flags & DFTRACE_SITE_ARGS))
    return Values;
  if (!Source.Result.empty() && !isLeftOut(Verdict, "return", Values.Without)) {
    Values.Result = resultCode(F, Source.Result);
    Values.Shape =
        std::string(1, DFTRACE_VALUE_RESULT) + ":" + Values.Result + ";";
    Values.Size = valueSize(Values.Result);
  }
  Places Where(F, Source.Values);
  unsigned Offset = 0;
  for (size_t I = 0; I < Source.Values.size(); I++) {
    const DescribedValue &Described = Source.Values[I];
    if (Described.Hidden ||
        isLeftOut(Verdict, Described.Name, Values.Without) ||
        Values.Arguments.size() == DFTRACE_VALUES_MOST)
      continue;
    CallValue Value = {Described.Code, 0, 0, Offset};
    if (Value.Code[0] != DFTRACE_VALUE_TYPE &&
        !Where.find(I, Value.Place, Value.Width))
      Value.Code = Unknown;
    Values.Shape += Described.Name + ":" + Value.Code + ";";
    Offset += valueSize(Value.Code);
    Values.Arguments.push_back(Value);
  }
  Values.Size = std::max(Values.Size, Offset);
  return Values;
}

static void store(IRBuilder<> &B, Value *Array, unsigned Offset, Value *What) {
  Value *Bytes = B.CreatePointerCast(Array, compatPointer(B.getContext()));
  Value *Place = B.CreateConstInBoundsGEP1_64(B.getInt8Ty(), Bytes, Offset);
  if (What->getType()->isIntegerTy(1))
    What = B.CreateZExt(What, B.getInt8Ty());
  B.CreateAlignedStore(
      What, B.CreatePointerCast(Place, compatPointerTo(What->getType())),
      Align(8));
}

/// Parts of a value in one aggregate of the IR, each in its place.
static void storeParts(IRBuilder<> &B, Value *Array, unsigned Offset,
                       StringRef Code, Value *Both) {
  for (unsigned I = 0; I < 2; I++)
    store(B, Array, Offset + I * codeSize(Code) / 2,
          B.CreateExtractValue(Both, I));
}

/// What the program makes of a promoted value; others as they are.
static Value *demote(IRBuilder<> &B, Value *Promoted, StringRef Code) {
  if (!isPromoted(Promoted->getType(), Code))
    return Promoted;
  return Promoted->getType()->isDoubleTy()
             ? B.CreateFPTrunc(Promoted, B.getFloatTy())
             : B.CreateTrunc(Promoted, B.getIntNTy(8 * codeSize(Code)));
}

static void storeArgument(IRBuilder<> &B, Function &F, Value *Array,
                          const CallValue &Value) {
  if (Value.Code[0] == DFTRACE_VALUE_TYPE)
    return;
  Argument *First = F.getArg(Value.Place);
  unsigned Size = codeSize(Value.Code);
  if (Value.Width == 2) {
    store(B, Array, Value.Offset, First);
    store(B, Array, Value.Offset + Size / 2, F.getArg(Value.Place + 1));
  } else if (First->hasByValAttr()) {
    // The callee's own copy on the stack.
    auto *Words = B.CreatePointerCast(First, compatPointerTo(B.getInt64Ty()));
    for (unsigned I = 0; I < Size / 8; I++)
      store(B, Array, Value.Offset + 8 * I,
            B.CreateLoad(B.getInt64Ty(), B.CreateConstInBoundsGEP1_64(
                                             B.getInt64Ty(), Words, I)));
  } else if (First->getType()->isAggregateType()) {
    storeParts(B, Array, Value.Offset, Value.Code, First);
  } else {
    store(B, Array, Value.Offset, demote(B, First, Value.Code));
  }
}

static Value *makeArray(Function &F, const CallValues &Values) {
  IRBuilder<> B(&*F.getEntryBlock().begin());
  unsigned Words = std::max(Values.Size, 8u) / 8;
  AllocaInst *Array = B.CreateAlloca(ArrayType::get(B.getInt64Ty(), Words),
                                     nullptr, "dftrace_values");
  Array->setAlignment(Align(16));
  return Array;
}

Value *recordArguments(Instruction *At, const CallHooks &Hooks,
                       const CallValues &Values) {
  Function &F = *At->getFunction();
  Value *Array = makeArray(F, Values);
  if (Values.Arguments.empty())
    return Array;
  IRBuilder<> B(At->getContext());
  whenTraced(B, At, Hooks.Token);
  for (const CallValue &Value : Values.Arguments)
    storeArgument(B, F, Array, Value);
  callValues(B, "__dftrace_args", Hooks, Array);
  return Array;
}

void recordResult(Instruction *Exit, const CallHooks &Hooks,
                  const CallValues &Values, Value *Array) {
  auto *Return = dyn_cast<ReturnInst>(Exit);
  if (!Return || Values.Result.empty())
    return;
  Function &F = *Exit->getFunction();
  Value *Result = Return->getReturnValue();
  IRBuilder<> B(Exit->getContext());
  whenTraced(B, Exit, Hooks.Token);
  if (Values.Result[0] == DFTRACE_VALUE_TYPE)
    ; // there is nothing to be seen
  else if (Result && Result->getType()->isAggregateType())
    storeParts(B, Array, 0, Values.Result, Result);
  else
    store(B, Array, 0, Result ? Result : F.getArg(0));
  callValues(B, "__dftrace_result", Hooks, Array);
}

} // namespace dftrace
