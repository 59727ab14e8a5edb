// ONNX's ADD and SUB: the form's steps say where the float sum rounds up.
#include "codegen/operators/c_writer.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {

std::string emit(const SteppedAddOp& op, EmitContext& context) {
  const std::string type = op.wide ? "int64_t" : "int32_t", shift = std::to_string(op.shift);
  const std::string mask = "INT64_C(" + std::to_string((int64_t{1} << op.shift) - 1) + ")";
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      e.line("const int32_t left = " + a + " + 128, right = " + b + " + 128;");
                      e.line("const " + type +
                             " y = " + long_constant(context, "first", op.terms[0], "left") +
                             " + " + long_constant(context, "second", op.terms[1], "right") + ";");
                      e.line("int32_t v = (int32_t)(y >> " + shift + ");");
                      e.line("const int32_t level = (uint8_t)v;");
                      e.line("v += (y & " + (op.wide ? mask : std::to_string((1 << op.shift) - 1)) +
                             ") >= " + long_constant(context, "steps", op.steps, "level") + ";");
                      print_clamped_store(e, {out, op.activation_min, op.activation_max});
                    });
  return w.text();
}

bool in_place(const SteppedAddOp&, int) { return true; }

}  // namespace tinytune::emitter
