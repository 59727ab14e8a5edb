#include "templates/winograd/winograd_transforms.h"

#include "templates/winograd/winograd_products.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Four = std::array<Value, 4>;

// B^T of four values.
Four transformed(IrText& ir, WinogradLanes lanes, const Four& d) {
  const auto add = [&](const Value& a, const Value& b) {
    return lanes == WinogradLanes::kTwo ? ir.call("llvm.arm.sadd16", {a, b}) : ir.add(a, b);
  };
  const auto sub = [&](const Value& a, const Value& b) {
    return lanes == WinogradLanes::kTwo ? ir.call("llvm.arm.ssub16", {a, b}) : ir.sub(a, b);
  };
  return {sub(d[0], d[2]), add(d[1], d[2]), sub(d[2], d[1]), sub(d[1], d[3])};
}

}  // namespace

std::vector<int> winograd_weights(std::span<const int, 9> kernel) {
  constexpr int g[4][3] = {{2, 0, 0}, {1, 1, 1}, {1, -1, 1}, {0, 0, 2}};
  return transform_winograd_weights(g, kernel);
}

void winograd_inputs(IrText& ir, WinogradLanes lanes, int tiles,
                     const std::function<Value(int, int)>& load,
                     const std::function<void(const Value&, int, int)>& store) {
  std::array<Four, 4> columns;  // the last four, transformed, oldest first
  const auto next_column = [&](int column) {
    Four d;
    for (size_t row = 0; row < 4; ++row) d[row] = load(static_cast<int>(row), column);
    return transformed(ir, lanes, d);
  };
  columns[2] = next_column(0);
  columns[3] = next_column(1);
  for (int tile = 0; tile < tiles; ++tile) {
    columns = {columns[2], columns[3], next_column(2 * tile + 2), next_column(2 * tile + 3)};
    for (size_t i = 0; i < 4; ++i) {
      const Four row =
          transformed(ir, lanes, {columns[0][i], columns[1][i], columns[2][i], columns[3][i]});
      for (size_t j = 0; j < 4; ++j) store(row[j], tile, static_cast<int>(4 * i + j));
    }
  }
}

std::array<Value, 4> winograd_outputs(IrText& ir, const std::function<Value(int)>& load) {
  // A^T of each column of M, then of the two rows that gives.
  std::array<Four, 2> rows;
  for (size_t j = 0; j < 4; ++j) {
    const auto m = [&](int i) { return load(4 * i + static_cast<int>(j)); };
    const Value m1 = m(1), m2 = m(2);
    rows[0][j] = ir.add(m(0), ir.add(m1, m2));
    rows[1][j] = ir.sub(ir.sub(m1, m2), m(3));
  }
  std::array<Value, 4> outputs;
  for (size_t i = 0; i < 2; ++i) {
    const Four& z = rows[i];
    outputs[2 * i] = ir.add(z[0], ir.add(z[1], z[2]));
    outputs[2 * i + 1] = ir.sub(ir.sub(z[1], z[2]), z[3]);
  }
  return outputs;
}

}  // namespace tinytune
