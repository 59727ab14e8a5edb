#include "tuner/prior_logs.h"

#include <iterator>

#include "records/log_merge.h"

namespace tinytune {
namespace {

using Measurements = std::vector<Measurement>;

/// Returns the device's measurements of one log, and reports ignored lines and records to `sink`.
Result<Measurements> heard_from(const std::string& path, const Device& device,
                                const MessageSink& sink) {
  TT_TRY_ASSIGN(LogContents found, read_log(path));
  const auto tell = [&](size_t records, const std::string& why) {
    if (records > 0 && sink)
      sink(MessageKind::kWarning, path + ": " + std::to_string(records) + " " + why);
  };
  tell(found.skipped_lines, "damaged line(s) left out (first: " + found.first_skipped + ")");
  tell(std::erase_if(found.measurements,
                     [&](const Measurement& m) { return m.device != device.name; }),
       "record(s) of other devices than " + device.name + " left out");
  return std::move(found.measurements);
}

}  // namespace

Status begin_with(const std::vector<std::string>& priors, const Device& device, LogWriter& log,
                  LogContents& contents, const MessageSink& sink) {
  Measurements all = contents.measurements;
  for (const std::string& path : priors) {
    TT_TRY_ASSIGN(Measurements heard, heard_from(path, device, sink));
    std::move(heard.begin(), heard.end(), std::back_inserter(all));
  }
  all = without_repetitions(all);
  if (contents.measurements.empty()) {
    for (const Measurement& m : all) TT_TRY(log.append(m));
    contents.measurements = std::move(all);
    return ok_status();
  }
  const size_t known = without_repetitions(contents.measurements).size();
  if (all.size() > known && sink)
    sink(MessageKind::kWarning,
         std::to_string(all.size() - known) +
             " record(s) of prior logs are left out, as this run's log is not new; "
             "name a new one to begin with them");
  return ok_status();
}

}  // namespace tinytune
