#include "cli/batch_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <filesystem>
#include <set>

#include "base/files.h"
#include "deploy/selection/layouts.h"
#include "rpc_device/boards/open_board.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kLargestFile = 1 << 20;

Error bad(const std::string& why) { return Error(ErrorCode::kInvalidInput, why); }

Result<std::vector<std::string>> texts(const toml::table& table, const char* key) {
  const toml::array* array = table[key].as_array();
  std::vector<std::string> all;
  if (array != nullptr)
    for (const toml::node& node : *array)
      if (const auto text = node.value<std::string>()) all.push_back(*text);
  if (array == nullptr || all.empty() || all.size() != array->size())
    return bad(std::string(key) + " is not a list of texts");
  return all;
}

/// Reads a whole number of at least `least`, if the key is present.
Status read_count(const toml::table& table, const char* key, int64_t least,
                  std::optional<uint64_t>& to) {
  if (!table.contains(key)) return ok_status();
  const auto value = table[key].value_exact<int64_t>();
  if (!value || *value < least)
    return bad(fmt::format("{} is not a whole number of at least {}", key, least));
  to = static_cast<uint64_t>(*value);
  return ok_status();
}

/// Reads "90", "60s", "5m" or "2h", or a number of seconds, if the key is present.
Status read_duration(const toml::table& table, const char* key, std::optional<double>& to) {
  if (!table.contains(key)) return ok_status();
  if (const auto seconds = table[key].value_exact<int64_t>(); seconds && *seconds > 0) {
    to = static_cast<double>(*seconds);
    return ok_status();
  }
  const auto text = table[key].value_exact<std::string>();
  size_t digits = 0;
  while (text && digits < text->size() && (*text)[digits] >= '0' && (*text)[digits] <= '9')
    ++digits;
  const std::string unit = text ? text->substr(digits) : "";
  const double scale = unit == "s" || unit.empty() ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (!text || digits == 0 || digits > 9 || scale == 0)
    return bad(std::string(key) + " is not a time like 90, \"5m\" or \"2h\"");
  to = std::stod(text->substr(0, digits)) * scale;
  return ok_status();
}

/// Reads the tuning settings of a table. Keys that are neither settings nor in `others` are errors.
Status read_settings(const toml::table& table, const std::set<std::string>& others,
                     TuneOptions& options) {
  static const std::set<std::string> kKnown = {"layout",   "ram",        "arena",         "flash",
                                               "fast_ram", "tuner",      "seed",          "trials",
                                               "budget",   "early_stop", "board_patience"};
  for (const auto& [key, value] : table)
    if (!kKnown.contains(std::string(key.str())) && !others.contains(std::string(key.str())))
      return bad("unknown key " + std::string(key.str()));
  if (table.contains("layout")) {
    TT_TRY_ASSIGN(options.layout, parse_layout_policy(table["layout"].value_or(std::string())));
  }
  if (table.contains("tuner")) options.tuner = table["tuner"].value_or(std::string());
  std::optional<uint64_t> seed;
  TT_TRY(read_count(table, "seed", 0, seed));
  options.seed = seed.value_or(options.seed);
  TT_TRY(read_count(table, "ram", 1, options.limits.ram_bytes));
  TT_TRY(read_count(table, "arena", 1, options.limits.arena_bytes));
  TT_TRY(read_count(table, "flash", 1, options.limits.flash_bytes));
  TT_TRY(read_count(table, "fast_ram", 0, options.limits.fast_ram_bytes));
  TT_TRY(read_count(table, "trials", 1, options.trials));
  TT_TRY(read_count(table, "early_stop", 1, options.early_stop));
  TT_TRY(read_duration(table, "budget", options.budget_seconds));
  std::optional<double> patience;
  TT_TRY(read_duration(table, "board_patience", patience));
  options.board_patience_seconds = patience.value_or(options.board_patience_seconds);
  return ok_status();
}

struct Setting {
  std::string name;
  TuneOptions options;
};

Result<std::vector<Setting>> settings_of(const toml::table& table) {
  TuneOptions common;
  TT_TRY(read_settings(table, {"models", "devices", "directory", "settings"}, common));
  if (!table.contains("settings")) return std::vector<Setting>{{"", common}};
  const toml::array* list = table["settings"].as_array();
  if (list == nullptr) return bad("settings are tables: [[settings]]");
  std::vector<Setting> all;
  for (const toml::node& node : *list) {
    const toml::table* own = node.as_table();
    if (own == nullptr) return bad("settings are tables: [[settings]]");
    Setting setting{(*own)["name"].value_or(std::string()), common};
    if (setting.name.empty()) return bad("a setting has no name");
    const Status read = read_settings(*own, {"name"}, setting.options);
    if (!read) return read.error().within("setting " + setting.name);
    all.push_back(std::move(setting));
  }
  return all;
}

/// Returns the device's part of a run's name: device or device file, and a board's address, because
/// a batch may have several boards.
std::string run_name_of(const std::string& address) {
  const std::string device = device_part(address);
  std::string name = fs::path(device).stem().string();
  for (const char c : address.substr(device.size())) name += c == '/' ? '_' : c;
  return name;
}

Result<Batch> batch_of(const toml::table& table, const fs::path& folder) {
  TT_TRY_ASSIGN(const auto models, texts(table, "models"));
  TT_TRY_ASSIGN(const auto devices, texts(table, "devices"));
  TT_TRY_ASSIGN(const auto settings, settings_of(table));
  Batch batch{(folder / table["directory"].value_or(std::string("night"))).string(), {}};
  std::set<std::string> names;
  for (const std::string& model : models)
    for (const std::string& named : devices)
      for (const Setting& setting : settings) {
        const std::string device = canonical_board_address(named);
        BatchRun run{fs::path(model).stem().string() + "." + run_name_of(device) +
                         (setting.name.empty() ? "" : "." + setting.name),
                     (folder / model).string(), device, setting.options};
        // Paths of device files are relative to the batch file.
        if (device_part(device).ends_with(".toml")) run.device = (folder / device).string();
        if (!names.insert(run.name).second) return bad("two runs are called " + run.name);
        batch.runs.push_back(std::move(run));
      }
  return batch;
}

}  // namespace

Result<Batch> read_batch(const std::string& path) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kLargestFile));
  try {
    const toml::table table = toml::parse(text_of(bytes), path);
    auto batch = batch_of(table, fs::path(path).parent_path());
    if (!batch) return batch.error().within(path);
    return batch;
  } catch (const toml::parse_error& error) {
    return Error(ErrorCode::kInvalidInput, path + ":" + std::to_string(error.source().begin.line) +
                                               ": " + std::string(error.description()));
  }
}

}  // namespace tinytune
