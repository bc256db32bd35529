//===- values.cpp - the values that a call records -----------------------===//
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
// The front end describes the parameters of the source (ast/passing.cpp). Here
// they are located among the parameters of the IR: a parameter of the source
// may be none, one or several of these. It is recorded only if there is exactly
// one way to locate it. This code does not read through pointers: the runtime
// does, because it can handle addresses that are not mapped. Functions in other
// sections get none of this.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

using namespace llvm;

namespace dftrace {

/// The size in bytes that a code names.
static unsigned codeSize(StringRef Code) {
  unsigned Size = 0;
  Code.drop_front().getAsInteger(10, Size);
  return Size;
}

/// Whether a value of this code may be two values of the IR, of type First.
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

/// Whether T contains both parts of such a value: a complex float is a vector on
/// x86-64, other complex numbers are arrays on AArch64.
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

/// Whether a value of this code may have the IR type T.
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

/// Whether a value of this code is promoted to T, int or double, by callers
/// without a prototype: K&R definitions get it so.
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

/// Whether A is passed in one register.
static bool fitsRegister(const Argument *A) {
  unsigned Bits = A->getType()->getPrimitiveSizeInBits().getKnownMinValue();
  return !A->hasByValAttr() &&
         (A->getType()->isPointerTy() || (Bits > 0 && Bits <= 64));
}

/// mayBe for a parameter that is an object.
static bool mayBeObject(const Function &F, const DescribedValue &Value,
                        unsigned At, unsigned Count) {
  if (Value.Indirect)
    return F.getArg(At)->getType()->isPointerTy();
  if (Count == 2)
    return fitsRegister(F.getArg(At)) && fitsRegister(F.getArg(At + 1));
  return Value.Most == 1 || !fitsRegister(F.getArg(At));
}

/// Whether this parameter may be Count parameters of the IR, the first one being
/// number At.
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

/// Which parameters of the IR function the parameters of the source may be.
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

  /// True if there is exactly one place for value I.
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

static const std::string Unknown = std::string(1, DFTRACE_VALUE_TYPE) + "value";

/// Code if the IR returns a result of this code; otherwise one without a value.
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

static void selectResult(const Function &F, const Declaration &Source,
                         const dft_verdict &Verdict, CallValues &Values) {
  if (Source.Result.empty() || dft_values_omit(&Values.Layout, Plugin.Allowlist,
                                               &Verdict, DFT_VALUES_RESULT))
    return;
  Values.Result = resultCode(F, Source.Result);
  dft_values_add_result(&Values.Layout, Values.Result.c_str());
}

void selectValues(const Function &F, const Declaration &Source,
                  const dft_verdict &Verdict, CallValues &Values) {
  if (!(Verdict.flags & DFTRACE_SITE_ARGS))
    return;
  selectResult(F, Source, Verdict, Values);
  Places Where(F, Source.Values);
  for (size_t I = 0; I < Source.Values.size(); I++) {
    const DescribedValue &Described = Source.Values[I];
    if (Described.Hidden ||
        dft_values_omit(&Values.Layout, Plugin.Allowlist, &Verdict,
                        Described.Name.c_str()) ||
        dft_values_is_full(&Values.Layout))
      continue;
    CallValue Value = {Described.Code, 0, 0, 0};
    if (Value.Code[0] != DFTRACE_VALUE_TYPE &&
        !Where.find(I, Value.Place, Value.Width))
      Value.Code = Unknown;
    Value.Offset = dft_values_add_argument(
        &Values.Layout, Described.Name.c_str(), Value.Code.c_str());
    Values.Arguments.push_back(Value);
  }
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

/// Stores both parts of a value that is one aggregate in the IR.
static void storeParts(IRBuilder<> &B, Value *Array, unsigned Offset,
                       StringRef Code, Value *Both) {
  for (unsigned I = 0; I < 2; I++)
    store(B, Array, Offset + I * codeSize(Code) / 2,
          B.CreateExtractValue(Both, I));
}

/// A promoted value as the function sees it; other values unchanged.
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
    // A copy of the value on the stack that belongs to this call.
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
  unsigned Words = std::max(Values.Layout.size, 8u) / 8;
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
    ; // this type has no value to record
  else if (Result && Result->getType()->isAggregateType())
    storeParts(B, Array, 0, Values.Result, Result);
  else
    store(B, Array, 0, Result ? Result : F.getArg(0));
  callValues(B, "__dftrace_result", Hooks, Array);
}

} // namespace dftrace
