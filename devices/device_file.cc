// Reads a device file. Every key is known and required unless said otherwise: a misspelt timing
// key that silently kept a default would give wrong cycles for as long as nobody looked.
#include <toml++/toml.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <set>
#include <sstream>

#include "base/hash.h"
#include "devices/device.h"

namespace tinytune {
namespace {

class Reader {
 public:
  explicit Reader(std::string_view origin) : origin_(origin) {}

  Error error(const toml::node& where, const std::string& what) const {
    return Error(ErrorCode::kInvalidInput,
                 origin_ + ":" + std::to_string(where.source().begin.line) + ": " + what);
  }

  /// Refuses keys outside `known`, naming the line of the key itself.
  Status only(const toml::table& table, const std::string& name,
              std::initializer_list<std::string_view> known) const {
    for (const auto& [key, node] : table) {
      if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
        return error(node, "unknown key '" + std::string(key.str()) + "' in " + name);
      }
    }
    return ok_status();
  }

  template <typename T>
  Result<T> get(const toml::table& table, const std::string& name, std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return error(table, "missing key '" + std::string(key) + "' in " + name);
    }
    const auto value = node->value_exact<T>();
    if (!value) return error(*node, "key '" + std::string(key) + "' in " + name + wrong_type<T>());
    return *value;
  }

  Result<uint32_t> get_word(const toml::table& table, const std::string& name,
                            std::string_view key) const {
    TT_TRY_ASSIGN(const int64_t value, get<int64_t>(table, name, key));
    if (value < 0 || value > std::numeric_limits<uint32_t>::max()) {
      return error(*table.get(key),
                   "key '" + std::string(key) + "' in " + name + " does not fit 32 bits");
    }
    return static_cast<uint32_t>(value);
  }

  Result<std::vector<std::string>> get_strings(const toml::table& table, const std::string& name,
                                               std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return error(table, "missing key '" + std::string(key) + "' in " + name);
    }
    const Error wrong =
        error(*node, "key '" + std::string(key) + "' in " + name + " must be an array of strings");
    if (!node->is_array()) return wrong;
    std::vector<std::string> values;
    for (const toml::node& element : *node->as_array()) {
      const auto value = element.value_exact<std::string>();
      if (!value) return wrong;
      values.push_back(*value);
    }
    return values;
  }

  Result<const toml::table*> get_table(const toml::table& table, const std::string& name,
                                       std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
      return error(table, "missing key '" + std::string(key) + "' in " + name);
    }
    if (!node->is_table()) {
      return error(*node, "key '" + std::string(key) + "' in " + name + " must be a table");
    }
    return node->as_table();
  }

 private:
  template <typename T>
  static std::string wrong_type() {
    if constexpr (std::is_same_v<T, bool>) return " must be true or false";
    if constexpr (std::is_same_v<T, int64_t>) return " must be an integer";
    return " must be a string";
  }

  std::string origin_;
};

Result<Target> read_target(const Reader& reader, const toml::table& table) {
  const std::string name = "[target]";
  TT_TRY(reader.only(table, name,
                     {"family", "isa", "triple", "cpu", "features", "abi", "clang_arguments"}));
  Target target;
  TT_TRY_ASSIGN(const std::string family, reader.get<std::string>(table, name, "family"));
  if (family == "riscv32") {
    target.family = CoreFamily::kRiscv32;
  } else if (family == "arm-m") {
    target.family = CoreFamily::kArmM;
  } else {
    return reader.error(*table.get("family"),
                        "family '" + family + "' is neither riscv32 nor arm-m");
  }
  TT_TRY_ASSIGN(target.isa, reader.get<std::string>(table, name, "isa"));
  TT_TRY_ASSIGN(target.triple, reader.get<std::string>(table, name, "triple"));
  TT_TRY_ASSIGN(target.cpu, reader.get<std::string>(table, name, "cpu"));
  TT_TRY_ASSIGN(target.features, reader.get<std::string>(table, name, "features"));
  TT_TRY_ASSIGN(target.abi, reader.get<std::string>(table, name, "abi"));
  TT_TRY_ASSIGN(target.clang_arguments, reader.get_strings(table, name, "clang_arguments"));
  return target;
}

bool is_power_of_two(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

Result<CacheModel> read_cache(const Reader& reader, const toml::table& table) {
  const std::string name = "[[cache]]";
  TT_TRY(reader.only(
      table, name,
      {"name", "size_bytes", "line_bytes", "ways", "fill_bytes", "replacement", "source"}));
  CacheModel cache;
  TT_TRY_ASSIGN(cache.name, reader.get<std::string>(table, name, "name"));
  TT_TRY_ASSIGN(cache.size_bytes, reader.get_word(table, name, "size_bytes"));
  TT_TRY_ASSIGN(cache.line_bytes, reader.get_word(table, name, "line_bytes"));
  TT_TRY_ASSIGN(cache.ways, reader.get_word(table, name, "ways"));
  TT_TRY_ASSIGN(cache.fill_bytes, reader.get_word(table, name, "fill_bytes"));
  TT_TRY_ASSIGN(cache.source, reader.get<std::string>(table, name, "source"));
  TT_TRY_ASSIGN(const std::string rule, reader.get<std::string>(table, name, "replacement"));
  if (rule != "lru" && rule != "fifo")
    return reader.error(*table.get("replacement"), "replacement must be lru or fifo");
  if (rule == "fifo") cache.replacement = CacheModel::Replacement::kFifo;
  const uint64_t set_bytes = uint64_t{cache.line_bytes} * cache.ways;
  if (!is_power_of_two(cache.line_bytes) || !is_power_of_two(cache.fill_bytes) ||
      cache.fill_bytes > cache.line_bytes || cache.line_bytes / cache.fill_bytes > 32 ||
      set_bytes == 0 || cache.size_bytes == 0 || cache.size_bytes % set_bytes != 0)
    return reader.error(
        table, "cache '" + cache.name + "' must be whole sets of lines, its lines 1 to 32 fills");
  return cache;
}

Result<std::vector<CacheModel>> read_caches(const Reader& reader, const toml::table& root) {
  std::vector<CacheModel> caches;
  const toml::node* node = root.get("cache");
  if (node == nullptr) return caches;
  if (!node->is_array_of_tables()) return reader.error(*node, "cache must be [[cache]] tables");
  for (const toml::node& element : *node->as_array()) {
    TT_TRY_ASSIGN(CacheModel cache, read_cache(reader, *element.as_table()));
    caches.push_back(std::move(cache));
  }
  return caches;
}

// Only for memories that are read: what a store to one costs is not modelled.
Status read_speed(const Reader& reader, const toml::table& table,
                  const std::vector<CacheModel>& caches, MemoryRegion& region) {
  const std::string name = "[[memory]]";
  const auto named = [&](const char* key, std::string& cache) -> Status {
    if (!table.contains(key)) return ok_status();
    TT_TRY_ASSIGN(cache, reader.get<std::string>(table, name, key));
    for (const CacheModel& known : caches)
      if (known.name == cache) return ok_status();
    return reader.error(*table.get(key), "no cache is named '" + cache + "'");
  };
  TT_TRY(named("fetch_cache", region.fetch_cache));
  TT_TRY(named("read_cache", region.read_cache));
  if (region.fetch_cache.empty() && region.read_cache.empty() && !table.contains("fill_cycles"))
    return ok_status();
  TT_TRY_ASSIGN(region.fill_cycles, reader.get_word(table, name, "fill_cycles"));
  TT_TRY_ASSIGN(region.source, reader.get<std::string>(table, name, "source"));
  if (region.fetch_cache.empty() && region.read_cache.empty())
    return reader.error(table, "memory '" + region.name + "' has fill_cycles and no cache");
  if (region.writable)
    return reader.error(table, "memory '" + region.name + "' is writable and cannot have caches");
  if (region.fill_cycles > 10'000 || region.source.empty())
    return reader.error(
        table, "memory '" + region.name + "' needs fill_cycles up to 10000 and their source");
  return ok_status();
}

Result<std::vector<MemoryRegion>> read_memories(const Reader& reader, const toml::table& root,
                                                const std::vector<CacheModel>& caches) {
  const toml::node* node = root.get("memory");
  if (node == nullptr) return reader.error(root, "missing key 'memory' in the file");
  if (!node->is_array_of_tables()) return reader.error(*node, "memory must be [[memory]] tables");
  std::vector<MemoryRegion> memories;
  for (const toml::node& element : *node->as_array()) {
    const toml::table& table = *element.as_table();
    const std::string name = "[[memory]]";
    TT_TRY(reader.only(table, name,
                       {"name", "address", "size_bytes", "executable", "writable", "fetch_cache",
                        "read_cache", "fill_cycles", "source"}));
    MemoryRegion region;
    TT_TRY_ASSIGN(region.name, reader.get<std::string>(table, name, "name"));
    TT_TRY_ASSIGN(region.address, reader.get_word(table, name, "address"));
    TT_TRY_ASSIGN(region.size_bytes, reader.get_word(table, name, "size_bytes"));
    TT_TRY_ASSIGN(region.executable, reader.get<bool>(table, name, "executable"));
    TT_TRY_ASSIGN(region.writable, reader.get<bool>(table, name, "writable"));
    TT_TRY(read_speed(reader, table, caches, region));
    const uint64_t end = uint64_t{region.address} + region.size_bytes;
    if (region.size_bytes == 0 || region.address % 4096 != 0 || region.size_bytes % 4096 != 0 ||
        end > uint64_t{1} << 32) {
      return reader.error(table,
                          "memory '" + region.name + "' must be whole 4 KiB pages inside 32 bits");
    }
    for (const MemoryRegion& other : memories) {
      if (other.name == region.name) {
        return reader.error(table, "two memories are named '" + region.name + "'");
      }
      if (region.address < uint64_t{other.address} + other.size_bytes && other.address < end) {
        return reader.error(table, "memory '" + region.name + "' overlaps '" + other.name + "'");
      }
    }
    memories.push_back(region);
  }
  return memories;
}

Status read_placement(const Reader& reader, const toml::table& table, Device& device) {
  const std::string name = "[placement]";
  TT_TRY(reader.only(
      table, name,
      {"code", "rodata", "data", "stack", "fast_code", "fast_rodata", "fast_code_section"}));
  struct Use {
    std::string_view key;
    std::string Device::*member;
    bool executable, writable, optional = false;
  };
  const Use uses[] = {{"code", &Device::code_memory, true, false},
                      {"rodata", &Device::rodata_memory, false, false},
                      {"data", &Device::data_memory, false, true},
                      {"stack", &Device::stack_memory, false, true},
                      {"fast_code", &Device::fast_code_memory, true, false, true},
                      {"fast_rodata", &Device::fast_rodata_memory, false, false, true}};
  for (const Use& use : uses) {
    if (use.optional && !table.contains(use.key)) continue;
    TT_TRY_ASSIGN(const std::string region, reader.get<std::string>(table, name, use.key));
    const toml::node& node = *table.get(use.key);
    const auto found = std::find_if(device.memories.begin(), device.memories.end(),
                                    [&](const MemoryRegion& m) { return m.name == region; });
    if (found == device.memories.end()) {
      return reader.error(node, "no memory is named '" + region + "'");
    }
    if ((use.executable && !found->executable) || (use.writable && !found->writable)) {
      return reader.error(node, "memory '" + region + "' must be " +
                                    (use.executable ? "executable" : "writable") + " to hold " +
                                    std::string(use.key));
    }
    device.*use.member = region;
  }
  device.fast_code_section = ".tinytune.fast_text";
  if (table.contains("fast_code_section")) {
    TT_TRY_ASSIGN(device.fast_code_section,
                  reader.get<std::string>(table, name, "fast_code_section"));
  }
  // One memory, one use: each is a region of the linker's, and the stack must not meet the data.
  const std::set<std::string> distinct = {device.code_memory, device.rodata_memory,
                                          device.data_memory, device.stack_memory};
  if (distinct.size() != 4) {
    return reader.error(table, "code, rodata, data and stack must be different memories");
  }
  if (distinct.contains(device.fast_code_memory) ||
      (device.fast_rodata_memory != device.data_memory &&
       distinct.contains(device.fast_rodata_memory)) ||
      (!device.fast_code_memory.empty() && device.fast_code_memory == device.fast_rodata_memory)) {
    return reader.error(table,
                        "fast_code and fast_rodata must be memories of their own, or "
                        "fast_rodata the data memory");
  }
  return ok_status();
}

Result<Timing> read_timing(const Reader& reader, const toml::table& table) {
  TT_TRY(reader.only(table, "[timing]", {"model", "cycles"}));
  Timing timing;
  TT_TRY_ASSIGN(timing.model, reader.get<std::string>(table, "[timing]", "model"));
  if (!table.contains("cycles")) return timing;
  TT_TRY_ASSIGN(const toml::table* cycles, reader.get_table(table, "[timing]", "cycles"));
  for (const auto& [key, node] : *cycles) {
    const std::string name = "timing.cycles." + std::string(key.str());
    if (!node.is_table()) {
      return reader.error(node, name + " must be { cycles = N, source = \"…\" }");
    }
    const toml::table& entry = *node.as_table();
    TT_TRY(reader.only(entry, name, {"cycles", "source"}));
    TT_TRY_ASSIGN(const int64_t count, reader.get<int64_t>(entry, name, "cycles"));
    TT_TRY_ASSIGN(const std::string source, reader.get<std::string>(entry, name, "source"));
    if (count < 0 || count > 1000) return reader.error(node, name + " must be 0 to 1000 cycles");
    if (source.empty()) {
      return reader.error(node, name + " must cite its source, or say \"unsourced\"");
    }
    timing.cycles[std::string(key.str())] = static_cast<int>(count);
    timing.sources[std::string(key.str())] = source;
  }
  return timing;
}

// Name, description, clock, transports and sources change no cycle count, so records stay valid
// when they do.
uint64_t hash_of(const Device& device) {
  std::ostringstream text;
  const Target& target = device.target;
  text << static_cast<int>(target.family) << '|' << target.isa << '|' << target.triple << '|'
       << target.cpu << '|' << target.features << '|' << target.abi;
  for (const std::string& argument : target.clang_arguments) text << '|' << argument;
  for (const MemoryRegion& m : device.memories) {
    text << "\nmemory " << m.name << ' ' << m.address << ' ' << m.size_bytes << ' ' << m.executable
         << m.writable;
    if (!m.source.empty())
      text << ' ' << m.fetch_cache << ' ' << m.read_cache << ' ' << m.fill_cycles;
  }
  for (const CacheModel& c : device.caches) {
    text << "\ncache " << c.name << ' ' << c.size_bytes << ' ' << c.line_bytes << ' ' << c.ways
         << ' ' << c.fill_bytes << ' ' << static_cast<int>(c.replacement);
  }
  text << "\nplacement " << device.code_memory << ' ' << device.rodata_memory << ' '
       << device.data_memory << ' ' << device.stack_memory;
  if (!device.fast_code_memory.empty()) text << " fast code " << device.fast_code_memory;
  if (!device.fast_rodata_memory.empty()) text << " fast rodata " << device.fast_rodata_memory;
  text << "\ntiming " << device.timing.model;
  for (const auto& [key, cycles] : device.timing.cycles) text << ' ' << key << '=' << cycles;
  return fnv1a(text.str());
}

Result<Device> read_device(const Reader& reader, const toml::table& root) {
  const std::string file = "the file";
  TT_TRY(reader.only(root, file,
                     {"name", "description", "clock_hz", "transports", "target", "placement",
                      "memory", "cache", "timing"}));
  Device device;
  TT_TRY_ASSIGN(device.name, reader.get<std::string>(root, file, "name"));
  TT_TRY_ASSIGN(device.description, reader.get<std::string>(root, file, "description"));
  if (root.contains("clock_hz")) {  // absent on instruction counters
    TT_TRY_ASSIGN(const int64_t clock, reader.get<int64_t>(root, file, "clock_hz"));
    if (clock <= 0) return reader.error(*root.get("clock_hz"), "clock_hz must be positive");
    device.clock_hz = static_cast<uint64_t>(clock);
  }
  TT_TRY_ASSIGN(device.transports, reader.get_strings(root, file, "transports"));
  TT_TRY_ASSIGN(const toml::table* target, reader.get_table(root, file, "target"));
  TT_TRY_ASSIGN(device.target, read_target(reader, *target));
  TT_TRY_ASSIGN(device.caches, read_caches(reader, root));
  TT_TRY_ASSIGN(device.memories, read_memories(reader, root, device.caches));
  TT_TRY_ASSIGN(const toml::table* placement, reader.get_table(root, file, "placement"));
  TT_TRY(read_placement(reader, *placement, device));
  TT_TRY_ASSIGN(const toml::table* timing, reader.get_table(root, file, "timing"));
  TT_TRY_ASSIGN(device.timing, read_timing(reader, *timing));
  device.hash = hash_of(device);
  return device;
}

}  // namespace

Result<Device> parse_device(std::string_view toml, std::string_view origin) {
  try {
    const toml::table root = toml::parse(toml, origin);
    return read_device(Reader(origin), root);
  } catch (const toml::parse_error& error) {
    return Error(ErrorCode::kInvalidInput, std::string(origin) + ":" +
                                               std::to_string(error.source().begin.line) + ": " +
                                               std::string(error.description()));
  }
}

}  // namespace tinytune
