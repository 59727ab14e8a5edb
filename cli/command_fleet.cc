// tune fleet: a run's workers and boards, seen from elsewhere until the run ends.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/table.h"
#include "rpc_device/fleet/fleet_view.h"

namespace tinytune {
namespace {

constexpr std::chrono::seconds kLook{1};
constexpr int kPatienceMs = 10'000;

std::string duties(const WorkerView& worker) {
  if (worker.runs_on.empty()) return "builds";
  return (worker.builds ? "builds, " : "") + worker.runs_on;
}

std::string percent_busy(const WorkerView& worker) {
  const double all_ms = worker.busy_ms + worker.idle_ms;
  return all_ms > 0 ? fmt::format("{:.0f} %", 100 * worker.busy_ms / all_ms) : "-";
}

std::string picture_of(const FleetView& fleet) {
  std::string text = fmt::format(
      "{}, build {}; {:.0f} s; jobs: {} waiting, {} leased, {} done, {} redone\n", fleet.device,
      fleet.build, fleet.run_ms / 1000, fleet.waiting, fleet.leased, fleet.done, fleet.redone);
  Table table({"worker", "runs on", "state", "for", "jobs", "a minute", "busy", "faults", "lease"});
  for (const WorkerView& worker : fleet.workers)
    table.add({worker.name.empty() ? "-" : worker.name, duties(worker), worker.state,
               worker.job.empty() ? "-" : fmt::format("{:.1f} s", worker.lease_ms / 1000),
               std::to_string(worker.jobs), fmt::format("{:.1f}", worker.rate()),
               percent_busy(worker), std::to_string(worker.faults),
               worker.job.empty() ? "-" : worker.job});
  text += table.text();
  for (const WorkerView& worker : fleet.workers)
    if (!worker.trouble.empty())
      text += fmt::format("{}{}: {}\n", worker.quarantined ? "quarantine: " : "", duties(worker),
                          worker.trouble);
  return text;
}

nlohmann::ordered_json json_of(const WorkerView& worker) {
  return {{"worker", worker.name},
          {"builds", worker.builds},
          {"runs_on", worker.runs_on},
          {"state", worker.state},
          {"lease", worker.job},
          {"lease_seconds", worker.lease_ms / 1000},
          {"jobs", worker.jobs},
          {"jobs_per_minute", worker.rate()},
          {"busy_seconds", worker.busy_ms / 1000},
          {"idle_seconds", worker.idle_ms / 1000},
          {"faults", worker.faults},
          {"quarantined", worker.quarantined},
          {"trouble", worker.trouble}};
}

std::string json_of(const FleetView& fleet) {
  auto workers = nlohmann::ordered_json::array();
  for (const WorkerView& worker : fleet.workers) workers.push_back(json_of(worker));
  return nlohmann::ordered_json{{"device", fleet.device},
                                {"build", fleet.build},
                                {"seconds", fleet.run_ms / 1000},
                                {"jobs",
                                 {{"waiting", fleet.waiting},
                                  {"leased", fleet.leased},
                                  {"done", fleet.done},
                                  {"redone", fleet.redone}}},
                                {"workers", std::move(workers)}}
      .dump(2);
}

}  // namespace

int run_fleet(const Arguments& arguments, const Context& context) {
  const auto window = FleetWindow::open(arguments.connect, arguments.keys.value_or(""));
  if (!window) return context.console.fail(window.error());
  const bool once = arguments.once || arguments.json || isatty(STDOUT_FILENO) != 1;
  for (bool first = true; !*context.cancel; first = false) {
    const auto fleet = (*window)->look(kPatienceMs);
    if (!fleet && !first && fleet.error().code() == ErrorCode::kFailed) {
      context.console.message(MessageKind::kInfo, "the run is over");
      return 0;
    }
    if (!fleet) return context.console.fail(fleet.error());
    if (once) return context.console.result(arguments.json ? json_of(*fleet) : picture_of(*fleet));
    std::fputs(kClearScreen, stdout);
    const int told = context.console.result(picture_of(*fleet));
    if (told != 0) return told;
    std::this_thread::sleep_for(kLook);
  }
  return 0;
}

}  // namespace tinytune
