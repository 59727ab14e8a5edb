// A graph under construction: dice, tensors, and the choice of what the next operator reads.
//
// Operators are grown one at a time. Each asks for a source that fits it; what does not exist yet
// becomes one more input of the network, as int8 or as float32 or uint8 behind a QUANTIZE. So every
// operator can be grown at any time, and no graph is ever thrown away for not being valid.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <vector>

#include "base/rng.h"
#include "models/graph.h"
#include "models/operator_kind.h"

namespace tinytune::bench {

using Shape = std::vector<int>;

inline constexpr int kHighestRank = 5;

int64_t elements_of(const Shape& shape);
bool is_moderate(double scale);

class GraphMaker {
 public:
  explicit GraphMaker(const Rng& rng);

  // Of one tensor, of one kernel. Mostly small enough that compiling, not simulating, is what a
  // graph costs.
  int64_t most_elements() const { return most_elements_; }
  int64_t most_macs() const { return 48 * most_elements_; }

  /// Activations of what is grown from now on: int8, or int16 without zero points.
  void set_wide(bool wide) { wide_ = wide; }
  bool is_wide() const { return wide_; }

  // Dice.
  int between(int low, int high);  ///< inclusive
  double uniform(double low, double high);
  bool chance(int percent) { return between(1, 100) <= percent; }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<int>(values.size()) - 1)];
  }
  /// Odd sizes as well as round ones, at most most_elements() in all.
  Shape shape(int rank);
  Shape shape() { return shape(one_of({1, 2, 2, 3, 3, 4, 4, 4, 5})); }
  Quantization quantization();
  /// For an output whose values fill int8 at scale `natural`; sometimes far from it, up to
  /// multipliers of zero and left shifts.
  Quantization scaled_to(double natural);
  Activation activation_function();
  /// The same of a result with this scale: bounds of 2^31 steps are refused.
  Activation activation_function(const Quantization& of);

  // Tensors.
  const Tensor& tensor(int id) const { return graph_.tensor(id); }
  /// The result of an operator yet to be added.
  int result(ElementType type, Shape shape, Quantization quantization);
  int result(Shape shape, Quantization quantization) {
    return result(activations(), std::move(shape), std::move(quantization));
  }
  /// The same of int32 with a scale, as sums have it.
  int accumulator(Shape shape, Quantization quantization);
  int constant(ElementType type, Shape shape, Quantization quantization, std::vector<uint8_t> data);
  int random_constant(ElementType type, Shape shape, Quantization quantization);
  int random_constant(Shape shape, Quantization quantization) {
    return random_constant(activations(), std::move(shape), std::move(quantization));
  }
  /// State, with the values that it is reset to; none: the zero point.
  int variable(ElementType type, Shape shape, Quantization quantization,
               std::vector<uint8_t> initial = {});
  int integers(const std::vector<int32_t>& values);
  int integers(Shape shape, const std::vector<int32_t>& values);
  int integer(int32_t value);  ///< one element, as a scalar or a vector of one
  int input(ElementType type, Shape shape, Quantization quantization);
  int accumulator_input(Shape shape, Quantization quantization);

  // Sources.
  using Fits = std::function<bool(const Tensor&)>;
  /// The next source() is an output of the operator added last, if it fits.
  void follow();
  /// An activation that fits; `otherwise` makes the shape of a new one.
  int source(const Fits& fits, const std::function<Shape()>& otherwise);
  int source() {
    return source([](const Tensor&) { return true; }, [this] { return shape(); });
  }
  /// A new one of exactly this shape and quantisation, from an input of the network.
  int fresh(const Shape& shape, const Quantization& quantization);
  /// Any tensor computed so far that fits, of any type; -1: none.
  int existing(const Fits& fits);
  /// Whether import computes it: shapes and constants alone decide its value.
  bool is_known(int id) const;

  /// Until leave(), operators run now and then, on what they see: what is made meanwhile is hidden
  /// from all that follows. Alone they see constants and what show() names, and no inputs of the
  /// network can be added.
  void enter(bool alone);
  void leave();
  void show(const std::vector<int>& ids);
  /// Nothing that follows reads the tensor, nor is it an output.
  void hide(int id) { hidden_[static_cast<size_t>(id)] = true; }
  int depth() const { return static_cast<int>(scopes_.size()); }
  /// In such a scope, or in one inside it: what input() gives is a constant.
  bool is_alone() const;

  void op(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs,
          Attributes attributes = {});
  const std::vector<Operator>& operators() const { return graph_.operators; }
  /// Without, all of it is constants, which import computes and no network is left.
  bool has_inputs() const { return !graph_.inputs.empty(); }

  /// Chooses the outputs: what nothing reads, and some of what is read inside. Orders of inputs,
  /// outputs and tensors are shuffled.
  Graph finish();

 private:
  ElementType activations() const { return wide_ ? ElementType::kInt16 : ElementType::kInt8; }
  // Of int16, what SOFTMAX of int8 gives is none: nothing but DEQUANTIZE reads a zero point.
  bool is_activation(const Tensor& t) const {
    return t.type == activations() && !(wide_ && t.quantization.zero_points[0] != 0);
  }
  int add(Tensor tensor);
  template <typename T>
  void shuffle(std::vector<T>& values);
  void renumber();
  std::vector<int> last_results() const;
  struct Scope {
    size_t first = 0;  // tensor id
    bool alone = false;
    std::vector<bool> hidden;  // before
  };
  Rng rng_;
  Graph graph_;
  int64_t most_elements_ = 0;
  int followed_ = -1;  // tensor id
  bool wide_ = false;
  std::vector<bool> hidden_;  // by tensor id
  std::vector<Scope> scopes_;
};

inline bool is_int8(const Tensor& t) { return t.type == ElementType::kInt8; }

}  // namespace tinytune::bench
