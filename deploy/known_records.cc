#include "deploy/known_records.h"

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

}  // namespace tinytune
