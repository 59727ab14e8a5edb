#include "rpc_device/boards/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/rng.h"
#include "measure/builder.h"
#include "measure/runner.h"
#include "measure/test_cases.h"
#include "rpc_device/boards/doctor/core_checks.h"
#include "rpc_device/boards/remote_board.h"
#include "rpc_device/boards/simulator_board.h"
#include "schedules/weight_facts.h"
#include "templates/kernel_template.h"

namespace tinytune {
namespace {

constexpr int kRepeats = 11;
constexpr double kMostNoise = 0.02;
// Tolerated difference from the simulator's counts; its error on published programs is smaller.
constexpr double kMostDifference = 0.30;

// Makes a convolution with every kind of border, of some ten thousand cycles.
TaskData known_task() {
  Workload w;
  w.in_h = w.out_h = 7;
  w.in_w = w.out_w = 5;
  w.in_c = 4;
  w.out_c = 8;
  w.kernel_h = w.kernel_w = 3;
  w.pad_top = w.pad_left = 1;
  w.input_zero_point = 4;
  w.output_zero_point = -128;
  Rng rng(12);
  LayerData data;
  for (int64_t i = 0; i < w.weight_bytes(); ++i)
    data.weights.push_back(static_cast<int8_t>(static_cast<int>(rng.below(255)) - 127));
  for (int c = 0; c < w.out_c; ++c) {
    data.bias.push_back(static_cast<int32_t>(rng.below(4000)) - 2000);
    data.multiplier.push_back(int32_t{1} << 30);
    data.shift.push_back(-8);
  }
  w.facts = prove_facts(w, data);
  return make_task_data(w, data, 1);
}

struct KnownKernel {
  TaskData task;
  BuiltKernel kernel;
  uint64_t simulated_cycles = 0;
};

Result<KnownKernel> make_known_kernel(const Device& device) {
  KnownKernel known{known_task(), {}, 0};
  TT_TRY_ASSIGN(Builder builder, Builder::start(device));
  TT_TRY_ASSIGN(const Schedule schedule, default_schedule_of(known.task.workload, device));
  TT_TRY_ASSIGN(BuildReport built, builder.build(known.task, schedule, {}));
  if (built.outcome != Outcome::kOk)
    return Error(ErrorCode::kFailed, "the doctor's kernel does not build: " + built.detail);
  known.kernel = std::move(built.kernel);
  TT_TRY_ASSIGN(const auto simulator, SimulatorBoard::create(device));
  TT_TRY_ASSIGN(const RunResult run, run_candidate(*simulator, known.kernel, known.task, {}));
  if (run.result.outcome != Outcome::kOk)
    return Error(ErrorCode::kFailed, "the doctor's kernel is wrong: " + run.result.detail);
  known.simulated_cycles = run.result.cycles.front();
  return known;
}

// Checks a kernel's output, its cycles, and the spread of the cycles of equal calls.
Result<std::vector<Finding>> try_kernel(Board& board, const KnownKernel& known) {
  MeasureLimits limits;
  limits.repeats = kRepeats;
  TT_TRY_ASSIGN(const RunResult run, run_candidate(board, known.kernel, known.task, limits));
  if (run.result.outcome != Outcome::kOk)
    return std::vector<Finding>{
        {"kernel", false,
         "a convolution that is exact in the simulator is not here: " + run.result.detail}};
  std::vector<uint64_t> cycles = run.result.cycles;
  std::ranges::sort(cycles);
  const auto median = static_cast<double>(cycles[cycles.size() / 2]);
  const double more = median / static_cast<double>(known.simulated_cycles) - 1;
  const std::string counted = fmt::format("exact; {:.0f} cycles, {} in the simulator ({:+.1f} %)",
                                          median, known.simulated_cycles, 100 * more);
  const bool agrees = std::abs(more) <= kMostDifference;
  const double noise = static_cast<double>(cycles.back() - cycles.front()) / median;
  const std::string apart = fmt::format("{} equal calls lie {:.2f} % apart", kRepeats, 100 * noise);
  return std::vector<Finding>{
      {"kernel", agrees,
       agrees ? counted : counted + ": caches off, wait states, or a counter of another clock?"},
      {"noise", noise <= kMostNoise,
       noise <= kMostNoise ? apart : apart + ": interrupts, or a clock that changes?"}};
}

}  // namespace

bool Examination::healthy() const {
  return !findings.empty() && std::ranges::all_of(findings, &Finding::good);
}

Result<Examination> examine_core(std::unique_ptr<RemoteCore> core, const Device& device,
                                 const BoardFacts& facts) {
  TT_TRY_ASSIGN(const KnownKernel known, make_known_kernel(device));
  Examination examination{core->traits().id, {}};
  CoreChecks checks(*core, device, facts);
  struct Check {
    const char* name;
    Result<Finding> (CoreChecks::*ask)();
  };
  for (const Check& check : {Check{"link", &CoreChecks::link},
                             {"memory", &CoreChecks::memory},
                             {"counter", &CoreChecks::counter},
                             {"clock", &CoreChecks::clock}}) {
    const auto finding = (checks.*check.ask)();
    examination.findings.push_back(finding ? *finding
                                           : Finding{check.name, false, finding.error().message()});
    if (!finding) return examination;
  }
  RemoteBoard board(device, std::move(core));
  const auto tried = try_kernel(board, known);
  if (!tried)
    examination.findings.push_back({"kernel", false, tried.error().message()});
  else
    examination.findings.insert(examination.findings.end(), tried->begin(), tried->end());
  return examination;
}

Examination examine_simulator(const Device& device) {
  Examination examination{std::string(kSimulatorSource), {}};
  const auto known = make_known_kernel(device);
  examination.findings.push_back(
      known ? Finding{"kernel", true, fmt::format("exact; {} cycles", known->simulated_cycles)}
            : Finding{"kernel", false, known.error().message()});
  return examination;
}

Result<Examination> examine_board(const BoardAddress& address, const Device& device) {
  TT_TRY_ASSIGN(const BoardFacts facts, load_board_facts(address.device));
  auto core = open_core(address, device);
  if (core) return examine_core(std::move(*core), device, facts);
  return Examination{"", {{"link", false, core.error().message()}}};
}

}  // namespace tinytune
