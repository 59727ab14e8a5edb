// A small network of one operator, of any kind, for tests that go through all kinds.
#pragma once

#include <vector>

#include "models/operator_kind.h"
#include "tests/codegen/graph_builder.h"

namespace tinytune::test {

/// An operator whose data is constants or inputs of the network; weights, axes and the like are
/// constants either way. Not for state, control flow and BROADCAST_ARGS.
class OneOperator {
 public:
  using Bytes = std::vector<uint8_t>;
  static constexpr float kScale = 0.1f;  ///< of data, unless the operator wants another
  static constexpr int kZero = 5;

  OneOperator(OperatorKind kind, bool constant) : constant_(constant) { add(kind); }

  GraphBuilder& builder() { return b_; }
  const std::vector<int>& outputs() const { return outputs_; }
  /// Returns the bytes of each input; empty if the data is constant.
  const std::vector<Bytes>& inputs() const { return inputs_; }

 private:
  int data(std::vector<int> shape = {1, 4, 4, 2}, float scale = kScale, int zero = kZero);
  int of_bytes(std::vector<int> shape, float scale, int zero, Bytes bytes);
  int bools(std::vector<int> shape);
  /// Adds data of zeros and ones: indices to gather.
  int places(std::vector<int> shape);
  int weights(std::vector<int> shape);
  void boolean() { b_.retype(outputs_[0], ElementType::kBool); }
  void add(OperatorKind kind);
  void add(OperatorKind kind, std::vector<int> inputs, Attributes attributes,
           std::vector<int> shape, float scale = kScale, int zero = kZero);
  /// Adds a further output.
  void more(std::vector<int> shape) {
    outputs_.push_back(b_.more_output(std::move(shape), kScale, kZero));
  }

  bool constant_;
  GraphBuilder b_;
  std::vector<int> outputs_;
  std::vector<Bytes> inputs_;
};

/// Returns bytes that differ from one to the next.
std::vector<uint8_t> some_bytes(size_t count);
std::vector<uint8_t> bytes_of(const std::vector<float>& values);

}  // namespace tinytune::test
