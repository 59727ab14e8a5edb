// A simulator ranks candidates, and a board measures the best of them: QEMU behind a serial line.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "records/log.h"
#include "tests/cli/tune_program.h"
#include "tests/rpc_device/boards/qemu.h"

namespace tinytune::test {
namespace {

using testing::HasSubstr;

std::vector<Measurement> of(const std::vector<Measurement>& all, Fidelity fidelity) {
  std::vector<Measurement> some;
  std::ranges::copy_if(all, std::back_inserter(some),
                       [&](const Measurement& m) { return m.fidelity == fidelity; });
  return some;
}

using Prescreen = TuneProgram;

TEST_F(Prescreen, BoardMeasuresTheSimulatorsBest_AndAgainNothing) {
  START_RUNNER_OR_SKIP(qemu, riscv_virt());
  const std::vector<std::string> words = {"--model",     "small.tflite",
                                          "--device",    qemu->address(),
                                          "--prescreen", "simulator",
                                          "--trials",    "12",
                                          "--tasks",     "0",
                                          "--workers",   "1",
                                          "--records",   "log.jsonl"};
  const ProcessResult first = tune(words);
  ASSERT_EQ(first.exit_code, 0) << first.err;
  const auto log = read_log(path("log.jsonl"));
  ASSERT_TRUE(log) << log.error().message();
  auto simulated = of(log->measurements, Fidelity::kSimulate);
  const auto measured = of(log->measurements, Fidelity::kBoard);
  EXPECT_EQ(simulated.size(), 12u);
  ASSERT_EQ(measured.size(), 8u);
  std::erase_if(simulated, [](const Measurement& m) { return !m.median_cycles(); });
  std::ranges::stable_sort(simulated, {}, [](const Measurement& m) { return *m.median_cycles(); });
  std::set<std::string> chosen;
  for (const Measurement& m : measured) {
    EXPECT_EQ(m.outcome, Outcome::kOk) << m.detail.str();
    chosen.insert(m.schedule.str());
  }
  for (size_t i = 0; i < 7; ++i)
    EXPECT_TRUE(chosen.contains(simulated[i].schedule.str()))
        << "place " << i << " of the simulator";
  const ProcessResult again = tune(words);
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.err, HasSubstr("nothing left to measure"));
  EXPECT_EQ(read_log(path("log.jsonl"))->measurements.size(), log->measurements.size());
}

TEST_F(Prescreen, OfASimulator_IsRefused) {
  const ProcessResult done = tune(with_model({"--prescreen", "simulator", "--trials", "4"}));
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("--prescreen is for boards"));
}

}  // namespace
}  // namespace tinytune::test
