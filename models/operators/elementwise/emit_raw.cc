// Arithmetic on integers without a scale: C's own, with sums and products that wrap.
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"

namespace tinytune::emitter {

std::string emit(const RawArithmeticOp& op, EmitContext& context) {
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        e.line("int32_t v = " + raw_expression(op.function, a, b) + ";");
        print_clamped_store(e, {out, op.activation_min, op.activation_max, 0, c_type_of(op.type)});
      });
  return w.text();
}

bool in_place(const RawArithmeticOp&, int) { return true; }

}  // namespace tinytune::emitter
