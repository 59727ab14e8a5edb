#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/subprocess.h"
#include "records/log.h"
#include "schedules/workload.h"
#include "tests/api/scratch_folder.h"
#include "tests/tuner/small_model.h"
#include "tinytune/tinytune_c.h"

namespace tinytune::test {
namespace {

class CApi : public ScratchFolder {};

TEST_F(CApi, ProgramInC_TunesAndCompilesThroughTheSharedLibrary) {
  write_model(small_graph(), path("small.tflite"));
  const auto run = run_process({TUNE_FROM_C, path("small.tflite"), path("a.jsonl"),
                                TINYTUNE_BINARY_DIR "/tune", path("out")},
                               std::chrono::seconds(100));
  ASSERT_TRUE(run) << run.error().message();
  ASSERT_EQ(run->exit_code, 0) << run->err;
  EXPECT_NE(run->out.find("5 reports"), std::string::npos) << run->out;
  EXPECT_EQ(read_log(path("a.jsonl"))->measurements.size(), 5u);
  EXPECT_TRUE(std::filesystem::exists(path("out/small.h")));
}

TEST_F(CApi, Callback_CancelsTheRun) {
  write_model(small_graph(), path("small.tflite"));
  tinytune_model* model = nullptr;
  ASSERT_EQ(tinytune_model_load(path("small.tflite").c_str(), &model), TINYTUNE_OK);
  const std::string log = path("a.jsonl"), tune = TINYTUNE_BINARY_DIR "/tune";
  tinytune_tune_options options = {};
  options.device = "esp32c3";
  options.records = log.c_str();
  options.worker_program = tune.c_str();
  options.trials = 1000;
  options.on_progress = [](const tinytune_progress* progress, void*) {
    return progress->trials >= 2 ? 1 : 0;
  };
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_INTERRUPTED);
  EXPECT_STRNE(tinytune_last_error(), "");
  EXPECT_LT(read_log(log)->measurements.size(), 40u);
  EXPECT_GE(read_log(log)->measurements.size(), 2u);
  tinytune_model_free(model);
}

TEST_F(CApi, Tasks_AreListedWhileTheModelLives) {
  write_model(small_graph(), path("small.tflite"));
  tinytune_model* model = nullptr;
  ASSERT_EQ(tinytune_model_load(path("small.tflite").c_str(), &model), TINYTUNE_OK);
  size_t layers = 0;
  for (size_t task = 0; task < tinytune_task_count(model); ++task) {
    EXPECT_STRNE(tinytune_task_name(model, task), "");
    EXPECT_TRUE(parse_workload(tinytune_task_workload(model, task)));
    layers += tinytune_task_layer_count(model, task);
  }
  EXPECT_EQ(layers, 4u);
  EXPECT_EQ(tinytune_task_name(model, 100), nullptr);
  EXPECT_EQ(tinytune_task_workload(model, 100), nullptr);
  EXPECT_EQ(tinytune_task_layer_count(model, 100), 0u);
  tinytune_model_free(model);
}

TEST_F(CApi, InputsAndOutputs_AreCountedInTensorsAndBytes) {
  const Graph graph = small_graph();
  write_model(graph, path("small.tflite"));
  tinytune_model* model = nullptr;
  ASSERT_EQ(tinytune_model_load(path("small.tflite").c_str(), &model), TINYTUNE_OK);
  ASSERT_EQ(tinytune_input_count(model), graph.inputs.size());
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    EXPECT_EQ(tinytune_input_bytes(model, i),
              static_cast<size_t>(graph.tensor(graph.inputs[i]).bytes()));
  ASSERT_EQ(tinytune_output_count(model), graph.outputs.size());
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    EXPECT_EQ(tinytune_output_bytes(model, i),
              static_cast<size_t>(graph.tensor(graph.outputs[i]).bytes()));
  EXPECT_EQ(tinytune_input_bytes(model, graph.inputs.size()), 0u);
  EXPECT_EQ(tinytune_output_bytes(model, graph.outputs.size()), 0u);
  tinytune_model_free(model);
}

TEST_F(CApi, WrongArguments_AreStatusesWithAMessage) {
  tinytune_model* model = nullptr;
  EXPECT_EQ(tinytune_model_load(path("missing.tflite").c_str(), &model), TINYTUNE_NOT_FOUND);
  EXPECT_EQ(model, nullptr);
  EXPECT_NE(std::string(tinytune_last_error()).find("missing.tflite"), std::string::npos);
  write_bytes(path("text"), "words");
  EXPECT_EQ(tinytune_model_load(path("text").c_str(), &model), TINYTUNE_INVALID_INPUT);
  write_model(float_graph(), path("float.tflite"));
  EXPECT_EQ(tinytune_model_load(path("float.tflite").c_str(), &model), TINYTUNE_UNSUPPORTED);
  EXPECT_EQ(tinytune_model_load(nullptr, &model), TINYTUNE_INVALID_INPUT);
  EXPECT_EQ(tinytune_model_load("x", nullptr), TINYTUNE_INVALID_INPUT);
  EXPECT_EQ(tinytune_task_count(nullptr), 0u);
  tinytune_model_free(nullptr);

  write_model(small_graph(), path("small.tflite"));
  const char* const state = "a=b";
  tinytune_load_options loading = {};
  loading.states = &state, loading.state_count = 1;
  EXPECT_EQ(tinytune_model_load_with(path("small.tflite").c_str(), &loading, &model),
            TINYTUNE_UNSUPPORTED);
  EXPECT_THAT(tinytune_last_error(), testing::HasSubstr("--state"));
  ASSERT_EQ(tinytune_model_load(path("small.tflite").c_str(), &model), TINYTUNE_OK);
  EXPECT_STREQ(tinytune_last_error(), "");
  tinytune_tune_options options = {};
  EXPECT_EQ(tinytune_tune(model, nullptr, nullptr), TINYTUNE_INVALID_INPUT);
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_INVALID_INPUT);
  options.device = "toaster";
  const std::string log = path("a.jsonl");
  options.records = log.c_str();
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_NOT_FOUND);
  options.device = "esp32c3";
  options.worker_program = "/no/such/program";
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_NOT_FOUND);
  options.budget_seconds = -1;
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_INVALID_INPUT);
  options.budget_seconds = 1e300;
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_INVALID_INPUT);
  options.budget_seconds = 0;
  options.tuner = "foo";
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_INVALID_INPUT);
  EXPECT_THAT(tinytune_last_error(),
              testing::HasSubstr("no search strategy 'foo'; there are bayes"));
  options.tuner = nullptr;
  options.layout = static_cast<tinytune_layout>(3);
  EXPECT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_INVALID_INPUT);
  tinytune_compile_options compiling = {};
  compiling.format = static_cast<tinytune_format>(99);
  EXPECT_EQ(tinytune_compile_with(model, "esp32c3", path("out").c_str(), &compiling, nullptr),
            TINYTUNE_INVALID_INPUT);
  EXPECT_EQ(tinytune_compile(model, "toaster", nullptr, path("out").c_str()), TINYTUNE_NOT_FOUND);
  EXPECT_EQ(tinytune_compile(model, "esp32c3", nullptr, nullptr), TINYTUNE_INVALID_INPUT);
  tinytune_model_free(model);
}

}  // namespace
}  // namespace tinytune::test
