#include "models/operators/operands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "models/quantise.h"
#include "schedules/requantise.h"

namespace tinytune {

Result<Broadcast> broadcast_shapes(const OperatorView& view, size_t count) {
  count = std::min(count, view.inputs());
  const Tensor& output = view.output();
  constexpr size_t kRank = std::tuple_size_v<decltype(Broadcast::extents)>;
  using Extents = std::array<int, kRank>;
  Broadcast b;
  std::vector<Extents> extents;
  size_t rank = 0;
  if (output.shape.size() > kRank)
    return view.unsupported(describe(output) + " has more than 5 axes");
  for (size_t operand = 0; operand < count; ++operand) {
    const Tensor& t = view.input(operand);
    if (t.shape.size() > kRank) return view.unsupported(describe(t) + " has more than 5 axes");
    rank = std::max(rank, t.shape.size());
    extents.emplace_back().fill(1);
    std::copy(t.shape.rbegin(), t.shape.rend(), extents.back().rbegin());
  }
  const auto mismatch = [&] {
    std::string operands = describe(view.input(0));
    for (size_t i = 1; i < count; ++i) operands += " and " + describe(view.input(i));
    return view.invalid(fmt::format("{} do not make {}", operands, describe(output)));
  };
  for (size_t axis = 0; axis < kRank; ++axis)
    for (const Extents& e : extents) {
      if (e[axis] != 1 && b.extents[axis] != 1 && e[axis] != b.extents[axis]) return mismatch();
      b.extents[axis] = std::max(b.extents[axis], e[axis]);
    }
  if (output.shape !=
      std::vector<int>(b.extents.end() - static_cast<ptrdiff_t>(rank), b.extents.end()))
    return mismatch();
  for (size_t operand = 0; operand < extents.size(); ++operand) {
    int step = 1;
    for (size_t axis = kRank; axis-- > 0;) {
      b.steps[operand][axis] = extents[operand][axis] == 1 ? 0 : step;
      step *= extents[operand][axis];
    }
    b.equal_shapes = b.equal_shapes && extents[operand] == extents[0];
  }
  return b;
}

Result<Broadcast> broadcast_of(const OperatorView& view) {
  for (const Tensor* t : {&view.input(0), &view.input(1), &view.output()})
    TT_TRY(view.require_int8(*t));
  return broadcast_shapes(view);
}

std::array<std::vector<int8_t>, 2> constant_operands(const OperatorView& view) {
  std::array<std::vector<int8_t>, 2> constants;
  for (size_t operand = 0; operand < 2; ++operand) {
    const std::vector<uint8_t>& data = view.input(operand).data;
    constants[operand].resize(data.size());
    if (!data.empty()) std::memcpy(constants[operand].data(), data.data(), data.size());
  }
  return constants;
}

Activation fused_activation(const OperatorView& view) {
  return std::get<ActivationAttributes>(view.op().attributes).activation;
}

Result<Range> fused_range(const OperatorView& view) {
  return view.clamp_of(fused_activation(view));
}

std::vector<int32_t> scaled_terms(int zero_point, int left_shift, const QuantizedMultiplier& m) {
  std::vector<int32_t> terms;
  for (int x = -128; x < 128; ++x)
    terms.push_back(multiply_by_quantized_multiplier((x - zero_point) * (1 << left_shift),
                                                     m.multiplier, m.shift));
  return terms;
}

}  // namespace tinytune
