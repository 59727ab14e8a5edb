// What becomes of each builtin operator of TensorFlow Lite Micro: `tune ops`.
#pragma once

#include <string_view>
#include <vector>

namespace tinytune {

enum class OperatorState {
  kSupported,
  kFloatOnly,  ///< TensorFlow Lite Micro's own kernel takes float32 alone; an int8 model has none
  kMissing,
};

struct OperatorStateRow {
  std::string_view name;  ///< TFLite's
  OperatorState state;
};

/// Every operator of tflm_operators.inc, in its order.
std::vector<OperatorStateRow> operator_states();

/// "supported", "float32 only", "not yet".
std::string_view name_of(OperatorState state);

}  // namespace tinytune
