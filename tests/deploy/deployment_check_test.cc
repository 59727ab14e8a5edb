// Messages about a network that takes much of its device's RAM.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "deploy/deployment/deployment.h"
#include "deploy/deployment/trial.h"
#include "deploy/selection/device_memory.h"
#include "devices/device.h"
#include "examples/tflite_writer.h"
#include "tests/codegen/graph_builder.h"

namespace tinytune::test {
namespace {

class DeploymentCheck : public testing::Test {
 protected:
  void SetUp() override {
    GraphBuilder b;
    const int x = b.input({1, 4, 4, 3}, 0.5F, -9);
    const int weights = b.constant({2, 1, 1, 3}, 1, 0, {1, 2, 3, 4, 5, 6});
    b.scales(weights, {0.01F, 0.02F}, 0);
    const Graph graph =
        b.finish({b.op(OperatorKind::kConv2d, {x, weights}, ConvAttributes{}, {1, 4, 4, 2}, 1, 5)});
    folder_ = *TemporaryDirectory::create("check");
    ASSERT_TRUE(write_file(folder_->file("net.tflite"), text_of(write_tflite(graph))));
  }

  /// Returns the message of check_footprint() for a network with these bytes, or its error.
  std::string said(const Footprint& footprint) const {
    const auto model = Model::load(folder_->file("net.tflite"));
    const Records records;
    const MemoryLimits limits;
    std::string text;
    const MessageSink sink = [&](MessageKind, const std::string& message) { text += message; };
    const Deployment deployment{*model, device_, records, limits, sink};
    const Status status = check_footprint(deployment, footprint);
    return status ? text : status.error().message();
  }

  const Device device_ = *load_device("esp32c3");

 private:
  std::optional<TemporaryDirectory> folder_;
};

TEST_F(DeploymentCheck, MoreThanSeventyPercentOfTheRam_IsSaid) {
  const uint64_t ram = ram_of(device_), limit = ram * 7 / 10;
  Footprint takes{.arena_bytes = 100'000, .code_bytes = limit - 100'000 - 96, .stack_bytes = 96};
  EXPECT_EQ(said(takes), "");
  takes.code_bytes += 1;
  EXPECT_NE(said(takes).find("takes 70 % of the RAM of esp32c3"), std::string::npos) << said(takes);
}

TEST_F(DeploymentCheck, NoRoomForAStockApplicationBesideIt_IsSaid) {
  const uint64_t room = device_.memory("dram").size_bytes - (8 + 2) * 1024;
  EXPECT_EQ(said({.arena_bytes = room - 50'000,
                  .weights_bytes = 60'000,
                  .weights_beside_arena_bytes = 50'000}),
            "");
  const std::string text = said({.arena_bytes = room - 50'000,
                                 .weights_bytes = 50'001,
                                 .weights_beside_arena_bytes = 50'001});
  EXPECT_NE(text.find("an application of 8 KiB with 2 KiB of stack and heap does not fit"),
            std::string::npos)
      << text;
}

TEST_F(DeploymentCheck, MoreFlashThanThereIs_IsAnErrorWithARemedy) {
  const std::string text = said({.flash_bytes = flash_of(device_) + 1});
  EXPECT_NE(text.find("does not fit esp32c3"), std::string::npos) << text;
  EXPECT_NE(text.find("; take a device with more flash or a smaller network; --flash"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace tinytune::test
