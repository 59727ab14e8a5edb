#include <gtest/gtest.h>
#include <signal.h>

#include "tests/api/scratch_folder.h"
#include "tests/tuner/small_model.h"
#include "tinytune/tinytune.h"

tinytune::Result<uint64_t> best_cycles_without_exceptions(const std::string& model_path,
                                                          const std::string& log);

namespace tinytune::test {
namespace {

class CppApi : public ScratchFolder {
 protected:
  Model small_model() {
    write_model(small_graph(), path("small.tflite"));
    auto model = Model::load(path("small.tflite"));
    EXPECT_TRUE(model) << model.error().message();
    return *model;
  }
};

TEST_F(CppApi, HostWithoutExceptions_GetsErrorsAsValues) {
  const auto missing = best_cycles_without_exceptions(path("missing.tflite"), path("a"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
}

TEST_F(CppApi, TuneThenRun_IsExactAndNotSlower) {
  const Model model = small_model();
  TuneOptions options;
  options.records = path("a.jsonl");
  options.trials = 6;
  options.worker_program = TINYTUNE_BINARY_DIR "/tune";
  uint64_t last = 0;
  options.on_progress = [&](const TuneProgress& progress) {
    EXPECT_EQ(progress.trials, last + 1);
    EXPECT_EQ(progress.trials_total, 6u);
    last = progress.trials;
  };
  const auto report = tune_model(model, "esp32c3", options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(last, 6u);
  EXPECT_EQ(report->measured, 6u);

  RunOptions run;
  run.records = options.records;
  run.verify = true;
  const auto tuned = run_model(model, "esp32c3", run);
  ASSERT_TRUE(tuned) << tuned.error().message();
  EXPECT_EQ(tuned->exact, true);
  run.records.reset();
  const auto by_default = run_model(model, "esp32c3", run);
  ASSERT_TRUE(by_default) << by_default.error().message();
  EXPECT_EQ(by_default->exact, true);
  EXPECT_EQ(by_default->outputs, tuned->outputs);
}

/// A host that ignores its children, for the duration of a test.
class WithoutSigchld {
 public:
  WithoutSigchld() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGCHLD, &ignore, &before_);
  }
  ~WithoutSigchld() { sigaction(SIGCHLD, &before_, nullptr); }

 private:
  struct sigaction before_ {};
};

TEST_F(CppApi, HostThatIgnoresSigchld_CanTuneAndRun) {
  const WithoutSigchld host;
  const Model model = small_model();
  TuneOptions options;
  options.records = path("a.jsonl");
  options.trials = 4;
  options.worker_program = TINYTUNE_BINARY_DIR "/tune";
  const auto report = tune_model(model, "esp32c3", options);
  ASSERT_TRUE(report) << report.error().message();
  EXPECT_EQ(report->measured, 4u);
  RunOptions run;
  run.verify = true;
  const auto exact = run_model(model, "esp32c3", run);
  ASSERT_TRUE(exact) << exact.error().message();
  EXPECT_EQ(exact->exact, true);
}

TEST_F(CppApi, HostThatIgnoresSigchld_HearsOfWorkersThatCannotLive) {
  const WithoutSigchld host;
  TuneOptions options;
  options.records = path("a.jsonl");
  options.workers = 1;
  options.worker_program = "/bin/false";
  const auto report = tune_model(small_model(), "esp32c3", options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kFailed) << report.error().message();
  EXPECT_NE(report.error().message().find("ended"), std::string::npos) << report.error().message();
}

TEST_F(CppApi, InputsOfAWrongNumberOrSize_AreRefused) {
  const Model model = small_model();
  RunOptions run;
  run.inputs = {std::vector<uint8_t>(3)};
  EXPECT_EQ(run_model(model, "esp32c3", run).error().code(), ErrorCode::kInvalidInput);
  run.inputs = {std::vector<uint8_t>(144), std::vector<uint8_t>(144)};
  EXPECT_EQ(run_model(model, "esp32c3", run).error().code(), ErrorCode::kInvalidInput);
}

TEST_F(CppApi, Devices_AreListed) {
  bool found = false;
  for (const DeviceInfo& device : list_devices()) found = found || device.name == "esp32c3";
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace tinytune::test
