//===- passing.cpp - how Clang passes the parameters of the source -------===//
//
// Describes the values of a function: their codes, and how many parameters of
// the IR each may be. The IR has what goes into registers, not the parameters
// of the source. These are the rules of x86-64 and AArch64 as far as they are
// needed to locate a parameter behind a structure. A structure of up to 8 bytes
// is one parameter. One of up to 16 bytes is two, one for each half that is not
// only padding; or one, if it is passed in a wide register or in memory. A
// larger structure is one parameter.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "ast/clang-compat.h"

#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"

using namespace clang;
using namespace llvm;

namespace dftrace {

namespace {

/// Which of the two halves of a small structure contain more than padding.
class Halves {
  const ASTContext &Context;
  bool Used[2] = {false, false};

  void markBits(uint64_t Begin, uint64_t Size) {
    for (uint64_t Half = 0; Half < 2; Half++)
      if (Size > 0 && Begin < 64 * (Half + 1) && Begin + Size > 64 * Half)
        Used[Half] = true;
  }

  void markArray(const ConstantArrayType *Array, uint64_t At) {
    uint64_t Size = Context.getTypeSize(Array->getElementType());
    uint64_t Count = Size == 0 ? 0 : Array->getSize().getZExtValue();
    for (uint64_t I = 0; I < Count; I++)
      mark(Array->getElementType(), At + I * Size);
  }

  void markClass(const RecordDecl *Class, uint64_t At) {
    const ASTRecordLayout &Layout = Context.getASTRecordLayout(Class);
    if (auto *CXXClass = dyn_cast<CXXRecordDecl>(Class))
      for (const CXXBaseSpecifier &Base : CXXClass->bases())
        mark(Base.getType(), At + Context.toBits(Layout.getBaseClassOffset(
                                      Base.getType()->getAsCXXRecordDecl())));
    for (const FieldDecl *Field : Class->fields()) {
      uint64_t Offset = At + Layout.getFieldOffset(Field->getFieldIndex());
      if (!Field->isBitField())
        mark(Field->getType(), Offset);
      else if (Field->getIdentifier())
        markBits(Offset, compatBitWidth(Context, Field));
    }
  }

public:
  explicit Halves(const ASTContext &C) : Context(C) {}

  void mark(QualType T, uint64_t At) {
    const RecordDecl *Class = T->getAsRecordDecl();
    if (auto *Array = Context.getAsConstantArrayType(T))
      markArray(Array, At);
    else if (Class && !Class->isInvalidDecl())
      markClass(Class, At);
    else
      markBits(At, Context.getTypeSize(T));
  }

  unsigned count() const { return Used[0] + Used[1]; }
};

} // namespace

/// How many parameters of the IR a value of type T may be.
static void countArguments(const ASTContext &Context, QualType T,
                           DescribedValue &Value) {
  Value.Least = Value.Most = 1;
  uint64_t Size = Context.getTypeSizeInChars(T).getQuantity();
  bool Wide = Size > 8 && (T->isIntegerType() || T->isAnyComplexType());
  if (Value.Code[0] != DFTRACE_VALUE_TYPE &&
      Value.Code[0] != DFTRACE_VALUE_VIEW && !Wide)
    return;
  if (const RecordDecl *Class = T->getAsRecordDecl())
    if (!Class->canPassInRegisters()) {
      Value.Indirect = true;
      return;
    }
  if (Size > 16)
    return;
  Halves Parts(Context);
  Parts.mark(T, 0);
  Value.Most = std::max(Parts.count(), 1u);
  if (Parts.count() == 0)
    Value.Least = 0;
}

static DescribedValue describeValue(const ASTContext &Context, QualType T,
                                    std::string Name) {
  DescribedValue Value;
  Value.Name = std::move(Name);
  Value.Code = valueCode(Context, T);
  countArguments(Context, T, Value);
  return Value;
}

void describeValues(const ASTContext &Context, const FunctionDecl *F,
                    Declaration &Found) {
  // Functions whose IR parameters are not the parameters of the source.
  auto *Constructor = dyn_cast<CXXConstructorDecl>(F);
  if ((Constructor && Constructor->isInheritingConstructor()) ||
      isa_and_nonnull<CoroutineBodyStmt>(F->getBody()))
    return;
  for (const ParmVarDecl *Parameter : F->parameters())
    if (Parameter->hasAttr<PassObjectSizeAttr>())
      return;

  if (!F->getReturnType()->isVoidType() && !Constructor &&
      !isa<CXXDestructorDecl>(F))
    Found.Result = valueCode(Context, F->getReturnType());
  auto *Method = dyn_cast<CXXMethodDecl>(F);
  if (Method && compatHasThis(Method)) {
    Found.Values.push_back(describeValue(Context, Context.VoidPtrTy, "this"));
    // Constructors and destructors of a base object get a hidden pointer to the
    // table of its virtual bases.
    if (Method->getParent()->getNumVBases() &&
        (Constructor || isa<CXXDestructorDecl>(F))) {
      DescribedValue Hidden = describeValue(Context, Context.VoidPtrTy, "");
      Hidden.Hidden = true;
      Hidden.Least = 0;
      Found.Values.push_back(Hidden);
    }
  }
  for (const ParmVarDecl *Parameter : F->parameters()) {
    Found.Values.push_back(describeValue(Context, Parameter->getType(),
                                         Parameter->getName().str()));
    Found.Values.back().Promoted = Parameter->isKNRPromoted();
  }
}

} // namespace dftrace
