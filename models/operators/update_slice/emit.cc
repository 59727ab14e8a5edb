// DYNAMIC_UPDATE_SLICE: copies operand 0, then writes a box at a computed corner, which is clamped.
// The output may replace operand 0 in place.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {

std::string emit(const UpdateSliceOp& op, EmitContext& context) {
  const std::string type = op.element_bytes == 4 ? "uint32_t" : "uint8_t";
  int64_t elements = 1;
  for (const int extent : op.extents) elements *= extent;
  CWriter w(1);
  w.line("const " + type + " *whole = (const " + type + " *)" + context.input(0) + ";");
  w.line("const " + type + " *part = (const " + type + " *)" + context.input(1) + ";");
  w.line(type + " *to = (" + type + " *)" + context.output() + ";");
  print_unrolled(w, elements, [&](const std::string& variable, int64_t added) {
    const std::string at = "[" + c_plus(variable, added) + "]";
    w.line("to" + at + " = whole" + at + ";");
  });
  int64_t step = 1;
  std::string place;
  for (size_t axis = op.extents.size(); axis-- > 0; step *= op.extents[axis]) {
    const auto number = static_cast<int64_t>(axis) - (5 - op.rank);
    const std::string most = std::to_string(op.extents[axis] - op.box[axis]);
    if (number >= 0 && most != "0") {
      w.open("").line("int32_t at = " + context.input(2) + "[" + std::to_string(number) + "];");
      w.line("if (at < 0) at = 0;").line("if (at > " + most + ") at = " + most + ";");
      w.line("to += at * " + std::to_string(step) + ";").close();
    }
    place = "i" + std::to_string(axis) + " * " + std::to_string(step) +
            (place.empty() ? "" : " + " + place);
  }
  for (size_t axis = 0; axis < op.box.size(); ++axis)
    w.loop("i" + std::to_string(axis), op.box[axis]);
  w.line("to[" + place + "] = *part++;");
  for (size_t axis = 0; axis < op.box.size(); ++axis) w.close();
  return w.text();
}

bool in_place(const UpdateSliceOp&, int input) { return input == 0; }

}  // namespace tinytune::emitter
