// tune advise: one model on every device that can be simulated.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>
#include <tuple>
#include <utility>

#include "base/forked_work.h"
#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "cli/units.h"
#include "deploy/advice.h"
#include "deploy/deployment/slow_work.h"
#include "devices/device.h"
#include "tinytune/tinytune.h"

namespace tinytune {
namespace {

using namespace options;

struct AdviseArguments : Arguments {
  std::optional<double> most_milliseconds;  ///< limit for one inference
};

using Json = nlohmann::ordered_json;

constexpr const char* kFast = "fast memory";
constexpr const char* kFlash = "all in flash";

/// Makes a row, as JSON because worker processes return rows as text.
Json row_of(const Device& device, const char* setup, const Advice& advice) {
  Json row = {{"name", device.name}, {"setup", setup}, {"fits", advice.fits}};
  const bool runs = advice.fits && advice.takes;
  const auto ms = runs ? milliseconds(advice.takes->cycles, device.clock_hz) : std::nullopt;
  row["milliseconds"] = ms ? Json(*ms) : Json();
  row["cycles"] = runs ? Json(advice.takes->cycles) : Json();
  row["ram_bytes"] = advice.takes ? Json(advice.takes->ram_bytes()) : Json();
  row["flash_bytes"] =
      advice.takes && advice.takes->flash_bytes > 0 ? Json(advice.takes->flash_bytes) : Json();
  row["ram_limit_bytes"] = advice.ram_limit;
  row["flash_limit_bytes"] = advice.flash_limit;
  row["short_of_ram_bytes"] = advice.missing_ram;
  row["short_of_flash_bytes"] = advice.missing_flash;
  row["short_by_bytes"] = advice.missing_ram + advice.missing_flash;
  row["too_slow_by_milliseconds"] = 0;
  row["refusal"] = advice.fits ? Json() : Json(advice.refusal);
  return row;
}

/// Returns the rows of both set-ups of a device, which are equal if it has no fast memory.
Json rows_of(const Model& model, const std::string& name, const Device& device,
             MemoryLimits limits) {
  const auto in_setup = [&](const char* setup) {
    const Result<Advice> advice = advise(model, name, limits);
    Advice failed;
    if (!advice) failed.refusal = advice.error().message();
    return row_of(device, setup, advice ? *advice : failed);
  };
  Json fast = in_setup(kFast), flash = fast;
  limits.fast_ram_bytes = 0;
  flash["setup"] = kFlash;
  if (in_flash(device).hash != device.hash) flash = in_setup(kFlash);
  return Json::array({std::move(fast), std::move(flash)});
}

void compare_with_limit(Json& row, std::optional<double> most) {
  const Json& ms = row["milliseconds"];
  if (!most || !ms.is_number() || ms.get<double>() <= *most) return;
  row["too_slow_by_milliseconds"] = ms.get<double>() - *most;
  row["fits"] = false;
}

/// Orders rows: fitting devices by latency, then the others by missing bytes. Devices without a
/// clock come last in each group.
bool before(const Json& a, const Json& b) {
  const auto key = [](const Json& row) {
    const bool has_time = row["milliseconds"].is_number();
    return std::tuple(!row["fits"].get<bool>(), row["short_by_bytes"].get<uint64_t>(), !has_time,
                      has_time ? row["milliseconds"].get<double>() : 0,
                      row["cycles"].is_number() ? row["cycles"].get<uint64_t>() : 0);
  };
  return key(a) < key(b);
}

/// Returns the named device, or all that can be simulated.
Result<std::vector<Device>> devices_of(const std::string& named) {
  std::vector<Device> devices;
  for (const std::string& name : named.empty() ? known_devices() : std::vector{named}) {
    TT_TRY_ASSIGN(Device device, load_device(name));
    const auto& transports = device.transports;
    const bool simulated =
        std::find(transports.begin(), transports.end(), "simulator") != transports.end();
    if (!simulated && !named.empty())
      return Error(ErrorCode::kUnsupported,
                   name + " has no simulator; without --device all that have one are compared");
    if (simulated) devices.push_back(std::move(device));
  }
  return devices;
}

/// Groups indices into `devices` by core, because devices with one core share compilations. The
/// largest group comes first, so that no worker starts it last.
std::vector<std::vector<size_t>> by_core(const std::vector<Device>& devices) {
  std::map<std::vector<std::string>, std::vector<size_t>> groups;
  for (size_t i = 0; i < devices.size(); ++i)
    groups[clang_arguments(devices[i].target)].push_back(i);
  std::vector<std::vector<size_t>> all;
  for (auto& [core, group] : groups) all.push_back(std::move(group));
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.size() > b.size(); });
  return all;
}

Result<Json> all_rows(const AdviseArguments& arguments, const Console& console) {
  TT_TRY_ASSIGN(const Model model, Model::load(arguments.model, arguments.loading()));
  TT_TRY_ASSIGN(const std::vector<Device> devices, devices_of(arguments.device));
  const std::vector<std::vector<size_t>> groups = by_core(devices);
  const MessageSink sink = console.sink();
  SlowWork work(sink);
  const auto answers = divide_work(
      groups.size(),
      static_cast<size_t>(std::max(
          1, arguments.workers.value_or(static_cast<int>(std::thread::hardware_concurrency())))),
      [&](size_t g) {
        Json rows = Json::array();
        for (const size_t i : groups[g])
          for (Json& row :
               rows_of(model, arguments.device.empty() ? devices[i].name : arguments.device,
                       devices[i], arguments.limits()))
            rows.push_back(std::move(row));
        return rows.dump(-1, ' ', false, Json::error_handler_t::replace);
      },
      [&](size_t done) {
        work.step([&] { return fmt::format("{} of {} cores", done, groups.size()); });
      });
  Json rows = Json::array();
  for (size_t g = 0; g < groups.size(); ++g) {
    if (!answers[g]) return answers[g].error().within(devices[groups[g].front()].name);
    for (Json& row : Json::parse(*answers[g])) {
      compare_with_limit(row, arguments.most_milliseconds);
      rows.push_back(std::move(row));
    }
  }
  std::stable_sort(rows.begin(), rows.end(), before);
  return rows;
}

std::string bytes_text(const Json& value) {
  return value.is_number() ? grouped(value.get<uint64_t>()) : "-";
}

std::string verdict(const Json& row) {
  const auto left = [&](const char* limit, const char* takes) {
    const auto most = row[limit].get<uint64_t>();
    return grouped(most - std::min(most, row[takes].get<uint64_t>()));
  };
  if (row["fits"] == true)
    return fmt::format("yes, leaves {} RAM, {} flash", left("ram_limit_bytes", "ram_bytes"),
                       left("flash_limit_bytes", "flash_bytes"));
  if (const auto ms = row["too_slow_by_milliseconds"].get<double>(); ms > 0)
    return fmt::format("no, {:.2f} ms too slow", ms);
  std::string lacks;
  for (const auto& [key, memory] :
       {std::pair("short_of_ram_bytes", " RAM"), {"short_of_flash_bytes", " flash"}})
    if (row[key] != 0) lacks += (lacks.empty() ? "" : ", ") + bytes_text(row[key]) + memory;
  return lacks.empty() ? "no: " + row["refusal"].get<std::string>() : "no, lacks " + lacks;
}

std::vector<std::string> cells_of(const Json& row) {
  const Json& ms = row["milliseconds"];
  return {row["name"],
          row["setup"],
          ms.is_number() ? fmt::format("{:.2f}", ms.get<double>()) : "-",
          bytes_text(row["cycles"]),
          bytes_text(row["ram_bytes"]),
          bytes_text(row["flash_bytes"]),
          verdict(row)};
}

/// Returns a table, with one line for a device whose set-ups do not differ.
std::string to_text(const Json& rows) {
  constexpr size_t kSetup = 1;
  std::vector<std::vector<std::string>> lines;
  for (const Json& row : rows) {
    std::vector<std::string> cells = cells_of(row);
    if (!lines.empty()) {
      const std::string setup = std::exchange(cells[kSetup], lines.back()[kSetup]);
      if (cells == lines.back()) {
        lines.back()[kSetup] = "either";
        continue;
      }
      cells[kSetup] = setup;
    }
    lines.push_back(std::move(cells));
  }
  Table table({"device", "set-up", "ms", "cycles", "RAM", "flash", "fits"});
  for (std::vector<std::string>& line : lines) table.add(std::move(line));
  return table.text() +
         "untuned and simulated, as `tune run` has it; RAM and flash: all bytes that a firmware "
         "gives to the network\n";
}

int run_advise(const AdviseArguments& arguments, const Context& context) {
  const Console& console = context.console;
  const Result<Json> rows = all_rows(arguments, console);
  if (!rows) return console.fail(rows.error());
  const bool any =
      std::any_of(rows->begin(), rows->end(), [](const Json& row) { return row["fits"] == true; });
  const int told =
      console.result(arguments.json ? Json{{"devices", *rows}}.dump(2) : to_text(*rows));
  if (any) return told;
  console.message(MessageKind::kWarning,
                  fmt::format("{} fits no device; the nearest is {}, {}: {}", arguments.model,
                              (*rows)[0]["name"].get<std::string>(),
                              (*rows)[0]["setup"].get<std::string>(), verdict((*rows)[0])));
  return kExitFailed;
}

}  // namespace

Command advise_command() {
  return {
      .name = "advise",
      .summary = "Say on which devices a model fits, and how fast it is untuned",
      .options = {model(),
                  optional(device(), "all that can be simulated"),
                  ram(),
                  flash(),
                  {.names = "--max-ms",
                   .field = own(&AdviseArguments::most_milliseconds),
                   .value = "T",
                   .help = "Limit in milliseconds on an inference; devices without a clock pass",
                   .otherwise = "any",
                   .syntax = Syntax::kMilliseconds},
                  workers(),
                  disable_pass(),
                  external(),
                  input_type(),
                  state(),
                  json(),
                  quiet()},
      .examples =
          "Every device with a simulator, with weights and code in fast memory as far as they\n"
          "fit and with all in flash; figures are those of `tune run`. Exit code 1 where it\n"
          "fits none.\n"
          "\n"
          "Examples:\n"
          "  tune advise --model kws.tflite\n"
          "  tune advise --model kws.tflite --ram 64K --max-ms 30",
      .does = does<run_advise>()};
}

}  // namespace tinytune
