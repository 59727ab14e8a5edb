#include "deploy/known_records.h"

#include <algorithm>
#include <map>

#include "templates/kernel_template.h"

namespace tinytune {

Records applicable_records(const LogContents& contents, const std::string& path,
                           const Device& device, const MessageSink& sink) {
  std::map<std::string, ConfigSpace> spaces;  // by workload: made once, they take milliseconds
  const auto is_current = [&](const std::string& text, const Schedule& schedule) {
    if (!find_template(schedule)) return false;
    auto space = spaces.find(text);
    if (space == spaces.end()) {
      const Result<Workload> workload = parse_workload(text);
      space = spaces.emplace(text, workload ? space_of(*workload, device) : ConfigSpace()).first;
    }
    return space->second.find(schedule).has_value();
  };
  Records records(contents.measurements, {.device_hash = device.hash}, is_current);
  if (sink && contents.skipped_lines > 0) {
    sink(MessageKind::kWarning, path + ": " + std::to_string(contents.skipped_lines) +
                                    " damaged line(s) skipped (first: " + contents.first_skipped +
                                    ")");
  }
  if (sink && !records.ignored_message().empty())
    sink(MessageKind::kWarning, path + ": " + records.ignored_message());
  return records;
}

Result<Records> load_records(const std::optional<std::string>& path, const Device& device,
                             const MessageSink& sink) {
  if (!path) return Records();
  const Result<LogContents> contents = read_log(*path);
  if (!contents) return contents.error().within("--records");
  return applicable_records(*contents, *path, device, sink);
}

Result<Ground> load_ground(const std::string& device_name, const MemoryLimits& limits,
                           const std::optional<std::string>& path, const MessageSink& sink) {
  TT_TRY_ASSIGN(const Device device, load_device(device_name));
  const bool flash_alone = limits.fast_ram_bytes == 0;
  Ground ground{flash_alone ? in_flash(device) : device, {}};
  if (!path) return ground;
  const Result<LogContents> contents = read_log(*path);
  if (!contents) return contents.error().within("--records");
  const auto measured_on = [&](const Device& where) {
    return std::any_of(contents->measurements.begin(), contents->measurements.end(),
                       [&](const Measurement& m) { return m.device_hash == where.hash; });
  };
  const bool in_fast_memory = flash_alone && !measured_on(ground.device) && measured_on(device);
  if (in_fast_memory && sink)
    sink(MessageKind::kInfo, *path +
                                 ": nothing was measured in flash (tune --fast-ram 0); taken "
                                 "from what was measured in fast memory");
  ground.records =
      applicable_records(*contents, *path, in_fast_memory ? device : ground.device, sink);
  return ground;
}

}  // namespace tinytune
