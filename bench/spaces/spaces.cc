// Measures the spaces of some tasks exhaustively, thinned if they are large, and writes tables.
//
//   spaces [--folder DIR] [--models DIR] [--list]
//
// Resumes where it was stopped: complete tables are skipped, incomplete ones are completed. Cycles
// are the simulator's with the layer's own constants. The output is compared with the reference for
// one input only, not for all that a run would try, because a table makes no claim about kernels. A
// candidate may take ten times the cycles of its task's default.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "bench/spaces/space_table.h"
#include "bench/spaces/thinned_space.h"
#include "deploy/model/model_state.h"
#include "deploy/selection/layouts.h"
#include "measure/measurer.h"
#include "measure/test_cases.h"
#include "rpc_device/boards/simulator_board.h"
#include "tuner/tuning_task.h"

namespace tinytune::bench {
namespace {

namespace fs = std::filesystem;

struct Subject {
  const char* model;
  const char* file;
  int task;
  Layout layout;
  Half half;
  std::vector<const char*> devices;
  size_t most = 160;  ///< largest space that is not thinned, in points
};

// Together they use every template, and one network is complete on two kinds of core. Similar
// subjects are in different halves; both halves have layers for which a core has templates of its
// own.
std::vector<Subject> subjects() {
  constexpr const char *kRiscv = "esp32c3", *kDsp = "cortex-m4", *kPlain = "rp2040";
  constexpr Layout kHwc = Layout::kNhwc, kChw = Layout::kNchw;
  constexpr Half kTuning = Half::kTuning, kTest = Half::kTest;
  return {
      {"kws", "kws_ref_model", 1, kHwc, kTuning, {kRiscv, kDsp}, 240},
      {"kws", "kws_ref_model", 2, kHwc, kTest, {kRiscv, kDsp}},
      {"kws", "kws_ref_model", 0, kHwc, kTuning, {kRiscv, kDsp}},
      {"kws", "kws_ref_model", 3, kHwc, kTest, {kRiscv, kDsp}},
      {"vww", "vww_96_int8", 12, kHwc, kTuning, {kDsp}},
      {"vww", "vww_96_int8", 9, kHwc, kTest, {kRiscv, kDsp}},
      {"ad", "ad01_int8", 1, kHwc, kTuning, {kRiscv, kDsp}},
      {"ad", "ad01_int8", 7, kHwc, kTest, {kRiscv, kDsp}},
      {"ic", "pretrainedResnet_quant", 8, kHwc, kTuning, {kPlain}},
      {"ic", "pretrainedResnet_quant", 7, kHwc, kTest, {kRiscv, kDsp}},
      {"ic", "pretrainedResnet_quant", 4, kHwc, kTuning, {kRiscv, kPlain}},
      {"ic", "pretrainedResnet_quant", 1, kHwc, kTuning, {kDsp}},
      {"vww", "vww_96_int8", 3, kHwc, kTuning, {kPlain}},
      {"vww", "vww_96_int8", 4, kHwc, kTest, {kPlain}},
      {"kws", "kws_ref_model", 1, kChw, kTuning, {kRiscv}},
      {"kws", "kws_ref_model", 2, kChw, kTest, {kDsp}},
  };
}

constexpr uint64_t kSlowest = 10;  // times the default's cycles

struct Options {
  std::string folder = TINYTUNE_SOURCE_DIR "/bench/spaces/tables";
  std::string models = TINYTUNE_SOURCE_DIR "/../shared/models";
  bool list = false;
};

/// A subject on a device, with the data to measure it.
struct Work {
  SpaceTable table;
  TaskData data;
};

Result<Work> work_of(const Subject& subject, const Device& device, const Options& options) {
  TT_TRY_ASSIGN(const Model model, Model::load(options.models + "/" + subject.file + ".tflite"));
  Task task = model.state().tasks.at(static_cast<size_t>(subject.task));
  task.workload.layout = subject.layout;
  // As at the start of a run, but no arena limits the space.
  TT_TRY_ASSIGN(const std::vector<TuningTask> tuned, make_tuning_tasks({task}, {0}, device));
  const ConfigSpace& whole = tuned.front().space;
  std::vector<Schedule> defaults = {whole.schedule(tuned.front().default_point)};
  for (const size_t start : starts_in(whole, task.workload, device))
    if (start != tuned.front().default_point) defaults.push_back(whole.schedule(start));
  SpaceTable table;
  table.task = fmt::format("{}-{}{}", subject.model, subject.task,
                           subject.layout == Layout::kNchw ? "-nchw" : "");
  table.device = device.name;
  table.half = subject.half;
  table.workload = task.workload;
  table.layers = static_cast<int>(task.layers.size());
  table.whole_points = whole.size();
  table.space = thinned(whole, defaults, subject.most);
  for (const Schedule& schedule : defaults)
    if (const auto point = table.space.find(schedule)) table.defaults.push_back(*point);
  return Work{std::move(table), make_task_data(task.workload, task.data, 1)};
}

fs::path path_of(const SpaceTable& table, const Options& options) {
  return fs::path(options.folder) /
         fmt::format("{}.{}.{}.table", name_of(table.half), table.device, table.task);
}

class Measuring {
 public:
  Measuring(Builder& builder, Board& board, Work& work)
      : measurer_(builder, board), work_(work), digest_(work.data.digest()) {}

  Result<SpaceTable::Row> row(size_t point) {
    MeasureJob job;
    job.schedule = work_.table.space.schedule(point);
    job.limits.verify = false;
    if (limit_ > 0) job.limits.run_cycles = limit_;
    TT_TRY_ASSIGN(const MeasureResult result, measurer_.measure(work_.data, digest_, job));
    const uint64_t cycles = result.outcome == Outcome::kOk ? result.cycles.front() : 0;
    if (limit_ == 0) limit_ = kSlowest * cycles;  // the default comes first
    return SpaceTable::Row{result.outcome, cycles, result.code.code_bytes};
  }

 private:
  Measurer measurer_;
  Work& work_;
  Digest digest_;
  uint64_t limit_ = 0;
};

Status measure(Builder& builder, Board& board, Work& work, const Options& options) {
  SpaceTable& table = work.table;
  const fs::path path = path_of(table, options);
  if (fs::exists(path)) {
    TT_TRY_ASSIGN(table, read_table(path));
    if (table.complete()) return ok_status();
  } else {
    TT_TRY(write_file(path.string(), head_of(table)));
  }
  Measuring measuring(builder, board, work);
  TT_TRY_ASSIGN(table.rows[table.defaults.front()], measuring.row(table.defaults.front()));
  std::ofstream file(path, std::ios::app);
  for (size_t p = 0; p < table.space.size(); ++p) {
    if (table.rows.contains(p)) continue;
    TT_TRY_ASSIGN(table.rows[p], measuring.row(p));
    file << line_of(table, p, table.rows[p]) << std::flush;
  }
  std::string whole = head_of(table);
  for (const auto& [point, row] : table.rows) whole += line_of(table, point, row);
  return write_file(path.string(), whole);
}

Status run(const Options& options) {
  // Builders fork, so they start before this process has threads.
  for (const Subject& subject : subjects())
    for (const char* name : subject.devices) {
      TT_TRY_ASSIGN(const Device device, load_device(name));
      TT_TRY_ASSIGN(Work work, work_of(subject, device, options));
      if (!options.list) {
        TT_TRY_ASSIGN(Builder builder, Builder::start(device));
        TT_TRY_ASSIGN(const auto board, SimulatorBoard::create(device));
        if (const Status done = measure(builder, *board, work, options); !done)
          return done.error().within(work.table.task);
      }
      fmt::print("{:6} {:10} {:10} {:4} of {:5} points, best {}\n", name_of(subject.half), name,
                 work.table.task, work.table.space.size(), work.table.whole_points,
                 work.table.best().value_or(0));
      std::fflush(stdout);
    }
  return ok_status();
}

}  // namespace
}  // namespace tinytune::bench

int main(int argc, char** argv) {
  using namespace tinytune;
  bench::Options options;
  CLI::App app("Measures whole spaces of tasks, for bench/search to replay", "spaces");
  app.add_option("--folder", options.folder, "where the tables are")->check(CLI::ExistingDirectory);
  app.add_option("--models", options.models, "where the models are")->check(CLI::ExistingDirectory);
  app.add_flag("--list", options.list, "measure nothing, say how large the spaces are");
  CLI11_PARSE(app, argc, argv);
  const Status status = bench::run(options);
  if (status) return 0;
  fmt::print(stderr, "spaces: {}\n", status.error().message());
  return 1;
}
