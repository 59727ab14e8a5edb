// Turns the window over the last frames into state: one shift per step instead of two copies.
//
// A streaming layer appends new frames to its state, and the result without the oldest frames
// becomes the state again. If the window itself is the state, its frames move down in place, new
// ones are written behind them, and readers of the window read the state.
//
// The window is then kept from one inference to the next: state grows by the frames that arrive,
// and no window needs room beside it. If more frames arrive than are kept, nothing changes: the
// state would more than double, to save a copy of less than half of it.
#include <algorithm>
#include <optional>

#include "codegen/passes/boxes.h"
#include "codegen/passes/rewriting.h"
#include "models/control_flow.h"
#include "models/operator_kind.h"

namespace tinytune {
namespace {

// Whether elements ascend in copy order, so that those that move down are read before they are
// overwritten.
bool is_ascending(const Box& box, const BoxSteps& steps) {
  int64_t reach = 0;  // from the first element to the last, of the axes inside
  for (size_t axis = steps.size(); axis-- > 0;) {
    if (box.extents[axis] == 1) continue;
    if (steps[axis] <= reach) return false;
    reach += (box.extents[axis] - 1) * steps[axis];
  }
  return true;
}

bool are_equal(const Box& box, const BoxSteps& a, const BoxSteps& b) {
  for (size_t axis = 0; axis < a.size(); ++axis)
    if (box.extents[axis] > 1 && a[axis] != b[axis]) return false;
  return true;
}

// Returns the move of the kept frames within the window, from where `taken` reads them to where
// `given` writes them; both cover all of the state. Nothing unless all elements move down equally.
std::optional<Box> shift_of(const Box& taken, const Box& given, int64_t kept) {
  if (taken.extents != given.extents || taken.input_offset <= given.output_offset ||
      !is_whole(taken, taken.output_offset, taken.output_steps, kept) ||
      !is_whole(given, given.input_offset, given.input_steps, kept) ||
      !are_equal(taken, taken.input_steps, given.output_steps) ||
      !is_ascending(taken, taken.input_steps))
    return std::nullopt;
  Box shift = given;
  shift.input_offset = taken.input_offset;
  shift.input_steps = taken.input_steps;
  return shift;
}

// Whether code outside the network sees the tensor, directly or through an alias, and might
// overwrite it.
bool is_seen_outside(Rewriting& network, int tensor) {
  if (network.is_output(tensor)) return true;
  const std::vector<size_t>& readers = network.readers_of(tensor);
  return std::any_of(readers.begin(), readers.end(), [&](size_t step) {
    return network.op(step).kind == OperatorKind::kExternal ||
           (std::holds_alternative<CopyOp>(network.form(step)) &&
            is_seen_outside(network, network.op(step).outputs[0]));
  });
}

bool is_written_once(const Rewriting& network, int tensor) {
  int64_t writes = 0;
  for (size_t step = 0; step < network.steps(); ++step) {
    const std::vector<int>& outputs = network.op(step).outputs;
    writes += std::count(outputs.begin(), outputs.end(), tensor);
  }
  return writes == 1;
}

class Shifting {
 public:
  explicit Shifting(IntegerNetwork& network) : graph_(network.graph), network_(network) {}

  void run() {
    for (size_t step = 0; step < network_.steps(); ++step) shift_what_is_assigned(step);
  }

 private:
  // Rewrites a `step` that assigns a part of a window to the state with which the window begins.
  void shift_what_is_assigned(size_t step) {
    const auto* taking = std::get_if<MoveOp>(&network_.form(step));
    if (taking == nullptr || taking->boxes.size() != 1 || taking->boxes[0].constant >= 0 ||
        network_.op(step).outputs.size() != 1)
      return;
    const auto read = only_moved(graph_, network_.op(step));
    const int state = network_.op(step).outputs[0];
    if (!read || !may_stand_for(*read, state)) return;
    const int window = *read;
    const size_t append = *network_.writer_of(window);
    const auto* giving = std::get_if<MoveOp>(&network_.form(append));
    if (giving == nullptr || giving->filled || network_.op(append).outputs.size() != 1 ||
        network_.readers_of(state) != std::vector<size_t>{append})
      return;
    const auto given = only_box_of(*giving, network_.op(append), state);
    if (!given) return;
    const Box taken = taking->boxes[0];
    const auto shift = shift_of(taken, giving->boxes[*given], graph_.tensor(state).elements());
    if (!shift) return;
    keep(window, state, taken, taking->element_bytes);
    auto& boxes = std::get<MoveOp>(network_.form(append)).boxes;
    boxes.erase(boxes.begin() + static_cast<std::ptrdiff_t>(*given));
    boxes.insert(boxes.begin(), *shift);
    std::get<MoveOp>(network_.form(append)).shifts = true;
    std::vector<int> inputs = network_.op(append).inputs;
    std::replace(inputs.begin(), inputs.end(), state, window);
    network_.absorb(step, network_.op(append).index);
    network_.set_inputs(append, std::move(inputs));
  }

  bool may_stand_for(int window, int state) {
    const Tensor &wide = graph_.tensor(window), &narrow = graph_.tensor(state);
    return narrow.is_variable && !wide.is_variable && wide.type == narrow.type &&
           wide.elements() <= 2 * narrow.elements() && network_.writer_of(window) &&
           !network_.is_output(state) && is_written_once(network_, state) &&
           !is_seen_outside(network_, window);
  }

  std::optional<size_t> only_box_of(const MoveOp& move, const Operator& op, int tensor) const {
    const auto input = box_input(graph_, op, tensor);
    std::optional<size_t> only;
    for (size_t i = 0; input && i < move.boxes.size(); ++i) {
      if (move.boxes[i].constant >= 0 || move.boxes[i].input != *input) continue;
      if (only) return std::nullopt;
      only = i;
    }
    return only;
  }

  // Turns the window into state. Its oldest frames are shifted out before anything has read them.
  void keep(int window, int state, const Box& taken, int element_bytes) {
    Tensor& wide = graph_.tensors[static_cast<size_t>(window)];
    Tensor& narrow = graph_.tensors[static_cast<size_t>(state)];
    const uint8_t fill = reset_byte(narrow);
    std::vector<uint8_t> kept = std::move(narrow.data);
    kept.resize(static_cast<size_t>(narrow.bytes()), fill);
    wide.data.assign(static_cast<size_t>(wide.bytes()), fill);
    MoveOp place;
    place.boxes = {taken};
    place.element_bytes = element_bytes;
    place.output_elements = {wide.elements()};
    std::swap(place.boxes[0].input_offset, place.boxes[0].output_offset);
    std::swap(place.boxes[0].input_steps, place.boxes[0].output_steps);
    const std::span<const uint8_t> input = kept;
    run_reference(IntegerOp(std::move(place)), {&input, 1}, wide.data);
    wide.is_variable = true;
    narrow.is_variable = false;
    narrow.data.clear();
  }

  Graph& graph_;
  Rewriting network_;
};

}  // namespace

void shift_state(IntegerNetwork& network) {
  if (!has_control_flow(network.graph)) Shifting(network).run();
}

}  // namespace tinytune
