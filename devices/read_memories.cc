// Reads [[memory]] and [[cache]]: address ranges, rights, wait cycles and banks.
#include <set>

#include "devices/device_reader.h"

namespace tinytune::internal {
namespace {

// Limits far beyond any board that keep a device file from exhausting the host's memory.
constexpr uint32_t kLargestMemory = 256 << 20, kMostCacheLines = 1 << 16;
constexpr size_t kMostTables = 32;
constexpr uint32_t kMostBusCycles = 100;
constexpr size_t kMostBanks = 16;

bool is_power_of_two(uint32_t n) { return n != 0 && (n & (n - 1)) == 0; }

Result<CacheModel> read_cache(const Reader& reader, const toml::table& table) {
  const std::string name = "[[cache]]";
  TT_TRY(reader.only(
      table, name,
      {"name", "size_bytes", "line_bytes", "ways", "fill_bytes", "replacement", "source"}));
  CacheModel cache;
  TT_TRY_ASSIGN(cache.name, reader.get_name(table, name, "name"));
  TT_TRY_ASSIGN(cache.size_bytes, reader.get_word(table, name, "size_bytes"));
  TT_TRY_ASSIGN(cache.line_bytes, reader.get_word(table, name, "line_bytes"));
  TT_TRY_ASSIGN(cache.ways, reader.get_word(table, name, "ways"));
  TT_TRY_ASSIGN(cache.fill_bytes, reader.get_word(table, name, "fill_bytes"));
  TT_TRY_ASSIGN(cache.source, reader.get_line(table, name, "source"));
  TT_TRY_ASSIGN(const std::string rule, reader.get<std::string>(table, name, "replacement"));
  if (rule != "lru" && rule != "fifo")
    return reader.error(*table.get("replacement"), "replacement must be lru or fifo");
  if (rule == "fifo") cache.replacement = CacheModel::Replacement::kFifo;
  const uint64_t set_bytes = uint64_t{cache.line_bytes} * cache.ways;
  if (!is_power_of_two(cache.line_bytes) || !is_power_of_two(cache.fill_bytes) ||
      cache.fill_bytes > cache.line_bytes || cache.line_bytes / cache.fill_bytes > 32 ||
      set_bytes == 0 || cache.size_bytes == 0 || cache.size_bytes % set_bytes != 0 ||
      cache.size_bytes / cache.line_bytes > kMostCacheLines)
    return reader.error(table, "cache '" + cache.name +
                                   "' must be whole sets of lines, 65536 lines at most, its lines "
                                   "1 to 32 fills");
  return cache;
}

// Reads caches and waits. Only read-only memories may have caches: stores through a cache are not
// modelled.
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
  region.next_fill_cycles = region.fill_cycles;
  if (table.contains("next_fill_cycles")) {
    TT_TRY_ASSIGN(region.next_fill_cycles, reader.get_word(table, name, "next_fill_cycles"));
  }
  TT_TRY_ASSIGN(region.source, reader.get_line(table, name, "source"));
  const bool cached = !region.fetch_cache.empty() || !region.read_cache.empty();
  if (!cached && (region.fill_cycles > kMostBusCycles || table.contains("next_fill_cycles")))
    return reader.error(table, "memory '" + region.name +
                                   "' has no cache: fill_cycles, 100 at most, are the wait of a "
                                   "load, and it has no next_fill_cycles");
  if (cached && region.writable)
    return reader.error(table, "memory '" + region.name + "' is writable and cannot have caches");
  if (region.fill_cycles > 10'000 || region.source.empty())
    return reader.error(
        table, "memory '" + region.name + "' needs fill_cycles up to 10000 and their source");
  if (region.next_fill_cycles > region.fill_cycles)
    return reader.error(
        table, "memory '" + region.name + "' cannot have next_fill_cycles above its fill_cycles");
  return ok_status();
}

// Reads the banks; their number is a power of two, so that bits of the address select the bank.
Status read_banks(const Reader& reader, const toml::table& table, MemoryRegion& region) {
  if (!table.contains("banks")) return ok_status();
  TT_TRY_ASSIGN(region.banks, reader.get_strings(table, "[[memory]]", "banks"));
  const std::set<std::string> distinct(region.banks.begin(), region.banks.end());
  if (!is_power_of_two(static_cast<uint32_t>(region.banks.size())) ||
      region.banks.size() > kMostBanks || distinct.size() != region.banks.size() ||
      distinct.contains(""))
    return reader.error(*table.get("banks"), "the banks of memory '" + region.name +
                                                 "' must be 1, 2, 4, 8 or 16 names, each another");
  return ok_status();
}

}  // namespace

Result<std::vector<CacheModel>> read_caches(const Reader& reader, const toml::table& root) {
  std::vector<CacheModel> caches;
  const toml::node* node = root.get("cache");
  if (node == nullptr) return caches;
  if (!node->is_array_of_tables() || node->as_array()->size() > kMostTables)
    return reader.error(*node, "cache must be [[cache]] tables, 32 at most");
  for (const toml::node& element : *node->as_array()) {
    TT_TRY_ASSIGN(CacheModel cache, read_cache(reader, *element.as_table()));
    caches.push_back(std::move(cache));
  }
  return caches;
}

Result<std::vector<MemoryRegion>> read_memories(const Reader& reader, const toml::table& root,
                                                const std::vector<CacheModel>& caches,
                                                bool mapped) {
  const uint32_t step = mapped ? 4096 : 16;
  const toml::node* node = root.get("memory");
  if (node == nullptr) return reader.error(root, "missing key 'memory' in the file");
  if (!node->is_array_of_tables() || node->as_array()->size() > kMostTables)
    return reader.error(*node, "memory must be [[memory]] tables, 32 at most");
  std::vector<MemoryRegion> memories;
  for (const toml::node& element : *node->as_array()) {
    const toml::table& table = *element.as_table();
    const std::string name = "[[memory]]";
    TT_TRY(reader.only(table, name,
                       {"name", "address", "size_bytes", "executable", "writable", "fetch_cache",
                        "read_cache", "fill_cycles", "next_fill_cycles", "source", "banks"}));
    MemoryRegion region;
    TT_TRY_ASSIGN(region.name, reader.get_name(table, name, "name"));
    TT_TRY_ASSIGN(region.address, reader.get_word(table, name, "address"));
    TT_TRY_ASSIGN(region.size_bytes, reader.get_word(table, name, "size_bytes"));
    TT_TRY_ASSIGN(region.executable, reader.get<bool>(table, name, "executable"));
    TT_TRY_ASSIGN(region.writable, reader.get<bool>(table, name, "writable"));
    TT_TRY(read_speed(reader, table, caches, region));
    TT_TRY(read_banks(reader, table, region));
    const uint64_t end = uint64_t{region.address} + region.size_bytes;
    if (region.size_bytes == 0 || region.address % step != 0 || region.size_bytes % step != 0 ||
        region.size_bytes > kLargestMemory || end > uint64_t{1} << 32) {
      return reader.error(table, "memory '" + region.name + "' must be whole " +
                                     (mapped ? "4 KiB pages" : "paragraphs of 16 bytes") +
                                     " inside 32 bits, 256 MiB at most");
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

}  // namespace tinytune::internal
