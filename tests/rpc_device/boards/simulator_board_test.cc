// Promises of measure/board.h whose violation would not show in any kernel's measurement.
#include "rpc_device/boards/simulator_board.h"

#include <gtest/gtest.h>

namespace tinytune {
namespace {

class SimulatorBoardTest : public testing::Test {
 protected:
  SimulatorBoardTest()
      : device_(load_device("esp32c3").value()), board_(SimulatorBoard::create(device_).value()) {}

  LoadReport load(const LoadRequest& request) {
    auto report = board_->load(request);
    EXPECT_TRUE(report) << report.error().message();
    return report ? *report : LoadReport{};
  }

  Device device_;
  std::unique_ptr<SimulatorBoard> board_;
  const std::vector<uint8_t> bytes_ = std::vector<uint8_t>(16, 3);
};

TEST_F(SimulatorBoardTest, LackingConstants_AreEachNamedOnceUntilKeptAndAgainAfterReset) {
  const Digest digest = digest_of(bytes_);
  LoadRequest request;
  request.symbol = "kernel";
  request.arguments = {{BufferRole::kConstant, 16, 1, digest},
                       {BufferRole::kConstant, 16, 1, digest},
                       {BufferRole::kOutput, 4, 4, {}}};
  EXPECT_EQ(load(request).end, LoadEnd::kLacksConstants);
  EXPECT_EQ(load(request).lacking, std::vector<Digest>{digest});
  ASSERT_TRUE(board_->keep(digest, bytes_));
  EXPECT_EQ(load(request).end, LoadEnd::kRefused);  // no image
  ASSERT_TRUE(board_->reset());
  EXPECT_EQ(load(request).end, LoadEnd::kLacksConstants);
}

TEST_F(SimulatorBoardTest, ConstantThatIsNotWhatItsDigestSays_IsRefused) {
  const Status kept = board_->keep({1, 2}, bytes_);
  ASSERT_FALSE(kept);
  EXPECT_EQ(kept.error().code(), ErrorCode::kInvalidInput);
}

TEST_F(SimulatorBoardTest, NothingLoaded_RunsAndReadsAreTheCallersMistake) {
  EXPECT_EQ(board_->run({}).error().code(), ErrorCode::kInvalidInput);
  EXPECT_EQ(board_->read_output().error().code(), ErrorCode::kInvalidInput);
}

TEST_F(SimulatorBoardTest, Identity_IsASimulatorsWithTheDevicesMemory) {
  const BoardIdentity identity = board_->identity();
  EXPECT_EQ(identity.id, "simulator");
  EXPECT_EQ(identity.clock_hz, device_.clock_hz);
  EXPECT_EQ(identity.memory_bytes, device_.memory(device_.data_memory).size_bytes);
}

}  // namespace
}  // namespace tinytune
