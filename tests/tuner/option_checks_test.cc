// The library refuses what the command line refuses, because programs use it directly. Every value
// here is wrong, so nothing is tuned, built or run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <limits>

#include "base/temporary_directory.h"
#include "tests/tuner/small_model.h"
#include "tinytune/deploy.h"
#include "tinytune/tuning.h"

namespace tinytune::test {
namespace {

using testing::HasSubstr;

class OptionChecks : public testing::Test {
 protected:
  OptionChecks() : folder_(*TemporaryDirectory::create("options")) {
    write_model(small_graph(), folder_.file("small.tflite"));
  }
  Model model() const { return *Model::load(folder_.file("small.tflite")); }
  std::string log() const { return folder_.file("log.jsonl"); }

  void expect_tune_refuses(const std::function<void(TuneOptions&)>& set, const std::string& says) {
    TuneOptions options;
    options.records = log();
    set(options);
    const auto report = tune_model(model(), "rv32imc", options);
    ASSERT_FALSE(report) << says;
    EXPECT_EQ(report.error().code(), ErrorCode::kInvalidInput) << says;
    EXPECT_THAT(report.error().message(), HasSubstr(says));
  }
  void expect_run_refuses(const std::function<void(RunOptions&)>& set, const std::string& says) {
    RunOptions options;
    set(options);
    const auto report = run_model(model(), "rv32imc", options);
    ASSERT_FALSE(report) << says;
    EXPECT_THAT(report.error().message(), HasSubstr(says));
  }

  TemporaryDirectory folder_;
};

TEST_F(OptionChecks, OfTune_AreTheCommandLines) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  expect_tune_refuses([](TuneOptions& o) { o.records.clear(); }, "no log is named");
  expect_tune_refuses([](TuneOptions& o) { o.trials = 0; }, "trials must be above zero");
  expect_tune_refuses([](TuneOptions& o) { o.early_stop = 0; }, "early stopping must be");
  for (const double seconds : {0.0, -1.0, 1e300, kNan})
    expect_tune_refuses([=](TuneOptions& o) { o.budget_seconds = seconds; }, "the time budget");
  for (const char* tuner : {"foo", "", "XGB"})
    expect_tune_refuses([=](TuneOptions& o) { o.tuner = tuner; }, "no search strategy");
  expect_tune_refuses([](TuneOptions& o) { o.search.emplace(); }, "needs a name");
  expect_tune_refuses(
      [](TuneOptions& o) {
        o.search = OwnSearch{"mine", {}};
      },
      "nothing that makes");
  const auto nobody = [](const Candidates&) { return std::unique_ptr<SearchStrategy>(); };
  expect_tune_refuses(
      [&](TuneOptions& o) {
        o.search = OwnSearch{"bayes", nobody};
      },
      "that exists");
  for (const uint64_t window : {uint64_t{0}, uint64_t{4097}, ~uint64_t{0}})
    expect_tune_refuses([=](TuneOptions& o) { o.window = window; }, "the window must be from 1");
  expect_tune_refuses([](TuneOptions& o) { o.workers = -1; }, "workers must be >= 0");
  expect_tune_refuses([](TuneOptions& o) { o.workers = 1'000'000; }, "workers");
  expect_tune_refuses([](TuneOptions& o) { o.workers = 0; }, "add --listen");
  for (const double seconds : {-1.0, 1e300, kNan})
    expect_tune_refuses([=](TuneOptions& o) { o.board_patience_seconds = seconds; }, "patience");
  expect_tune_refuses([](TuneOptions& o) { o.listen = "nowhere"; }, "--listen");
  for (const int task : {-1, 99})
    expect_tune_refuses([=](TuneOptions& o) { o.tasks = {0, task}; }, "there is no task");
  expect_tune_refuses([](TuneOptions& o) { o.limits.ram_bytes = 0; }, "0");
  expect_tune_refuses([](TuneOptions& o) { o.limits.arena_bytes = 0; }, "0");
  expect_tune_refuses([](TuneOptions& o) { o.limits.flash_bytes = 0; }, "0");
  EXPECT_FALSE(std::filesystem::exists(log())) << "written before the options were looked at";
}

TEST_F(OptionChecks, OfRunCompileAndExplain_AreTheCommandLines) {
  for (const int steps : {0, -1, std::numeric_limits<int>::min()})
    expect_run_refuses([=](RunOptions& o) { o.steps = steps; }, "steps must be at least 1");
  expect_run_refuses([](RunOptions& o) { o.inputs = {{1, 2, 3}}; }, "3");
  expect_run_refuses([](RunOptions& o) { o.limits.arena_bytes = 0; }, "0");
  expect_run_refuses([](RunOptions& o) { o.records = "/no/such/log"; }, "/no/such/log");
  expect_run_refuses([](RunOptions& o) { o.on = "toaster"; }, "toaster");
  CompileOptions compiling;
  compiling.limits.ram_bytes = 0;
  EXPECT_FALSE(compile_model(model(), "rv32imc", folder_.file("out"), compiling));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("out")));
}

}  // namespace
}  // namespace tinytune::test
