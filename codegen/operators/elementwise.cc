#include "codegen/operators/elementwise.h"

namespace tinytune {
namespace {

void in_scope(CWriter& w, const ElementPointers& p, const ElementPrinter& element,
              const std::string& index) {
  const std::string at = "[" + index + "]";
  w.open("");
  element(w, p.a + at, p.b.empty() ? "" : p.b + at, p.output + at);
  w.close();
}

}  // namespace

std::string broadcast_offset(const Broadcast& broadcast, size_t operand) {
  std::string sum;
  for (size_t axis = 0; axis < broadcast.extents.size(); ++axis) {
    const int step = broadcast.steps[operand][axis];
    if (broadcast.extents[axis] == 1 || step == 0) continue;
    sum += (sum.empty() ? "i" : " + i") + std::to_string(axis);
    if (step != 1) sum += " * " + std::to_string(step);
  }
  return sum.empty() ? "0" : sum;
}

int open_broadcast_loops(CWriter& w, const Broadcast& broadcast) {
  int depth = 0;
  for (size_t axis = 0; axis < broadcast.extents.size(); ++axis) {
    if (broadcast.extents[axis] == 1) continue;
    w.loop("i" + std::to_string(axis), broadcast.extents[axis]);
    ++depth;
  }
  return depth;
}

void print_elementwise(CWriter& w, const Broadcast& broadcast, const ElementPointers& pointers,
                       const ElementPrinter& element) {
  int64_t elements = 1;
  for (const int extent : broadcast.extents) elements *= extent;
  if (broadcast.equal_shapes) return print_elementwise(w, elements, pointers, element);
  int depth = open_broadcast_loops(w, broadcast);
  element(w, pointers.a + "[" + broadcast_offset(broadcast, 0) + "]",
          pointers.b + "[" + broadcast_offset(broadcast, 1) + "]", "*" + pointers.output);
  w.line("++" + pointers.output + ";");
  for (; depth > 0; --depth) w.close();
}

void print_elementwise(CWriter& w, int64_t elements, const ElementPointers& pointers,
                       const ElementPrinter& element) {
  const auto in_pass = [&](const std::string& variable, int64_t added) {
    in_scope(w, pointers, element, c_plus(variable, added));
  };
  print_unrolled(w, elements, in_pass, pointers.pass);
}

std::string raw_expression(RawArithmeticOp::Function function, const std::string& a,
                           const std::string& b) {
  using Function = RawArithmeticOp::Function;
  const auto wrapped = [&](const char* symbol) {
    return "(int32_t)((uint32_t)" + a + symbol + "(uint32_t)" + b + ")";
  };
  const auto chosen = [&](const char* symbol) { return a + symbol + b + " ? " + a + " : " + b; };
  switch (function) {
    case Function::kAdd:
      return wrapped(" + ");
    case Function::kSubtract:
      return wrapped(" - ");
    case Function::kMultiply:
      return wrapped(" * ");
    case Function::kMaximum:
      return chosen(" > ");
    case Function::kMinimum:
      break;
  }
  return chosen(" < ");
}

ElementPointers unary_pointers(EmitContext& context) {
  return {context.input(0), "", context.output(), context.core().element_pass()};
}

ElementPointers binary_pointers(EmitContext& context) {
  return {context.input(0), context.input(1), context.output(), context.core().element_pass()};
}

}  // namespace tinytune
