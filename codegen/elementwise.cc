#include "codegen/elementwise.h"

namespace tinytune {
namespace {

constexpr int64_t kUnroll = 4;  // four elements share the loop's own four instructions

void in_scope(CWriter& w, const ElementPrinter& element, const std::string& index, bool two) {
  const std::string at = "[" + index + "]";
  w.open("");
  element(w, "input0" + at, two ? "input1" + at : "", "output" + at);
  w.close();
}

void print_flat(CWriter& w, int64_t elements, bool two, const ElementPrinter& element) {
  const int64_t whole = elements / kUnroll * kUnroll;
  if (whole > 0) {
    w.loop("i", whole, kUnroll);
    for (int64_t i = 0; i < kUnroll; ++i) in_scope(w, element, c_plus("i", i), two);
    w.close();
  }
  for (int64_t i = whole; i < elements; ++i) in_scope(w, element, std::to_string(i), two);
}

std::string offset(const Broadcast& broadcast, size_t operand) {
  std::string sum;
  for (size_t axis = 0; axis < broadcast.extents.size(); ++axis) {
    const int step = broadcast.steps[operand][axis];
    if (broadcast.extents[axis] == 1 || step == 0) continue;
    sum += (sum.empty() ? "i" : " + i") + std::to_string(axis);
    if (step != 1) sum += " * " + std::to_string(step);
  }
  return sum.empty() ? "0" : sum;
}

}  // namespace

void print_elementwise(CWriter& w, const Broadcast& broadcast, const ElementPrinter& element) {
  int64_t elements = 1;
  for (const int extent : broadcast.extents) elements *= extent;
  if (broadcast.equal_shapes) return print_flat(w, elements, true, element);
  int depth = 0;
  for (size_t axis = 0; axis < broadcast.extents.size(); ++axis) {
    if (broadcast.extents[axis] == 1) continue;
    w.loop("i" + std::to_string(axis), broadcast.extents[axis]);
    ++depth;
  }
  element(w, "input0[" + offset(broadcast, 0) + "]", "input1[" + offset(broadcast, 1) + "]",
          "*output");
  w.line("++output;");
  for (; depth > 0; --depth) w.close();
}

void print_elementwise(CWriter& w, int64_t elements, const ElementPrinter& element) {
  print_flat(w, elements, false, element);
}

void print_clamped_store(CWriter& w, const std::string& output, int low, int high) {
  w.line("if (v < " + c_int(low) + ") v = " + c_int(low) + ";");
  w.line("if (v > " + c_int(high) + ") v = " + c_int(high) + ";");
  w.line(output + " = (int8_t)v;");
}

}  // namespace tinytune
