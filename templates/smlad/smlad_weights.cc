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
                  int64_t pairs, const InputOf& input_of, std::vector<int32_t>& words) {
  const bool joined = tile.form == WeightForm::kJoined;
  if (joined) TT_TRY(check_joined(channels));
  const auto weight = [&](size_t channel, int64_t half) -> int {
    const auto k = static_cast<size_t>(input_of(half));
    return k < channels[channel].size() ? channels[channel][k] : 0;
  };
  const auto value = [&](size_t channel, int64_t half) {
    return weight(channel, half) + (joined ? 256 * weight(channel + 1, half) : 0);
  };
  for (int64_t half = 0; half < 2 * pairs; half += 2)
    for (size_t c = 0; c < channels.size(); c += joined ? 2 : 1)
      words.push_back(halves(value(c, half), value(c, half + 1)));
  return ok_status();
}

}  // namespace tinytune
