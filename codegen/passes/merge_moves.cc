// Merges nested copies: a part of a part of a window is copied once, from the window itself.
//
// Streaming layers with kernels of several lengths split the channels of a window and take the last
// frames of each half. If the window is state (shift_state.cc), it lives through the whole
// inference, so reading it later extends no live range, and the parts between need no room.
#include <algorithm>
#include <optional>

#include "codegen/passes/boxes.h"
#include "codegen/passes/rewriting.h"

namespace tinytune {
namespace {

// Returns the axis of `part` along which the elements that it writes are `step` apart.
std::optional<size_t> axis_of(const Box& part, int64_t step) {
  for (size_t axis = 0; axis < part.extents.size(); ++axis)
    if (part.extents[axis] > 1 && part.output_steps[axis] == step) return axis;
  return std::nullopt;
}

// Converts `read`, a box of the tensor that `part` writes as a whole, into a box of the tensor that
// `part` reads. Nothing if its rows are not rows of `part`.
std::optional<Box> through(const Box& part, const Box& read) {
  std::array<int64_t, 5> last{};  // the element read last, by axis of `part`
  int64_t rest = read.input_offset;
  Box direct = read;
  direct.input_offset = part.input_offset;
  for (size_t axis = 0; axis < last.size(); ++axis) {
    if (part.extents[axis] == 1) continue;
    last[axis] = rest / part.output_steps[axis];
    rest %= part.output_steps[axis];
    direct.input_offset += last[axis] * part.input_steps[axis];
  }
  for (size_t axis = 0; axis < last.size(); ++axis) {
    if (read.extents[axis] == 1) continue;
    const auto along = axis_of(part, read.input_steps[axis]);
    if (!along) return std::nullopt;
    last[*along] += read.extents[axis] - 1;
    direct.input_steps[axis] = part.input_steps[*along];
  }
  for (size_t axis = 0; axis < last.size(); ++axis)
    if (last[axis] >= part.extents[axis]) return std::nullopt;
  return rest == 0 ? std::optional(direct) : std::nullopt;
}

class Merging {
 public:
  explicit Merging(IntegerNetwork& network) : graph_(network.graph), network_(network) {}

  void run() {
    for (size_t step = 0; step < network_.steps(); ++step) merge_into_readers(step);
  }

 private:
  struct Direct {
    size_t reader = 0;
    int part = 0;  // tensor
    MoveOp form;
  };

  void merge_into_readers(size_t step) {
    const auto* move = std::get_if<MoveOp>(&network_.form(step));
    const auto window = only_moved(graph_, network_.op(step));
    if (move == nullptr || move->filled || move->shifts || !window || !is_shifted(*window)) return;
    const std::vector<int> parts = network_.op(step).outputs;
    for (size_t o = 0; o < parts.size(); ++o)
      if (network_.is_output(parts[o]) || !whole_box(*move, static_cast<int>(o))) return;
    // One reader may read several parts: it is rewritten for each of them in turn.
    std::vector<Direct> all;
    for (size_t o = 0; o < parts.size(); ++o)
      for (const size_t reader : network_.readers_of(parts[o])) {
        auto direct = read_through(*whole_box(*move, static_cast<int>(o)), parts[o], reader, all);
        if (!direct) return;
        all.push_back({reader, parts[o], std::move(*direct)});
      }
    if (all.empty()) return;
    for (Direct& direct : all) {
      std::vector<int> inputs = network_.op(direct.reader).inputs;
      std::replace(inputs.begin(), inputs.end(), direct.part, *window);
      network_.set_inputs(direct.reader, std::move(inputs));
      network_.form(direct.reader) = std::move(direct.form);
    }
    network_.absorb(step, network_.op(all.front().reader).index);
  }

  // Whether the tensor is a window that one operator shifts: nothing writes it after that.
  bool is_shifted(int tensor) {
    if (!graph_.tensor(tensor).is_variable) return false;
    const auto writer = network_.writer_of(tensor);
    const auto* move = writer ? std::get_if<MoveOp>(&network_.form(*writer)) : nullptr;
    return move != nullptr && move->shifts;
  }

  static std::optional<Box> whole_box(const MoveOp& move, int output) {
    const auto is_its = [&](const Box& box) { return box.output == output; };
    if (std::count_if(move.boxes.begin(), move.boxes.end(), is_its) != 1) return std::nullopt;
    const Box& box = *std::find_if(move.boxes.begin(), move.boxes.end(), is_its);
    if (box.constant >= 0 || !is_whole(box, box.output_offset, box.output_steps,
                                       move.output_elements[static_cast<size_t>(output)]))
      return std::nullopt;
    return box;
  }

  // Returns the reader's form with its reads of `part` replaced by reads through `box`. Starts from
  // the last form in `before` of the same reader, if any.
  std::optional<MoveOp> read_through(const Box& box, int part, size_t reader,
                                     const std::vector<Direct>& before) {
    const auto* form = std::get_if<MoveOp>(&network_.form(reader));
    for (const Direct& direct : before)
      if (direct.reader == reader) form = &direct.form;
    const auto input = box_input(graph_, network_.op(reader), part);
    if (form == nullptr || form->shifts || !input) return std::nullopt;
    MoveOp direct = *form;
    for (Box& read : direct.boxes) {
      if (read.constant >= 0 || read.input != *input) continue;
      const auto merged = through(box, read);
      if (!merged) return std::nullopt;
      read = *merged;
    }
    return direct;
  }

  Graph& graph_;
  Rewriting network_;
};

}  // namespace

void merge_moves(IntegerNetwork& network) { Merging(network).run(); }

}  // namespace tinytune
