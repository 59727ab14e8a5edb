// QUANTIZE of float32 and DEQUANTIZE to it on a core with a floating-point unit.
//
// The text is portable C, since it may be compiled without the unit. Only conversions that C leaves
// undefined, of floats that no integer holds, use the unit's own instruction if there is one.
// Nothing is added to a product, so that contraction changes no byte.
#pragma once

#include <string>

#include "codegen/operators/operator_emitter.h"
#include "models/integer_forms.h"

namespace tinytune {

/// Emits QUANTIZE to int8, uint8 and int16.
std::string emit_unit_quantize(const QuantizeOp& op, EmitContext& context);
/// Emits DEQUANTIZE from int16 and int32; for 256 values a table is faster.
std::string emit_unit_dequantize(const DequantizeOp& op, EmitContext& context);

}  // namespace tinytune
