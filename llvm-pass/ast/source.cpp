//===- source.cpp - finds what the front end knows about a function ------===//
//
// By the linkage name of the function; by the mark that it got where the AST
// could not know the linkage name (unnamed.cpp); or by the linkage name without
// the numbers that the code generator has chosen.
//
//===----------------------------------------------------------------------===//

#include "plugin.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"

using namespace llvm;

namespace dftrace {

StringRef linkageName(const Function &F) {
  return GlobalValue::dropLLVMManglingEscape(F.getName());
}

/// How many characters at the end of Before and at the beginning of Behind form
/// a component such as 3$_0: a length, and as many characters. Digits of other
/// components may precede and follow it.
static std::pair<size_t, size_t> madeUpPart(StringRef Before,
                                            StringRef Behind) {
  for (size_t Size = 3; Size <= Behind.size() && isDigit(Behind[Size - 1]);
       Size++) {
    std::string Length = std::to_string(Size);
    if (Before.size() >= Length.size() &&
        Before.substr(Before.size() - Length.size()) == Length)
      return {Length.size(), Size};
  }
  return {0, 0};
}

std::string withoutNumbers(StringRef Name) {
  std::string Result;
  size_t Done = 0;
  if (!compatStartsWith(Name, "_Z"))
    return Result;
  for (size_t At = Name.find("$_"); At != StringRef::npos;
       At = Name.find("$_", At + 2)) {
    StringRef Before = Name.substr(Done, At - Done);
    auto [Length, Size] = madeUpPart(Before, Name.substr(At));
    if (Size == 0)
      continue;
    Result += Before.drop_back(Length);
    Result += "$_";
    Done = At + Size;
  }
  return Done ? Result + Name.substr(Done).str() : Result;
}

/// The attribute that holds a function's mark; the parts of a coroutine inherit
/// it.
static constexpr char Mark[] = "dftrace-mark";

void readMarks(Module &M) {
  GlobalVariable *All = M.getGlobalVariable("llvm.global.annotations");
  auto *Entries = All && All->hasInitializer()
                      ? dyn_cast<ConstantArray>(All->getInitializer())
                      : nullptr;
  if (!Entries)
    return;
  SmallVector<Constant *, 16> Others;
  for (Value *Each : Entries->operand_values()) {
    auto *Entry = cast<ConstantStruct>(Each);
    auto *F = dyn_cast<Function>(Entry->getOperand(0)->stripPointerCasts());
    StringRef Text;
    if (F && getConstantStringInfo(Entry->getOperand(1), Text) &&
        compatStartsWith(Text, MarkPrefix))
      F->addFnAttr(Mark, Text);
    else
      Others.push_back(Entry);
  }
  if (Others.size() == Entries->getNumOperands())
    return;
  if (!Others.empty()) {
    auto *Type = ArrayType::get(Others.front()->getType(), Others.size());
    auto *Rest = new GlobalVariable(M, Type, false, All->getLinkage(),
                                    ConstantArray::get(Type, Others), "", All);
    Rest->setSection(All->getSection());
    Rest->takeName(All);
  }
  All->eraseFromParent();
}

/// The linkage name of F in the AST, which does not have the prefix that the
/// code generator adds to C functions with Intel's calling convention.
static StringRef nameInAST(const Function &F) {
  StringRef Name = linkageName(F);
  if (!Name.consume_front("__regcall3__"))
    Name.consume_front("__regcall4__");
  return Name;
}

const Declaration *findSource(const Function &F, Declaration &Storage) {
  StringRef Marked = F.getFnAttribute(Mark).getValueAsString();
  auto Known =
      Plugin.Declarations.find(Marked.empty() ? linkageName(F) : Marked);
  if (Known != Plugin.Declarations.end())
    return &Known->second;
  // The parts of a coroutine have its name and a suffix: f.resume, f.destroy,
  // f.cleanup.
  Known = Plugin.Declarations.find(nameInAST(F).split('.').first);
  if (Known != Plugin.Declarations.end())
    return &Known->second;
  if (Plugin.HasDeclarations) {
    auto Alike = Plugin.Numberless.find(withoutNumbers(linkageName(F)));
    return Alike != Plugin.Numberless.end() && !Alike->second.Ambiguous
               ? &Alike->second
               : nullptr;
  }
  if (const DISubprogram *Debug = F.getSubprogram()) {
    Storage.File = Debug->getFilename().str();
    Storage.Line = Debug->getLine();
    for (const DINode *Node : Debug->getRetainedNodes())
      if (auto *Variable = dyn_cast<DILocalVariable>(Node))
        if (Variable->getArg() && !Variable->isArtificial())
          Storage.Parameters += (Storage.Parameters.empty() ? "" : ",") +
                                Variable->getName().str();
  } else {
    Storage.File = F.getParent()->getSourceFileName();
  }
  return &Storage;
}

} // namespace dftrace
