// Prints a Markdown table of simulated against published cycles and the error of each; then one
// whole network, person detection with ESP-NN on an ESP32-C3, predicted from its statistics.
// Exits with 1 when a micro-kernel is off by more than one cycle an iteration or the prediction by
// more than 10 %.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "bench/fidelity/micro_kernels.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

constexpr int kIterations = 64;

uint64_t cycles_of(const MicroKernel& kernel, const std::string& body) {
  Device device = *load_device(kernel.device);
  if (kernel.slow == Slow::kCode) device.fast_code_memory.clear();
  const bool arm = device.target.family == CoreFamily::kArmM;
  const std::string align = ".p2align 5\n";
  Program program(device, (arm ? "f: push {r4-r7}\nmovs r6,#0\nnop\n" + align + body +
                                     "\nnop\nnop\npop {r4-r7}\nbx lr\n"
                               : ".option norvc\nf: nop\n" + align + body + "\nnop\nret\n"));
  CallOptions options;
  options.zero_wait = kernel.slow == Slow::kNothing;
  uint32_t pointer = program.data();
  if (kernel.slow == Slow::kData) {
    pointer = device.memory(device.rodata_memory).address;
    if (!program.simulator().write(pointer, std::vector<uint8_t>(4096))) std::exit(1);
  }
  const CallReport report = program.call({pointer, pointer + 64, 3, 5}, options);
  if (report.end == CallEnd::kReturned) return report.counts.cycles;
  fmt::print(stderr, "{}\n", report.detail);
  std::exit(1);
}

/// Cycles an iteration, of 64 in a row: what the first and the last do differently fades.
double iteration_cycles(const MicroKernel& kernel) {
  std::string body;
  for (int i = 0; i < kIterations; ++i) body += std::string(kernel.body) + "\n";
  const auto with = static_cast<double>(cycles_of(kernel, body));
  return std::round((with - static_cast<double>(cycles_of(kernel, ""))) * 16 / kIterations) / 16;
}

bool print_micro_kernels() {
  bool all_hold = true;
  std::map<std::string_view, std::pair<int, int>> exact_of_all;
  fmt::print(
      "| device | code | published | simulated | error | source |\n|---|---|--:|--:|--:|---|\n");
  for (const MicroKernel& kernel : micro_kernels()) {
    const double simulated = iteration_cycles(kernel);
    const double nearest = std::clamp(simulated, kernel.published_low, kernel.published_high);
    const double error = simulated - nearest;
    const std::string published =
        kernel.published_low == kernel.published_high
            ? fmt::format("{}", kernel.published_low)
            : fmt::format("{}–{}", kernel.published_low, kernel.published_high);
    fmt::print("| {} | {} | {} | {} | {:+.1f} | {} |\n", kernel.device, kernel.name, published,
               simulated, error, kernel.source);
    auto& [exact, all] = exact_of_all[kernel.device];
    exact += std::abs(error) < 1e-9;
    ++all;
    all_hold = all_hold && std::abs(error) <= 1 + 1e-9;
  }
  fmt::print("\n");
  for (const auto& [device, counts] : exact_of_all) {
    fmt::print("{}: {} of {} exact\n", device, counts.first, counts.second);
  }
  return all_hold;
}

/// ESP-NN's README gives 426 ms at 160 MHz for person detection; the counts are of that code.
bool print_person_detection() {
  constexpr double kPublished = 68.2, kInstructions = 58.7, kBranchesTaken = 2.93, kLoads = 15.8;
  const Timing timing = load_device("esp32c3")->timing;
  const double taken = timing.cycles.at("branch_taken") - timing.cycles.at("branch_not_taken");
  // Which loads stall, the statistics do not say. Compilers for this core schedule loads away from
  // their uses, and its kernels' multiplies do not stall, so the lower end is the prediction.
  const double low = kInstructions + kBranchesTaken * taken;
  const double high = low + kLoads * timing.cycles.at("load_use");
  // The chip reads its code and weights through a cache of 16 KiB. Every line of the weights is
  // missed at least once in an inference; how often code is, the statistics do not say.
  constexpr double kWeightLines = 219'000.0 / 32;  // MobileNet v1 0.25: weights and biases
  const Device device = *load_device("esp32c3");
  const double misses = kWeightLines * device.memory(device.rodata_memory).fill_cycles / 1e6;
  const double error = (low - kPublished) / kPublished;
  fmt::print(
      "\nperson detection, ESP-NN, esp32c3: {:.1f} M cycles predicted (no load stalls; {:.1f} M if "
      "every load stalled), {:.1f} M published (426 ms at 160 MHz): {:+.1f} %\n"
      "flash would add {:.2f} M cycles for one pass over its 219 KB of weights ({:+.1f} %), at the "
      "unsourced 168 cycles a line; not in the prediction\n",
      low, high, kPublished, error * 100, misses, (low + misses - kPublished) / kPublished * 100);
  return std::abs(error) <= 0.10;
}

}  // namespace
}  // namespace tinytune

int main() {
  try {
    const bool kernels_hold = tinytune::print_micro_kernels();
    const bool network_holds = tinytune::print_person_detection();
    return kernels_hold && network_holds ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
