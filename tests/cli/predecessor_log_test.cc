// A log written by version 0.1.0, 64 trials on the keyword-spotting example: its records must stay
// usable, or an update would lose everybody's overnight runs. Twelve of them have values of
// `inside` and `taps` that never won and that no space has any more; they are ignored. The device
// file is that version's too, because measurements of another one are not comparable.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class PredecessorLog : public TuneProgram {
 protected:
  void SetUp() override {
    TuneProgram::SetUp();
    fs::copy(TINYTUNE_SOURCE_DIR "/tests/cli/logs/ds_cnn.esp32c3.v0.1.0.jsonl", path("log.jsonl"));
    fs::copy(TINYTUNE_BINARY_DIR "/examples/ds_cnn.tflite", path("ds_cnn.tflite"));
    write_old_device_file();
  }
  /// Writes the device file of that time, without the effects whose keys a file may leave out.
  void write_old_device_file() const {
    std::ifstream now(TINYTUNE_SOURCE_DIR "/devices/esp32c3.toml");
    std::ofstream old(path("esp32c3.toml"));
    for (std::string line; std::getline(now, line);) {
      bool is_new = false;
      for (const char* key : {"misaligned_target", "store_data_late", "branch_predicted",
                              "branch_mispredicted", "divide_negative"})
        is_new = is_new || line.starts_with(key);
      if (!is_new) old << line << '\n';
    }
  }
  ProcessResult with_log(std::vector<std::string> command) const {
    for (const char* word :
         {"--model", "ds_cnn.tflite", "--device", "esp32c3.toml", "--records", "log.jsonl"})
      command.emplace_back(word);
    return tune(command);
  }
};

TEST_F(PredecessorLog, Run_IsExactAndAsFastAsItWas) {
  const ProcessResult result = with_log({"run", "--verify", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("12 records of another space version ignored"), std::string::npos)
      << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_EQ(report["exact"], true);
  EXPECT_LE(report["instructions"], 6'857'619);  // what 0.1.0 printed
  EXPECT_LE(report["cycles"], 7'652'067);
  int tuned = 0;
  for (const Json& layer : report["layers"]) tuned += layer["tuned"] ? 1 : 0;
  EXPECT_EQ(tuned, 10);
}

TEST_F(PredecessorLog, CompileWithRequireTuned_Passes) {
  const ProcessResult result = with_log({"compile", "-o", "out", "--require-tuned"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_TRUE(fs::exists(path("out/ds_cnn.h")));
}

// The default may be faster: the log has no records of templates that 0.1.0 did not have.
TEST_F(PredecessorLog, Report_SetsItBesideTodaysDefault) {
  const ProcessResult result = with_log({"report", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_LE(report["tuned"]["cycles"], 7'652'067);
  EXPECT_GT(report["default"]["cycles"], 0);
}

// The device's timing was corrected since: the log's cycles are outdated, but its fast kernels
// are still fast.
TEST_F(PredecessorLog, WithTodaysDevice_StillServes) {
  const auto with_todays = [this](std::vector<std::string> command) {
    for (const char* word :
         {"--model", "ds_cnn.tflite", "--device", "esp32c3", "--records", "log.jsonl"})
      command.emplace_back(word);
    return tune(command);
  };
  const ProcessResult compiled = with_todays({"compile", "-o", "out", "--require-tuned"});
  EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
  EXPECT_NE(compiled.err.find("measured with another description of esp32c3"), std::string::npos)
      << compiled.err;
  const ProcessResult result = with_todays({"report", "--json"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json report = Json::parse(result.out);
  EXPECT_LE(report["tuned"]["cycles"], 7'652'067);
}

TEST_F(PredecessorLog, TuningOnWithAsManyTrials_MeasuresNothing) {
  const ProcessResult result = with_log({"--trials", std::to_string(64 - 12)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(trials("log.jsonl").size(), 64u);
}

}  // namespace
}  // namespace tinytune::test
