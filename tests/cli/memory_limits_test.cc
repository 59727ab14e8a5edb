// --ram and --flash, as a user gives them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;

class MemoryLimitOptions : public TuneProgram {
 protected:
  Json run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"run", "--verify", "--json"});
    const ProcessResult result = tune(with_model(std::move(arguments)));
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.exit_code == 0 ? Json::parse(result.out) : Json();
  }
};

TEST_F(MemoryLimitOptions, Ram_TradesScratchForCyclesAndStaysExact) {
  ASSERT_EQ(tune(with_model({"--trials", "40", "--tuner", "random", "--ram", "32K"})).exit_code, 0);
  const Json free = run({"--records", "small.esp32c3.jsonl", "--ram", "32K"});
  const uint64_t bound = free["arena_lower_bound"], peak = free["arena_bytes"];
  ASSERT_GT(peak, bound) << "no scratch to trade";
  const Json limited = run({"--records", "small.esp32c3.jsonl", "--ram", std::to_string(bound)});
  EXPECT_LE(limited["arena_bytes"], bound);
  EXPECT_EQ(limited["exact"], true);
  EXPECT_GE(limited["cycles"], free["cycles"]);
  // A limit that nothing exceeds changes nothing.
  const Json roomy = run({"--records", "small.esp32c3.jsonl", "--ram", "64K"});
  EXPECT_EQ(roomy["cycles"], free["cycles"]);
}

TEST_F(MemoryLimitOptions, NoFastRam_CountsWhatIsMeasuredInFlash) {
  const auto tuned = [this](std::vector<std::string> more) {
    more.insert(more.begin(), {"--trials", "12", "--tuner", "random"});
    return tune(with_model(more));
  };
  ASSERT_EQ(tuned({}).exit_code, 0);
  const ProcessResult before =
      tune(with_model({"run", "--fast-ram", "0", "--records", "small.esp32c3.jsonl"}));
  EXPECT_NE(before.err.find("nothing was measured in flash"), std::string::npos) << before.err;
  ASSERT_EQ(tuned({"--fast-ram", "0"}).exit_code, 0);
  const Json slow = run({"--records", "small.esp32c3.jsonl", "--fast-ram", "0"});
  EXPECT_EQ(slow["exact"], true);
  EXPECT_GT(slow["fetch_wait_cycles"].get<uint64_t>() + slow["read_wait_cycles"].get<uint64_t>(),
            0u);
  // The log serves both: neither's records are the other's.
  const Json fast = run({"--records", "small.esp32c3.jsonl"});
  EXPECT_LT(fast["cycles"], slow["cycles"]);
}

TEST_F(MemoryLimitOptions, WithoutRam_TheArenaIsWithinFivePercentOfItsBound) {
  ASSERT_EQ(tune(with_model({"--trials", "40", "--tuner", "random", "--ram", "32K"})).exit_code, 0);
  const Json tuned = run({"--records", "small.esp32c3.jsonl"}), by_default = run({});
  for (const Json& report : {tuned, by_default})
    EXPECT_LE(report["arena_bytes"].get<uint64_t>() * 100,
              report["arena_lower_bound"].get<uint64_t>() * 105);
}

TEST_F(MemoryLimitOptions, Report_HasPeakBoundAndRatio) {
  const Json report = run({});
  const double ratio =
      report["arena_bytes"].get<double>() / report["arena_lower_bound"].get<double>();
  EXPECT_NEAR(report["arena_to_lower_bound"].get<double>(), ratio, 1e-4);
  ASSERT_EQ(tune(with_model({"--trials", "10", "--tuner", "random"})).exit_code, 0);
  const ProcessResult text = tune(with_model({"report", "--records", "small.esp32c3.jsonl"}));
  ASSERT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find(" %) by default"), std::string::npos) << text.out;
}

TEST_F(MemoryLimitOptions, Flash_IsKeptByTheLinkedLibrary) {
  ASSERT_EQ(tune(with_model({"--trials", "40", "--tuner", "random"})).exit_code, 0);
  const Json free = run({"--records", "small.esp32c3.jsonl"});
  const uint64_t limit = free["flash_bytes"].get<uint64_t>() - 1;
  const Json limited = run({"--records", "small.esp32c3.jsonl", "--flash", std::to_string(limit)});
  EXPECT_LE(limited["flash_bytes"], limit);
  EXPECT_EQ(limited["exact"], true);
}

TEST_F(MemoryLimitOptions, CompileThatCannotFit_SaysWhatCouldAndExits1) {
  const ProcessResult ram = tune(with_model({"compile", "-o", "out", "--ram", "100"}));
  EXPECT_EQ(ram.exit_code, 1);
  EXPECT_NE(ram.err.find("--ram allows 100"), std::string::npos) << ram.err;
  EXPECT_NE(ram.err.find("smallest achievable"), std::string::npos) << ram.err;
  EXPECT_FALSE(std::filesystem::exists(path("out")));
  const ProcessResult flash = tune(with_model({"compile", "-o", "out", "--flash", "1K"}));
  EXPECT_EQ(flash.exit_code, 1);
  EXPECT_NE(flash.err.find("--flash allows 1024"), std::string::npos) << flash.err;
}

TEST_F(MemoryLimitOptions, Compile_PrintsArenaAndBound) {
  const ProcessResult compiled = tune(with_model({"compile", "-o", "out", "--ram", "1K"}));
  ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_NE(compiled.out.find("lower bound"), std::string::npos) << compiled.out;
}

TEST_F(MemoryLimitOptions, Search_ProposesOnlyWhatFits) {
  const std::string bound = std::to_string(run({})["arena_lower_bound"].get<uint64_t>());
  const ProcessResult tuned =
      tune(with_model({"--trials", "40", "--tuner", "random", "--ram", bound}));
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_NE(tuned.out.find("--ram " + bound), std::string::npos) << tuned.out;
  // The fastest of this log needs no choosing to fit.
  const Json free = run({"--records", "small.esp32c3.jsonl"});
  EXPECT_LE(free["arena_bytes"], std::stoull(bound));
}

TEST_F(MemoryLimitOptions, SearchThatCannotFit_Exits1BeforeMeasuring) {
  const ProcessResult tuned = tune(with_model({"--trials", "10", "--ram", "100"}));
  EXPECT_EQ(tuned.exit_code, 1);
  EXPECT_NE(tuned.err.find("smallest achievable"), std::string::npos) << tuned.err;
  EXPECT_TRUE(trials("small.esp32c3.jsonl").empty());
}

TEST_F(MemoryLimitOptions, NotANumberOfBytes_IsRefused) {
  for (const char* text : {"96X", "-1", "0", "K", "1.5K"}) {
    const ProcessResult result = tune(with_model({"run", "--ram", text}));
    EXPECT_EQ(result.exit_code, 2) << text;
  }
}

}  // namespace
}  // namespace tinytune::test
