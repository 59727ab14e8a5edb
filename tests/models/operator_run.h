// One operator, or a few, through a file and the reference operators.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/integer_op.h"
#include "tests/models/test_models.h"

namespace tinytune {

using Bytes = std::vector<uint8_t>;

Bytes bytes_of(const std::vector<int>& values);
std::vector<int> values_of(const Bytes& bytes);  ///< of int8
std::vector<int> counting(int n);                ///< from 0

/// After the trip through a file; a test failure and an empty graph where import refuses it.
Graph imported(const Graph& graph);
/// What import says of it, of one line and kUnsupported or kInvalidInput; "accepted" where it takes
/// it.
std::string refusal_of(const Graph& graph);
/// Every tensor of the imported graph.
std::vector<Bytes> run_imported(const Graph& graph, const std::vector<Bytes>& inputs);

/// Half a step, and a quarter more: the first of two roundings moves the tie of the second.
inline constexpr double kTwoRoundings = 0.76;

/// One operator of one input over all 256 values.
std::vector<int> map_all(OperatorKind kind, float in_scale, int in_zero, float out_scale,
                         int out_zero, Attributes attributes = {});
void expect_near_real(const std::vector<int>& got, float in_scale, int in_zero, float out_scale,
                      int out_zero, const std::function<double(double)>& f, double tolerance);

}  // namespace tinytune
