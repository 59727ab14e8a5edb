// The statements of QUANTIZE from float32 to int16 and of DEQUANTIZE back.
#pragma once

#include <string>

#include "codegen/operators/operator_emitter.h"

namespace tinytune {

std::string emit_wide_quantize(const QuantizeOp& op, EmitContext& context);
std::string emit_wide_dequantize(const DequantizeOp& op, EmitContext& context);

}  // namespace tinytune
