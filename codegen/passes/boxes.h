// Queries on the boxes of a MoveOp that several passes share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "models/graph.h"
#include "models/integer_forms.h"

namespace tinytune {

using Box = MoveOp::Box;
using BoxSteps = std::array<int64_t, 5>;

/// Whether one side of the box, which begins at `offset`, is all elements of a tensor in order.
bool is_whole(const Box& box, int64_t offset, const BoxSteps& steps, int64_t elements);

/// Returns Box::input for an input that is no constant; nothing if it is not listed exactly once.
std::optional<int> box_input(const Graph& graph, const Operator& op, int tensor);

/// The one input of an operator that is no constant, if there is one.
std::optional<int> only_moved(const Graph& graph, const Operator& op);

}  // namespace tinytune
