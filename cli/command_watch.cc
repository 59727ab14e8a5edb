// tune watch: shows a run from another terminal. It only reads the log, so it cannot disturb the
// run; a log that no run writes is shown once.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cli/commands.h"
#include "cli/log_in_use.h"
#include "cli/shared_options.h"
#include "cli/sparkline.h"
#include "cli/table.h"
#include "cli/units.h"
#include "records/log.h"
#include "records/log_merge.h"

namespace tinytune {
namespace {

using namespace options;

constexpr std::chrono::milliseconds kLook{500};
constexpr size_t kBars = 24;

/// Returns the best cycles so far after each valid record of a workload.
std::vector<double> best_so_far(const std::vector<Measurement>& all, const WorkloadTally& of) {
  std::vector<double> best;
  for (const Measurement& m : all) {
    const auto cycles = m.median_cycles();
    if (!cycles || m.workload != of.workload || m.device != of.device) continue;
    const auto now = static_cast<double>(*cycles);
    best.push_back(best.empty() ? now : std::min(best.back(), now));
  }
  return best;
}

std::string picture_of(const std::vector<Measurement>& all) {
  Table table({"device", "trials", "valid", "first", "best", "gain", "best so far", "workload"});
  for (const WorkloadTally& t : tallies_of(all)) {
    const auto valid = t.outcomes.find(Outcome::kOk);
    table.add({t.device, std::to_string(t.trials),
               std::to_string(valid == t.outcomes.end() ? 0 : valid->second),
               t.first_cycles ? grouped(*t.first_cycles) : "-",
               t.best_cycles ? grouped(*t.best_cycles) : "-",
               speedup_text(t.first_cycles, t.best_cycles), sparkline(best_so_far(all, t), kBars),
               t.workload});
  }
  return fmt::format("{} records\n", all.size()) + table.text();
}

int run_watch(const Arguments& arguments, const Context& context) {
  const std::string& path = *arguments.records;
  const bool live = isatty(STDOUT_FILENO) == 1;
  size_t shown = 0;
  for (bool first = true; !*context.cancel; first = false) {
    const bool running = is_written(path);  // before reading: if false, the log is complete
    const Result<LogContents> contents = read_log(path);
    if (!contents) return context.console.fail(contents.error());
    const std::vector<Measurement>& all = contents->measurements;
    if (first || all.size() != shown) {
      shown = all.size();
      const std::string picture = picture_of(all);
      if (live) std::fputs(kClearScreen, stdout);
      const int told = context.console.result(picture);
      if (told != 0) return told;
    }
    if (!running) {
      if (!arguments.quiet) context.console.message(MessageKind::kInfo, "no run writes to " + path);
      return 0;
    }
    std::this_thread::sleep_for(kLook);
  }
  return 0;
}

}  // namespace

Command watch_command() {
  return {.name = "watch",
          .summary = "Show a run from another terminal",
          .options = {{.names = "LOGFILE",
                       .field = &Arguments::records,
                       .help = "Log that the run writes",
                       .required = true},
                      quiet()},
          .examples = "Example: tune watch kws.esp32c3.jsonl",
          .does = does<run_watch>(),
          .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
