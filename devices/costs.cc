#include "devices/costs.h"

#include <algorithm>
#include <sstream>

#include "devices/base_device.h"
#include "devices/embedded_devices.h"

namespace tinytune {
namespace {

constexpr std::string_view kTimingName = "timing";
// The limits of device files.
constexpr uint32_t kMostFillCycles = 10'000, kMostCycles = 1000;
constexpr std::string_view kFill = "fill_cycles", kNextFill = "next_fill_cycles";

MemoryRegion& memory_in(Device& device, std::string_view name) {
  return *std::find_if(device.memories.begin(), device.memories.end(),
                       [&](const MemoryRegion& memory) { return memory.name == name; });
}

// Returns a memory's table; adds one if only the file's base has it.
toml::table& memory_table(toml::table& file, const std::string& name) {
  if (!file.contains("memory")) file.insert("memory", toml::array{});
  toml::array& tables = *file["memory"].as_array();
  for (toml::node& table : tables)
    if ((*table.as_table())["name"].value<std::string>() == name) return *table.as_table();
  tables.push_back(toml::table{{"name", name}});
  return *tables.back().as_table();
}

// Returns the whole [timing] table, because a file cannot change single keys of its base's.
toml::table timing_table(const Timing& timing, std::span<const Cost> costs,
                         const std::string& source) {
  toml::table cycles;
  for (const auto& [key, value] : timing.cycles) {
    const bool fitted = std::find(costs.begin(), costs.end(), Cost{"", key}) != costs.end();
    toml::table entry{{"cycles", value}, {"source", fitted ? source : timing.sources.at(key)}};
    entry.is_inline(true);
    cycles.insert(key, std::move(entry));
  }
  return toml::table{{"model", timing.model}, {"cycles", std::move(cycles)}};
}

bool is_known(std::string_view name) {
  const auto known = known_devices();
  return std::find(known.begin(), known.end(), name) != known.end();
}

// Keys of [timing.cycles] that count parts of a core, not cycles: these are not fitted.
bool is_count(std::string_view key) {
  constexpr std::string_view kCounts[] = {"issue_width", "store_unit", "transfer_registers",
                                          "late_stages", "vector_queue"};
  return std::find(std::begin(kCounts), std::end(kCounts), key) != std::end(kCounts);
}

}  // namespace

std::string name_of(const Cost& cost) {
  return (cost.memory.empty() ? std::string(kTimingName) : cost.memory) + "." + cost.key;
}

std::vector<Cost> costs_of(const Device& device) {
  std::vector<Cost> costs;
  for (const MemoryRegion& memory : device.memories) {
    if (memory.fetch_cache.empty() && memory.read_cache.empty()) continue;
    costs.push_back({memory.name, std::string(kFill)});
    if (memory.next_fill_cycles != memory.fill_cycles)
      costs.push_back({memory.name, std::string(kNextFill)});
  }
  for (const auto& [key, value] : device.timing.cycles)
    if (!is_count(key)) costs.push_back({"", key});
  return costs;
}

std::vector<Cost> uncertain_costs(const Device& device) {
  std::vector<Cost> costs = costs_of(device);
  std::erase_if(costs, [&](const Cost& cost) {
    return cost.memory.empty() && !device.timing.sources.at(cost.key).starts_with("unsourced");
  });
  return costs;
}

uint32_t value_of(const Device& device, const Cost& cost) {
  if (cost.memory.empty()) return static_cast<uint32_t>(device.timing.cycles.at(cost.key));
  const MemoryRegion& memory = device.memory(cost.memory);
  return cost.key == kFill ? memory.fill_cycles : memory.next_fill_cycles;
}

void set_value(Device& device, const Cost& cost, uint32_t cycles) {
  if (cost.memory.empty()) {
    device.timing.cycles.at(cost.key) = static_cast<int>(std::min(cycles, kMostCycles));
    return;
  }
  cycles = std::min(cycles, kMostFillCycles);
  MemoryRegion& memory = memory_in(device, cost.memory);
  if (cost.key == kNextFill) {
    memory.next_fill_cycles = std::min(cycles, memory.fill_cycles);
    return;
  }
  const bool same = memory.next_fill_cycles == memory.fill_cycles;
  memory.fill_cycles = cycles;
  memory.next_fill_cycles = same ? cycles : std::min(cycles, memory.next_fill_cycles);
}

Result<std::string> device_file_with(std::string_view name_or_path, const std::string& name,
                                     const Device& changed, std::span<const Cost> costs,
                                     const std::string& source) {
  toml::table file;
  if (is_known(name_or_path)) {
    file.insert("base", name_or_path);
  } else {
    TT_TRY_ASSIGN(const internal::DeviceText text, internal::find_device_text(name_or_path));
    TT_TRY_ASSIGN(file, internal::parse_tables(text.text, text.origin));
  }
  file.insert_or_assign("name", name);
  file.insert_or_assign("description", changed.description);
  bool core = false;
  for (const Cost& cost : costs) {
    core = core || cost.memory.empty();
    if (cost.memory.empty()) continue;
    const MemoryRegion& memory = changed.memory(cost.memory);
    toml::table& table = memory_table(file, cost.memory);
    table.insert_or_assign(kFill, memory.fill_cycles);
    if (memory.next_fill_cycles != memory.fill_cycles || table.contains(kNextFill))
      table.insert_or_assign(kNextFill, memory.next_fill_cycles);
    table.insert_or_assign("source", source);
  }
  if (core) file.insert_or_assign("timing", timing_table(changed.timing, costs, source));
  std::ostringstream text;
  text << toml::toml_formatter{file} << "\n";
  return std::move(text).str();
}

}  // namespace tinytune
