// Operators that only move bytes: PAD, CONCATENATION, TRANSPOSE, slices, …
//
// Axes that are contiguous on both sides are merged first; the innermost run is copied in words if
// every offset allows it. The generator can decide that, because buffers are aligned.
#include <algorithm>
#include <optional>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/copy_loop.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {
namespace {

struct Axis {
  int64_t extent, input_step, output_step;  // steps in elements
};

std::vector<Axis> merged_axes(const MoveOp::Box& box) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < box.extents.size(); ++i) {
    const Axis next{box.extents[i], box.input_steps[i], box.output_steps[i]};
    if (next.extent == 1) continue;
    if (!axes.empty() && axes.back().input_step == next.input_step * next.extent &&
        axes.back().output_step == next.output_step * next.extent)
      axes.back() = {axes.back().extent * next.extent, next.input_step, next.output_step};
    else
      axes.push_back(next);
  }
  return axes;
}

constexpr int64_t kWord = 4;

// Returns the bytes moved at once: a word if the run, all offsets and all outer steps are multiples
// of it, else an element.
int64_t granule(const MoveOp::Box& box, const std::vector<Axis>& outer, int64_t run, int bytes) {
  bool words = run * bytes % 4 == 0 && box.input_offset * bytes % 4 == 0 &&
               box.output_offset * bytes % 4 == 0;
  for (const Axis& a : outer)
    words = words && a.input_step * bytes % 4 == 0 && a.output_step * bytes % 4 == 0;
  return words ? kWord : bytes;
}

const char* word_type(int64_t bytes) {
  return bytes == 4 ? "uint32_t" : bytes == 2 ? "uint16_t" : "uint8_t";
}

std::string scaled(const std::vector<Axis>& axes, int64_t Axis::*step, int64_t offset,
                   int64_t divisor) {
  std::string sum = std::to_string(offset / divisor);
  for (size_t i = 0; i < axes.size(); ++i)
    sum += " + i" + std::to_string(i) + " * " + c_int(axes[i].*step / divisor);
  return sum;
}

// Fewer strided elements are not worth a loop of their own.
constexpr int64_t kLeastStrided = 4;

void print_fill(CWriter& w, const MoveOp& op, size_t index, const std::string& output) {
  const int64_t bytes = op.output_elements[index] * op.element_bytes;
  const auto element = static_cast<uint32_t>(op.fill);
  const uint32_t word = op.element_bytes == 1   ? (element & 0xffu) * 0x01010101u
                        : op.element_bytes == 2 ? (element & 0xffffu) * 0x00010001u
                                                : element;
  w.open("").line("uint32_t *words = (uint32_t *)" + output + ";");
  w.loop("i", bytes / 4).line("words[i] = " + std::to_string(word) + "u;").close();
  for (int64_t i = bytes / 4 * 4; i < bytes; ++i)
    w.line("((uint8_t *)words)[" + std::to_string(i) +
           "] = " + std::to_string(word >> (i % 4 * 8) & 0xffu) + "u;");
  w.close();
}

struct Runs {
  std::vector<Axis> axes;  ///< of the loops around them
  int64_t length = 1;      ///< elements that are contiguous on both sides
};

Runs runs_of(const MoveOp::Box& box) {
  Runs runs{merged_axes(box)};
  if (runs.axes.empty() || runs.axes.back().input_step != 1 || runs.axes.back().output_step != 1)
    return runs;
  runs.length = runs.axes.back().extent;
  runs.axes.pop_back();
  return runs;
}

// Returns the most bytes that every box can move at once: compilers need not keep the order of a
// read and a write of the same bytes through pointers of two types.
int64_t common_granule(const MoveOp& op) {
  int64_t least = kWord;
  for (const MoveOp::Box& box : op.boxes) {
    const Runs runs = runs_of(box);
    least = std::min(least, granule(box, runs.axes, runs.length, op.element_bytes));
  }
  return least;
}

void print_box(CWriter& w, const MoveOp& op, const MoveOp::Box& box, const std::string& source,
               const std::string& target) {
  Runs runs = runs_of(box);
  std::vector<Axis>& axes = runs.axes;  // of the loops
  const int64_t run = runs.length;
  const int64_t unit = op.shifts ? common_granule(op) : granule(box, axes, run, op.element_bytes);
  std::optional<Axis> strided;  // copied in one strided loop if no run is contiguous
  if (run == 1 && op.element_bytes == unit && !axes.empty() &&
      axes.back().extent >= kLeastStrided) {
    strided = axes.back();
    axes.pop_back();
  }
  const std::string type = word_type(unit);
  w.open("");
  for (size_t i = 0; i < axes.size(); ++i) w.loop("i" + std::to_string(i), axes[i].extent);
  const int64_t bytes = op.element_bytes;
  const auto byte_axes = [&] {
    std::vector<Axis> scaled_axes = axes;
    for (Axis& a : scaled_axes) a.input_step *= bytes, a.output_step *= bytes;
    return scaled_axes;
  }();
  const std::string to = "(" + type + " *)" + target + " + " +
                         scaled(byte_axes, &Axis::output_step, box.output_offset * bytes, unit);
  const std::string from = "(const " + type + " *)" + source + " + " +
                           scaled(byte_axes, &Axis::input_step, box.input_offset * bytes, unit);
  CopyRun elements{type, to, from, run * bytes / unit};
  if (strided) {
    elements.count = strided->extent;
    elements.to_step = strided->output_step * bytes / unit;
    elements.from_step = strided->input_step * bytes / unit;
  }
  copy_loop(w, elements);
  for (size_t i = 0; i < axes.size(); ++i) w.close();
  w.close();
}

}  // namespace

std::string emit(const MoveOp& op, EmitContext& context) {
  CWriter w(1);
  for (size_t o = 0; op.filled && o < op.output_elements.size(); ++o)
    print_fill(w, op, o, context.output(o));
  std::vector<std::string> constants;
  for (size_t i = 0; i < op.constants.size(); ++i)
    constants.push_back(
        context.constant("part" + std::to_string(i), CType::kUint8, op.constants[i]));
  for (const MoveOp::Box& box : op.boxes)
    print_box(w, op, box,
              box.constant >= 0 ? constants.at(static_cast<size_t>(box.constant))
                                : context.activation(static_cast<size_t>(box.input)),
              context.output(static_cast<size_t>(box.output)));
  return w.text();
}

bool in_place(const MoveOp&, int) { return false; }

}  // namespace tinytune::emitter
