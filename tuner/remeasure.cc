#include "tuner/remeasure.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "models/generated_constants.h"
#include "models/workload_description.h"
#include "tuner/tuning_task.h"
#include "tuner/worker_queue.h"

namespace tinytune {
namespace {

constexpr uint64_t kConstantsSeed = 1;
constexpr std::chrono::milliseconds kTick{100};

// Returns whether `strip` computes some rows of the layer, with the same constants.
bool is_strip_of(const Workload& strip, const Workload& layer) {
  Workload rows = layer;
  rows.in_h = strip.in_h;
  rows.out_h = strip.out_h;
  rows.pad_top = strip.pad_top;
  Workload turned = layer;  // rows and columns exchanged (codegen/passes/restate_layers.h)
  turned.in_w = strip.in_w;
  turned.out_w = strip.out_w;
  turned.pad_left = strip.pad_left;
  return rows == strip || turned == strip;
}

Result<Task> task_of(const std::string& workload, std::span<const Task> known) {
  for (const Task& task : known)
    if (to_text(task.workload) == workload) return task;
  TT_TRY_ASSIGN(const Workload parsed, parse_workload(workload));
  for (const Task& task : known)
    if (is_strip_of(parsed, task.workload))
      return Task{short_name(parsed), parsed, task.data, task.layers};
  TT_TRY_ASSIGN(LayerData data, generate_constants_with_facts(parsed, kConstantsSeed));
  return Task{short_name(parsed), parsed, std::move(data), {}};
}

/// The distinct workloads of the records, and the index of each record's workload.
struct Tasks {
  std::deque<Task> tasks;  ///< TuningTask points into it
  std::vector<TuningTask> tuning;
  std::vector<size_t> of_record;
};

Status collect(std::span<const Measurement> records, std::span<const Task> known,
               const Device& device, Tasks& to) {
  std::map<std::string, size_t> places;
  for (const Measurement& record : records) {
    const auto [at, is_new] = places.try_emplace(record.workload, to.tasks.size());
    to.of_record.push_back(at->second);
    if (!is_new) continue;
    auto task = task_of(record.workload, known);
    if (!task) return task.error().within(record.workload);
    to.tasks.push_back(std::move(*task));
    TT_TRY_ASSIGN(auto made, make_tuning_tasks({to.tasks.back()}, {0}, device));
    made.front().task = &to.tasks.back();
    to.tuning.push_back(std::move(made.front()));
  }
  return ok_status();
}

}  // namespace

Result<std::vector<Remeasured>> remeasure(std::span<const Measurement> records,
                                          std::span<const Task> known, const Device& device,
                                          const std::string& device_name,
                                          const TuneOptions& options) {
  Tasks tasks;
  TT_TRY(collect(records, known, device, tasks));
  TT_TRY_ASSIGN(const auto queue, WorkerQueue::start(tasks.tuning, device, device_name, options));
  std::map<uint64_t, size_t> record_of;  // by ticket
  for (size_t i = 0; i < records.size(); ++i) {
    TT_TRY_ASSIGN(const Schedule schedule, parse_schedule(records[i].schedule));
    record_of[queue->submit(tasks.of_record[i], schedule, records[i].fidelity)] = i;
  }
  std::vector<Remeasured> all;
  for (const Measurement& record : records) all.push_back({record, {}});
  while (!record_of.empty()) {
    if (options.cancel != nullptr && *options.cancel)
      return Error(ErrorCode::kInterrupted, "interrupted");
    TT_TRY_ASSIGN(std::optional<Finished> done, queue->wait(kTick));
    if (!done) continue;
    const auto at = record_of.find(done->ticket);
    if (at == record_of.end()) continue;
    all[at->second].now = std::move(done->result);
    record_of.erase(at);
  }
  return all;
}

}  // namespace tinytune
