// Logs as files, overnight batches, comparisons and checks: the program, as a user starts it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

class ManyRuns : public TuneProgram {
 protected:
  std::string said(const std::vector<std::string>& words, int exit_code = 0) const {
    const ProcessResult done = tune(words);
    EXPECT_EQ(done.exit_code, exit_code) << done.out << done.err;
    return done.out + done.err;
  }
  void measure(const std::string& description, const std::string& log) const {
    said({"op", description, "--device", "rv32imc", "--records", log, "--trials", "2", "--quiet"});
  }
};

TEST_F(ManyRuns, Logs_AreMergedPickedCheckedAndTold) {
  measure("dense 16->4", "a.jsonl");
  measure("dense 16->8", "b.jsonl");
  EXPECT_NE(said({"log", "merge", "a.jsonl", "b.jsonl", "a.jsonl", "--to", "all.jsonl"})
                .find("4 of 6 records"),
            std::string::npos);
  EXPECT_NE(said({"log", "pick", "all.jsonl", "--to", "best.jsonl"}).find("2 of 4"),
            std::string::npos);
  EXPECT_NE(said({"log", "stats", "best.jsonl"}).find("dense_s8"), std::string::npos);
  EXPECT_EQ(
      nlohmann::json::parse(said({"log", "stats", "all.jsonl", "--json"}))["workloads"].size(), 2u);
  EXPECT_NE(said({"log", "check", "best.jsonl"}).find("2 records, 0 damaged"), std::string::npos);
  EXPECT_NE(said({"log", "export", "best.jsonl"}).find("device,workload"), std::string::npos);
  EXPECT_NE(said({"log", "merge", "a.jsonl", "--to", "b.jsonl"}, 2).find("exists"),
            std::string::npos);
  for (const char* option : {"--as", "--format"})
    EXPECT_NE(said({"log", "export", "best.jsonl", option, "t4"}, 2).find("has no clock"),
              std::string::npos);
  write_bytes(path("torn.jsonl"), read_bytes(path("a.jsonl")) + "{\"v\":1,\"device\":\"x\n");
  EXPECT_NE(said({"log", "check", "torn.jsonl"}, 1).find("1 damaged"), std::string::npos);
}

TEST_F(ManyRuns, Watch_ShowsALogThatNobodyWrites) {
  measure("dense 16->4", "a.jsonl");
  const std::string picture = said({"watch", "a.jsonl"});
  EXPECT_NE(picture.find("2 records"), std::string::npos);
  EXPECT_NE(picture.find("no run writes"), std::string::npos);
  said({"watch", "missing.jsonl"}, 2);
}

TEST_F(ManyRuns, Check_HoldsOfWhatWasMeasuredAndBreaksOfWhatWasNot) {
  measure("dense 16->4", "a.jsonl");
  EXPECT_NE(said({"check", "--device", "rv32imc", "--against", "a.jsonl"}).find("1 of 1 hold"),
            std::string::npos);
  // A record whose cycles no kernel reaches.
  auto log = read_log(path("a.jsonl"));
  ASSERT_TRUE(log);
  Measurement promised = log->measurements[0];
  promised.cycles = {20};
  {
    auto writer = LogWriter::open(path("promised.jsonl"));
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->append(promised));
  }
  EXPECT_NE(said({"check", "--device", "rv32imc", "--against", "promised.jsonl"}, 1).find("BROKEN"),
            std::string::npos);
  EXPECT_NE(said({"check", "--device", "esp32c3", "--against", "a.jsonl"}, 1).find("0 of 2"),
            std::string::npos);
}

// The device has timing, so that branches for clamped results show in the cycles.
TEST_F(ManyRuns, CheckWithTheModel_MeasuresTheSameCyclesAgain) {
  const std::vector<std::string> of = {"--model", "small.tflite", "--device", "esp32c3"};
  std::vector<std::string> tune = of, check = {"check"};
  tune.insert(tune.end(), {"--records", "m.jsonl", "--trials", "6", "--workers", "2"});
  check.insert(check.end(), of.begin(), of.end());
  check.insert(check.end(), {"--against", "m.jsonl"});
  said(tune);
  const std::string verdicts = said(check);
  EXPECT_NE(verdicts.find("+0.00 %"), std::string::npos) << verdicts;
  EXPECT_EQ(verdicts.find("-0.0"), std::string::npos) << verdicts;
}

TEST_F(ManyRuns, Batch_GoesOnAndTellsWhatGotSlower) {
  write_bytes(path("night.toml"),
              "models = [\"small.tflite\"]\ndevices = [\"rv32imc\"]\ntrials = 4\n"
              "[[settings]]\nname = \"plain\"\n[[settings]]\nname = \"other\"\nseed = 2\n");
  const auto runs = [&] {
    return nlohmann::json::parse(tune({"batch", "night.toml", "--json", "--quiet"}).out)["runs"];
  };
  const auto first = runs();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(first[0]["name"], "small.rv32imc.plain");
  EXPECT_EQ(first[0]["measured"], 4);
  const auto again = runs();
  EXPECT_EQ(again[0]["measured"], 0);
  EXPECT_EQ(again[0]["before"], first[0]["cycles"]);
  // Pretends that the previous night was faster.
  nlohmann::json summary = {{"runs", first}};
  summary["runs"][1]["cycles"] = 1;
  write_bytes(path("night/summary.json"), summary.dump());
  EXPECT_NE(said({"batch", "night.toml", "--quiet"}, 1).find("SLOWER"), std::string::npos);
}

TEST_F(ManyRuns, NightThatIsWrong_IsRefusedByKey) {
  const std::pair<const char*, const char*> refusals[] = {
      {"devices = [\"rv32imc\"]", "models"},
      {"models = [\"a\"]\ndevices = [\"b\"]\ntrails = 3", "unknown key trails"},
      {"models = [\"a\"]\ndevices = [\"b\"]\nbudget = \"soon\"", "budget"},
      {"models = [\"a\"]\ndevices = [\"b\"]\nearly_stop = 0", "early_stop"},
      {"models = [\"a\"]\ndevices = [\"b\"]\nram = -1", "ram"},
      {"models = [\"a\", \"x/a\"]\ndevices = [\"b\"]", "two runs"},
      {"models = [", "night.toml:1"}};
  for (const auto& [text, part] : refusals) {
    write_bytes(path("night.toml"), text);
    EXPECT_NE(said({"batch", "night.toml"}, 2).find(part), std::string::npos) << text;
  }
}

TEST_F(ManyRuns, Compare_TellsEveryStrategy) {
  const auto tuners = nlohmann::json::parse(
      said({"compare", "--model", "small.tflite", "--device", "rv32imc", "--tuners", "random,grid",
            "--seeds", "2", "--trials", "6", "-o", "compared", "--quiet", "--json"}))["tuners"];
  ASSERT_EQ(tuners.size(), 2u);
  EXPECT_EQ(tuners[1]["tuner"], "grid");
  EXPECT_EQ(tuners[0]["best_cycles"].size(), 2u);
  EXPECT_NE(said({"compare", "--model", "small.tflite", "--device", "rv32imc", "--tuners", "luck",
                  "-o", "x"},
                 2)
                .find("luck"),
            std::string::npos);
}

TEST_F(ManyRuns, LogOfAnotherModel_IsSaidNotToMatch) {
  measure("dense 16->4", "a.jsonl");
  EXPECT_NE(said({"compile", "--model", "small.tflite", "--device", "rv32imc", "--records",
                  "a.jsonl", "-o", "out"})
                .find("0 of 2 records match this model"),
            std::string::npos);
}

TEST_F(ManyRuns, ShellsAndManuals_KnowEveryCommand) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = said({"completion", shell});
    for (const char* word : {"compile", "explain", "esp32c3", "early-stop"})
      EXPECT_NE(script.find(word), std::string::npos) << shell << " " << word;
  }
  write_bytes(path("tune.bash"), said({"completion", "bash"}));
  const auto parsed = run_process({"bash", "-n", path("tune.bash")}, std::chrono::seconds(10));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->exit_code, 0) << parsed->err;
  EXPECT_NE(said({"manual"}).find(".SH \"tune compile\""), std::string::npos);
  EXPECT_NE(said({"ops"}).find("DEPTHWISE_CONV_2D"), std::string::npos);
}

TEST_F(ManyRuns, OperatorsOfFloatsOnly_AreListedAsSuch) {
  const std::string told = said({"ops", "--json"});
  for (const char* name : {"SQRT", "L2_POOL_2D"}) {
    const size_t at = told.find('"' + std::string(name) + '"');
    ASSERT_NE(at, std::string::npos) << name;
    EXPECT_EQ(told.find("\"state\": \"float32 only\"", at), told.find("\"state\"", at)) << name;
  }
}

}  // namespace
}  // namespace tinytune::test
