// Loops over the elements of operators with two operands, either of which may be repeated along
// axes (broadcast).
#pragma once

#include <functional>
#include <string>

#include "codegen/c_writer.h"
#include "models/integer_op.h"

namespace tinytune {

/// Prints the loops, and inside them what `element` prints for one element in a scope of its own.
/// Its arguments are C expressions of type int8_t: both operands, and the output as an lvalue.
using ElementPrinter = std::function<void(CWriter& w, const std::string& a, const std::string& b,
                                          const std::string& output)>;
void print_elementwise(CWriter& w, const Broadcast& broadcast, const ElementPrinter& element);

/// The same for one operand: `b` is empty.
void print_elementwise(CWriter& w, int64_t elements, const ElementPrinter& element);

/// Lines that bring int32_t `v` into the range and store it.
void print_clamped_store(CWriter& w, const std::string& output, int low, int high);

}  // namespace tinytune
