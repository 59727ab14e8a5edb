#include <nlohmann/json.hpp>

#include "records/formats/clock.h"
#include "records/formats/formats.h"
#include "schedules/schedule.h"

namespace tinytune {
namespace {

using Json = nlohmann::ordered_json;

/// The schema's six ways in which a configuration can be valid or not.
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

}  // namespace

Result<std::string> to_t4(std::span<const Measurement> measurements, const DeviceOf& device_of) {
  Json results = Json::array();
  for (const Measurement& m : measurements) {
    TT_TRY_ASSIGN(const Device device, device_of(m.device));
    TT_TRY_ASSIGN(const double clock_hz, clock_of(device));
    TT_TRY_ASSIGN(const Schedule schedule, parse_schedule(m.schedule));
    results.push_back(result_of(m, schedule, clock_hz));
  }
  const Json all = {{"schema_version", "1.0.0"}, {"results", std::move(results)}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace tinytune
