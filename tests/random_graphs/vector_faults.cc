#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "tests/random_graphs/damages.h"
#include "tests/random_graphs/faults.h"

namespace tinytune::bench {
namespace {

constexpr const char* kHelium = "cortex-m55";
constexpr const char* kRvv = "rv32imc_zve32x";

/// Replaces text in the assembly of kernels of `family`.
Damage in_code(std::string family, std::string from, std::string to) {
  return replacing("_kernels.S", std::move(from), std::move(to), std::move(family));
}

// Finds the multiplier by its size: it is normalised, and no bias is so large.
bool halve_a_multiplier(Numbers& params) {
  const auto multiplier = std::find_if(params.begin(), params.end(), [](int64_t number) {
    return number >= int64_t{1} << 30 && number <= INT32_MAX;
  });
  if (multiplier == params.end()) return false;
  *multiplier /= 2;
  return true;
}

// Swaps the first `bytes` weights with the next `bytes`, as if packed in the other order.
Change swap_runs(size_t bytes) {
  return [bytes](Numbers& weights) {
    if (weights.size() < 2 * bytes) return false;
    const auto first = weights.begin(), second = first + static_cast<int64_t>(bytes);
    if (std::equal(first, second, second)) return false;
    std::swap_ranges(first, second, second);
    return true;
  };
}

// Swaps the shifts of the last pair of lanes that have different ones; one word holds a pair.
bool swap_shifts_of_lanes(Numbers& params) {
  for (auto word = params.rbegin(); word != params.rend(); ++word) {
    const auto low = static_cast<uint16_t>(*word), high = static_cast<uint16_t>(*word >> 16);
    if (low == high || low > 31 || high > 31 || high == 0) continue;
    *word = static_cast<int32_t>(static_cast<uint32_t>(low) << 16 | high);
    return true;
  }
  return false;
}

}  // namespace

std::span<const Fault> vector_faults() {
  static const std::vector<Fault> kFaults = {
      // Requantisation.
      {"Helium's product that truncates", in_code("helium", "vqrdmulh.s32", "vqdmulh.s32"),
       kHelium},
      {"Helium's halves below zero rounded up", in_code("helium_nhwc", "vshr.s32", "vshr.u32"),
       kHelium},
      {"Helium's shift that truncates", in_code("helium", "vrshl.s32", "vshl.s32"), kHelium},
      {"Helium's narrowing that wraps", in_code("helium", "vqmovnb.s16", "vmovnb.i16"), kHelium},
      {"Helium's zero point subtracted", in_code("helium_depthwise", "vqadd.s16", "vsub.i16"),
       kHelium},
      {"a multiplier of Helium halved", in_packed("helium_nhwc", "params", halve_a_multiplier),
       kHelium},
      {"a constant of Helium's windows halved", in_packed("helium_depthwise", "weights", halve(13)),
       kHelium},
      {"RVV that rounds down", in_code("rvv", "vxrm, 0", "vxrm, 2"), kRvv},
      {"RVV's halves turned above zero", in_code("rvv", "vmslt.vx", "vmsgt.vx"), kRvv},
      {"RVV's halves turned in lanes that do not shift", in_code("rvv", "vmand.mm", "vmor.mm"),
       kRvv},
      {"RVV's shift that does not round", in_code("rvv", "vnclip.wv", "vnsra.wv"), kRvv},
      {"RVV's narrowing that wraps", in_code("rvv", "vnclip.wi", "vnsra.wi"), kRvv},
      {"RVV's weights without their sign", in_code("rvv_nhwc", "vsext.vf2", "vzext.vf2"), kRvv},
      {"RVV's second tap in place of the first", in_code("rvv", "vwmacc", "vwmul"), kRvv},
      {"a multiplier of RVV halved", in_packed("rvv_nhwc", "params", halve_a_multiplier), kRvv},
      {"a multiplier of RVV's windows halved",
       in_packed("rvv_depthwise", "params", halve_a_multiplier), kRvv},
      // Tails.
      {"Helium's last channels not all stored", in_code("helium_nhwc", "vctp.32", "vctp.16"),
       kHelium},
      {"Helium's odd columns narrowed over even ones",
       in_code("helium_depthwise", "vqmovnt.s32", "vqmovnb.s32"), kHelium},
      {"RVV's last channels as long as the others", in_code("rvv", "bltu", "bgeu"), kRvv},
      // Packing.
      {"two of Helium's weights swapped", in_packed("helium", "weights", swap_weights), kHelium},
      {"two channels of Helium swapped", in_packed("helium_nhwc", "weights", swap_runs(16)),
       kHelium},
      {"two of RVV's weights swapped", in_packed("rvv", "weights", swap_weights), kRvv},
      {"two taps of RVV swapped", in_packed("rvv_depthwise", "weights", swap_runs(8)), kRvv},
      {"the shifts of two of RVV's lanes swapped", in_packed("rvv", "params", swap_shifts_of_lanes),
       kRvv},
  };
  return kFaults;
}

}  // namespace tinytune::bench
