// A graph under construction: dice, tensors, and the choice of the next operator's inputs.
//
// Operators are grown one at a time. Each asks for a source that fits it; if none exists, it gets
// one more input of the network: int8, or float32 or uint8 behind a QUANTIZE. So every operator can
// be grown at any time, and no graph is ever discarded as invalid.
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

  // Limits per tensor and per kernel: mostly so small that a graph's cost is compiling, not
  // simulating.
  int64_t most_elements() const { return most_elements_; }
  int64_t most_macs() const { return 48 * most_elements_; }

  /// Selects the activations of operators grown from now on: int8, or int16 without zero points.
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
  /// Draws odd as well as round extents, at most most_elements() elements.
  Shape shape(int rank);
  Shape shape() { return shape(one_of({1, 2, 2, 3, 3, 4, 4, 4, 5})); }
  Quantization quantization();
  /// Draws the quantisation of an output whose values fill int8 at scale `natural`; sometimes far
  /// from it, up to multipliers of zero and left shifts.
  Quantization scaled_to(double natural);
  Activation activation_function();
  /// Likewise; none for a scale so small that bounds near 2^31 steps would be refused.
  Activation activation_function(const Quantization& of);

  // Tensors.
  const Tensor& tensor(int id) const { return graph_.tensor(id); }
  /// Adds the result tensor of an operator yet to be added.
  int result(ElementType type, Shape shape, Quantization quantization);
  int result(Shape shape, Quantization quantization) {
    return result(activations(), std::move(shape), std::move(quantization));
  }
  /// Likewise, int32 with a scale, as sums have it.
  int accumulator(Shape shape, Quantization quantization);
  int constant(ElementType type, Shape shape, Quantization quantization, std::vector<uint8_t> data);
  int random_constant(ElementType type, Shape shape, Quantization quantization);
  int random_constant(Shape shape, Quantization quantization) {
    return random_constant(activations(), std::move(shape), std::move(quantization));
  }
  /// Adds a state tensor. `initial`: its reset values; empty: the zero point.
  int variable(ElementType type, Shape shape, Quantization quantization,
               std::vector<uint8_t> initial = {});
  int integers(const std::vector<int32_t>& values);
  int integers(Shape shape, const std::vector<int32_t>& values);
  int integer(int32_t value);  ///< one element, as a scalar or a vector of one
  int input(ElementType type, Shape shape, Quantization quantization);
  int accumulator_input(Shape shape, Quantization quantization);

  // Sources.
  using Fits = std::function<bool(const Tensor&)>;
  /// Makes the next source() an output of the operator added last, if it fits.
  void follow();
  /// Returns an activation that fits; `otherwise` makes the shape of a new one.
  int source(const Fits& fits, const std::function<Shape()>& otherwise);
  int source() {
    return source([](const Tensor&) { return true; }, [this] { return shape(); });
  }
  /// Returns a new activation of this shape and quantisation, from a new input of the network.
  int fresh(const Shape& shape, const Quantization& quantization);
  /// Returns a visible tensor of any type that fits, neither constant nor state; -1: none.
  int existing(const Fits& fits);
  /// Returns whether import folds the tensor: its value depends on shapes and constants alone.
  bool is_known(int id) const;

  /// Opens a scope whose operators run conditionally; leave() hides the tensors made in it. In a
  /// scope that is `alone`, operators see only constants and tensors passed to show(), and input()
  /// adds constants, not inputs of the network.
  void enter(bool alone);
  void leave();
  void show(const std::vector<int>& ids);
  /// Keeps later operators from reading the tensor, and the network from outputting it.
  void hide(int id) { hidden_[static_cast<size_t>(id)] = true; }
  int depth() const { return static_cast<int>(scopes_.size()); }
  /// Returns whether this scope or one around it is alone, so that input() returns a constant.
  bool is_alone() const;

  void op(OperatorKind kind, std::vector<int> inputs, std::vector<int> outputs,
          Attributes attributes = {});
  const std::vector<Operator>& operators() const { return graph_.operators; }
  /// A graph without inputs is constant: import would fold it and leave no network.
  bool has_inputs() const { return !graph_.inputs.empty(); }

  /// Chooses the outputs: tensors that nothing reads, and some that operators read. Shuffles the
  /// outputs, and often inputs and tensor ids.
  Graph finish();

 private:
  ElementType activations() const { return wide_ ? ElementType::kInt16 : ElementType::kInt8; }
  // Excludes int16 results of an int8 SOFTMAX: only DEQUANTIZE reads their zero point.
  bool is_activation(const Tensor& t) const {
    return t.type == activations() && !(wide_ && t.quantization.zero_points[0] != 0);
  }
  int add(Tensor tensor);
  template <typename T>
  void shuffle(std::vector<T>& values);
  void renumber();
  std::vector<int> last_results() const;
  struct Scope {
    size_t first = 0;  // id of the scope's first tensor
    bool alone = false;
    std::vector<bool> hidden;  // hidden_ before the scope
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
