// The integer form of an operator: TFLite's "prepare" done once, on the host.
//
// The reference operators execute it and the code generator prints it as C, so the two cannot
// disagree about a multiplier; golden vectors made by TensorFlow Lite Micro check that both are
// right. doc/reference.md lists the source of every operator's semantics.
#pragma once

#include <concepts>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "models/integer_forms.h"
#include "tinytune/result.h"

namespace tinytune {

using IntegerForm = std::variant<KernelOp
#define INTEGER_FORM(type) , type
#include "models/integer_forms.inc"
#undef INTEGER_FORM
                                 >;

template <typename T, typename Forms>
inline constexpr bool kIsOneOf = false;
template <typename T, typename... Forms>
inline constexpr bool kIsOneOf<T, std::variant<Forms...>> = (std::same_as<T, Forms> || ...);
template <typename T>
concept OperatorForm = kIsOneOf<T, IntegerForm>;

/// One of the forms, as a variant. A class of its own, so that the long copy, move and destroy code
/// of so many types is compiled once and not in every source file that holds one.
class IntegerOp : public IntegerForm {
 public:
  IntegerOp();  ///< an empty KernelOp
  template <OperatorForm Form>
  IntegerOp(Form form) : IntegerForm(std::in_place_type<Form>, std::move(form)) {}
  IntegerOp(const IntegerOp&);
  IntegerOp(IntegerOp&&) noexcept;
  IntegerOp& operator=(const IntegerOp&);
  IntegerOp& operator=(IntegerOp&&) noexcept;
  ~IntegerOp();
};

/// Returns an operator's integer form. Proves no WeightFacts, which costs far more than the rest
/// (prove_facts() of a network). An operator on constants alone is computed here and becomes the
/// copy of its result. kUnsupported or kInvalidInput name the operator's index and kind and the
/// tensor at fault.
Result<IntegerOp> prepare(const Graph& graph, const Operator& op);

/// Multiply-accumulates of an operator, those on padding included; 0 for those without.
int64_t macs_of(const IntegerOp& op);

/// Executes an operator exactly as TFLite Micro's reference kernel does. `inputs` are the
/// non-constant inputs in the operator's order; the caller ensures their sizes.
void run_reference(const IntegerOp& op, std::span<const std::span<const uint8_t>> inputs,
                   std::span<const std::span<uint8_t>> outputs);

/// The same for the operators with one output.
void run_reference(const IntegerOp& op, std::span<const std::span<const uint8_t>> inputs,
                   std::span<uint8_t> output);

/// Runs the whole graph. `inputs` in the model's order. Returns the bytes of every tensor by id;
/// constant tensors are left empty. kInvalidInput: a wrong number or size of inputs.
Result<std::vector<std::vector<uint8_t>>> run_reference(
    const Graph& graph, std::span<const std::vector<uint8_t>> inputs);

}  // namespace tinytune
