// query_log(): what a log holds, in public types.
#include <map>
#include <utility>

#include "deploy/known_records.h"
#include "devices/device.h"
#include "records/log.h"
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

/// Cycles compare between records of one workload, measured in one way on one description of a
/// device.
std::vector<Measurement> best_of(const std::vector<Measurement>& all) {
  std::map<std::tuple<uint64_t, Fidelity, std::string>, size_t> best;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto cycles = all[i].median_cycles();
    if (!cycles) continue;
    const auto [at, is_first] =
        best.try_emplace({all[i].device_hash, all[i].fidelity, all[i].workload}, i);
    if (!is_first && *cycles < *all[at->second].median_cycles()) at->second = i;
  }
  std::vector<bool> kept(all.size(), false);
  for (const auto& [key, index] : best) kept[index] = true;
  std::vector<Measurement> found;
  for (size_t i = 0; i < all.size(); ++i)
    if (kept[i]) found.push_back(all[i]);
  return found;
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
  if (query.best_only) all = best_of(all);
  std::vector<LogRecord> found;
  for (const Measurement& m : all) found.push_back(public_form(m));
  return found;
}

}  // namespace tinytune
