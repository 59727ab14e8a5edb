// `tune explain`: why a kernel wins, and what was tried for a network.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;

class ExplainCommand : public TuneProgram {};

TEST_F(ExplainCommand, Task_SaysWhereTheWinnersCyclesGo) {
  ASSERT_EQ(tune(with_model({"--trials", "24", "--tasks", "0", "--tuner", "random"})).exit_code, 0);
  const std::vector<std::string> command =
      with_model({"explain", "--records", "small.esp32c3.jsonl", "--task", "0"});
  std::vector<std::string> with_json = command;
  with_json.emplace_back("--json");
  const Json all = Json::parse(json_of(with_json));
  EXPECT_EQ(all["trials"], 24);
  ASSERT_GE(all["kernels"].size(), 2u);
  const Json &winner = all["kernels"][0], &by_default = all["kernels"][1];
  EXPECT_EQ(winner["role"], "winner");
  EXPECT_EQ(by_default["role"], "default");
  for (const Json& kernel : all["kernels"]) {
    EXPECT_LE(winner["cycles"], kernel["cycles"]) << kernel["role"];
    uint64_t classes = 0;
    for (const char* key : {"multiplies", "loads", "stores", "branches_taken", "others"})
      classes += kernel[key].get<uint64_t>();
    EXPECT_EQ(classes, kernel["instructions"]);
    EXPECT_EQ(kernel["cycles"].get<uint64_t>(),
              kernel["instructions"].get<uint64_t>() + kernel["stalls"].get<uint64_t>());
  }
  EXPECT_GE(winner["multiplies"], all["least_multiplies"]);
  const ProcessResult text = tune(command);
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("against default the winner"), std::string::npos) << text.out;
}

TEST_F(ExplainCommand, NoSuchTaskOrNoRecordOfIt_SaysWhichIsMissing) {
  ASSERT_EQ(tune(with_model({"--trials", "2", "--tasks", "0"})).exit_code, 0);
  const auto explain = [&](const char* task) {
    return tune(with_model({"explain", "--records", "small.esp32c3.jsonl", "--task", task}));
  };
  EXPECT_EQ(explain("99").exit_code, 2);
  EXPECT_EQ(explain("0,1").exit_code, 2);
  const ProcessResult unmeasured = explain("1");
  EXPECT_EQ(unmeasured.exit_code, 1);
  EXPECT_NE(unmeasured.err.find("no valid record of task 1"), std::string::npos) << unmeasured.err;
  const ProcessResult without_log = tune(with_model({"explain", "--task", "0"}));
  EXPECT_EQ(without_log.exit_code, 2);
  EXPECT_NE(without_log.err.find("--task needs --records"), std::string::npos) << without_log.err;
  const ProcessResult limited = tune(with_model(
      {"explain", "--records", "small.esp32c3.jsonl", "--task", "0", "--arena", "9000"}));
  EXPECT_EQ(limited.exit_code, 2);
  EXPECT_NE(limited.err.find("--task explains one kernel"), std::string::npos) << limited.err;
}

TEST_F(ExplainCommand, Network_SaysWhatWasTriedAndWhatRunTakes) {
  const Json all = Json::parse(json_of(with_model({"explain", "--json"})));
  const Json ran = Json::parse(json_of(with_model({"run", "--json"})));
  EXPECT_EQ(all["deployed"]["cycles"], ran["cycles"]);
  ASSERT_GE(all["moves"].size(), 2u);
  EXPECT_EQ(all["moves"][0]["name"], "layer by layer");
  EXPECT_EQ(all["moves"][0]["kept"], 1);
  EXPECT_EQ(all["moves"][0]["cycles"], ran["cycles"]);
  const Json& strips = all["moves"].back();
  EXPECT_EQ(strips["name"], "strips");
  EXPECT_EQ(strips["kept"], 0);
  EXPECT_EQ(strips["why"], "layers fit, and nothing limits their arena");
}

}  // namespace
}  // namespace tinytune::test
