#include "models/operators/long_sums.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

namespace tinytune {
namespace {

constexpr int64_t kLargestSum = int64_t{1} << 47;
constexpr int kLongestLeftShift = 7;

}  // namespace

Result<std::vector<int64_t>> int64_constant(const OperatorView& view, const Tensor& tensor) {
  TT_TRY(view.require_constant(tensor));
  if (tensor.type != ElementType::kInt64)
    return view.unsupported(
        fmt::format("{} is {}, not int64", describe(tensor), name_of(tensor.type)));
  std::vector<int64_t> values(static_cast<size_t>(tensor.elements()));
  std::memcpy(values.data(), tensor.data.data(), values.size() * sizeof(int64_t));
  return values;
}

Status check_long_sums(const OperatorView& view, int64_t terms, std::span<const int64_t> bias,
                       std::span<const int32_t> shifts) {
  for (const int64_t b : bias)
    if (b <= -kLargestSum || b >= kLargestSum || terms * 128 * 32768 + std::abs(b) >= kLargestSum)
      return view.unsupported("its sums exceed 2^47");
  for (const int32_t shift : shifts)
    if (shift > kLongestLeftShift) return view.unsupported("a multiplier of 2^7 or more");
  return ok_status();
}

}  // namespace tinytune
