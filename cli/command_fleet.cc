// tune fleet: shows a run's workers and boards from another terminal or machine until the run ends.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/commands.h"
#include "cli/shared_options.h"
#include "cli/table.h"
#include "rpc_device/fleet/fleet_view.h"

namespace tinytune {
namespace {

using namespace options;

struct FleetArguments : Arguments {
  std::string connect;  ///< an address
  bool once = false;
};

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

int run_fleet(const FleetArguments& arguments, const Context& context) {
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

}  // namespace

Command fleet_command() {
  return {.name = "fleet",
          .summary = "Show a run's workers and boards: what they do, how fast, what is wrong",
          .options = {{.names = "--connect",
                       .field = own(&FleetArguments::connect),
                       .value = "unix:PATH|HOST:PORT",
                       .help = "Tuner's address",
                       .required = true},
                      keys("Keys of `tune keys --scope view`, for a tuner that has some"),
                      {.names = "--once",
                       .field = own(&FleetArguments::once),
                       .help = "Print one snapshot and exit; so too where stdout is no terminal"},
                      json()},
          .examples =
              "It only looks: nothing of the run can be changed or slowed from here.\n"
              "\n"
              "Example: tune fleet --connect 192.168.1.7:9000 --keys keys/wall",
          .does = does<run_fleet>(),
          .interruption = Interruption::kIsFinished};
}

}  // namespace tinytune
