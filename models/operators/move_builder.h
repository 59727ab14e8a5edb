// Builds a MoveOp box by box, in the operator's own rank.
#pragma once

#include <vector>

#include "models/operators/operator_view.h"

namespace tinytune {

/// Returns the steps of a dense tensor: elements between neighbours along each axis.
std::vector<int64_t> steps_of(const std::vector<int>& shape);

/// `axis` counted from the front; negative counts from the end. kInvalidInput: not an axis.
Result<size_t> resolve_axis(const OperatorView& view, int axis, size_t rank);

class MoveBuilder {
 public:
  /// kInvalidInput: types that differ. kUnsupported: more than 5 axes. `first`, `last`: the
  /// operator's inputs that are moved.
  static Result<MoveBuilder> create(const OperatorView& view, size_t first, size_t last);

  struct Side {
    size_t index = 0;  ///< index of the operator's input or output
    int64_t offset = 0;
    std::vector<int64_t> steps;
  };
  void add(const std::vector<int>& extents, const Side& from, const Side& to);
  void fill(int32_t value);
  Result<IntegerOp> finish() && { return IntegerOp(std::move(op_)); }

 private:
  MoveBuilder() = default;

  MoveOp op_;
  std::vector<int> source_;    // by operator input: Box::input
  std::vector<int> constant_;  // by operator input: Box::constant
};

}  // namespace tinytune
