#include "deploy/knowledge/applicable_records.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "deploy/selection/arena_limit.h"
#include "deploy/selection/layouts.h"
#include "rpc_device/boards/open_board.h"
#include "templates/kernel_template.h"
#include "templates/least_cycles.h"

namespace tinytune {

namespace {

// Turns records with impossibly few cycles into failed candidates, so that a continued run does not
// measure them again. Ignores workloads that do not parse; that is noticed elsewhere.
void set_aside_impossible(std::vector<Measurement>& measurements, const std::string& path,
                          const Device& device, const MessageSink& sink) {
  std::unordered_map<std::string, uint64_t> least_of;  // by workload
  std::string first;
  size_t count = 0;
  for (Measurement& m : measurements) {
    const auto cycles = m.median_cycles();
    if (!cycles || m.device_hash != device.hash) continue;
    const auto [least, is_new] = least_of.try_emplace(m.workload, 1);
    if (is_new)
      if (const auto workload = parse_workload(m.workload.str()))
        least->second = least_cycles(*workload, device);
    if (*cycles >= least->second) continue;
    if (count++ == 0)
      first = std::to_string(*cycles) + " where " + std::to_string(least->second) +
              " are the least: " + m.workload.str();
    m.outcome = Outcome::kCrashed;
    m.cycles.clear();
    m.detail = "fewer cycles than the layer's multiplications take";
  }
  if (count > 0 && sink)
    sink(MessageKind::kWarning, path + ": " + std::to_string(count) +
                                    " record(s) not trusted: fewer cycles than the layer's "
                                    "multiplications take (first: " +
                                    first + ")");
}

}  // namespace

Records applicable_records(LogContents contents, const std::string& path, const Device& device,
                           Fidelity fidelity, const MessageSink& sink) {
  std::unordered_map<std::string, ConfigSpace> spaces;  // cache by workload
  const auto is_current = [&](const std::string& text, const Schedule& schedule) {
    if (!find_template(schedule)) return false;
    auto space = spaces.find(text);
    if (space == spaces.end()) {
      const Result<Workload> workload = parse_workload(text);
      space = spaces.emplace(text, workload ? space_of(*workload, device) : ConfigSpace()).first;
    }
    return space->second.find(schedule).has_value();
  };
  set_aside_impossible(contents.measurements, path, device, sink);
  Records records(std::move(contents.measurements),
                  {.device_hash = device.hash, .fidelity = fidelity}, is_current);
  if (sink && contents.skipped_lines > 0) {
    sink(MessageKind::kWarning, path + ": " + std::to_string(contents.skipped_lines) +
                                    " damaged line(s) skipped (first: " + contents.first_skipped +
                                    ")");
  }
  if (sink && !records.ignored_message().empty())
    sink(MessageKind::kWarning, path + ": " + records.ignored_message());
  return records;
}

Result<Ground> load_ground(const std::string& device_name, const MemoryLimits& limits,
                           const std::optional<std::string>& path, const MessageSink& sink,
                           bool portable) {
  TT_TRY(require_positive(limits));
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_name));
  TT_TRY_ASSIGN(Device device, load_device(address.device));
  if (portable) device = with_portable_kernels(std::move(device));
  Ground ground{limits.fast_ram_bytes == 0 ? in_flash(device) : with_open_boundary(device), {}, 0};
  if (!path) return ground;
  Result<LogContents> contents = read_log(*path);
  if (!contents) return contents.error().within("--records");
  Device measured = ground.device;
  // Prefers the board's own records for a board's address, else those of the simulator.
  Fidelity fidelity = address.is_simulator() ? Fidelity::kSimulate : Fidelity::kBoard;
  const auto has_records = [&] {
    return std::any_of(contents->measurements.begin(), contents->measurements.end(),
                       [&](const Measurement& m) { return m.device_hash == measured.hash; });
  };
  std::string doubt;
  bool in_other_memory = false;
  if (!has_records()) {
    measured = device;
    in_other_memory = has_records();
    doubt =
        "nothing was measured in flash (tune --fast-ram 0); the fastest in fast memory are "
        "counted there";
  }
  if (!has_records()) {
    for (const Measurement& m : contents->measurements)
      if (m.device == device.name) measured.hash = m.device_hash;  // the latest one wins
    doubt = "measured with another description of " + device.name +
            "; the order of its schedules is taken from there";
  }
  if (sink && !doubt.empty() && has_records()) sink(MessageKind::kWarning, *path + ": " + doubt);
  const bool has_fidelity = std::any_of(
      contents->measurements.begin(), contents->measurements.end(), [&](const Measurement& m) {
        return m.device_hash == measured.hash && m.fidelity == fidelity;
      });
  if (!has_fidelity && has_records()) {
    const bool simulated = fidelity == Fidelity::kSimulate;
    fidelity = simulated ? Fidelity::kBoard : Fidelity::kSimulate;
    if (sink)
      sink(MessageKind::kInfo, *path + ": its cycles are " +
                                   (simulated ? "a board's, not the simulator's"
                                              : "the simulator's, not this board's"));
  }
  ground.in_log = contents->measurements.size();
  ground.records = applicable_records(std::move(contents).value(), *path, measured, fidelity, sink);
  if (in_other_memory) ground.records.set_of_other_memory();
  return ground;
}

void say_how_records_match(const Ground& ground, const std::vector<Task>& tasks,
                           const std::optional<std::string>& path, const MessageSink& sink) {
  if (!sink || !path) return;
  std::map<std::vector<int>, int> matches;  // by layers: a task exists once per layout
  for (const Task& task : tasks_in(tasks, LayoutPolicy::kAuto)) {
    const std::string workload = to_text(task.workload);
    const int match = ground.records.tally(workload).trials > 0    ? 2
                      : !ground.records.of_shape(workload).empty() ? 1
                                                                   : 0;
    int& best = matches.try_emplace(task.layers, 0).first->second;
    best = std::max(best, match);
  }
  const auto count = [&](int match) {
    return std::to_string(
        std::ranges::count_if(matches, [&](const auto& task) { return task.second == match; }));
  };
  if (count(1) != "0")
    sink(MessageKind::kInfo, *path + ": of " + std::to_string(matches.size()) + " task(s) " +
                                 count(2) + " have records of their own, " + count(1) +
                                 " use those of the same shape with other zero points or bounds, " +
                                 count(0) + " have none");
  if (std::ranges::any_of(matches, [](const auto& task) { return task.second > 0; })) return;
  sink(MessageKind::kWarning, *path + ": 0 of " + std::to_string(ground.in_log) +
                                  " records match this model on " + ground.device.name +
                                  "; every layer gets its default schedule");
}

}  // namespace tinytune
