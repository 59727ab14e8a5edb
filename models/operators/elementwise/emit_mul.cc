// MUL. Uses one multiplication if, on every product of two int8, it gives the result of the
// reference's two roundings, or of a function given as ByteSteps.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/byte_steps.h"
#include "schedules/requantise.h"

namespace tinytune::emitter {
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

std::optional<HighMultiply> short_form(const MulOp& op, const Reach& reach) {
  if (op.multiplier == 0) return std::nullopt;
  const auto wanted = [&](int32_t product) -> int {
    if (!op.steps.empty())
      return std::clamp<int>(byte_of(op.steps, product), op.activation_min, op.activation_max);
    return add_zero_point(multiply_by_quantized_multiplier(product, op.multiplier, op.shift),
                          op.output_offset, op.activation_min, op.activation_max);
  };
  return find_high_multiply(op.multiplier, op.shift, reach.first, reach.last, op.activation_min,
                            op.activation_max, wanted);
}

}  // namespace

std::string emit(const MulOp& op, EmitContext& context) {
  const Reach reach = products(op);
  const auto form = short_form(op, reach);
  std::array<std::string, 2> tables;
  for (size_t i = 0; i < 2; ++i)
    if (!op.lookups[i].empty())
      tables[i] = context.constant(i == 0 ? "table" : "table2", CType::kInt8, op.lookups[i]);
  const auto operand = [&](size_t i, const std::string& stored, int32_t offset) {
    return "(" +
           c_plus(tables[i].empty() ? stored : tables[i] + "[(uint8_t)" + stored + "]", offset) +
           ")";
  };
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      const std::string product =
                          operand(0, a, op.input1_offset) + " * " + operand(1, b, op.input2_offset);
                      ClampedStore store{out, op.activation_min, op.activation_max};
                      if (form) {
                        print_high_multiply(e, *form, product);
                      } else if (!op.steps.empty()) {
                        e.line("int32_t v = " + byte_steps_text(context, op.steps, product) + ";");
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

bool in_place(const MulOp&, int) { return true; }

}  // namespace tinytune::emitter
