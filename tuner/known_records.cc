#include "tuner/known_records.h"

#include "templates/kernel_template.h"

namespace tinytune {

bool is_current(const Schedule& schedule) { return find_template(schedule).has_value(); }

Records applicable_records(const LogContents& contents, const std::string& path,
                           const Device& device, const MessageSink& sink) {
  Records records(contents.measurements, device.hash, is_current);
  if (sink && contents.skipped_lines > 0) {
    sink(MessageKind::kWarning, path + ": " + std::to_string(contents.skipped_lines) +
                                    " damaged line(s) skipped (first: " + contents.first_skipped +
                                    ")");
  }
  if (sink && !records.ignored_message().empty())
    sink(MessageKind::kWarning, path + ": " + records.ignored_message());
  return records;
}

}  // namespace tinytune
