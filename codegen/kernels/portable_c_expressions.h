// Prints LLVM's values as C expressions: an instruction's result, from the names and the folded
// texts of its operands.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "codegen/kernels/portable_c_text.h"

namespace llvm {
class BinaryOperator;
class CastInst;
class Constant;
class DataLayout;
class GEPOperator;
class ICmpInst;
class Instruction;
class IntrinsicInst;
class LoadInst;
class StoreInst;
class Value;
}  // namespace llvm

namespace tinytune::portable_c {

/// Thrown if C cannot express a value; print_portable_c() catches it.
struct Unsupported {
  std::string what;
};
[[noreturn]] void refuse(const llvm::Value& value);

/// Whether this is the empty inline assembly by which templates hide a value from the optimiser.
bool is_opaque(const llvm::Instruction& i);

class Expressions {
 public:
  explicit Expressions(const llvm::DataLayout& layout) : layout_(layout) {}

  /// Names a variable or a parameter.
  void name(const llvm::Value& value, std::string text) { names_[&value] = std::move(text); }
  bool has_name(const llvm::Value& value) const { return names_.contains(&value); }
  /// Gives a value with a single use a text that is printed there instead of a name.
  void fold(const llvm::Value& value, std::string text) { folded_[&value] = std::move(text); }

  Width width_of(const llvm::Value& value) const;
  std::string use(const llvm::Value& value) const;
  /// The expression that an instruction computes.
  std::string of(const llvm::Instruction& i) const;
  /// An assignment to memory.
  std::string store(const llvm::StoreInst& i) const;

 private:
  std::string as_signed(const llvm::Value& value) const;
  std::string constant(const llvm::Constant& value) const;
  std::string arithmetic(const llvm::BinaryOperator& i) const;
  std::string compare(const llvm::ICmpInst& i) const;
  std::string convert(const llvm::CastInst& i) const;
  std::string address(const llvm::GEPOperator& i) const;
  std::string intrinsic(const llvm::IntrinsicInst& i) const;
  std::string load(const llvm::LoadInst& i) const;

  const llvm::DataLayout& layout_;
  std::map<const llvm::Value*, std::string> names_, folded_;
};

}  // namespace tinytune::portable_c
