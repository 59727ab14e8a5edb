#include "schedules/check_constants.h"

#include <fmt/format.h>

namespace tinytune {
namespace {

// Shifts of TFLite's MultiplyByQuantizedMultiplier: of 32-bit numbers, right by up to 31.
constexpr int32_t kLowestShift = -31, kHighestShift = 30;

Error bad(const std::string& why) { return Error(ErrorCode::kInvalidInput, why); }

Status check_size(const char* what, size_t size, int64_t wanted) {
  if (static_cast<int64_t>(size) == wanted) return ok_status();
  return bad(fmt::format("{} {} where the workload has {}", size, what, wanted));
}

}  // namespace

Status check_constants(const Workload& w, const LayerData& data) {
  TT_TRY(check_size("weights", data.weights.size(), w.weight_bytes()));
  TT_TRY(check_size("biases", data.bias.size(), w.out_c));
  TT_TRY(check_size("multipliers", data.multiplier.size(), w.out_c));
  TT_TRY(check_size("shifts", data.shift.size(), w.out_c));
  TT_TRY(check_size("addends", data.addend.size(),
                    w.rounding == Rounding::kMultiplyAdd ? w.out_c : 0));
  for (const int32_t multiplier : data.multiplier)
    if (multiplier != 0 && multiplier < 1 << 30)
      return bad(fmt::format("multiplier {} is neither 0 nor in [2^30, 2^31)", multiplier));
  for (const int32_t shift : data.shift)
    if (shift < kLowestShift || shift > kHighestShift)
      return bad(fmt::format("shift {} is outside [{}, {}]", shift, kLowestShift, kHighestShift));
  return ok_status();
}

}  // namespace tinytune
