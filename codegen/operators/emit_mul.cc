// MUL. Where one multiply-high does what the reference's two roundings do, on every product that
// two int8 can make, it is used.
#include <algorithm>
#include <cstdlib>

#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "schedules/requantise.h"

namespace tinytune {
namespace {

struct Reach {
  int64_t first, last;
};

Reach products(const MulOp& op) {
  Reach reach{INT64_MAX, INT64_MIN};
  for (const int a : {-128, 127})
    for (const int b : {-128, 127}) {
      const int64_t p = int64_t{a + op.input1_offset} * (b + op.input2_offset);
      reach = {std::min(reach.first, p), std::max(reach.last, p)};
    }
  return reach;
}

std::string emit_stepped(const MulOp& op, EmitContext& context) {
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      e.line("int32_t v = " +
                             byte_steps_text(context, op.steps,
                                             "(" + c_plus(a, op.input1_offset) + ") * (" +
                                                 c_plus(b, op.input2_offset) + ")") +
                             ";");
                      print_clamped_store(e, {out, op.activation_min, op.activation_max});
                    });
  return w.text();
}

std::string emit(const IntegerOp& any, EmitContext& context) {
  const MulOp& op = std::get<MulOp>(any);
  if (!op.steps.empty()) return emit_stepped(op, context);
  const auto wanted = [&](int32_t product) {
    return add_zero_point(multiply_by_quantized_multiplier(product, op.multiplier, op.shift),
                          op.output_offset, op.activation_min, op.activation_max);
  };
  const Reach reach = products(op);
  const auto form = find_high_multiply(op.multiplier, op.shift, reach.first, reach.last,
                                       op.activation_min, op.activation_max, wanted);
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      const std::string product = "(" + c_plus(a, op.input1_offset) + ") * (" +
                                                  c_plus(b, op.input2_offset) + ")";
                      ClampedStore store{out, op.activation_min, op.activation_max};
                      if (form) {
                        print_high_multiply(e, *form, product);
                      } else {
                        e.line("int32_t v = " + product + ";");
                        print_requantise(e, op.multiplier, op.shift,
                                         std::max(std::abs(reach.first), std::abs(reach.last)));
                        store.zero_point = op.output_offset;
                      }
                      print_clamped_store(e, store);
                    });
  return w.text();
}

}  // namespace

extern const OperatorEmitter kMulEmitter;
const OperatorEmitter kMulEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<MulOp>(op); },
    [](const IntegerOp&, int) { return true; }, emit};

}  // namespace tinytune
