// Reads a device file's top level, [placement], [timing] and [cores].
#include <algorithm>
#include <set>

#include "devices/base_device.h"
#include "devices/device_hash.h"
#include "devices/device_reader.h"

namespace tinytune {
namespace internal {
namespace {

constexpr int64_t kFastestClock = 10'000'000'000;

/// A key of [placement], and the rights that its memories must have.
struct Use {
  std::string_view key;
  bool executable, writable;
};

Status check_memory(const Reader& reader, const toml::node& node, const Device& device,
                    const Use& use, const std::string& region) {
  const auto found = std::find_if(device.memories.begin(), device.memories.end(),
                                  [&](const MemoryRegion& m) { return m.name == region; });
  if (found == device.memories.end())
    return reader.error(node, "no memory is named '" + region + "'");
  if ((use.executable && !found->executable) || (use.writable && !found->writable))
    return reader.error(node, "memory '" + region + "' must be " +
                                  (use.executable ? "executable" : "writable") + " to hold " +
                                  std::string(use.key));
  return ok_status();
}

/// Reads one name or a list of names.
Result<std::vector<std::string>> read_names(const Reader& reader, const toml::table& table,
                                            const std::string& name, std::string_view key) {
  if (table.get(key)->is_array()) return reader.get_strings(table, name, key);
  TT_TRY_ASSIGN(std::string one, reader.get<std::string>(table, name, key));
  return std::vector<std::string>{std::move(one)};
}

Status read_fast_rodata(const Reader& reader, const toml::table& table, const std::string& name,
                        Device& device) {
  const Use use = {"fast_rodata", false, false};
  if (!table.contains(use.key)) return ok_status();
  TT_TRY_ASSIGN(device.fast_rodata_memories, read_names(reader, table, name, use.key));
  std::set<std::string> taken = {device.code_memory, device.rodata_memory, device.stack_memory};
  for (const std::string& region : device.fast_rodata_memories) {
    TT_TRY(check_memory(reader, *table.get(use.key), device, use, region));
    if (!taken.insert(region).second)
      return reader.error(table,
                          "the memories of fast_rodata must be memories of their own, the data "
                          "memory or that of fast_code, each named once");
  }
  return ok_status();
}

Status read_data_bus(const Reader& reader, const toml::table& table, const std::string& name,
                     Device& device) {
  constexpr std::string_view kKey = "data_bus_below";
  if (!table.contains(kKey)) return ok_status();
  TT_TRY_ASSIGN(device.data_bus_below, reader.get_word(table, name, kKey));
  const bool follows = !device.fast_code_memory.empty() && [&] {
    const MemoryRegion& code = device.memory(device.fast_code_memory);
    return uint64_t{code.address} + code.size_bytes ==
           uint64_t{device.memory(device.data_memory).address} + *device.data_bus_below;
  }();
  if (!follows)
    return reader.error(*table.get(kKey),
                        "data_bus_below: the data memory must follow that of fast_code there");
  return ok_status();
}

Status read_placement(const Reader& reader, const toml::table& table, Device& device) {
  const std::string name = "[placement]";
  TT_TRY(reader.only(table, name,
                     {"code", "rodata", "data", "stack", "fast_code", "fast_rodata",
                      "fast_code_section", "data_bus_below"}));
  const std::pair<Use, std::string Device::*> uses[] = {
      {{"code", true, false}, &Device::code_memory},
      {{"rodata", false, false}, &Device::rodata_memory},
      {{"data", false, true}, &Device::data_memory},
      {{"stack", false, true}, &Device::stack_memory},
      {{"fast_code", true, false}, &Device::fast_code_memory}};
  for (const auto& [use, member] : uses) {
    if (use.key == "fast_code" && !table.contains(use.key)) continue;
    TT_TRY_ASSIGN(device.*member, reader.get<std::string>(table, name, use.key));
    TT_TRY(check_memory(reader, *table.get(use.key), device, use, device.*member));
  }
  device.fast_code_section = ".tinytune.fast_text";
  if (table.contains("fast_code_section")) {
    TT_TRY_ASSIGN(device.fast_code_section,
                  reader.get_text(table, name, "fast_code_section", is_section, kSectionRule));
  }
  // Each memory has one use, because it is one linker region; the stack must not reach the data.
  const std::set<std::string> distinct = {device.code_memory, device.rodata_memory,
                                          device.data_memory, device.stack_memory};
  if (distinct.size() != 4) {
    return reader.error(table, "code, rodata, data and stack must be different memories");
  }
  if (distinct.contains(device.fast_code_memory))
    return reader.error(table, "fast_code must be a memory of its own");
  TT_TRY(read_data_bus(reader, table, name, device));
  return read_fast_rodata(reader, table, name, device);
}

Result<Timing> read_timing(const Reader& reader, const toml::table& table) {
  TT_TRY(reader.only(table, "[timing]", {"model", "cycles", "loop_alignment"}));
  Timing timing;
  TT_TRY_ASSIGN(timing.model, reader.get_name(table, "[timing]", "model"));
  if (table.contains("loop_alignment")) {
    TT_TRY_ASSIGN(timing.loop_alignment, reader.get_word(table, "[timing]", "loop_alignment"));
    if (timing.loop_alignment != 4 && timing.loop_alignment != 8)
      return reader.error(*table.get("loop_alignment"), "loop_alignment must be 4 or 8 bytes");
  }
  if (!table.contains("cycles")) return timing;
  TT_TRY_ASSIGN(const toml::table* cycles, reader.get_table(table, "[timing]", "cycles"));
  for (const auto& [key, node] : *cycles) {
    if (!is_name(key.str())) return reader.error(node, "a key of timing.cycles is no name");
    const std::string name = "timing.cycles." + std::string(key.str());
    if (!node.is_table()) {
      return reader.error(node, name + " must be { cycles = N, source = \"…\" }");
    }
    const toml::table& entry = *node.as_table();
    TT_TRY(reader.only(entry, name, {"cycles", "source"}));
    TT_TRY_ASSIGN(const int64_t count, reader.get<int64_t>(entry, name, "cycles"));
    TT_TRY_ASSIGN(const std::string source, reader.get<std::string>(entry, name, "source"));
    if (source.empty()) {
      return reader.error(node, name + " must cite its source, or say \"unsourced\"");
    }
    TT_TRY(reader.get_line(entry, name, "source"));
    if (count < 0 || count > 1000) return reader.error(node, name + " must be 0 to 1000 cycles");
    timing.cycles[std::string(key.str())] = static_cast<int>(count);
    timing.sources[std::string(key.str())] = source;
  }
  return timing;
}

Status read_cores(const Reader& reader, const toml::table& root, Device& device) {
  const std::string name = "[cores]";
  TT_TRY_ASSIGN(const toml::table* table, reader.get_table(root, "the file", "cores"));
  TT_TRY(reader.only(*table, name, {"count", "ports", "fork_join_cycles", "source"}));
  TT_TRY_ASSIGN(const int64_t count, reader.get<int64_t>(*table, name, "count"));
  if (count < 1 || count > 2)
    return reader.error(*table->get("count"), "count of [cores] must be 1 or 2");
  if (table->contains("ports")) {
    TT_TRY_ASSIGN(const int64_t ports, reader.get_word(*table, name, "ports"));
    if (ports < 1 || ports > 2)
      return reader.error(*table->get("ports"), "ports of [cores] must be 1 or 2");
    device.core_ports = static_cast<int>(ports);
  }
  TT_TRY_ASSIGN(device.fork_join_cycles, reader.get_word(*table, name, "fork_join_cycles"));
  TT_TRY(reader.get_line(*table, name, "source"));
  device.cores = static_cast<int>(count);
  return ok_status();
}

Result<Device> read_device(const Reader& reader, const toml::table& root) {
  const std::string file = "the file";
  TT_TRY(reader.only(root, file,
                     {"name", "description", "clock_hz", "transports", "target", "placement",
                      "memory", "cache", "timing", "port", "counter", "register", "program",
                      "idf_target", "board", "cores", "arrival"}));
  Device device;
  TT_TRY_ASSIGN(device.name, reader.get_text(root, file, "name", is_device_name, kDeviceNameRule));
  TT_TRY_ASSIGN(device.description, reader.get_line(root, file, "description"));
  if (root.contains("clock_hz")) {  // absent on instruction counters
    TT_TRY_ASSIGN(const int64_t clock, reader.get<int64_t>(root, file, "clock_hz"));
    if (clock <= 0 || clock > kFastestClock)
      return reader.error(*root.get("clock_hz"), "clock_hz must be positive and at most 10 GHz");
    device.clock_hz = static_cast<uint64_t>(clock);
  }
  TT_TRY_ASSIGN(device.transports, reader.get_strings(root, file, "transports"));
  for (const std::string& transport : device.transports)
    if (!is_name(transport)) return reader.error(*root.get("transports"), "no such transport");
  if (root.contains("idf_target")) {
    TT_TRY_ASSIGN(device.idf_target, reader.get_name(root, file, "idf_target"));
  }
  TT_TRY_ASSIGN(const toml::table* target, reader.get_table(root, file, "target"));
  TT_TRY_ASSIGN(device.target, read_target(reader, *target));
  TT_TRY_ASSIGN(device.caches, read_caches(reader, root));
  TT_TRY_ASSIGN(device.memories,
                read_memories(reader, root, device.caches, !device.transports.empty()));
  TT_TRY(read_arrivals(reader, root, device.caches));
  TT_TRY_ASSIGN(const toml::table* placement, reader.get_table(root, file, "placement"));
  TT_TRY(read_placement(reader, *placement, device));
  TT_TRY(read_program_facts(reader, root, device));
  if (root.contains("cores")) TT_TRY(read_cores(reader, root, device));
  if (root.contains("board")) TT_TRY(read_board_facts(reader, root, device));
  TT_TRY_ASSIGN(const toml::table* timing, reader.get_table(root, file, "timing"));
  TT_TRY_ASSIGN(device.timing, read_timing(reader, *timing));
  device.hash = hash_of(device);
  return device;
}

}  // namespace
}  // namespace internal

Result<Device> parse_device(std::string_view toml, std::string_view origin) {
  TT_TRY_ASSIGN(const toml::table root, internal::read_tables(toml, origin));
  return internal::read_device(internal::Reader(origin), root);
}

}  // namespace tinytune
