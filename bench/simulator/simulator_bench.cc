// Simulated instructions per second on a compiled kernel: with the unit model (rv32imc), with the
// cycle models, with the caches before flash (beside the same code with zero-wait flash), with
// weights in flash, and with every access watched as in verifying runs. Unicorn translates the code
// again after each load, so `load and call` is a candidate's cost before its first instruction.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "simulator/simulator.h"

namespace tinytune {
namespace {

constexpr uint32_t kPixels = 250;

void expect(const Status& status) {
  if (status) return;
  std::fprintf(stderr, "%s\n", status.error().message().c_str());
  std::exit(1);
}

template <typename T>
T expect(Result<T> result) {
  if (result) return std::move(result).value();
  std::fprintf(stderr, "%s\n", result.error().message().c_str());
  std::exit(1);
}

struct Loaded {
  explicit Loaded(const std::string& name, const std::string& symbol = "pointwise")
      : device(expect(load_device(name))), simulator(expect(Simulator::create(device))) {
    std::ifstream file(std::string(TINYTUNE_BENCH_IMAGES) + "/" + name + ".elf", std::ios::binary);
    elf.assign(std::istreambuf_iterator<char>(file), {});
    function = expect(simulator.load(elf)).symbols.at(symbol).address;
  }
  enum class Run { kTimed, kZeroWait, kWeightsInFlash, kWatched };
  CallReport call(uint32_t pixels, Run run) {
    const uint32_t data = device.memory(device.data_memory).address;
    uint32_t weights = data + 0x8000;
    if (run == Run::kWeightsInFlash) {
      weights = device.memory(device.rodata_memory).address;
      expect(simulator.write(weights, std::vector<uint8_t>(4096)));
    }
    const uint32_t arguments[] = {data, weights, data + 0x9000, pixels};
    CallOptions options;
    options.check_alignment = run == Run::kWatched;
    options.zero_wait = run == Run::kZeroWait;
    CallReport report = expect(simulator.call(function, arguments, options));
    if (report.end != CallEnd::kReturned) {
      std::fprintf(stderr, "%s\n", report.detail.c_str());
      std::exit(1);
    }
    return report;
  }

  Device device;
  Simulator simulator;
  std::vector<uint8_t> elf;
  uint32_t function = 0;
};

using Run = Loaded::Run;

void run_kernel(benchmark::State& state, const std::string& device, Run run,
                const std::string& symbol = "pointwise") {
  Loaded loaded(device, symbol);
  uint64_t instructions = 0;
  CallReport report;
  for (auto unused : state) {
    report = loaded.call(kPixels, run);
    instructions += report.counts.instructions;
  }
  state.counters["simulated"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
  state.counters["waits"] =
      static_cast<double>(report.counts.fetch_wait_cycles + report.counts.read_wait_cycles);
  state.counters["cycles"] = static_cast<double>(report.counts.cycles);
  state.counters["instructions"] = static_cast<double>(report.counts.instructions);
}

void load_and_call(benchmark::State& state, Run run) {
  Loaded loaded("esp32c3");
  for (auto unused : state) {
    expect(loaded.simulator.load(loaded.elf));
    loaded.call(2, run);
  }
}

BENCHMARK_CAPTURE(run_kernel, unit_model, std::string("rv32imc"), Run::kTimed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, cycle_model, std::string("esp32c3"), Run::kTimed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, cycle_model_weights_in_flash, std::string("esp32c3"),
                  Run::kWeightsInFlash)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, cortex_m_model, std::string("stm32f4"), Run::kZeroWait)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, cortex_m_model_code_in_flash, std::string("stm32f4"), Run::kTimed)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, cortex_m_model_all_in_flash, std::string("stm32f4"),
                  Run::kWeightsInFlash)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, dual_issue_model, std::string("stm32f7"), Run::kZeroWait)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, dual_issue_model_all_in_flash, std::string("stm32f7"),
                  Run::kWeightsInFlash)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, cycle_model_watched, std::string("esp32c3"), Run::kWatched)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, cycle_model_shortest_blocks, std::string("esp32c3"), Run::kTimed,
                  std::string("spin"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(run_kernel, shortest_blocks_code_in_flash, std::string("stm32f4"), Run::kTimed,
                  std::string("spin"))
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load_and_call, timed, Run::kTimed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(load_and_call, watched, Run::kWatched)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tinytune

BENCHMARK_MAIN();
