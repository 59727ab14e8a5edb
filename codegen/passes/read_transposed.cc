// Removes a TRANSPOSE that only a product of activations reads: the product reads its input.
//
// Attention multiplies by transposed keys, and keys that are kept from step to step are many: the
// copy costs as much as a tenth of the products. Products read their operands with any stride
// between rows and between elements of a row, so only the strides change. A copy that makes the
// elements of rows contiguous stays: such rows are read four elements at once.
#include <array>
#include <optional>
#include <utility>

#include "codegen/passes/boxes.h"
#include "codegen/passes/rewriting.h"
#include "models/control_flow.h"

namespace tinytune {
namespace {

// Returns the distance in the box's input of elements that are `step` apart in the copy.
std::optional<int64_t> distance_in(const Box& box, int64_t step, int extent) {
  if (extent == 1 || step == 0) return step;
  for (size_t axis = 0; axis < box.extents.size(); ++axis)
    if (box.extents[axis] == extent && box.output_steps[axis] == step && box.input_steps[axis] > 0)
      return box.input_steps[axis];
  return std::nullopt;
}

// Returns a side of the product with strides that read the box's input; nothing if there are none.
template <typename Op>
std::optional<typename Op::Side> read_through(const Op& op, bool is_left, const Box& box) {
  auto side = is_left ? op.left : op.right;
  const int across = is_left ? op.rows : op.columns;
  const auto step = distance_in(box, side.step, across);
  const auto depth_step = distance_in(box, side.depth_step, op.depth);
  if (!step || !depth_step || (side.depth_step == 1 && *depth_step != 1)) return std::nullopt;
  side.step = *step;
  side.depth_step = *depth_step;
  for (size_t axis = 0; axis < op.batches.size(); ++axis) {
    const auto batch_step = distance_in(box, side.batch_steps[axis], op.batches[axis]);
    if (!batch_step) return std::nullopt;
    side.batch_steps[axis] = *batch_step;
  }
  return side;
}

// Leaves a product whose operands are the same tensor (attention without projections) as it is.
template <typename Op>
bool read_through(Op& op, const std::vector<int>& inputs, int transposed, const Box& box) {
  if (inputs.size() < 2 || (inputs[0] == transposed) == (inputs[1] == transposed)) return false;
  const bool is_left = inputs[0] == transposed;
  const auto side = read_through(std::as_const(op), is_left, box);
  if (side) (is_left ? op.left : op.right) = *side;
  return side.has_value();
}

void read_in_place(Rewriting& network, size_t step) {
  const auto* move = std::get_if<MoveOp>(&network.form(step));
  const auto from = only_moved(network.graph(), network.op(step));
  if (move == nullptr || move->boxes.size() != 1 || move->filled || move->shifts || !from ||
      network.graph().tensor(*from).is_variable || network.op(step).outputs.size() != 1)
    return;
  const Box box = move->boxes[0];
  const int transposed = network.op(step).outputs[0];
  if (box.constant >= 0 || box.input_offset != 0 ||
      !is_whole(box, box.output_offset, box.output_steps, move->output_elements[0]))
    return;
  const auto reader = network.only_reader_of(transposed);
  if (!reader) return;
  std::vector<int> inputs = network.op(*reader).inputs;
  bool is_read = false;
  if (auto* product = std::get_if<MatMulOp>(&network.form(*reader)))
    is_read = read_through(*product, inputs, transposed, box);
  else if (auto* plain = std::get_if<PlainMatMulOp>(&network.form(*reader)))
    is_read = read_through(*plain, inputs, transposed, box);
  if (!is_read) return;
  for (int& input : inputs)
    if (input == transposed) input = *from;
  network.absorb(step, network.op(*reader).index);
  network.set_inputs(*reader, std::move(inputs));
}

}  // namespace

void read_transposed(IntegerNetwork& network) {
  if (has_control_flow(network.graph)) return;
  Rewriting rewriting(network);
  for (size_t step = 0; step < rewriting.steps(); ++step) read_in_place(rewriting, step);
}

}  // namespace tinytune
