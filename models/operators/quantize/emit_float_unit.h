// QUANTIZE of float32 and DEQUANTIZE to it on a core with a floating-point unit.
//
// The text is right for any compiler, since some other code may be built without the unit: only
// what C leaves undefined, converting what no integer holds, is the unit's own instruction where
// there is one. Nothing is added to a product, so that contraction changes no byte.
#pragma once

#include <string>

#include "codegen/operators/operator_emitter.h"
#include "models/integer_forms.h"

namespace tinytune {

/// To int8, uint8 and int16.
std::string emit_unit_quantize(const QuantizeOp& op, EmitContext& context);
/// From int16 and int32; of 256 values a table is faster.
std::string emit_unit_dequantize(const DequantizeOp& op, EmitContext& context);

}  // namespace tinytune
