// ADD and SUB.
#include <algorithm>

#include "base/little_endian.h"
#include "codegen/operators/c_writer.h"
#include "codegen/operators/elementwise.h"
#include "codegen/operators/fixed_point_text.h"
#include "codegen/operators/operator_emitter.h"
#include "models/operators/elementwise/emit_linear_add.h"

namespace tinytune::emitter {
namespace {

std::string linear(const AddOp& op, const LinearAdd& form, EmitContext& context) {
  CWriter w(1);
  print_elementwise(w, op.broadcast, binary_pointers(context),
                    [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
                      e.line("int32_t v = (" + a + " * " + c_int(form.k1) + " + " + b + " * " +
                             c_int(form.k2) + " + " + c_int(form.c) + ") >> " +
                             std::to_string(form.shift) + ";");
                      print_clamped_store(e, {out, op.activation_min, op.activation_max});
                    });
  return w.text();
}

// Emits the reference's own steps; those on a single input are tables of 256 values.
std::string by_reference(const AddOp& op, EmitContext& context) {
  const AddTerms terms = add_terms(op);
  const std::string first =
      context.constant("first", CType::kInt32, little_endian_bytes(terms.first));
  const std::string second =
      context.constant("second", CType::kInt32, little_endian_bytes(terms.second));
  const int left = std::max(op.output_shift, 0), right = std::max(-op.output_shift, 0);
  CWriter w(1);
  print_elementwise(
      w, op.broadcast, binary_pointers(context),
      [&](CWriter& e, const auto& a, const auto& b, const auto& out) {
        std::string sum = first + "[" + a + " + 128]" + (op.subtract ? " - " : " + ") + second +
                          "[" + b + " + 128]";
        if (left > 0) sum = "(" + sum + ") * " + std::to_string(int64_t{1} << left);
        e.line("int32_t v = (int32_t)(((int64_t)(" + sum + ") * " + c_int(op.output_multiplier) +
               " + 1073741824) >> 31);");
        if (right > 0)
          e.line("v = (v + (v >> 31) + " + std::to_string(int64_t{1} << (right - 1)) + ") >> " +
                 std::to_string(right) + ";");
        print_clamped_store(e, {out, op.activation_min, op.activation_max, op.output_offset});
      });
  return w.text();
}

}  // namespace

std::string emit(const AddOp& op, EmitContext& context) {
  const auto form = find_linear_add(op);
  return form ? linear(op, *form, context) : by_reference(op, context);
}

bool in_place(const AddOp&, int) { return true; }

}  // namespace tinytune::emitter
