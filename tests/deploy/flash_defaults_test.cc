// Untuned kernels with all constants in flash: waits count, although nothing was measured.
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/rng.h"
#include "base/temporary_directory.h"
#include "examples/tflite_writer.h"
#include "models/operator_kind.h"
#include "tests/codegen/graph_builder.h"
#include "tinytune/deploy.h"

namespace tinytune::test {
namespace {

constexpr int kInputs = 256, kOutputs = 64;

Graph dense_graph() {
  GraphBuilder b;
  Rng rng(1);
  std::vector<uint8_t> weights(static_cast<size_t>(kInputs) * kOutputs);
  for (uint8_t& w : weights) w = static_cast<uint8_t>(rng.below(40));
  const int x = b.input({1, kInputs}, 0.5F, -9);
  const int constant = b.constant({kOutputs, kInputs}, 0.01F, 0, std::move(weights));
  return b.finish({b.op(OperatorKind::kFullyConnected, {x, constant}, ActivationAttributes{},
                        {1, kOutputs}, 1, 5)});
}

TEST(FlashDefaults, WhereNothingIsCopied_WeightsAreNoWiderThanTheyWait) {
  const auto folder = TemporaryDirectory::create("flash_defaults");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("net.tflite"), text_of(write_tflite(dense_graph()))));
  const auto model = Model::load(folder->file("net.tflite"));
  ASSERT_TRUE(model) << model.error().message();
  RunOptions options;
  options.verify = true;
  const auto copied = run_model(*model, "rv32imc", options);
  ASSERT_TRUE(copied) << copied.error().message();
  EXPECT_GT(copied->footprint.flash_bytes, uint64_t{2} * kInputs * kOutputs);
  options.limits.fast_ram_bytes = 0;
  const auto waiting = run_model(*model, "esp32c3", options);
  ASSERT_TRUE(waiting) << waiting.error().message();
  EXPECT_TRUE(*waiting->exact) << waiting->difference;
  EXPECT_GT(waiting->read_wait_cycles, 0U);
  EXPECT_LT(waiting->footprint.flash_bytes, uint64_t{2} * kInputs * kOutputs);
}

// The region cannot hold the fastest kernel's constants besides those of another operator.
TEST(FlashDefaults, WhereConstantsHaveNoRoom_KernelsAreSmaller) {
  constexpr int kOthers = 20480, kRoom = 12 * 4096;
  GraphBuilder b;
  Rng rng(1);
  std::vector<uint8_t> weights(static_cast<size_t>(kInputs) * kOutputs), others(kOthers);
  for (uint8_t& w : weights) w = static_cast<uint8_t>(rng.below(40));
  for (uint8_t& o : others) o = static_cast<uint8_t>(rng.below(256));
  const int x = b.input({1, kInputs}, 0.5F, -9), y = b.input({1, kOthers}, 0.1F, 3);
  const int dense = b.constant({kOutputs, kInputs}, 0.01F, 0, std::move(weights));
  const int addend = b.constant({1, kOthers}, 0.1F, 0, std::move(others));
  const Graph graph = b.finish(
      {b.op(OperatorKind::kFullyConnected, {x, dense}, ActivationAttributes{}, {1, kOutputs}, 1, 5),
       b.op(OperatorKind::kAdd, {y, addend}, ActivationAttributes{}, {1, kOthers}, 0.2F, 1)});
  const auto folder = TemporaryDirectory::create("flash_defaults");
  ASSERT_TRUE(folder);
  ASSERT_TRUE(write_file(folder->file("net.tflite"), text_of(write_tflite(graph))));
  ASSERT_TRUE(write_file(folder->file("small.toml"),
                         "name = \"small\"\ndescription = \"esp32c3 with little flash\"\n"
                         "base = \"esp32c3\"\n\n[[memory]]\nname = \"flash_rodata\"\n"
                         "size_bytes = " +
                             std::to_string(kRoom) + "\n"));
  const auto model = Model::load(folder->file("net.tflite"));
  ASSERT_TRUE(model) << model.error().message();
  RunOptions options;
  options.verify = true;
  const auto ample = run_model(*model, "esp32c3", options);
  ASSERT_TRUE(ample) << ample.error().message();
  const auto small = run_model(*model, folder->file("small.toml"), options);
  ASSERT_TRUE(small) << small.error().message();
  EXPECT_TRUE(*small->exact) << small->difference;
  EXPECT_LT(small->footprint.flash_bytes + kInputs * kOutputs / 2, ample->footprint.flash_bytes);
}

}  // namespace
}  // namespace tinytune::test
