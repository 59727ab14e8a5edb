#include "codegen/strips/rows.h"

#include <algorithm>
#include <type_traits>

namespace tinytune {
namespace {

bool is_image(const Tensor& tensor) { return tensor.shape.size() == 4 && tensor.shape[0] == 1; }

std::optional<RowMap> map_of(const KernelOp& op) {
  const Workload& w = op.workload;
  if (w.op == OpKind::kDense || w.layout != Layout::kNhwc) return std::nullopt;
  return RowMap{w.in_h, w.out_h, w.stride_h, w.pad_top, (w.kernel_h - 1) * w.dilation_h + 1};
}

// Whether the workload describes a column of pixels as a row (codegen/passes/restate_layers.h).
bool is_turned(const Workload& w, const Tensor& output) {
  return w.in_h == 1 && w.out_h == 1 && output.shape[1] > 1 && output.shape[1] == w.out_w;
}

RowMap map_of_turned(const Workload& w) {
  return RowMap{w.in_w, w.out_w, w.stride_w, w.pad_left, (w.kernel_w - 1) * w.dilation_w + 1};
}

std::optional<RowMap> map_of(const PoolOp& op) {
  return RowMap{op.in_h, op.out_h, op.stride_h, op.pad_top, op.filter_h};
}

template <typename Elementwise>
std::optional<RowMap> map_of_binary(const Elementwise& op) {
  const bool constant = !op.constants[0].empty() || !op.constants[1].empty();
  if (constant || !op.broadcast.equal_shapes) return std::nullopt;
  return RowMap{};
}

std::optional<RowMap> map_of(const AddOp& op) { return map_of_binary(op); }
std::optional<RowMap> map_of(const SteppedAddOp& op) { return map_of_binary(op); }
std::optional<RowMap> map_of(const MulOp& op) { return map_of_binary(op); }
std::optional<RowMap> map_of(const ExtremumOp& op) { return map_of_binary(op); }
std::optional<RowMap> map_of(const LookupOp&) { return RowMap{}; }

template <typename Other>
std::optional<RowMap> map_of(const Other&) {
  return std::nullopt;
}

// Checks that no row's window lies entirely in the padding: it would need no input row.
bool every_row_needs_some(const RowMap& map) {
  return map.pad < map.reach && (map.out_rows - 1) * map.stride - map.pad < map.in_rows;
}

}  // namespace

RowRange RowMap::needed(RowRange out) const {
  return {std::max(0, out.begin * stride - pad),
          std::min(in_rows, (out.end - 1) * stride - pad + reach)};
}

std::optional<RowMap> row_map(const Graph& graph, const Operator& op, const IntegerOp& form) {
  auto map = std::visit([](const auto& o) { return map_of(o); }, form);
  if (!map || op.outputs.size() != 1 || !is_image(graph.tensor(op.outputs[0]))) return std::nullopt;
  const int out_rows = graph.tensor(op.outputs[0]).shape[1];
  if (const auto* kernel = std::get_if<KernelOp>(&form);
      kernel != nullptr && is_turned(kernel->workload, graph.tensor(op.outputs[0])))
    map = map_of_turned(kernel->workload);
  const bool windowed =
      std::holds_alternative<KernelOp>(form) || std::holds_alternative<PoolOp>(form);
  if (!windowed) map->in_rows = map->out_rows = out_rows;
  for (const int id : op.inputs) {
    if (id < 0 || graph.tensor(id).is_constant) continue;
    const Tensor& input = graph.tensor(id);
    if (!is_image(input) || input.shape[1] != map->in_rows) return std::nullopt;
  }
  if (map->out_rows != out_rows || !every_row_needs_some(*map)) return std::nullopt;
  return map;
}

IntegerOp computing_rows(const IntegerOp& form, const RowMap& map, RowRange out) {
  const int in_rows = map.needed(out).count();
  const int pad = std::max(0, map.pad - out.begin * map.stride);
  IntegerOp strip = form;
  std::visit(
      [&](auto& op) {
        using Op = std::decay_t<decltype(op)>;
        if constexpr (std::is_same_v<Op, KernelOp>) {
          Workload& w = op.workload;
          const bool turned = w.in_h == 1 && map.in_rows > 1;
          (turned ? w.in_w : w.in_h) = in_rows;
          (turned ? w.out_w : w.out_h) = out.count();
          (turned ? w.pad_left : w.pad_top) = pad;
        } else if constexpr (std::is_same_v<Op, PoolOp>) {
          op.in_h = in_rows;
          op.out_h = out.count();
          op.pad_top = pad;
        } else if constexpr (requires { op.elements; }) {
          op.elements = op.elements / map.out_rows * out.count();
        }
        if constexpr (requires { op.broadcast, op.elements; }) {
          // Operands have equal shapes: puts all elements on one axis.
          op.broadcast = {};
          op.broadcast.extents[4] = static_cast<int>(op.elements);
          op.broadcast.steps[0][4] = op.broadcast.steps[1][4] = 1;
        }
      },
      strip);
  return strip;
}

}  // namespace tinytune
