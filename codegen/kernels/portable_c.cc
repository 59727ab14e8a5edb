#include "codegen/kernels/portable_c.h"

#include <fmt/format.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <set>
#include <vector>

#include "codegen/kernels/portable_c_expressions.h"
#include "codegen/kernels/portable_lowering.h"

namespace tinytune {
namespace {

using portable_c::is_opaque;
using portable_c::refuse;

// Longest text that is folded into an expression, so that lines stay readable.
constexpr size_t kLongestOperand = 48;

// Whether the value may be computed at its use: it has one, in its own block, and the same result.
bool may_fold(const llvm::Instruction& i) {
  if (!i.hasOneUse() || i.mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(i) || is_opaque(i) ||
      llvm::isa<llvm::AllocaInst>(i))
    return false;
  const auto* user = llvm::cast<llvm::Instruction>(*i.user_begin());
  return user->getParent() == i.getParent() && !llvm::isa<llvm::PHINode>(user) && !is_opaque(*user);
}

class FunctionPrinter {
 public:
  FunctionPrinter(const llvm::Function& function, const llvm::DataLayout& layout)
      : function_(function), layout_(layout), expressions_(layout) {}

  std::string print();

 private:
  void name_values();
  void declare(const llvm::Value& value);
  void print(const llvm::Instruction& i);
  void terminate(const llvm::Instruction& i);
  /// `follows`: the block that control falls through to; null: none.
  void leave(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
             const llvm::BasicBlock* follows, const std::string& indent);

  std::string use(const llvm::Value& value) const { return expressions_.use(value); }
  const std::string& label(const llvm::BasicBlock& block);
  void line(const std::string& text) { body_ += "  " + text + "\n"; }

  const llvm::Function& function_;
  const llvm::DataLayout& layout_;
  portable_c::Expressions expressions_;
  std::map<const llvm::BasicBlock*, std::string> labels_;
  std::set<const llvm::BasicBlock*> reached_;  // by a goto
  std::string declarations_, body_;
  int next_ = 0;
};

void FunctionPrinter::declare(const llvm::Value& value) {
  const std::string name = (value.getType()->isPointerTy() ? "p" : "v") + std::to_string(next_++);
  declarations_ += "  " + portable_c::declaration(expressions_.width_of(value), name) + ";\n";
  expressions_.name(value, name);
}

// Parameters are of any pointer type; everything else is written in terms of bytes.
void FunctionPrinter::name_values() {
  for (const llvm::Argument& argument : function_.args()) {
    const std::string name = argument.getName().str();
    expressions_.name(argument, "p_" + name);
    if (argument.use_empty())
      declarations_ += "  (void)" + name + ";\n";
    else
      declarations_ += "  unsigned char *const p_" + name + " = (unsigned char *)" + name + ";\n";
  }
  for (const llvm::BasicBlock& block : function_)
    for (const llvm::Instruction& i : block) {
      if (const auto* memory = llvm::dyn_cast<llvm::AllocaInst>(&i)) {
        const auto bytes = memory->getAllocationSizeInBits(layout_);
        if (!bytes) refuse(i);
        const std::string name = "m" + std::to_string(next_++);
        declarations_ +=
            fmt::format("  _Alignas(8) unsigned char {}[{}];\n", name, bytes->getFixedValue() / 8);
        expressions_.name(i, name);
      } else if (!i.getType()->isVoidTy() && !may_fold(i) && !i.use_empty()) {
        declare(i);
      }
    }
}

void FunctionPrinter::print(const llvm::Instruction& i) {
  if (llvm::isa<llvm::PHINode>(i) || llvm::isa<llvm::AllocaInst>(i)) return;
  if (i.isTerminator()) return terminate(i);
  if (const auto* to = llvm::dyn_cast<llvm::StoreInst>(&i))
    return line(expressions_.store(*to) + ";");
  if (i.use_empty() && (is_opaque(i) || !i.mayHaveSideEffects())) return;
  std::string text = expressions_.of(i);
  if (may_fold(i) && text.size() <= kLongestOperand) {
    expressions_.fold(i, std::move(text));
    return;
  }
  if (!expressions_.has_name(i)) declare(i);
  if (text.starts_with('(') && portable_c::is_enclosed(text))
    text = text.substr(1, text.size() - 2);
  line(use(i) + " = " + text + ";");
  if (is_opaque(i)) line("TINYTUNE_OPAQUE(" + use(i) + ");");
}

const std::string& FunctionPrinter::label(const llvm::BasicBlock& block) {
  std::string& name = labels_[&block];
  if (name.empty()) name = "b" + std::to_string(labels_.size());
  return name;
}

// The next block's phis take their values all at once: if one is read after it was written, all go
// through copies.
void FunctionPrinter::leave(const llvm::BasicBlock& from, const llvm::BasicBlock& to,
                            const llvm::BasicBlock* follows, const std::string& indent) {
  std::vector<std::pair<const llvm::PHINode*, std::string>> moves;
  std::set<std::string> written;
  bool crossed = false;
  for (const llvm::PHINode& phi : to.phis()) {
    if (phi.use_empty()) continue;
    const llvm::Value& value = *phi.getIncomingValueForBlock(&from);
    if (llvm::isa<llvm::UndefValue>(value) || &value == &phi) continue;
    const std::string text = use(value);
    crossed = crossed || written.contains(text);
    written.insert(use(phi));
    moves.emplace_back(&phi, text);
  }
  if (!crossed) {
    for (const auto& [phi, text] : moves) body_ += indent + use(*phi) + " = " + text + ";\n";
  } else {
    body_ += indent + "{\n";
    for (const auto& [phi, text] : moves)
      body_ += indent + "  " +
               portable_c::declaration(expressions_.width_of(*phi), "n_" + use(*phi)) + " = " +
               text + ";\n";
    for (const auto& [phi, text] : moves)
      body_ += indent + "  " + use(*phi) + " = n_" + use(*phi) + ";\n";
    body_ += indent + "}\n";
  }
  if (&to == follows) return;
  body_ += indent + "goto " + label(to) + ";\n";
  reached_.insert(&to);
}

void FunctionPrinter::terminate(const llvm::Instruction& i) {
  const llvm::BasicBlock& block = *i.getParent();
  if (llvm::isa<llvm::ReturnInst>(i) || llvm::isa<llvm::UnreachableInst>(i)) return line("return;");
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&i);
  if (branch == nullptr) refuse(i);
  const llvm::BasicBlock* const next = block.getNextNode();
  if (branch->isUnconditional()) return leave(block, *branch->getSuccessor(0), next, "  ");
  // Jumps to the successor that does not follow.
  const bool swapped = branch->getSuccessor(0) == next;
  std::string condition = use(*branch->getCondition());
  if (swapped) condition = "(!" + condition + ")";
  if (!portable_c::is_enclosed(condition)) condition = "(" + condition + ")";
  line("if " + condition + " {");
  leave(block, *branch->getSuccessor(swapped ? 1 : 0), nullptr, "    ");
  line("}");
  leave(block, *branch->getSuccessor(swapped ? 0 : 1), next, "  ");
}

std::string FunctionPrinter::print() {
  name_values();
  std::string all;
  std::vector<std::pair<const llvm::BasicBlock*, std::string>> blocks;
  for (const llvm::BasicBlock& block : function_) {
    body_.clear();
    for (const llvm::Instruction& i : block) print(i);
    blocks.emplace_back(&block, body_);
  }
  for (const auto& [block, text] : blocks)
    all += (reached_.contains(block) ? label(*block) + ":\n" : "") + text;
  return declarations_ + all;
}

}  // namespace

Result<std::string> print_portable_c(llvm::Module& module, const std::string& symbol) {
  const llvm::Function* function = module.getFunction(symbol);
  if (function == nullptr) return Error(ErrorCode::kFailed, "the module has no function " + symbol);
  try {
    portable_c::lower(module);
    return FunctionPrinter(*function, module.getDataLayout()).print();
  } catch (const portable_c::Unsupported& one) {
    return Error(ErrorCode::kUnsupported, "portable C has no expression for " + one.what);
  }
}

}  // namespace tinytune
