#include "tuner/prescreen.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>

#include "deploy/knowledge/applicable_records.h"
#include "records/log.h"
#include "rpc_device/boards/open_board.h"
#include "tuner/own_search.h"
#include "tuner/tuning_order.h"

namespace tinytune {
namespace {

/// Share of the time budget for the simulator; the rest is for the board.
constexpr double kSearchShare = 0.8;

/// Proposes a fixed list of points, best first.
class ShortList final : public Strategy {
 public:
  ShortList(std::vector<size_t> points, Fidelity stage)
      : points_(points.begin(), points.end()), stage_(stage) {}

  std::optional<Proposal> propose() override {
    if (points_.empty()) return std::nullopt;
    const size_t point = points_.front();
    points_.pop_front();
    return Proposal{point, stage_};
  }
  void observe(const Observation& observation) override { std::erase(points_, observation.point); }

 private:
  std::deque<size_t> points_;
  const Fidelity stage_;
};

/// Returns the default point, then the simulator's fastest ones in order; at most `most`.
std::vector<size_t> promising_of(const TuningTask& task, const Records& simulated, size_t most) {
  std::vector<const Measurement*> ranked = simulated.of(task.workload);
  std::erase_if(ranked, [](const Measurement* m) { return !m->median_cycles(); });
  std::ranges::stable_sort(ranked, {}, [](const Measurement* m) { return *m->median_cycles(); });
  std::vector<size_t> points = {task.default_point};
  for (const Measurement* m : ranked) {
    if (points.size() == most) break;
    const auto schedule = parse_schedule(m->schedule);
    const auto point = schedule ? task.space.find(*schedule) : std::nullopt;
    if (point && *point != task.default_point) points.push_back(*point);
  }
  return points;
}

/// Returns the order of the board's run. Its trials are the log's trials of these tasks plus the
/// listed points that the log lacks.
Order order_of(const std::vector<TuningTask>& tasks, const Records& simulated,
               const RunSettings& settings, const Records& records) {
  std::vector<std::unique_ptr<Strategy>> lists;
  uint64_t trials = 0;
  for (const TuningTask& task : tasks) {
    std::vector<size_t> points = promising_of(task, simulated, settings.promising);
    trials += records.tally(task.workload).trials;
    for (const size_t point : points)
      trials += records.find(task.workload, to_text(task.space.schedule(point))) == nullptr ? 1 : 0;
    lists.push_back(std::make_unique<ShortList>(std::move(points), settings.fidelity));
  }
  return {Trajectory(tasks, std::move(lists)), trials};
}

}  // namespace

Result<TuneReport> tune_prescreened(const Model& model, const std::string& device_name,
                                    const TuneOptions& options) {
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_name));
  if (address.is_simulator())
    return Error(ErrorCode::kInvalidInput, "'" + device_name +
                                               "' is a simulator; --prescreen is for boards, such "
                                               "as " +
                                               device_name + "@gdb:localhost:3333");
  if (address.is_program())
    return Error(ErrorCode::kUnsupported, address.device + " has no simulator to search on");
  TuneOptions search = options;
  search.listen.clear();  // remote workers have boards
  if (search.workers == 0) search.workers.reset();
  if (search.budget_seconds) *search.budget_seconds *= kSearchShare;
  TT_TRY_ASSIGN(const TuneReport simulated, tune_model(model, address.device, search));
  if (options.on_message)
    options.on_message(MessageKind::kInfo, "searched on the simulator; now the " +
                                               std::to_string(kPromising) +
                                               " best of each task on the board");
  TuneOptions measure = options;
  measure.early_stop.reset();
  if (measure.budget_seconds) *measure.budget_seconds -= simulated.seconds;
  const RunSettings settings{.tuner = name_of_tuner(options), .promising = kPromising};
  return tune_in_order(model, device_name, options, settings,
                       [&](const std::vector<TuningTask>& tasks, const Device& device,
                           const RunSettings& run, const Records& records) -> Result<Order> {
                         TT_TRY_ASSIGN(LogContents contents, read_log(options.records));
                         const Records found = applicable_records(
                             std::move(contents), options.records, device, Fidelity::kSimulate, {});
                         return order_of(tasks, found, run, records);
                       });
}

}  // namespace tinytune
