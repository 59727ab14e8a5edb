#include "codegen/kernels/linked_regions.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>
#include <string_view>

namespace tinytune {
namespace {

// Returns by region how far its last section exceeds the end, from "… region 'code': overflowed by
// 12 bytes" (lld) or "region `code' overflowed by 12 bytes" (GNU ld).
std::map<std::string, uint64_t> excess_by_region(const std::string& linker_says) {
  constexpr std::string_view kRegion = "region ", kBy = "overflowed by ";
  std::map<std::string, uint64_t> excess;
  std::istringstream lines(linker_says);
  for (std::string line; std::getline(lines, line);) {
    const size_t by = line.find(kBy), region = line.rfind(kRegion, by);
    if (by == line.npos || region == line.npos) continue;
    const size_t begin = region + kRegion.size() + 1;  // behind its quote
    const size_t end = line.find('\'', begin);
    if (end == line.npos || end > by) continue;
    uint64_t bytes = 0;
    std::from_chars(line.data() + by + kBy.size(), line.data() + line.size(), bytes);
    uint64_t& most = excess[line.substr(begin, end - begin)];
    most = std::max(most, bytes);
  }
  return excess;
}

struct Words {
  const char* what;
  const char* remedy;
};

Words words_of(const std::string& region) {
  if (region == "code")
    return {"code and tables in it",
            "take a device with more flash or a smaller network; --flash limits kernels"};
  if (region == "constants")
    return {"weights and other constants",
            "take a device with more flash or a smaller network; --flash limits kernels"};
  if (region == "data")
    return {"tensors and data",
            "--fast-ram 0 leaves weights in flash, --arena limits tensors; else take a device with "
            "more RAM"};
  return {"what is copied to fast memory", "--fast-ram 0 leaves it in flash"};
}

}  // namespace

std::string numbered(const char* name, size_t index) {
  return index == 0 ? name : name + ("_" + std::to_string(index + 1));
}

std::string region_of_weights(const Device& device, size_t i) {
  const std::string& memory = device.fast_rodata_memories[i];
  if (memory == device.data_memory) return "data";
  return memory == device.fast_code_memory ? "fast_code" : numbered("fast_constants", i);
}

std::string region_of_fast_code(const Device& device) {
  return device.fast_code_memory == device.data_memory ? "data" : "fast_code";
}

std::vector<LinkedRegion> linked_regions(const Device& device) {
  std::vector<LinkedRegion> regions = {{"code", device.memory(device.code_memory)},
                                       {"constants", device.memory(device.rodata_memory)},
                                       {"data", device.memory(device.data_memory)}};
  if (!device.fast_code_memory.empty() && device.fast_code_memory != device.data_memory)
    regions.push_back({"fast_code", device.memory(device.fast_code_memory)});
  const std::vector<std::string>& weights = device.fast_rodata_memories;
  for (size_t i = 0; i < weights.size(); ++i)
    if (weights[i] != device.data_memory && weights[i] != device.fast_code_memory)
      regions.push_back({region_of_weights(device, i), device.memory(weights[i])});
  return regions;
}

std::optional<std::string> overflow_text(const std::string& linker_says, const Device& device) {
  const std::vector<LinkedRegion> regions = linked_regions(device);
  std::string needs, remedies;
  for (const auto& [name, excess] : excess_by_region(linker_says)) {
    const auto region = std::ranges::find(regions, name, &LinkedRegion::name);
    if (region == regions.end() || excess == 0) continue;
    const Words words = words_of(name);
    const uint64_t size = region->memory.size_bytes;
    needs += (needs.empty() ? "" : ", ") + std::string(words.what) + " need " +
             std::to_string(size + excess) + " bytes of " + region->memory.name + ", which has " +
             std::to_string(size) + " (" + std::to_string(excess) + " too many)";
    if (remedies.find(words.remedy) == remedies.npos) remedies += std::string("; ") + words.remedy;
  }
  if (needs.empty()) return std::nullopt;
  return "it does not fit " + device.name + ": " + needs + remedies;
}

}  // namespace tinytune
