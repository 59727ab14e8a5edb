// Cores of which only a C compiler is known, as a user sees them: one command tunes, one runs.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "tests/cli/tune_program.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;

class AnyCore : public TuneProgram {
 protected:
  std::vector<std::string> on(const std::string& device, std::vector<std::string> words) const {
    words.insert(words.end(), {"--model", "small.tflite", "--device", device});
    return words;
  }

  void expect_tunes_and_runs(const std::string& device) {
    const std::string log = "small." + device + ".jsonl";
    const ProcessResult tuned = tune(on(device, {"--trials", "6", "--workers", "1"}));
    ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
    EXPECT_EQ(trials(log).size(), 6u);
    const ProcessResult ran = tune(on(device, {"run", "--records", log, "--verify", "--json"}));
    ASSERT_EQ(ran.exit_code, 0) << ran.err;
    const Json report = Json::parse(ran.out);
    EXPECT_EQ(report["exact"], true);
    EXPECT_GT(report["cycles"], 0);
    EXPECT_GT(report["layers"][0]["cycles"], 0);
  }
};

TEST_F(AnyCore, ThisMachine_TunesAndRunsExactly) { expect_tunes_and_runs("host"); }

TEST_F(AnyCore, LibraryForThreadsOfThisMachine_IsExact) {
  const ProcessResult ran = tune(on("host", {"run", "--cores", "2", "--verify", "--json"}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["exact"], true);
  const ProcessResult written = tune(on("host", {"compile", "--cores", "2", "-o", "out"}));
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const auto header = read_file(path("out/small.h"));
  ASSERT_TRUE(header);
  EXPECT_NE(text_of(*header).find("small_attach("), std::string_view::npos);
}

TEST_F(AnyCore, XtensaInQemu_TunesAndRunsExactly) {
  if (!run_process({"xtensa-lx106-elf-gcc", "--version"}, std::chrono::minutes(1)))
    GTEST_SKIP() << "xtensa-lx106-elf-gcc is not installed";
  expect_tunes_and_runs("esp8266");
}

TEST_F(AnyCore, CoreThatNothingHereRuns_StillGetsItsPackageOfC) {
  const ProcessResult written = tune(on("esp32", {"compile", "-o", "out"}));
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_NE(written.err.find("esp32 has no simulator"), std::string::npos) << written.err;
  EXPECT_EQ(written.err.find("esp32: esp32"), std::string::npos) << written.err;
  EXPECT_TRUE(std::filesystem::exists(path("out/small_kernels.c")));
  const ProcessResult refused = tune(on("esp32", {"--trials", "2"}));
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.err.find("esp32 has no simulator"), std::string::npos) << refused.err;
}

TEST_F(AnyCore, PortablePackageOfAKnownCore_IsPlainCAndExact) {
  const ProcessResult written =
      tune(on("stm32l4r5", {"compile", "--portable", "-o", "out", "--json"}));
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_EQ(Json::parse(written.out)["exact"], true);
  EXPECT_TRUE(std::filesystem::exists(path("out/small_kernels.c")));
  EXPECT_FALSE(std::filesystem::exists(path("out/small_kernels.S")));
}

}  // namespace
}  // namespace tinytune::test
