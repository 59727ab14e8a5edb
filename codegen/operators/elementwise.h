// Loops over the elements of operators with several operands, any of which may be repeated along
// axes (broadcast).
#pragma once

#include <functional>
#include <string>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/operator_emitter.h"
#include "models/integer_op.h"

namespace tinytune {

/// C names of the operands' pointers; `b` is empty where there is one operand.
struct ElementPointers {
  std::string a, b, output;
  ElementPass pass = {};
};

/// Prints the loops, and inside them what `element` prints for one element in a scope of its own.
/// Its arguments are C expressions: both operands, and the output as an lvalue.
using ElementPrinter = std::function<void(CWriter& w, const std::string& a, const std::string& b,
                                          const std::string& output)>;
void print_elementwise(CWriter& w, const Broadcast& broadcast, const ElementPointers& pointers,
                       const ElementPrinter& element);

/// The same for operands of equal shape, or for one.
void print_elementwise(CWriter& w, int64_t elements, const ElementPointers& pointers,
                       const ElementPrinter& element);

/// Opens the loops over a broadcast's output elements; returns their number. In their variables,
/// broadcast_offset() is the C expression of the index of an operand's element.
int open_broadcast_loops(CWriter& w, const Broadcast& broadcast);
std::string broadcast_offset(const Broadcast& broadcast, size_t operand);

/// The C expression of two int32 without a scale; sums and products wrap.
std::string raw_expression(RawArithmeticOp::Function function, const std::string& a,
                           const std::string& b);

/// The first input and the output of an operator.
ElementPointers unary_pointers(EmitContext& context);
/// The first two inputs and the output of an operator.
ElementPointers binary_pointers(EmitContext& context);

}  // namespace tinytune
