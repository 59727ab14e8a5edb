// The C++ interface's features, reached through the C interface.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/api/scratch_folder.h"
#include "tests/tuner/small_model.h"
#include "tinytune/tinytune_c.h"

namespace tinytune::test {
namespace {

class CApiReach : public ScratchFolder {
 protected:
  tinytune_tune_options few_trials(uint64_t trials) {
    log_ = path("a.jsonl");
    tinytune_tune_options options = {};
    options.device = "rv32imc";
    options.records = log_.c_str();
    options.worker_program = TINYTUNE_BINARY_DIR "/tune";
    options.trials = trials;
    return options;
  }

  std::string log_;
};

TEST_F(CApiReach, Layer_IsTunedAndItsKernelHandedOut) {
  tinytune_layer* layer = nullptr;
  ASSERT_EQ(tinytune_layer_describe("dense 32->8", nullptr, 0, &layer), TINYTUNE_OK);
  EXPECT_STREQ(tinytune_layer_name(layer), "dense 32->8");
  const tinytune_tune_options options = few_trials(3);
  tinytune_tune_result tuned = {};
  ASSERT_EQ(tinytune_tune_workload(layer, &options, &tuned), TINYTUNE_OK) << tinytune_last_error();
  EXPECT_EQ(tuned.measured, 3u);

  tinytune_kernel_options of_kernel = {};
  of_kernel.device = "rv32imc";
  of_kernel.records = log_.c_str();
  tinytune_kernel* kernel = nullptr;
  ASSERT_EQ(tinytune_compile_workload(layer, &of_kernel, &kernel), TINYTUNE_OK)
      << tinytune_last_error();
  tinytune_kernel_info info = {};
  tinytune_kernel_get(kernel, &info);
  EXPECT_EQ(info.cycles, tuned.best_cycles);
  EXPECT_STREQ(info.workload, tinytune_layer_workload(layer));
  EXPECT_NE(std::string(info.prototype).find("void tinytune_kernel(const int8_t *input"),
            std::string::npos);
  EXPECT_EQ(std::memcmp(info.object,
                        "\x7f"
                        "ELF",
                        4),
            0);
  EXPECT_NE(std::string(info.llvm_ir).find("define void @tinytune_kernel"), std::string::npos);
  uint64_t bytes = 0;
  for (size_t i = 0; i < info.constant_count; ++i) {
    tinytune_packed_array array = {};
    ASSERT_EQ(tinytune_kernel_constant(kernel, i, &array), TINYTUNE_OK);
    bytes += array.size;
  }
  EXPECT_EQ(bytes, info.constant_bytes);
  tinytune_packed_array array = {};
  EXPECT_EQ(tinytune_kernel_constant(kernel, 99, &array), TINYTUNE_NOT_FOUND);
  tinytune_kernel_free(kernel);

  tinytune_log* log = nullptr;
  ASSERT_EQ(tinytune_log_query(log_.c_str(), "rv32imc", tinytune_layer_workload(layer), 1, &log),
            TINYTUNE_OK);
  ASSERT_EQ(tinytune_log_count(log), 1u);
  tinytune_record best = {};
  ASSERT_EQ(tinytune_log_at(log, 0, &best), TINYTUNE_OK);
  EXPECT_STREQ(best.outcome, "ok");
  EXPECT_EQ(best.cycles, tuned.best_cycles);
  tinytune_log_free(log);
  ASSERT_EQ(tinytune_log_query(log_.c_str(), nullptr, nullptr, 0, &log), TINYTUNE_OK);
  EXPECT_EQ(tinytune_log_count(log), 3u);
  tinytune_log_free(log);
  tinytune_layer_free(layer);
}

TEST_F(CApiReach, Constants_AreTheCallers) {
  int32_t multiplier[2], shift[2];
  ASSERT_EQ(tinytune_fixed_point(0.004, &multiplier[0], &shift[0]), TINYTUNE_OK);
  ASSERT_EQ(tinytune_fixed_point(0.002, &multiplier[1], &shift[1]), TINYTUNE_OK);
  EXPECT_EQ(tinytune_fixed_point(-1, &multiplier[0], &shift[0]), TINYTUNE_INVALID_INPUT);
  const int8_t weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};
  tinytune_constants constants = {};
  constants.weights = weights;
  constants.weight_count = 8;
  constants.multiplier = multiplier;
  constants.shift = shift;
  constants.channels = 2;
  tinytune_layer* layer = nullptr;
  ASSERT_EQ(tinytune_layer_describe("dense 4->2", &constants, 0, &layer), TINYTUNE_OK)
      << tinytune_last_error();
  tinytune_run* run = nullptr;
  tinytune_run_options options = {};
  options.verify = 1;
  const int8_t input[4] = {-128, -127, -128, -128};  // one above the zero point
  const uint8_t* inputs[1] = {reinterpret_cast<const uint8_t*>(input)};
  options.inputs = inputs;
  ASSERT_EQ(tinytune_run_model(tinytune_layer_model(layer), "rv32imc", &options, &run), TINYTUNE_OK)
      << tinytune_last_error();
  tinytune_run_info info = {};
  tinytune_run_get(run, &info);
  EXPECT_EQ(info.exact, 1);
  tinytune_run_free(run);
  constants.channels = 1;
  EXPECT_EQ(tinytune_layer_describe("dense 4->2", &constants, 0, &layer), TINYTUNE_INVALID_INPUT);
  EXPECT_EQ(layer, nullptr);
}

TEST_F(CApiReach, Models_ShareAnArenaInEveryFormat) {
  tinytune_model* models[2] = {};
  for (int i = 0; i < 2; ++i) {
    const std::string file = path(i == 0 ? "one.tflite" : "two.tflite");
    write_model(small_graph(), file);
    ASSERT_EQ(tinytune_model_load(file.c_str(), &models[i]), TINYTUNE_OK);
  }
  tinytune_compile_options how = {};
  how.format = TINYTUNE_FORMAT_STM32CUBE;
  tinytune_shared_arena_result all = {};
  tinytune_compile_result each[2] = {};
  ASSERT_EQ(tinytune_compile_shared(models, 2, "cortex-m4", path("out").c_str(), &how, &all, each),
            TINYTUNE_OK)
      << tinytune_last_error();
  EXPECT_EQ(each[0].exact, 1);
  EXPECT_EQ(each[1].exact, 1);
  EXPECT_EQ(all.arena_bytes, each[0].arena_bytes);
  EXPECT_EQ(all.apart_bytes, 2 * all.arena_bytes);
  EXPECT_EQ(all.footprint.flash_bytes,
            each[0].footprint.flash_bytes + each[1].footprint.flash_bytes);
  EXPECT_TRUE(std::filesystem::exists(path("out/two/two.h")));
  EXPECT_EQ(tinytune_compile_shared(models, 1, "cortex-m4", path("out").c_str(), nullptr, nullptr,
                                    nullptr),
            TINYTUNE_INVALID_INPUT);
  for (tinytune_model* model : models) tinytune_model_free(model);
}

TEST_F(CApiReach, Model_IsCompiledRunAndExplained) {
  write_model(small_graph(), path("small.tflite"));
  tinytune_model* model = nullptr;
  ASSERT_EQ(tinytune_model_load(path("small.tflite").c_str(), &model), TINYTUNE_OK);
  const int task = 0;
  tinytune_tune_options options = few_trials(3);
  options.tasks = &task;
  options.task_count = 1;
  ASSERT_EQ(tinytune_tune(model, &options, nullptr), TINYTUNE_OK) << tinytune_last_error();

  tinytune_compile_options how = {};
  how.records = log_.c_str();
  how.format = TINYTUNE_FORMAT_ZEPHYR;
  how.limits.ram_bytes = 64 << 10;
  tinytune_compile_result written = {};
  ASSERT_EQ(tinytune_compile_with(model, "rv32imc", path("out").c_str(), &how, &written),
            TINYTUNE_OK)
      << tinytune_last_error();
  EXPECT_GE(written.layers_tuned, 1);
  EXPECT_EQ(written.footprint.arena_bytes, written.arena_bytes);
  EXPECT_TRUE(std::filesystem::exists(path("out/zephyr/module.yml")));
  how.limits.ram_bytes = 16;
  EXPECT_EQ(tinytune_compile_with(model, "rv32imc", path("out").c_str(), &how, nullptr),
            TINYTUNE_FAILED);

  tinytune_run_options of_run = {};
  of_run.records = log_.c_str();
  of_run.verify = 1;
  tinytune_run* run = nullptr;
  ASSERT_EQ(tinytune_run_model(model, "rv32imc", &of_run, &run), TINYTUNE_OK);
  tinytune_run_info info = {};
  tinytune_run_get(run, &info);
  EXPECT_EQ(info.exact, 1);
  uint64_t instructions = info.overhead_instructions;
  for (size_t i = 0; i < info.layer_count; ++i) {
    tinytune_layer_cost cost = {};
    ASSERT_EQ(tinytune_run_layer(run, i, &cost), TINYTUNE_OK);
    instructions += cost.instructions;
  }
  EXPECT_EQ(instructions, info.instructions);
  const uint8_t* bytes = nullptr;
  size_t size = 0;
  ASSERT_EQ(tinytune_run_output(run, 0, &bytes, &size), TINYTUNE_OK);
  EXPECT_EQ(size, tinytune_output_bytes(model, 0));
  EXPECT_EQ(tinytune_run_output(run, 9, &bytes, &size), TINYTUNE_NOT_FOUND);
  tinytune_run_free(run);

  tinytune_explanation* why = nullptr;
  ASSERT_EQ(tinytune_explain(model, "rv32imc", log_.c_str(), 0, &why), TINYTUNE_OK)
      << tinytune_last_error();
  tinytune_explanation_info known = {};
  tinytune_explanation_get(why, &known);
  EXPECT_EQ(known.trials, 3u);
  tinytune_kernel_cost winner = {};
  ASSERT_EQ(tinytune_explanation_kernel(why, 0, &winner), TINYTUNE_OK);
  EXPECT_STREQ(winner.role, "winner");
  EXPECT_GT(winner.cycles, 0u);
  for (size_t knob = 0; knob < known.knob_count; ++knob) {
    tinytune_knob_effect effect = {};
    ASSERT_EQ(tinytune_explanation_knob(why, knob, &effect), TINYTUNE_OK);
    EXPECT_STRNE(effect.value, effect.other) << effect.knob;
    EXPECT_GE(effect.slowdown, 0) << effect.knob;
  }
  tinytune_knob_effect effect = {};
  EXPECT_EQ(tinytune_explanation_knob(why, known.knob_count, &effect), TINYTUNE_NOT_FOUND);
  tinytune_explanation_free(why);
  EXPECT_EQ(tinytune_explain(model, "rv32imc", log_.c_str(), 99, &why), TINYTUNE_NOT_FOUND);
  tinytune_model_free(model);
}

TEST_F(CApiReach, Devices_AreListed) {
  bool found = false;
  tinytune_device device = {};
  for (size_t i = 0; i < tinytune_device_count(); ++i) {
    ASSERT_EQ(tinytune_device_at(i, &device), TINYTUNE_OK);
    found = found || std::string(device.name) == "esp32c3";
  }
  EXPECT_TRUE(found);
  EXPECT_EQ(tinytune_device_at(1000, &device), TINYTUNE_NOT_FOUND);
}

TEST_F(CApiReach, NullWhereSomethingIsNeeded_IsRefusedByName) {
  tinytune_layer* layer = nullptr;
  EXPECT_EQ(tinytune_layer_describe(nullptr, nullptr, 0, &layer), TINYTUNE_INVALID_INPUT);
  EXPECT_STREQ(tinytune_last_error(), "description is null");
  EXPECT_EQ(tinytune_tune_workload(nullptr, nullptr, nullptr), TINYTUNE_INVALID_INPUT);
  EXPECT_EQ(tinytune_log_query(nullptr, nullptr, nullptr, 0, nullptr), TINYTUNE_INVALID_INPUT);
  tinytune_run* run = nullptr;
  EXPECT_EQ(tinytune_run_model(nullptr, "rv32imc", nullptr, &run), TINYTUNE_INVALID_INPUT);
  tinytune_layer_free(nullptr);
  tinytune_kernel_free(nullptr);
  tinytune_run_free(nullptr);
  tinytune_log_free(nullptr);
  tinytune_explanation_free(nullptr);
}

}  // namespace
}  // namespace tinytune::test
