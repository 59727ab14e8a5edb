// `tune` itself: logs, repeats, seeds, workers, limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "records/log_line.h"
#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;

class TuningRuns : public TuneProgram {};

TEST_F(TuningRuns, Tune_LogsReportsAndNamesACommandThatWorks) {
  const ProcessResult run = tune(with_model({"--trials", "12"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(trials("small.esp32c3.jsonl").size(), 12u);
  EXPECT_NE(run.err.find("12/12 trials"), std::string::npos) << run.err;
  const size_t next = run.out.find("next: ");
  ASSERT_NE(next, std::string::npos) << run.out;
  const std::string command = run.out.substr(next + 6, run.out.find('\n', next) - next - 6);
  const auto typed =
      run_process({"env", "-C", folder_.string(), "sh", "-c", command}, std::chrono::seconds(60));
  ASSERT_TRUE(typed);
  EXPECT_EQ(typed->exit_code, 0) << command << "\n" << typed->err;
  EXPECT_TRUE(std::filesystem::exists(path("small.esp32c3/small.h")));

  const ProcessResult verify =
      tune(with_model({"run", "--records", "small.esp32c3.jsonl", "--verify", "--json"}));
  EXPECT_EQ(verify.exit_code, 0) << verify.err;
  const Json report = Json::parse(verify.out);
  EXPECT_EQ(report["exact"], true);
  EXPECT_EQ(report["layers"][0]["tuned"], true);
  EXPECT_EQ(tune(with_model({"compile", "--records", "small.esp32c3.jsonl", "--require-tuned", "-o",
                             "tuned"}))
                .exit_code,
            0);
  const ProcessResult table = tune(with_model({"report", "--records", "small.esp32c3.jsonl"}));
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("speed-up"), std::string::npos);
}

TEST_F(TuningRuns, FinishedRunAgain_MeasuresNothingSaysSoAndExitsWith0) {
  ASSERT_EQ(tune(with_model({"--trials", "6", "--quiet"})).exit_code, 0);
  const std::string log = read_bytes(path("small.esp32c3.jsonl"));
  const ProcessResult again = tune(with_model({"--trials", "6"}));
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_NE(again.err.find("nothing left to measure"), std::string::npos) << again.err;
  EXPECT_EQ(read_bytes(path("small.esp32c3.jsonl")), log);
}

TEST_F(TuningRuns, Json_IsOneObjectWithTheContractsKeys) {
  // With fewer trials a kernel may win by 0.3 % on its task's inputs and lose on the network's.
  const ProcessResult run = tune(with_model({"--trials", "24", "--json", "--records", "a.jsonl"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json report = Json::parse(run.out);
  EXPECT_EQ(report["records"], "a.jsonl");
  uint64_t measured = 0;
  for (const Json& task : report["tasks"]) {
    for (const char* key :
         {"index", "name", "layers", "default_cycles", "best_cycles", "trials", "valid"})
      EXPECT_TRUE(task.contains(key)) << key;
    EXPECT_LE(task["best_cycles"], task["default_cycles"]);
    measured += task["trials"].get<uint64_t>();
  }
  EXPECT_EQ(measured, 24u);
  EXPECT_LE(report["network"]["best_cycles"], report["network"]["default_cycles"]);
}

// The reported cycles are the deployed network's: with waits for flash and untuned operators.
TEST_F(TuningRuns, NetworksCycles_AreThoseOfRunUnderTheSameOptions) {
  for (const char* device : {"esp32c3", "rp2040"}) {
    for (const std::vector<std::string>& limits :
         {std::vector<std::string>{}, {"--fast-ram", "0"}}) {
      std::vector<std::string> words = {"--json", "--device", device};
      words.insert(words.end(), limits.begin(), limits.end());
      const auto cycles_of_run = [&](std::vector<std::string> more) {
        std::vector<std::string> run = {"run", "--model", "small.tflite"};
        run.insert(run.end(), words.begin(), words.end());
        run.insert(run.end(), more.begin(), more.end());
        return Json::parse(tune(run).out)["cycles"];
      };
      std::vector<std::string> search = {"--model", "small.tflite", "--trials", "6", "--quiet"};
      search.insert(search.end(), words.begin(), words.end());
      const std::string log = std::string(device) + std::to_string(limits.size()) +
                              (limits.empty() ? "" : limits[1]) + ".jsonl";
      search.insert(search.end(), {"--records", log});
      const ProcessResult tuned = tune(search);
      ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
      const Json network = Json::parse(tuned.out)["network"];
      EXPECT_EQ(network["default_cycles"], cycles_of_run({})) << device;
      EXPECT_EQ(network["best_cycles"], cycles_of_run({"--records", log})) << device;
    }
  }
}

TEST_F(TuningRuns, Quiet_SaysNothingOnStderr) {
  const ProcessResult run = tune(with_model({"--trials", "3", "--quiet"}));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("next: "), std::string::npos);
}

TEST_F(TuningRuns, OneWorkerOrTwoOrThree_GiveTheSameSchedulesInTheSameOrder) {
  for (const char* workers : {"1", "2", "3"}) {
    const ProcessResult run = tune(with_model({"--trials", "40", "--quiet", "--workers", workers,
                                               "--records", std::string("w") + workers}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  EXPECT_EQ(trials("w1").size(), 40u);
  EXPECT_EQ(trials("w2"), trials("w1"));
  EXPECT_EQ(trials("w3"), trials("w1"));
}

TEST_F(TuningRuns, OtherTuners_TuneAndShareALogWithoutRepeats) {
  for (const auto& [tuner, total] : {std::pair("grid", "8"), {"random", "16"}, {"xgb", "24"}}) {
    const ProcessResult run =
        tune(with_model({"--tuner", tuner, "--trials", total, "--quiet", "--records", "a"}));
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  auto all = trials("a");
  EXPECT_EQ(all.size(), 24u);
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST_F(TuningRuns, Tasks_LimitsTheRunToThem) {
  const ProcessResult run = tune(with_model({"--tasks", "1", "--trials", "4", "--json"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json report = Json::parse(run.out);
  ASSERT_EQ(report["tasks"].size(), 1u);
  EXPECT_EQ(report["tasks"][0]["index"], 1);
  for (const std::string& line : trials("small.esp32c3.jsonl"))
    EXPECT_EQ(line.find("depthwise"), 0u) << line;
}

TEST_F(TuningRuns, Budget_EndsTheRunInTime) {
  const auto started = std::chrono::steady_clock::now();
  const ProcessResult run =
      tune(with_model({"--budget", "3s", "--trials", "100000", "--tuner", "random", "--quiet"}));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_GE(took.count(), 2.5);
  EXPECT_LT(took.count(), 60);  // all trials take hours
  EXPECT_GE(trials("small.esp32c3.jsonl").size(), 1u);
}

TEST_F(TuningRuns, LockedLog_ExitsWith1AndTheFirstRunGoesOn) {
  RunningTune first(folder_, with_model({"--trials", "25", "--records", "a"}), false);
  ASSERT_TRUE(first.wait_for("/25 trials"));
  const ProcessResult second = tune(with_model({"--trials", "25", "--records", "a"}));
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_NE(second.err.find("locked"), std::string::npos) << second.err;
  EXPECT_EQ(first.wait(), 0) << first.output();
  EXPECT_EQ(trials("a").size(), 25u);
}

TEST_F(TuningRuns, DamagedLog_WarnsAndGoesOn) {
  ASSERT_EQ(tune(with_model({"--trials", "6", "--records", "a", "--quiet"})).exit_code, 0);
  std::string log = read_bytes(path("a"));
  const size_t digit = log.find("\"cycles\":[") + 10;
  log[digit] = log[digit] == '1' ? '2' : '1';
  write_bytes(path("a"), log + log.substr(0, 30));
  const ProcessResult run = tune(with_model({"--trials", "8", "--records", "a"}));
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_NE(run.err.find("2 damaged line(s) skipped"), std::string::npos) << run.err;
  EXPECT_EQ(trials("a").size(), 8u);
  const ProcessResult compiled = tune(with_model({"compile", "--records", "a", "-o", "out"}));
  EXPECT_EQ(compiled.exit_code, 0);
  EXPECT_NE(compiled.err.find("1 damaged line(s) skipped"), std::string::npos) << compiled.err;
}

TEST_F(TuningRuns, RecordsOfAnotherDeviceOrVersion_AreKeptIgnoredAndCounted) {
  ASSERT_EQ(tune({"--model", "small.tflite", "--device", "rv32imc", "--trials", "4", "--records",
                  "a", "--quiet"})
                .exit_code,
            0);
  auto foreign = read_log(path("a"));
  ASSERT_TRUE(foreign);
  ASSERT_EQ(tune(with_model({"--trials", "3", "--records", "a", "--quiet"})).exit_code, 0);
  // One record of a later template version, and one of a point that this space does not have.
  Measurement later = read_log(path("a"))->measurements.back(), unknown = later;
  const std::string schedule = later.schedule;
  const size_t slash = schedule.find('/');
  unknown.schedule = schedule.substr(0, schedule.rfind('=')) + "=12345";
  later.schedule = schedule.substr(0, slash) + "/999" + schedule.substr(schedule.find(' '));
  write_bytes(path("a"),
              read_bytes(path("a")) + to_log_line(later) + "\n" + to_log_line(unknown) + "\n");
  const ProcessResult run = tune(with_model({"--trials", "5", "--records", "a"}));
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.err.find("4 records of another device file, 2 of another space version ignored"),
            std::string::npos)
      << run.err;
  EXPECT_EQ(trials("a").size(), 4u + 5u + 2u);
}

TEST_F(TuningRuns, RemoteWorker_MeasuresWhereTheTunerHasNone) {
  RunningTune tuner(folder_,
                    with_model({"--workers", "0", "--listen", "unix:" + path("s"), "--trials", "4",
                                "--records", "a"}),
                    false);
  ASSERT_TRUE(tuner.wait_for("waiting for workers"));
  RunningTune worker(folder_,
                     {"worker", "--connect", "unix:" + path("s"), "--device", "esp32c3", "--once"},
                     false);
  EXPECT_EQ(tuner.wait(), 0) << tuner.output();
  EXPECT_EQ(worker.wait(), 0) << worker.output();
  EXPECT_EQ(trials("a").size(), 4u);
}

TEST_F(TuningRuns, WorkerThatStays_ServesTheNextRunToo) {
  RunningTune worker(folder_, {"worker", "--connect", "unix:" + path("s"), "--device", "esp32c3"},
                     false);
  for (const char* log : {"a", "b"}) {
    RunningTune tuner(folder_,
                      with_model({"--workers", "0", "--listen", "unix:" + path("s"), "--trials",
                                  "2", "--records", log}),
                      false);
    EXPECT_EQ(tuner.wait(), 0) << tuner.output();
    EXPECT_EQ(trials(log).size(), 2u);
  }
}

TEST_F(TuningRuns, NothingIsLeftBehind_InTheTemporaryFolder) {
  const std::string temporary = path("tmp");
  std::filesystem::create_directory(temporary);
  const auto run = run_process(
      {"env", "-C", folder_.string(), "TMPDIR=" + temporary, TINYTUNE_BINARY_DIR "/tune", "--model",
       "small.tflite", "--device", "esp32c3", "--trials", "3", "--quiet"},
      std::chrono::seconds(60));
  ASSERT_TRUE(run);
  EXPECT_EQ(run->exit_code, 0) << run->err;
  for (const auto& entry : std::filesystem::directory_iterator(temporary))
    ADD_FAILURE() << "left behind: " << entry.path();
}

}  // namespace
}  // namespace tinytune::test
