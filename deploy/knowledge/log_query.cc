// query_log(): returns the records of a log in public types.
#include <utility>

#include "deploy/knowledge/applicable_records.h"
#include "devices/device.h"
#include "records/log.h"
#include "records/log_merge.h"
#include "tinytune/log.h"

namespace tinytune {
namespace {

LogRecord public_form(const Measurement& m) {
  return {.device = m.device,
          .workload = m.workload,
          .schedule = m.schedule,
          .outcome = std::string(name_of(m.outcome)),
          .cycles = m.median_cycles(),
          .instructions = m.instructions,
          .code_bytes = m.code.code_bytes,
          .ram_bytes = m.ram_bytes,
          .fidelity = std::string(name_of(m.fidelity)),
          .tuner = m.tuner,
          .tool = m.tool,
          .time = m.time,
          .detail = m.detail,
          .seconds = m.seconds};
}

}  // namespace

Result<std::vector<LogRecord>> query_log(const std::string& path, const LogQuery& query) {
  std::vector<Measurement> all;
  if (query.device.empty()) {
    TT_TRY_ASSIGN(LogContents contents, read_log(path));
    if (query.on_message && contents.skipped_lines > 0)
      query.on_message(MessageKind::kWarning,
                       path + ": " + std::to_string(contents.skipped_lines) +
                           " damaged line(s) skipped (first: " + contents.first_skipped + ")");
    all = std::move(contents.measurements);
  } else {
    TT_TRY_ASSIGN(Ground ground, load_ground(query.device, {}, path, query.on_message));
    all = ground.records.all();
  }
  if (!query.workload.empty())
    std::erase_if(all, [&](const Measurement& m) { return m.workload != query.workload; });
  if (query.best_only) all = best_of_each_workload(all);
  std::vector<LogRecord> found;
  for (const Measurement& m : all) found.push_back(public_form(m));
  return found;
}

}  // namespace tinytune
