// Why a kernel wins, for a model whose channels were folded.
#include "tinytune/explain.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/rng.h"
#include "base/temporary_directory.h"
#include "devices/device.h"
#include "examples/tflite_writer.h"
#include "models/operator_kind.h"
#include "records/log.h"
#include "templates/kernel_template.h"
#include "tests/codegen/graph_builder.h"

namespace tinytune::test {
namespace {

/// Two convolutions; two of the four channels between them can only be the zero point.
Graph folding_graph() {
  GraphBuilder b;
  Rng rng(1);
  const auto convolution = [&](int from, int channels, std::vector<float> scales) {
    std::vector<uint8_t> weights(scales.size() * static_cast<size_t>(channels));
    for (uint8_t& w : weights) w = static_cast<uint8_t>(rng.next());
    const int out = static_cast<int>(scales.size());
    const int constant = b.constant({out, 1, 1, channels}, 1, 0, std::move(weights));
    b.scales(constant, std::move(scales), 0);
    return b.op(OperatorKind::kConv2d, {from, constant}, ConvAttributes{}, {1, 4, 4, out}, 1, 5);
  };
  const int x = b.input({1, 4, 4, 3}, 0.5F, -9);
  const int folded = convolution(x, 3, {0.01F, 1e-20F, 0.02F, 1e-12F});
  return b.finish({convolution(folded, 4, {0.01F, 0.03F, 0.01F})});
}

void write_log(const Model& model, const Device& device, const std::string& path) {
  auto log = LogWriter::open(path);
  ASSERT_TRUE(log) << log.error().message();
  for (const TaskInfo& task : model.info().tasks) {
    Measurement m;
    m.device = device.name;
    m.device_hash = device.hash;
    m.workload = task.workload;
    m.schedule = to_text(*default_schedule_of(*parse_workload(task.workload), device));
    m.outcome = Outcome::kOk;
    m.cycles = {1000};
    m.instructions = 900;
    ASSERT_TRUE(log->append(m));
  }
}

TEST(Explain, LayersAroundFoldedChannels_AreExplained) {
  const auto folder = TemporaryDirectory::create("explain");
  ASSERT_TRUE(folder);
  const std::vector<uint8_t> bytes = write_tflite(folding_graph());
  ASSERT_TRUE(write_file(folder->file("net.tflite"), text_of(bytes)));
  const auto model = Model::load(folder->file("net.tflite"));
  ASSERT_TRUE(model) << model.error().message();
  ASSERT_EQ(model->info().tasks.size(), 2U);
  ASSERT_LT(model->info().macs_executed, model->info().macs) << "no channel was folded";
  const std::string log = folder->file("log.jsonl");
  write_log(*model, *load_device("esp32c3"), log);
  for (const int task : {0, 1}) {
    const auto explanation = explain_task(*model, "esp32c3", log, task);
    ASSERT_TRUE(explanation) << explanation.error().message();
    const KernelCost& winner = explanation->kernels.front();
    EXPECT_GT(winner.cycles, 0U);
    EXPECT_GE(winner.in_flash.cycles,
              winner.in_flash.fetch_wait_cycles + winner.in_flash.read_wait_cycles);
    EXPECT_GT(winner.in_flash.cycles, winner.cycles);
    EXPECT_GT(winner.in_flash.fetch_wait_cycles, winner.in_flash.code_bytes)
        << "a line of 32 bytes waits for 168 cycles";
    EXPECT_GT(winner.in_flash.constant_bytes, 0U);
  }
}

}  // namespace
}  // namespace tinytune::test
