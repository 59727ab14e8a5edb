#include "models/operator_states.h"

#include <algorithm>

namespace tinytune {
namespace {

constexpr std::string_view kAccepted[] = {
#define OPERATOR(kind, name, ...) #name,
#include "models/operators.inc"
#undef OPERATOR
};

constexpr bool kInt8 = false, kFloatOnly = true;

struct Registered {
  std::string_view name;
  bool float_only;
};

constexpr Registered kRegistered[] = {
#define TFLM_OPERATOR(name, types) {#name, types},
#include "models/tflm_operators.inc"
#undef TFLM_OPERATOR
};

}  // namespace

std::vector<OperatorStateRow> operator_states() {
  std::vector<OperatorStateRow> rows;
  for (const Registered& r : kRegistered) {
    const bool accepted =
        std::find(std::begin(kAccepted), std::end(kAccepted), r.name) != std::end(kAccepted);
    rows.push_back({r.name, accepted       ? OperatorState::kSupported
                            : r.float_only ? OperatorState::kFloatOnly
                                           : OperatorState::kMissing});
  }
  return rows;
}

std::string_view name_of(OperatorState state) {
  switch (state) {
    case OperatorState::kSupported:
      return "supported";
    case OperatorState::kFloatOnly:
      return "float32 only";
    case OperatorState::kMissing:
      return "not yet";
  }
  return "?";
}

}  // namespace tinytune
