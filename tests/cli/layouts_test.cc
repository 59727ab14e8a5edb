// --layout: the layouts that are tuned, chosen and reported, and their results.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

class LayoutOption : public TuneProgram {};

TEST_F(LayoutOption, TensorsAreTheSameBytesInEveryLayout) {
  fs::create_directories(path("nhwc"));
  fs::create_directories(path("nchw"));
  for (const char* layout : {"nhwc", "nchw"}) {
    const ProcessResult run = tune(
        with_model({"run", "--layout", layout, "--verify", "--json", "--dump-tensors", layout}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json report = Json::parse(run.out);
    EXPECT_EQ(report["exact"], true);
    EXPECT_EQ(report["layers"][0]["layout"], layout);
    uint64_t instructions = report["overhead_instructions"];
    for (const Json& layer : report["layers"])
      instructions += layer["instructions"].get<uint64_t>();
    EXPECT_EQ(instructions, report["instructions"]);
    // The transforms of input and result belong to no layer: they are the network's overhead.
    EXPECT_EQ(report["overhead_instructions"] > 300, std::string(layout) == "nchw");
  }
  int compared = 0;
  for (const auto& entry : fs::directory_iterator(path("nhwc"))) {
    const std::string other = path("nchw/" + entry.path().filename().string());
    EXPECT_EQ(read_bytes(entry.path().string()), read_bytes(other)) << other;
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

TEST_F(LayoutOption, Auto_TunesBothAndIsAsGoodAsTheBetter) {
  const ProcessResult run = tune(with_model({"--layout", "auto", "--trials", "40", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json tuned = Json::parse(run.out);
  int nchw = 0;
  for (const std::string& trial : trials("small.esp32c3.jsonl"))
    nchw += trial.find(" nchw ") != std::string::npos;
  EXPECT_GE(nchw, 5);
  EXPECT_LE(tuned["network"]["best_cycles"], tuned["network"]["default_cycles"]);

  const ProcessResult table = tune(
      with_model({"report", "--records", "small.esp32c3.jsonl", "--layout", "auto", "--json"}));
  ASSERT_EQ(table.exit_code, 0) << table.err;
  const Json layouts = Json::parse(table.out)["tuned"]["layouts"];
  ASSERT_TRUE(layouts["chosen"]["cycles"].is_number()) << layouts;
  EXPECT_LE(layouts["chosen"]["cycles"], layouts["nhwc"]["cycles"]);
  EXPECT_LE(layouts["chosen"]["cycles"], layouts["nchw"]["cycles"]);
  EXPECT_EQ(layouts["nhwc"]["transforms"], 0);
  EXPECT_GE(layouts["nchw"]["transforms"], 1);
  EXPECT_TRUE(layouts["layers"][0]["nchw_cycles"].is_number());

  const ProcessResult text =
      tune(with_model({"report", "--records", "small.esp32c3.jsonl", "--layout", "auto"}));
  EXPECT_NE(text.out.find("all NCHW: "), std::string::npos) << text.out;
}

TEST_F(LayoutOption, TasksOfTheDefaultKeepTheirIndices) {
  const ProcessResult plain = tune(with_model({"--tasks", "0", "--trials", "2", "--json"}));
  const ProcessResult both = tune(with_model(
      {"--tasks", "0", "--trials", "2", "--json", "--layout", "auto", "--records", "b.jsonl"}));
  ASSERT_EQ(plain.exit_code, 0) << plain.err;
  ASSERT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(trials("small.esp32c3.jsonl"), trials("b.jsonl"));
}

TEST_F(LayoutOption, AnotherWord_IsRefusedInOneLine) {
  const ProcessResult run = tune(with_model({"run", "--layout", "chwn"}));
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_NE(run.err.find("chwn"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace tinytune::test
