//===- types.cpp - the types of arguments and results --------------------===//
//
// How a value of a type is recorded, and the name of a type whose values are
// not recorded. The codes are those of abi.h. The names follow rules that need
// nothing but the declaration, so that gcc-plugin/types.cc spells them in the
// same way: scopes and name, without template arguments.
//
// Only the AST has these types: integers of the IR have no sign, and structures
// are passed as whatever fits into registers.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "ast/clang-compat.h"

#include "clang/AST/DeclCXX.h"

using namespace clang;
using namespace llvm;

namespace dftrace {

static std::string sized(char Letter, uint64_t Size) {
  return Letter + std::to_string(Size);
}

static bool isChar(QualType T) {
  auto *Builtin = dyn_cast<BuiltinType>(T.getCanonicalType().getTypePtr());
  return Builtin && (Builtin->getKind() == BuiltinType::Char_S ||
                     Builtin->getKind() == BuiltinType::Char_U);
}

/// Whether the runtime may read memory of this type.
static bool isOrdinary(QualType T) {
  return !T.isVolatileQualified() && !T.hasAddressSpace();
}

static std::string floatCode(const ASTContext &Context, QualType T) {
  const fltSemantics &Format = Context.getFloatTypeSemantics(T);
  uint64_t Size = Context.getTypeSizeInChars(T).getQuantity();
  if (&Format == &APFloat::IEEEquad())
    return sized(DFTRACE_VALUE_QUAD, Size);
  if (&Format == &APFloat::IEEEhalf() || &Format == &APFloat::IEEEsingle() ||
      &Format == &APFloat::IEEEdouble() ||
      (&Format == &APFloat::x87DoubleExtended() && Size == 16))
    return sized(DFTRACE_VALUE_FLOAT, Size);
  return "";
}

/// Empty if T is not a scalar, or a scalar without a code.
static std::string scalarCode(const ASTContext &Context, QualType T) {
  T = T.getCanonicalType().getUnqualifiedType();
  if (auto *Atomic = T->getAs<AtomicType>())
    T = Atomic->getValueType().getCanonicalType().getUnqualifiedType();
  if (T->isNullPtrType() || T->isBlockPointerType())
    return sized(DFTRACE_VALUE_POINTER,
                 Context.getTypeSizeInChars(T).getQuantity());
  if (auto *Pointer = T->getAs<clang::PointerType>()) {
    QualType Pointee = Pointer->getPointeeType();
    bool Text = isChar(Pointee) && isOrdinary(Pointee);
    return sized(Text ? DFTRACE_VALUE_TEXT : DFTRACE_VALUE_POINTER,
                 Context.getTypeSizeInChars(T).getQuantity());
  }
  if (T->isBooleanType())
    return sized(DFTRACE_VALUE_BOOL, 1);
  if (auto *Enum = T->getAs<EnumType>()) {
    T = Enum->getDecl()->getIntegerType();
    if (T.isNull())
      return "";
    T = T.getCanonicalType().getUnqualifiedType();
  } else if (isChar(T)) {
    return sized(DFTRACE_VALUE_CHAR, 1);
  }
  uint64_t Size = Context.getTypeSizeInChars(T).getQuantity();
  if (auto *Complex = T->getAs<ComplexType>())
    return !Complex->getElementType()->isRealFloatingType() ||
                   floatCode(Context, Complex->getElementType())[0] !=
                       DFTRACE_VALUE_FLOAT
               ? ""
               : sized(DFTRACE_VALUE_COMPLEX, Size);
  auto *Builtin = dyn_cast<BuiltinType>(T.getTypePtr());
  if (!Builtin)
    return "";
  if (Builtin->isFloatingPoint())
    return floatCode(Context, T);
  if (!Builtin->isInteger() || Size > 16)
    return "";
  return sized(Builtin->isSignedInteger() ? DFTRACE_VALUE_SIGNED
                                          : DFTRACE_VALUE_UNSIGNED,
               Size);
}

static const FieldDecl *findField(const RecordDecl *Class, StringRef Name) {
  for (const FieldDecl *Field : Class->fields())
    if (Field->getName() == Name)
      return Field;
  return nullptr;
}

/// The class Name of the standard library, directly in std or in one of its
/// namespaces.
static const RecordDecl *asStandard(QualType T, StringRef Name) {
  const RecordDecl *Class = T->getAsRecordDecl();
  if (!Class || !Class->isCompleteDefinition() || !Class->getIdentifier() ||
      Class->getName() != Name)
    return nullptr;
  auto IsStd = [](const DeclContext *Scope) {
    auto *Namespace = dyn_cast_or_null<NamespaceDecl>(Scope);
    return Namespace && Namespace->getIdentifier() &&
           Namespace->getName() == "std";
  };
  const DeclContext *Scope = Class->getDeclContext();
  return IsStd(Scope) ||
                 (isa<NamespaceDecl>(Scope) && IsStd(Scope->getParent()))
             ? Class
             : nullptr;
}

static bool isCharPointer(const FieldDecl *Field) {
  return Field && Field->getType()->isPointerType() &&
         isChar(Field->getType()->getPointeeType());
}

static bool isAt(const ASTContext &Context, const FieldDecl *Field,
                 uint64_t Offset) {
  return !Field->getParent()->isInvalidDecl() &&
         Context.getFieldOffset(Field) == Offset;
}

/// Whether T is std::string in libstdc++'s layout: a pointer, then the length.
/// Where an allocator with state comes before the pointer, nothing is recorded.
static bool isString(const ASTContext &Context, QualType T) {
  const RecordDecl *Class = asStandard(T, "basic_string");
  const FieldDecl *Holder = Class ? findField(Class, "_M_dataplus") : nullptr;
  const FieldDecl *Length =
      Class ? findField(Class, "_M_string_length") : nullptr;
  const RecordDecl *Inner =
      Holder ? Holder->getType()->getAsRecordDecl() : nullptr;
  const FieldDecl *Pointer = Inner ? findField(Inner, "_M_p") : nullptr;
  return Length && isCharPointer(Pointer) && isAt(Context, Holder, 0) &&
         isAt(Context, Pointer, 0) &&
         isAt(Context, Length, Context.getTypeSize(Context.VoidPtrTy));
}

/// Whether T is std::string_view in libstdc++'s layout: the length, then a
/// pointer.
static bool isView(const ASTContext &Context, QualType T) {
  const RecordDecl *Class = asStandard(T, "basic_string_view");
  const FieldDecl *Length = Class ? findField(Class, "_M_len") : nullptr;
  const FieldDecl *Pointer = Class ? findField(Class, "_M_str") : nullptr;
  return Length && isCharPointer(Pointer) && isAt(Context, Length, 0) &&
         isAt(Context, Pointer, Context.getTypeSize(Context.VoidPtrTy));
}

static std::string className(const ASTContext &Context,
                             const RecordDecl *Class);

/// The scopes that have a name, from the outside in, each followed by "::".
static std::string scopeNames(const ASTContext &Context,
                              const DeclContext *Scope) {
  if (isa<LinkageSpecDecl>(Scope))
    return scopeNames(Context, Scope->getParent());
  if (auto *Namespace = dyn_cast<NamespaceDecl>(Scope))
    return scopeNames(Context, Scope->getParent()) +
           (Namespace->isAnonymousNamespace() ? "(anonymous namespace)"
                                              : Namespace->getName().str()) +
           "::";
  if (auto *Class = dyn_cast<RecordDecl>(Scope))
    return className(Context, Class) + "::";
  return "";
}

/// A class as the source names it: with its scopes, without template arguments.
static std::string className(const ASTContext &Context,
                             const RecordDecl *Class) {
  auto *CXXClass = dyn_cast<CXXRecordDecl>(Class);
  if (CXXClass && CXXClass->isLambda())
    return "lambda";
  std::string Key = Class->isUnion() ? "union" : "struct";
  if (!Class->getIdentifier()) {
    const TypedefNameDecl *Typedef = Class->getTypedefNameForAnonDecl();
    if (!Typedef)
      return Key;
    return (CXXClass ? scopeNames(Context, Class->getDeclContext()) : "") +
           Typedef->getName().str();
  }
  if (!Context.getLangOpts().CPlusPlus)
    return Key + " " + Class->getName().str();
  return scopeNames(Context, Class->getDeclContext()) + Class->getName().str();
}

/// What a trace shows instead of a value that is not recorded.
static std::string typeWord(const ASTContext &Context, QualType T) {
  T = T.getCanonicalType();
  if (const RecordDecl *Class = T->getAsRecordDecl())
    return className(Context, Class);
  if (T->isMemberPointerType())
    return "member pointer";
  if (T->isAnyComplexType())
    return "_Complex";
  if (T->isVectorType())
    return "vector";
  if (T->isBFloat16Type())
    return "__bf16";
  if (T->isRealFloatingType())
    return Context.getTypeSize(T) == 16 ? "_Float16" : "__float128";
  if (auto *Bits = dyn_cast<BitIntType>(T.getTypePtr()))
    return (Bits->isSigned() ? "_BitInt(" : "unsigned _BitInt(") +
           std::to_string(Bits->getNumBits()) + ")";
  if (isa<BuiltinType>(T.getTypePtr()) && T->isIntegerType())
    return T->isSignedIntegerType() ? "__int128" : "unsigned __int128";
  return "value";
}

/// An arithmetic type as the demangler names it.
static std::string numberName(const ASTContext &Context, const BuiltinType *T) {
  switch (T->getKind()) {
  case BuiltinType::Void:
    return "void";
  case BuiltinType::Bool:
    return "bool";
  case BuiltinType::NullPtr:
    return "decltype(nullptr)";
  case BuiltinType::Int128:
  case BuiltinType::UInt128:
  case BuiltinType::Half:
  case BuiltinType::Float16:
  case BuiltinType::Float128:
    return typeWord(Context, QualType(T, 0));
  default:
    return T->getName(Context.getPrintingPolicy()).str();
  }
}

static std::string enumName(const ASTContext &Context, const EnumDecl *Enum) {
  StringRef Name = Enum->getIdentifier() ? Enum->getName() : "";
  if (Name.empty())
    if (const TypedefNameDecl *Typedef = Enum->getTypedefNameForAnonDecl())
      if (Context.getLangOpts().CPlusPlus)
        Name = Typedef->getName();
  if (Name.empty())
    return "enum";
  if (!Context.getLangOpts().CPlusPlus)
    return "enum " + Name.str();
  return scopeNames(Context, Enum->getDeclContext()) + Name.str();
}

static std::string typeName(const ASTContext &Context, QualType T);
static std::string parameterTypes(const ASTContext &Context,
                                  const clang::FunctionType *T);

static std::string unqualifiedName(const ASTContext &Context, QualType T) {
  if (auto *Builtin = dyn_cast<BuiltinType>(T.getTypePtr()))
    return numberName(Context, Builtin);
  if (auto *Enum = T->getAs<EnumType>())
    return enumName(Context, Enum->getDecl());
  if (auto *Complex = T->getAs<ComplexType>())
    return typeName(Context, Complex->getElementType()) + " _Complex";
  if (auto *Atomic = T->getAs<AtomicType>())
    return typeName(Context, Atomic->getValueType());
  if (T->isPointerType() || T->isReferenceType()) {
    QualType To = T->getPointeeType().getCanonicalType();
    std::string Sign = T->isPointerType() ? "*" : "&";
    if (auto *F = To->getAs<clang::FunctionType>())
      return typeName(Context, F->getReturnType()) + " (" + Sign + ")" +
             parameterTypes(Context, F);
    if (auto *Array = To->getAsArrayTypeUnsafe())
      return typeName(Context, Array->getElementType()) + " (" + Sign + ") []";
    return typeName(Context, To) + Sign;
  }
  return typeWord(Context, T);
}

/// A type as a demangler spells it.
static std::string typeName(const ASTContext &Context, QualType T) {
  T = T.getCanonicalType();
  std::string Name = unqualifiedName(Context, T.getUnqualifiedType());
  if (T.isConstQualified())
    Name += " const";
  if (T.isVolatileQualified())
    Name += " volatile";
  return Name;
}

/// The parameter types of a function type, as a list in parentheses.
static std::string parameterTypes(const ASTContext &Context,
                                  const clang::FunctionType *T) {
  std::string Names;
  auto *Prototype = dyn_cast<FunctionProtoType>(T);
  if (!Prototype)
    return "()";
  for (QualType Parameter : Prototype->param_types())
    Names +=
        (Names.empty() ? "" : ", ") +
        typeName(Context, Parameter.getCanonicalType().getUnqualifiedType());
  if (Prototype->isVariadic())
    Names += Names.empty() ? "..." : ", ...";
  return "(" + Names + ")";
}

std::string functionTypes(const ASTContext &Context, const FunctionDecl *F) {
  auto *Method = dyn_cast<CXXMethodDecl>(F);
  auto *Type = F->getType()->getAs<clang::FunctionType>();
  return (Method && compatHasThis(Method)) || !Type
             ? ""
             : parameterTypes(Context, Type);
}

std::string valueCode(const ASTContext &Context, QualType T) {
  uint64_t Pointer =
      Context.getTypeSizeInChars(Context.VoidPtrTy).getQuantity();
  if (isString(Context, T))
    return sized(DFTRACE_VALUE_STRING, Pointer);
  if (isView(Context, T) && Pointer == 8)
    return sized(DFTRACE_VALUE_VIEW, 2 * Pointer);
  if (T->isReferenceType()) {
    QualType Object = T.getNonReferenceType();
    if (isString(Context, Object))
      return sized(DFTRACE_VALUE_STRING, Pointer);
    std::string Code = isView(Context, Object) && Pointer == 8
                           ? sized(DFTRACE_VALUE_VIEW, 2 * Pointer)
                           : scalarCode(Context, Object);
    if (!Code.empty() && isOrdinary(Object))
      return DFTRACE_VALUE_REFERENCE + Code;
    return sized(DFTRACE_VALUE_POINTER, Pointer);
  }
  std::string Code = scalarCode(Context, T);
  return !Code.empty() ? Code : DFTRACE_VALUE_TYPE + typeWord(Context, T);
}

} // namespace dftrace
