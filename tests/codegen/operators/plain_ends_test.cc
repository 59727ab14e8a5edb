// Plain integers at the ends of int32: REQUANT_SHIFT of them and of numbers whose results are next
// to its limits, and norms of rows whose squares have more than 63 bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/little_endian.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::GraphBuilder;

struct OneScale {
  int32_t multiplier, addend, shift, low, high;
};

Bytes numbers_around(const OneScale& scale) {
  std::vector<int64_t> all = {0, 1, -1, INT32_MAX, INT32_MIN, INT32_MAX - 1, INT32_MIN + 1};
  for (const int64_t result : {scale.low, scale.low + 1, scale.high, scale.high + 1})
    for (int64_t near = -2; near <= 2; ++near)
      all.push_back((result * (int64_t{1} << scale.shift) - scale.addend) /
                        std::max<int64_t>(scale.multiplier, 1) +
                    near);
  return little_endian_bytes(std::vector<int32_t>(all.begin(), all.end()));  // modulo 2^32
}

TEST(RequantShift, NumbersOfInt32_EqualTheReference) {
  for (const OneScale& scale :
       {OneScale{773, 32768, 16, -128, 127}, OneScale{1, 0, 0, -128, 127},
        OneScale{50, -100000, 8, -20, 127},
        OneScale{3000, 1 << 22, 4, -128, 127},  // steps of several results
        OneScale{2000000000, 0, 24, -128, 127}, OneScale{-773, 0, 16, -128, 127}}) {
    const Bytes input = numbers_around(scale);
    const int count = static_cast<int>(input.size() / 4);
    GraphBuilder b;
    const int x = b.retype(b.input({count}, 1, 0), ElementType::kInt32);
    const Graph graph =
        b.finish({b.op(OperatorKind::kRequantShift,
                       {x, b.integers({scale.multiplier}), b.integers({scale.addend}),
                        b.integers({scale.shift, scale.low, scale.high})},
                       {}, {count}, 1, 0)});
    for (const char* device : {"rv32imc", "cortex-m4"})
      test::expect_exact(graph, *load_device(device), {input});
  }
}

TEST(IntegerNorm, RowsAtTheEndsOfInt32_EqualTheReference) {
  constexpr int kDepth = 4;
  const Bytes input =
      little_endian_bytes(std::vector<int32_t>{INT32_MIN, INT32_MAX, INT32_MIN, 3,              //
                                               INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN + 1,  //
                                               INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX});
  for (const bool centred : {false, true}) {
    GraphBuilder b;
    const int x = b.retype(b.input({3, kDepth}, 1, 0), ElementType::kInt32);
    const int weights = b.integers({500, -77, 1, 90}), rules = b.integers({2, centred ? 1 : 0});
    const Graph graph = b.finish(
        {b.op(OperatorKind::kIntegerNorm, {x, weights, -1, rules}, {}, {3, kDepth}, 1, 0)});
    for (const char* device : {"rv32imc", "cortex-m4"})
      test::expect_exact(graph, *load_device(device), {input});
  }
}

}  // namespace
}  // namespace tinytune
