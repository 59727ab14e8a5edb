#include "templates/smlad/smlad_weights.h"

#include <cstdlib>

#include "templates/packing.h"

namespace tinytune {
namespace {

// |S1| < 2^23 for all int8 inputs.
constexpr int64_t kMostJoinedWeight = ((int64_t{1} << 23) - 1) / 128;

Status check_joined(const std::vector<std::vector<int8_t>>& channels) {
  for (size_t c = 0; c < channels.size(); c += 2) {
    int64_t total = 0;
    for (size_t k = 0; k < channels[c + 1].size(); ++k) {
      total += std::abs(int{channels[c + 1][k]});
      if (channels[c + 1][k] == -128 && channels[c][k] < 0)
        return Error(ErrorCode::kUnsupported, "a weight of -128 cannot be joined with another");
    }
    if (total > kMostJoinedWeight)
      return Error(ErrorCode::kUnsupported, "sums of joined weights may exceed 24 bits");
  }
  return ok_status();
}

}  // namespace

Knob weights_knob() { return {"weights", {"pairs", "joined"}}; }

WeightForm weight_form(const std::string& value) {
  return value == "joined" ? WeightForm::kJoined : WeightForm::kPairs;
}

std::string usual_weights(const Workload& w, const Device& device) {
  constexpr int64_t kUsualMagnitude = 32;  // the mean of most trained channels is below
  const bool fits = kUsualMagnitude * w.reduction() <= kMostJoinedWeight;
  const MemoryRegion& memory = device.memory(device.rodata_memory);
  constexpr int64_t kLayers = 64;  // that may have pairs before these alone could fill the memory
  const bool dear =
      !memory.read_cache.empty() || kLayers * 2 * w.weight_bytes() > int64_t{memory.size_bytes};
  return w.out_c >= 2 && fits && dear ? "joined" : "pairs";
}

bool weights_wait(const Device& device) {
  return device.fast_rodata_memories.empty() &&
         !device.memory(device.rodata_memory).read_cache.empty();
}

Status pack_smlad(const SmladTile& tile, const std::vector<std::vector<int8_t>>& channels,
                  int64_t pairs,
                  const std::function<std::pair<int64_t, int64_t>(int64_t)>& inputs_of,
                  std::vector<int32_t>& words) {
  if (tile.form == WeightForm::kJoined) TT_TRY(check_joined(channels));
  const auto weight = [&](size_t channel, int64_t input) -> int {
    const auto k = static_cast<size_t>(input);
    return k < channels[channel].size() ? channels[channel][k] : 0;
  };
  for (int64_t pair = 0; pair < pairs; ++pair) {
    const auto [low, high] = inputs_of(pair);
    if (tile.form == WeightForm::kPairs) {
      for (size_t c = 0; c < channels.size(); ++c)
        words.push_back(halves(weight(c, low), weight(c, high)));
    } else {
      const auto joined = [&](size_t c, int64_t input) {
        return 256 * weight(c + 1, input) + weight(c, input);
      };
      for (size_t c = 0; c < channels.size(); c += 2)
        words.push_back(halves(joined(c, low), joined(c, high)));
    }
  }
  return ok_status();
}

}  // namespace tinytune
