// tune op: tuning of a single operator from a shell.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

class TuneOperator : public TuneProgram {
 protected:
  nlohmann::json told(std::vector<std::string> words) const {
    words.insert(words.begin(), {"op", "dense 16->4", "--device", "rv32imc", "--json"});
    const ProcessResult done = tune(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return nlohmann::json::parse(done.out);
  }
};

TEST_F(TuneOperator, Kernel_IsTunedAndWrittenByExtension) {
  const auto told_first = told({"--trials", "2", "--emit", "k.S", "--emit", "mine.h", "--emit",
                                "mine.c", "--emit", "k.ll", "--emit", "k.o"});
  EXPECT_EQ(told_first["measured"], 2);
  EXPECT_EQ(told_first["tuned"], true);
  EXPECT_NE(read_bytes(path("k.S")).find("kernel:"), std::string::npos);
  EXPECT_NE(read_bytes(path("mine.h")).find(told_first["prototype"].get<std::string>()),
            std::string::npos);
  EXPECT_NE(read_bytes(path("k.ll")).find("target triple"), std::string::npos);
  EXPECT_EQ(read_bytes(path("k.o")).substr(1, 3), "ELF");
  EXPECT_NE(read_bytes(path("mine.c")).find("kernel_run"), std::string::npos);
  EXPECT_NE(read_bytes(path("mine.c")).find("#include \"mine.h\""), std::string::npos);

  const auto applied = told({"--apply"});
  EXPECT_EQ(applied["measured"], 0);
  EXPECT_EQ(applied["schedule"], told_first["schedule"]);
  EXPECT_EQ(applied["cycles"], told_first["cycles"]);
}

TEST_F(TuneOperator, WithoutALog_ApplyTakesTheDefault) {
  const auto applied = told({"--apply"});
  EXPECT_EQ(applied["tuned"], false);
  EXPECT_TRUE(applied["cycles"].is_null());
}

TEST_F(TuneOperator, ConstantsFile_IsReadOrRefusedByName) {
  write_bytes(path("c.json"),
              R"({"weights": [1,2,3,4,5,6,7,8], "bias": [1,2], "scale": [0.01, 0.02]})");
  const std::vector<std::string> words = {"op",      "dense 4->2",  "--device", "rv32imc",
                                          "--apply", "--constants", "c.json"};
  EXPECT_EQ(tune(words).exit_code, 0);
  const std::pair<const char*, const char*> refusals[] = {
      {"[1]", "not a JSON object"},
      {R"({"weights": [300]})", "weights is no list of int8"},
      {R"({"wieghts": []})", "unknown key wieghts"},
      {R"({"weights": [1,2,3], "scale": [1, 1]})", "3 weights where the workload has 8"}};
  for (const auto& [text, said] : refusals) {
    write_bytes(path("c.json"), text);
    const ProcessResult refused = tune(words);
    EXPECT_EQ(refused.exit_code, 2) << text;
    EXPECT_NE(refused.err.find(said), std::string::npos) << refused.err;
  }
}

TEST_F(TuneOperator, Nonsense_IsRefusedBeforeAnythingIsMeasured) {
  const auto refusal = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "op");
    const ProcessResult done = tune(words);
    EXPECT_EQ(done.exit_code, 2) << done.out;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    return done.err;
  };
  EXPECT_NE(refusal({"svdf 3x3", "--device", "rv32imc"}).find("svdf"), std::string::npos);
  EXPECT_NE(refusal({"dense 4->4", "--device", "toaster"}).find("toaster"), std::string::npos);
  EXPECT_NE(refusal({"dense 4->4", "--device", "rv32imc", "--emit", "k.exe"}).find("k.exe"),
            std::string::npos);
  EXPECT_NE(refusal({"dense 4->4", "--device", "rv32imc", "--apply", "--symbol", "4u"}).find("4u"),
            std::string::npos);
}

}  // namespace
}  // namespace tinytune::test
