#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "records/formats/clock.h"
#include "records/formats/formats.h"
#include "schedules/schedule.h"

namespace tinytune {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "1.0.0";

/// Returns the schema's word, one of six, for a configuration's validity.
const char* invalidity_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "correct";
    case Outcome::kDoesNotFit:
      return "constraints";
    case Outcome::kBuildFailed:
      return "compile";
    case Outcome::kBuildTimeout:
    case Outcome::kRunTimeout:
      return "timeout";
    case Outcome::kWrongOutput:
      return "correctness";
    case Outcome::kCrashed:
    case Outcome::kLost:
      return "runtime";
  }
  return "runtime";
}

Json result_of(const Measurement& m, const Schedule& schedule, double clock_hz) {
  Json configuration = {
      {"device", m.device},
      {"workload", m.workload},
      {"template", schedule.template_name() + "/" + std::to_string(schedule.version())}};
  for (const auto& [knob, value] : schedule.knobs()) configuration[knob] = value;
  constexpr double kMilliseconds = 1e3;
  Json runtimes = Json::array();
  for (const uint64_t cycles : m.cycles)
    runtimes.push_back(static_cast<double>(cycles) * kMilliseconds / clock_hz);
  Json measurements = Json::array();
  if (const auto cycles = m.median_cycles()) {
    measurements.push_back({{"name", "time"},
                            {"value", static_cast<double>(*cycles) * kMilliseconds / clock_hz},
                            {"unit", "ms"}});
    measurements.push_back({{"name", "cycles"}, {"value", *cycles}, {"unit", "cycles"}});
    measurements.push_back(
        {{"name", "instructions"}, {"value", m.instructions}, {"unit", "instructions"}});
    measurements.push_back({{"name", "ram"}, {"value", m.ram_bytes}, {"unit", "B"}});
    measurements.push_back({{"name", "code"}, {"value", m.code.code_bytes}, {"unit", "B"}});
  }
  return {{"timestamp", m.time},
          {"configuration", std::move(configuration)},
          {"objectives", Json::array({"time"})},
          {"times", {{"framework", m.seconds * kMilliseconds}, {"runtimes", std::move(runtimes)}}},
          {"invalidity", invalidity_of(m.outcome)},
          {"correctness", m.outcome == Outcome::kOk ? 1.0 : 0.0},
          {"measurements", std::move(measurements)}};
}

/// Returns the string at `key`; empty if there is none.
std::string text_at(const Json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : "";
}

/// Returns the outcome for a word of the schema; if several map to it, the most common one.
std::optional<Outcome> outcome_of(const std::string& invalidity) {
  for (const Outcome outcome : {Outcome::kOk, Outcome::kDoesNotFit, Outcome::kBuildFailed,
                                Outcome::kRunTimeout, Outcome::kWrongOutput, Outcome::kCrashed})
    if (invalidity == invalidity_of(outcome)) return outcome;
  return std::nullopt;
}

/// Returns the value of a measurement; 0 if there is none.
uint64_t measured_in(const Json& result, std::string_view name) {
  const auto all = result.find("measurements");
  if (all == result.end() || !all->is_array()) return 0;
  for (const Json& one : *all)
    if (one.is_object() && text_at(one, "name") == name && one.contains("value") &&
        one["value"].is_number_unsigned())
      return one["value"].get<uint64_t>();
  return 0;
}

/// Returns the schedule's text, such as "lanes_nhwc/2 oc=2 pairs=3": template, then knobs in order.
Result<std::string> schedule_of(const Json& configuration) {
  std::string text = text_at(configuration, "template");
  for (const auto& [knob, value] : configuration.items()) {
    if (knob == "device" || knob == "workload" || knob == "template") continue;
    if (!value.is_string())
      return Error(ErrorCode::kInvalidInput, "knob '" + knob + "' is no text");
    text += " " + knob + "=" + value.get<std::string>();
  }
  TT_TRY_ASSIGN(const Schedule schedule, parse_schedule(text));
  return to_text(schedule);
}

Result<Measurement> measurement_of(const Json& result, const DeviceOf& device_of) {
  const auto configuration = result.is_object() ? result.find("configuration") : result.end();
  if (!result.is_object() || configuration == result.end() || !configuration->is_object())
    return Error(ErrorCode::kInvalidInput, "no configuration");
  Measurement m;
  m.device = text_at(*configuration, "device");
  m.workload = text_at(*configuration, "workload");
  if (m.device.empty() || m.workload.empty() || text_at(*configuration, "template").empty())
    return Error(ErrorCode::kUnsupported,
                 "a configuration without device, workload and template is another tool's, and "
                 "describes no kernel of this one");
  TT_TRY_ASSIGN(m.schedule, schedule_of(*configuration));
  TT_TRY_ASSIGN(const Device device, device_of(m.device));
  m.device_hash = device.hash;
  const std::optional<Outcome> outcome = outcome_of(text_at(result, "invalidity"));
  const uint64_t cycles = measured_in(result, "cycles");
  if (!outcome || (*outcome == Outcome::kOk) != (cycles > 0))
    return Error(ErrorCode::kInvalidInput, "its invalidity and its cycles do not fit each other");
  m.outcome = *outcome;
  if (cycles > 0) m.cycles = {cycles};
  m.instructions = measured_in(result, "instructions");
  m.ram_bytes = measured_in(result, "ram");
  m.code.code_bytes = measured_in(result, "code");
  m.time = text_at(result, "timestamp");
  m.tool = "T4 " + std::string(kSchema);
  return m;
}

}  // namespace

bool looks_like_t4(std::string_view text) {
  const Json all = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  return all.is_object() && all.contains("schema_version");
}

Result<std::vector<Measurement>> from_t4(std::string_view text, const std::string& origin,
                                         const DeviceOf& device_of) {
  const Json all = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (!all.is_object() || text_at(all, "schema_version") != kSchema || !all.contains("results") ||
      !all["results"].is_array())
    return Error(ErrorCode::kInvalidInput, origin + ": not results of T4 " + std::string(kSchema));
  std::vector<Measurement> found;
  for (const Json& result : all["results"]) {
    auto measurement = measurement_of(result, device_of);
    if (!measurement)
      return measurement.error().within(origin + ": result " + std::to_string(found.size() + 1));
    found.push_back(std::move(*measurement));
  }
  return found;
}

Result<std::string> to_t4(std::span<const Measurement> measurements, const DeviceOf& device_of) {
  Json results = Json::array();
  for (const Measurement& m : measurements) {
    TT_TRY_ASSIGN(const Device device, device_of(m.device));
    TT_TRY_ASSIGN(const double clock_hz, clock_of(device));
    TT_TRY_ASSIGN(const Schedule schedule, parse_schedule(m.schedule));
    results.push_back(result_of(m, schedule, clock_hz));
  }
  const Json all = {{"schema_version", kSchema}, {"results", std::move(results)}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tinytune
