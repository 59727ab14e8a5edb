// Networks over endless frames: each result equals that of the whole window recomputed, but only
// its new rows are computed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "examples/str_ww.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/networks/pushed_rows.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::executed;
using test::ImageChain;
using test::kErrorRows;
using test::kMoreRows;
using test::kOk;
using testing::HasSubstr;

constexpr int kWindows = 9;  // more than any of these has rows to forget

class FrameStream : public test::PushedRows {
 public:
  FrameStream(const Graph& graph, int last, const char* device = "rv32imc")
      : PushedRows(graph, {0, last, 1, InputArrival::kFrames}, device), graph_(graph) {}

  int hop() const { return network().stream->hop; }

  /// Pushes one frame per call and compares the result of each window, in order.
  void expect_exact(uint64_t seed) {
    const size_t frame = network().stream->row_bytes, window = frame * static_cast<size_t>(rows());
    Bytes all(window + frame * static_cast<size_t>(hop()) * kWindows);
    Rng rng(seed);
    for (uint8_t& byte : all) byte = static_cast<uint8_t>(rng.below(256));
    size_t begin = 0;
    for (size_t at = 0; at < all.size(); at += frame) {
      give(Bytes(all.begin() + static_cast<ptrdiff_t>(at),
                 all.begin() + static_cast<ptrdiff_t>(at + frame)));
      const bool complete = at + frame == begin + window;
      ASSERT_EQ(push(0, 1), complete ? kOk : kMoreRows) << "frame " << at / frame;
      if (!complete) continue;
      const auto reference = run_reference(
          graph_, std::vector<Bytes>{Bytes(all.begin() + static_cast<ptrdiff_t>(begin),
                                           all.begin() + static_cast<ptrdiff_t>(begin + window))});
      ASSERT_EQ(output(), (*reference)[static_cast<size_t>(graph_.outputs[0])])
          << "window from frame " << begin / frame;
      begin += frame * static_cast<size_t>(hop());
    }
  }

 private:
  Graph graph_;
};

// From 19 rows, layers make 9, 7 and 7; all of them are read.
ImageChain unpadded_chain(int rows, uint64_t seed) {
  ImageChain chain(rows, 9, 4, seed);
  chain.conv(8, {.kernel = 3, .stride = 2, .padding = Padding::kValid});
  chain.depthwise({.kernel = 3, .padding = Padding::kValid});
  chain.conv(4, {.kernel = 1, .padding = Padding::kValid});
  return chain;
}

TEST(FrameStream, EveryWindow_IsWhatTheWholeNetworkMakesOfIt) {
  for (const char* device : {"rv32imc", "cortex-m4"}) {
    FrameStream stream(unpadded_chain(19, 1).finish(), 2, device);
    EXPECT_EQ(stream.hop(), 2);
    stream.expect_exact(3);
  }
}

TEST(FrameStream, LastFramesThatNoLayerReads_AreReadInTheNextWindow) {
  ImageChain chain = unpadded_chain(20, 2);
  chain.conv(4, {.kernel = 1, .stride = 3, .padding = Padding::kValid});
  FrameStream stream(chain.finish(), 3);
  EXPECT_EQ(stream.hop(), 6);
  stream.expect_exact(4);
}

TEST(FrameStream, OneRowOfOutput_IsAWindowToo) {
  ImageChain chain(7, 9, 4, 5);
  chain.conv(4, {.kernel = 3, .padding = Padding::kValid});
  chain.depthwise({.kernel = 5, .padding = Padding::kValid});
  FrameStream stream(chain.finish(), 1);
  EXPECT_EQ(stream.hop(), 1);
  stream.expect_exact(6);
}

TEST(FrameStream, LayersBehind_LeaveTheWindowAsItIs) {
  ImageChain chain = unpadded_chain(19, 3);
  const int kept = chain.at();
  chain.relu6();
  chain.conv(4, {.kernel = 3});  // pads: it sees its whole input each time
  chain.add(kept);
  FrameStream stream(chain.finish(), 2);
  stream.expect_exact(7);
}

TEST(FrameStream, SumInsideTheGroup_IsExact) {
  ImageChain chain(12, 8, 4, 7);
  const int input = chain.at();
  chain.conv(4, {.kernel = 1, .padding = Padding::kValid});
  chain.add(input);
  chain.conv(4, {.kernel = 3, .padding = Padding::kValid});
  FrameStream stream(chain.finish(), 2);
  stream.expect_exact(8);
}

TEST(FrameStream, WakeWord_ComputesWhatIsNewAndNothingElse) {
  const Graph graph = make_str_ww(1);
  const int last = 9;  // with the pool, whose stride is its height
  FrameStream stream(graph, last);
  ASSERT_EQ(stream.hop(), 2);
  for (const GeneratedLayer& layer : stream.network().layers) {
    if (layer.macs == 0 || layer.index > last) continue;
    const Operator& op = graph.operators[static_cast<size_t>(layer.index)];
    EXPECT_EQ(layer.macs_executed * graph.tensor(op.outputs[0]).shape[1], layer.macs) << layer.op;
  }
  stream.expect_exact(9);
}

TEST(FrameStream, FramesBeyondAResult_AreRefusedAndChangeNothing) {
  const Graph graph = unpadded_chain(19, 1).finish();
  FrameStream stream(graph, 2);
  stream.give(Bytes(20 * stream.network().stream->row_bytes, 5));
  EXPECT_EQ(stream.push(0, 20), kErrorRows);
  EXPECT_EQ(stream.push(0, 19), kOk);
  EXPECT_EQ(stream.push(0, 3), kErrorRows);
  EXPECT_EQ(stream.push(0, 0), kMoreRows);
  EXPECT_EQ(stream.push(0, 1), kMoreRows);
  EXPECT_EQ(stream.push(0, 2), kErrorRows);
  EXPECT_EQ(stream.push(0, 1), kOk);
  EXPECT_EQ(stream.reset(), kOk);
  stream.expect_exact(11);
}

TEST(FrameStream, LayerThatPadsInTime_IsRefusedInWords) {
  const auto network =
      generate_network(executed(test::mobile_chain(1)), *load_device("rv32imc"), {},
                       {.name = "net", .strips = {{0, 0, 1, InputArrival::kFrames}}});
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message(), HasSubstr("it pads the rows"));
}

}  // namespace
}  // namespace tinytune
