// ADD of two equal shapes, element by element.
#include <algorithm>

#include "codegen/c_writer.h"
#include "codegen/linear_add.h"
#include "codegen/operator_emitter.h"

namespace tinytune {
namespace {

constexpr int64_t kUnroll = 4;  // four elements share the loop's own four instructions

std::string at(const char* pointer, int64_t i) {
  return std::string(pointer) + "[" + c_plus("i", i) + "]";
}

// int32_t `v` holds the sum of an element, scaled; what is left is to clamp and store it.
void store(CWriter& w, const AddOp& op, int64_t i) {
  w.line("if (v < " + c_int(op.activation_min) + ") v = " + c_int(op.activation_min) + ";");
  w.line("if (v > " + c_int(op.activation_max) + ") v = " + c_int(op.activation_max) + ";");
  w.line(at("output", i) + " = (int8_t)v;");
}

void linear_element(CWriter& w, const AddOp& op, const LinearAdd& form, int64_t i) {
  w.line("int32_t v = (" + at("input0", i) + " * " + c_int(form.k1) + " + " + at("input1", i) +
         " * " + c_int(form.k2) + " + " + c_int(form.c) + ") >> " + std::to_string(form.shift) +
         ";");
  store(w, op, i);
}

// The reference's own steps; the inputs' by table, since 256 values each are all there are.
void reference_element(CWriter& w, const AddOp& op, const std::string& first,
                       const std::string& second, int64_t i) {
  const int left = std::max(op.output_shift, 0), right = std::max(-op.output_shift, 0);
  std::string sum =
      first + "[" + at("input0", i) + " + 128] + " + second + "[" + at("input1", i) + " + 128]";
  if (left > 0) sum = "(" + sum + ") * " + std::to_string(int64_t{1} << left);
  w.line("int32_t v = (int32_t)(((int64_t)(" + sum + ") * " + c_int(op.output_multiplier) +
         " + 1073741824) >> 31);");
  if (right > 0)
    w.line("v = (v + (v >> 31) + " + std::to_string(int64_t{1} << (right - 1)) + ") >> " +
           std::to_string(right) + ";");
  w.line("v += " + c_int(op.output_offset) + ";");
  store(w, op, i);
}

std::string emit(const IntegerOp& any, const EmitContext& context) {
  const AddOp& op = std::get<AddOp>(any);
  const auto form = find_linear_add(op);
  std::string first, second;
  if (!form) {
    const AddTerms terms = add_terms(op);
    first =
        context.constants.add(context.layer + "_first", CType::kInt32, little_endian(terms.first));
    second = context.constants.add(context.layer + "_second", CType::kInt32,
                                   little_endian(terms.second));
  }
  CWriter w(1);
  const auto element = [&](int64_t i) {
    w.open("");
    if (form)
      linear_element(w, op, *form, i);
    else
      reference_element(w, op, first, second, i);
    w.close();
  };
  const int64_t whole = op.elements / kUnroll * kUnroll;
  if (whole > 0) {
    w.loop("i", whole, kUnroll);
    for (int64_t i = 0; i < kUnroll; ++i) element(i);
    w.close();
  }
  if (whole < op.elements) {
    w.open("for (int32_t i = " + std::to_string(whole) + "; i < " + std::to_string(op.elements) +
           "; ++i)");
    element(0);
    w.close();
  }
  return w.text();
}

}  // namespace

extern const OperatorEmitter kAddEmitter;
const OperatorEmitter kAddEmitter = {
    [](const IntegerOp& op) { return std::holds_alternative<AddOp>(op); },
    [](const IntegerOp&, int) { return true; }, emit};

}  // namespace tinytune
