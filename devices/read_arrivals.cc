// Reads [[arrival]]: units that copy constants out of flash without the core.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "devices/base_device.h"
#include "devices/device_reader.h"
#include "devices/embedded_devices.h"

namespace tinytune::internal {
namespace {

// The engines of codegen/networks/arrival_text.cc and simulator/arrival.cc.
struct Engine {
  std::string_view name;
  bool locks_flash = false;
};
constexpr std::array<Engine, 4> kEngines = {
    {{"rp2040_stream"}, {"rp2350_stream"}, {"rp2040_burst", true}, {"esp32c3_preload"}}};

constexpr size_t kMostWays = 8;
constexpr uint32_t kMostCycles = 10'000, kMostBytes = 256;

Result<ArrivalWay> read_way(const Reader& reader, const toml::table& table,
                            const std::vector<CacheModel>& caches) {
  const std::string in = "[[arrival]]";
  TT_TRY(reader.only(table, in,
                     {"name", "engine", "piece_bytes", "piece_cycles", "start_cycles",
                      "pause_cycles", "cache", "locks_flash", "source"}));
  ArrivalWay way;
  TT_TRY_ASSIGN(way.name, reader.get_name(table, in, "name"));
  TT_TRY_ASSIGN(way.engine, reader.get_name(table, in, "engine"));
  const auto* engine = std::find_if(kEngines.begin(), kEngines.end(),
                                    [&](const Engine& e) { return e.name == way.engine; });
  if (engine == kEngines.end())
    return reader.error(*table.get("engine"), "no engine is named '" + way.engine + "'");
  if (table.contains("locks_flash")) {
    TT_TRY_ASSIGN(way.locks_flash, reader.get<bool>(table, in, "locks_flash"));
  }
  if (way.locks_flash != engine->locks_flash)
    return reader.error(table, "arrival '" + way.name + "': " + way.engine +
                                   (engine->locks_flash ? " needs" : " does without") +
                                   " locks_flash = true");
  TT_TRY_ASSIGN(way.piece_bytes, reader.get_word(table, in, "piece_bytes"));
  TT_TRY_ASSIGN(way.piece_cycles, reader.get_word(table, in, "piece_cycles"));
  TT_TRY_ASSIGN(way.start_cycles, reader.get_word(table, in, "start_cycles"));
  TT_TRY_ASSIGN(way.pause_cycles, reader.get_word(table, in, "pause_cycles"));
  if (way.piece_bytes == 0 || way.piece_bytes % 4 != 0 || way.piece_bytes > kMostBytes ||
      way.piece_cycles == 0 ||
      std::max({way.piece_cycles, way.start_cycles, way.pause_cycles}) > kMostCycles)
    return reader.error(table, "arrival '" + way.name +
                                   "' needs pieces of whole words, 256 bytes at most, and 1 to "
                                   "10000 cycles for each");
  TT_TRY_ASSIGN(way.cache, reader.get<std::string>(table, in, "cache"));
  if (std::none_of(caches.begin(), caches.end(),
                   [&](const CacheModel& cache) { return cache.name == way.cache; }))
    return reader.error(*table.get("cache"), "no cache is named '" + way.cache + "'");
  TT_TRY_ASSIGN(way.source, reader.get_line(table, in, "source"));
  if (way.source.empty())
    return reader.error(table, "arrival '" + way.name + "' must cite its source");
  return way;
}

}  // namespace

Result<std::vector<ArrivalWay>> read_arrivals(const Reader& reader, const toml::table& root,
                                              const std::vector<CacheModel>& caches) {
  std::vector<ArrivalWay> ways;
  const toml::node* node = root.get("arrival");
  if (node == nullptr) return ways;
  if (!node->is_array_of_tables() || node->as_array()->size() > kMostWays)
    return reader.error(*node, "arrival must be [[arrival]] tables, 8 at most");
  for (const toml::node& element : *node->as_array()) {
    TT_TRY_ASSIGN(ArrivalWay way, read_way(reader, *element.as_table(), caches));
    for (const ArrivalWay& other : ways)
      if (other.name == way.name)
        return reader.error(element, "two ways of arrival are named '" + way.name + "'");
    ways.push_back(std::move(way));
  }
  return ways;
}

}  // namespace tinytune::internal

namespace tinytune {

Result<std::vector<ArrivalWay>> load_arrival_ways(std::string_view name_or_path) {
  TT_TRY_ASSIGN(const internal::DeviceText file, internal::find_device_text(name_or_path));
  TT_TRY_ASSIGN(const Device device, parse_device(file.text, file.origin));
  TT_TRY_ASSIGN(const toml::table root, internal::read_tables(file.text, file.origin));
  return internal::read_arrivals(internal::Reader(file.origin), root, device.caches);
}

}  // namespace tinytune
