//===- passing.cpp - how many arguments of the IR stand for a parameter
//-----===//
//
// The IR has what goes into registers, not what stands in the source. Told here
// is as much of the rules of x86-64 and AArch64 as it takes to find parameters
// again behind structures: a structure of up to 8 bytes is one argument; of up
// to 16 bytes it is two, one for each half with something in it, or one that is
// wider than a register or in memory; a larger one is one.
//
//===------------------------------------------------------------------------===//

#include "plugin.h"

#include "ast/clang-compat.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/RecordLayout.h"

using namespace clang;
using namespace llvm;

namespace dftrace {

namespace {

/// Which of the two halves of a small structure hold anything but padding.
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

void countArguments(const ASTContext &Context, QualType T,
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

} // namespace dftrace
