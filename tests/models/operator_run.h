// Runs one operator, or a few, through a file and the reference operators.
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

/// Writes the graph to a file and imports it; if import refuses it, a test failure and an empty
/// graph.
Graph imported(const Graph& graph);
/// Returns import's error message, which must be one line with kUnsupported or kInvalidInput;
/// "accepted" if there is no error.
std::string refusal_of(const Graph& graph);
/// Returns every tensor of the imported graph, by id.
std::vector<Bytes> run_imported(const Graph& graph, const std::vector<Bytes>& inputs);

/// Tolerance of two roundings: half a step, and a quarter more as the first moves the second's tie.
inline constexpr double kTwoRoundings = 0.76;

/// Returns the results of an operator of one input for all 256 values.
std::vector<int> map_all(OperatorKind kind, float in_scale, int in_zero, float out_scale,
                         int out_zero, Attributes attributes = {});
void expect_near_real(const std::vector<int>& got, float in_scale, int in_zero, float out_scale,
                      int out_zero, const std::function<double(double)>& f, double tolerance);

}  // namespace tinytune
