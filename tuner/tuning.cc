#include "tinytune/tuning.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "codegen/networks/network_memory.h"
#include "deploy/knowledge/applicable_records.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/arena_limit.h"
#include "deploy/selection/fitting.h"
#include "deploy/selection/layouts.h"
#include "devices/device.h"
#include "records/log.h"
#include "rpc_device/boards/open_board.h"
#include "rpc_device/fleet/address.h"
#include "search/strategy.h"
#include "tuner/filter_by_arena.h"
#include "tuner/own_search.h"
#include "tuner/prior.h"
#include "tuner/prior_logs.h"
#include "tuner/session.h"
#include "tuner/strip_tasks.h"
#include "tuner/trajectory.h"
#include "tuner/tuning_order.h"
#include "tuner/worker_queue.h"

namespace tinytune {
namespace {

constexpr uint64_t kTrialsPerTask = 64;

/// Larger values are taken for typing errors.
constexpr uint64_t kWidestWindow = 4096;

/// Longer budgets would overflow the clock's type.
constexpr double kLongestBudgetSeconds = 10.0 * 365 * 24 * 3600;

constexpr int kMostPatience = 7 * 24 * 3600;  // seconds

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Error invalid(std::string message) { return Error(ErrorCode::kInvalidInput, std::move(message)); }

Result<std::vector<int>> selected_tasks(const Model& model, const std::vector<Task>& tasks,
                                        const TuneOptions& options) {
  const int count = static_cast<int>(tasks.size());
  if (count == 0) {
    return Error(ErrorCode::kUnsupported,
                 model.path() + ": no convolution, depthwise convolution or dense layer to tune");
  }
  if (options.tasks.empty()) {
    std::vector<int> all(static_cast<size_t>(count));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }
  for (int task : options.tasks) {
    if (task < 0 || task >= count) {
      return invalid("there is no task " + std::to_string(task) + "; the model has " +
                     std::to_string(count));
    }
  }
  const std::set<int> each(options.tasks.begin(),
                           options.tasks.end());  // once, in the model's order
  return std::vector<int>(each.begin(), each.end());
}

Status check_options(const TuneOptions& options) {
  if (options.records.empty()) return invalid("no log is named");
  if (options.trials && *options.trials == 0) return invalid("trials must be above zero");
  if (options.early_stop && *options.early_stop == 0)
    return invalid("early stopping must be above zero");
  if (options.budget_seconds &&
      !(*options.budget_seconds > 0 && *options.budget_seconds <= kLongestBudgetSeconds))
    return invalid("the time budget must be above zero, and at most ten years");
  TT_TRY(options.search ? check_own_search(*options.search) : check_strategy(options.tuner));
  TT_TRY(require_positive(options.limits));
  if (options.window < 1 || options.window > kWidestWindow)
    return invalid("the window must be from 1 to " + std::to_string(kWidestWindow));
  if (options.workers && *options.workers < 0) return invalid("workers must be >= 0");
  if (options.workers && *options.workers > kMostWorkers)
    return invalid("more than " + std::to_string(kMostWorkers) + " workers");
  if (!(options.board_patience_seconds >= 0 && options.board_patience_seconds <= kMostPatience))
    return invalid("the patience with a board must be from 0 to " + std::to_string(kMostPatience) +
                   " seconds");
  if (!options.listen.empty()) {
    if (const auto address = parse_address(options.listen); !address)
      return address.error().within("--listen");
  }
  if (options.workers && *options.workers == 0 && options.listen.empty())
    return invalid("without workers of its own the run must listen for others: add --listen");
  return ok_status();
}

/// Returns the sum over the layers of all tasks; nothing while one layer has no value. If a layer
/// is in two tasks (one per layout), `pick` chooses between their values.
template <typename CyclesOf, typename Pick>
std::optional<uint64_t> network_cycles(const std::vector<TuningTask>& tasks, CyclesOf cycles_of,
                                       Pick pick) {
  std::map<std::pair<int, std::string>, std::optional<uint64_t>> by_layer;  // or strip of one
  for (const TuningTask& task : tasks) {
    Workload workload = task.task->workload;
    workload.layout = Layout::kNhwc;
    for (size_t i = 0; i < task.task->layers.size(); ++i) {
      std::optional<uint64_t> cycles = cycles_of(task);
      if (cycles && !task.task->calls.empty())
        *cycles *= static_cast<uint64_t>(task.task->calls[i]);
      const auto [at, is_first] =
          by_layer.try_emplace({task.task->layers[i], to_text(workload)}, cycles);
      if (!is_first) at->second = pick(at->second, cycles);
    }
  }
  uint64_t sum = 0;
  for (const auto& [layer, cycles] : by_layer) {
    if (!cycles) return std::nullopt;
    sum += *cycles;
  }
  return sum;
}

using Cycles = std::optional<uint64_t>;
Cycles first_of(const Cycles& a, const Cycles&) { return a; }
Cycles fewer_of(const Cycles& a, const Cycles& b) { return !a || (b && *b < *a) ? b : a; }

std::optional<uint64_t> cycles_of(const Measurement* measurement) {
  return measurement == nullptr ? std::nullopt : measurement->median_cycles();
}

std::optional<uint64_t> default_cycles(const TuningTask& task, const Records& records) {
  return cycles_of(records.find(task.workload, to_text(task.space.schedule(task.default_point))));
}

/// Converts the session's ticks to progress reports for the caller.
class ProgressReporter {
 public:
  ProgressReporter(const TuneOptions& options, const std::vector<TuningTask>& tasks,
                   const SessionLimits& limits, const Device& device)
      : options_(options), tasks_(tasks), limits_(limits), device_(device) {}

  void tick(const Records& records, uint64_t measured, bool reported) {
    if (!options_.on_progress) return;
    if (!first_) first_ = Clock::now();
    if (!reported) return;
    TuneProgress p;
    for (const TuningTask& task : tasks_) {
      const Records::Tally tally = records.tally(task.workload);
      p.trials += tally.trials;
      p.valid += tally.valid;
    }
    p.trials_total = limits_.trials;
    p.measured = measured;
    p.clock_hz = device_.clock_hz;
    p.best_cycles = network_cycles(
        tasks_, [&](const TuningTask& task) { return cycles_of(records.best(task.workload)); },
        fewer_of);
    const double elapsed = seconds_since(*first_);
    if (elapsed > 0) p.trials_per_second = static_cast<double>(measured) / elapsed;
    if (p.trials_per_second > 0) {
      const uint64_t left = limits_.trials > p.trials ? limits_.trials - p.trials : 0;
      p.seconds_left = static_cast<double>(left) / p.trials_per_second;
    }
    if (limits_.budget_seconds) {
      const double left = std::max(0.0, *limits_.budget_seconds - seconds_since(limits_.started));
      p.seconds_left = std::min(p.seconds_left.value_or(left), left);
    }
    p.task = task_progress(records);
    options_.on_progress(p);
  }

 private:
  std::optional<TaskProgress> task_progress(const Records& records) const {
    const std::string& latest = records.all().back().workload;
    for (const TuningTask& task : tasks_) {
      if (task.workload != latest) continue;
      return TaskProgress{.index = task.index,
                          .name = task.task->name,
                          .trials = records.tally(latest).trials,
                          .default_cycles = default_cycles(task, records),
                          .best_cycles = cycles_of(records.best(latest))};
    }
    return std::nullopt;
  }

  const TuneOptions& options_;
  const std::vector<TuningTask>& tasks_;
  const SessionLimits& limits_;
  const Device& device_;
  std::optional<Clock::time_point> first_;
};

void say_doubts(const std::vector<Doubt>& doubts, const std::vector<TuningTask>& tasks,
                const TuneOptions& options) {
  if (!options.on_message) return;
  for (const Doubt& doubt : doubts) {
    const TuningTask& task = tasks[doubt.task];
    const MeasureResult& now = doubt.now;
    options.on_message(MessageKind::kWarning,
                       "task " + std::to_string(task.index) + " (" + task.task->name +
                           "): its best kernel is in " + options.records + " with " +
                           std::to_string(doubt.logged_cycles) + " cycles; measured once more it " +
                           (now.cycles.empty() ? "is " + std::string(name_of(now.outcome)) +
                                                     (now.detail.empty() ? "" : ", " + now.detail)
                                               : "takes " + std::to_string(median_of(now.cycles))) +
                           "; do not trust that record");
  }
}

TuneReport report_of(const std::vector<TuningTask>& tasks, const Records& records,
                     const Device& device, const std::vector<Doubt>& doubts) {
  const auto best_now = [&](const TuningTask& task) {
    for (const Doubt& doubt : doubts)
      if (&tasks[doubt.task] == &task)
        return doubt.now.cycles.empty() ? Cycles() : Cycles(median_of(doubt.now.cycles));
    return cycles_of(records.best(task.workload));
  };
  TuneReport report;
  for (const TuningTask& task : tasks) {
    TaskResult result{task.index, task.task->name, task.task->layers, {}, {}, {}, 0, 0};
    const Records::Tally tally = records.tally(task.workload);
    result.trials = tally.trials;
    result.valid = tally.valid;
    result.default_cycles = default_cycles(task, records);
    result.best_cycles = best_now(task);
    if (const Measurement* best = records.best(task.workload))
      result.best_schedule = best->schedule;
    report.tasks.push_back(std::move(result));
  }
  report.default_cycles = network_cycles(
      tasks, [&](const TuningTask& task) { return default_cycles(task, records); }, first_of);
  report.best_cycles = network_cycles(tasks, best_now, fewer_of);
  report.clock_hz = device.clock_hz;
  return report;
}

Status check_valid_candidates(const std::vector<TuningTask>& tasks, const Records& records) {
  for (const TuningTask& task : tasks) {
    const Records::Tally tally = records.tally(task.workload);
    if (tally.trials == 0 || tally.valid > 0) continue;
    const Measurement* last = records.of(task.workload).back();
    return Error(ErrorCode::kFailed,
                 "task " + std::to_string(task.index) + " (" + task.task->name +
                     "): no valid candidate in " + std::to_string(tally.trials) +
                     " trials; the last one: " + std::string(name_of(last->outcome)) +
                     (last->detail.empty() ? "" : ", " + last->detail.str()));
  }
  return ok_status();
}

void say_prior(const Prior& prior, const TuneOptions& options) {
  if (prior.used() == 0 || !options.on_message) return;
  options.on_message(MessageKind::kInfo, options.records + ": " + std::to_string(prior.used()) +
                                             " record(s) of " + std::to_string(prior.workloads()) +
                                             " other task(s) warm the search");
}

void say_strips(const NetworkOptions& network, const TuneOptions& options) {
  if (network.strips.empty() || !options.on_message) return;
  std::string groups;
  for (const StripGroup& group : network.strips)
    groups += (groups.empty() ? "" : ", ") + std::to_string(group.first) + " to " +
              std::to_string(group.last);
  options.on_message(MessageKind::kInfo, "whole tensors do not fit: operators " + groups +
                                             " run in strips, whose kernels are tuned");
}

/// Checks that the records allow a network within the limits.
Status check_limits(const Model& model, const Device& device, const Records& records,
                    const TuneOptions& options, NetworkOptions network) {
  LayoutChoice layouts(options.layout, device, records);
  network.name = model.info().name;
  network.layouts = layouts.source();
  const ArenaAllowance arena = arena_allowance(options.limits);
  const auto generated = generate_within(model.state().network, device, records,
                                         {.arena_bytes = arena.bytes,
                                          .flash_bytes = options.limits.flash_bytes,
                                          .arena_says = arena.says},
                                         network);
  TT_TRY(layouts.status());
  if (!generated) return generated.error().within(model.path());
  return ok_status();
}

}  // namespace

Result<TuneReport> tune_model(const Model& model, const std::string& device_name,
                              const TuneOptions& options) {
  return tune_in_order(
      model, device_name, options, {.tuner = name_of_tuner(options)},
      [&](const auto& tasks, const Device& device, const RunSettings& settings,
          const Records& records) -> Result<Order> {
        const uint64_t trials = options.trials.value_or(kTrialsPerTask * tasks.size());
        if (options.search) {
          TT_TRY_ASSIGN(auto own,
                        own_strategies(*options.search, tasks, settings, options.on_message));
          return Order{Trajectory(tasks, std::move(own)), trials};
        }
        const auto prior = std::make_shared<const Prior>(
            records.all(), tasks, run_identity(tasks, device, settings), device);
        say_prior(*prior, options);
        TT_TRY_ASSIGN(Trajectory trajectory, Trajectory::create(tasks, device, settings, prior));
        return Order{std::move(trajectory), trials};
      });
}

Result<TuneReport> tune_in_order(const Model& model, const std::string& device_name,
                                 const TuneOptions& options, RunSettings settings,
                                 const OrderSource& order_of) {
  const auto started = Clock::now();
  TT_TRY(check_options(options));
  TT_TRY_ASSIGN(const BoardAddress address, parse_board_address(device_name));
  TT_TRY_ASSIGN(Device device, load_device(address.device));
  const Fidelity fidelity = address.is_simulator() ? Fidelity::kSimulate : Fidelity::kBoard;
  if (options.limits.fast_ram_bytes == 0) device = in_flash(std::move(device));
  const std::vector<Task> all = tasks_in(model.state().tasks, options.layout);
  TT_TRY_ASSIGN(const std::vector<int> selected, selected_tasks(model, all, options));
  TT_TRY_ASSIGN(auto tasks, make_tuning_tasks(all, selected, device));
  TT_TRY_ASSIGN(LogWriter log, LogWriter::open(options.records));
  const auto tuned =
      tuned_tasks(model, device, options.limits, options.layout, options.on_message, all, selected);
  if (!tuned) return tuned.error().within(model.path());
  if (!tuned->options.strips.empty()) {
    say_strips(tuned->options, options);
    TT_TRY_ASSIGN(tasks, make_tuning_tasks(tuned->tasks, tuned->selected, device));
  }
  LogContents contents = log.take_contents();
  if (!options.priors.empty())
    TT_TRY(begin_with(options.priors, device, log, contents, options.on_message));
  Records records = applicable_records(std::move(contents), options.records, device, fidelity,
                                       options.on_message);
  ArenaAllowance arena = arena_allowance(options.limits);
  if (arena.bytes) arena.bytes = std::min(*arena.bytes, tuned->arena_bytes);
  arena.bytes = arena_limit(model.state().network, device, tuned->options, arena.bytes);
  TT_TRY(filter_by_arena(network_memory(model.state().network, tuned->options), device, arena,
                         tasks, records));
  settings.seed = options.seed;
  settings.window = options.window;
  settings.fidelity = fidelity;
  TT_TRY_ASSIGN(Order order, order_of(tasks, device, settings, records));

  SessionLimits limits;
  limits.trials = order.trials;
  limits.budget_seconds = options.budget_seconds;
  limits.early_stop = options.early_stop;
  limits.started = started;
  limits.cancel = options.cancel;
  ProgressReporter progress(options, tasks, limits, device);
  Session session(tasks, device, log, records);
  const auto start = [&] { return WorkerQueue::start(tasks, device, device_name, options); };
  uint64_t new_measurements = 0;
  const auto ended = session.run(std::move(order.trajectory), settings, limits, start,
                                 [&](const Records& now, uint64_t measured, bool reported) {
                                   new_measurements = measured;
                                   progress.tick(now, measured, reported);
                                 });
  const std::string kept =
      "; " + std::to_string(new_measurements) + " new measurements are in " + options.records;
  if (!ended && new_measurements > 0)
    return Error(ended.error().code(), ended.error().message() + kept);
  TT_TRY_ASSIGN(const SessionEnd end, ended);
  if (end.interrupted) return Error(ErrorCode::kInterrupted, "interrupted" + kept);
  say_doubts(end.doubts, tasks, options);
  TT_TRY(check_valid_candidates(tasks, records));
  if (arena_allowance(options.limits).bytes || options.limits.flash_bytes)
    TT_TRY(check_limits(model, device, records, options, tuned->options));
  TuneReport report = report_of(tasks, records, device, end.doubts);
  report.records = options.records;
  report.measured = end.measured;
  report.exhausted = end.exhausted;
  report.stopped_early = end.stopped_early;
  report.seconds = seconds_since(started);
  report.times = end.times;
  return report;
}

}  // namespace tinytune
