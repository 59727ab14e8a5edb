// Networks whose input arrives in rows: the same bytes as from a whole input, however many rows
// come at a time, and calls refuse arguments that are not rows of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/networks/network.h"
#include "examples/ds_cnn.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/networks/pushed_rows.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::executed;
using test::ImageChain;
using test::kErrorRows;
using test::kMisalignedArena;
using test::kMoreRows;
using test::kOk;
using test::seeded_inputs;
using testing::HasSubstr;

/// A stream into the group of operators 0 to `last`, in strips of `rows` rows.
class Stream : public test::PushedRows {
 public:
  Stream(const Graph& graph, int last, int rows, const char* device = "rv32imc")
      : PushedRows(graph, {0, last, rows, InputArrival::kRows}, device) {}
};

TEST(RowStream, AnyNumberOfRowsAtATime_IsExact) {
  Stream stream(test::mobile_chain(1), 4, 2);
  for (const int at_a_time : {1, 2, 5, 13}) {
    SCOPED_TRACE(at_a_time);
    stream.expect_exact(static_cast<uint32_t>(at_a_time), at_a_time);  // one input after another
  }
}

TEST(RowStream, GroupsBehindTheFirst_FollowWithTheLastRow) {
  Stream stream(test::mobile_chain(2), 1, 3, "cortex-m4");
  stream.expect_exact(3, 4);
  stream.expect_exact(4, 1);
}

TEST(RowStream, WholeInputNeverExists) {
  const Graph graph = make_ds_cnn(1);
  Stream stream(graph, 2, 4);
  stream.expect_exact(100, 7);
  for (const PlacedTensor& placed : stream.network().tensors)
    EXPECT_NE(placed.tensor, graph.inputs[0]);
  EXPECT_THAT(stream.network().files[0].contents, testing::Not(HasSubstr("net_input_0")));
}

// The window of a 1x1 layer with a stride is empty between strips; unpadded layers leave rows
// unread.
TEST(RowStream, RowsThatNobodyReads_AreTakenAndForgotten) {
  ImageChain chain(16, 8, 4, 5);
  chain.conv(4, {.kernel = 1, .stride = 3, .padding = Padding::kValid});
  chain.conv(4, {.kernel = 3, .stride = 2, .padding = Padding::kValid});
  const Graph graph = chain.finish();
  Stream stream(graph, 1, 1);
  stream.expect_exact(1, 1);
  stream.expect_exact(2, 16);
}

TEST(RowStream, InputThatASumReadsAgain_IsExact) {
  ImageChain chain(12, 8, 4, 7);
  const int input = chain.at();
  chain.conv(4, {.kernel = 3});
  chain.conv(4, {.kernel = 3});
  chain.add(input);
  Stream stream(chain.finish(), 2, 2);
  stream.expect_exact(1, 5);
}

Graph one_layer() {
  ImageChain chain(13, 8, 4, 7);
  chain.conv(4, {.kernel = 3});
  return chain.finish();
}

TEST(RowStream, Reset_ForgetsRowsThatArrived) {
  const Graph graph = one_layer();
  Stream stream(graph, 0, 2);
  stream.give(seeded_inputs(graph, 9)[0]);
  EXPECT_EQ(stream.push(0, 6), kMoreRows);
  EXPECT_EQ(stream.reset(), kOk);
  stream.expect_exact(10, 3);
}

TEST(RowStream, WhatIsNotRows_IsRefusedAndChangesNothing) {
  const Graph graph = one_layer();
  Stream stream(graph, 0, 2);
  stream.give(seeded_inputs(graph, 9)[0]);
  EXPECT_EQ(stream.push(0, 14), kErrorRows);
  EXPECT_EQ(stream.push(0, -1), kErrorRows);
  EXPECT_EQ(stream.call_push(0, 0, 1), kErrorRows);
  EXPECT_EQ(stream.call_push(1, 0, 1), kMisalignedArena);
  EXPECT_EQ(stream.push(0, 0), kMoreRows);
  stream.expect_exact(9, 13);
}

TEST(RowStream, InputOfAnotherLayerToo_IsRefused) {
  ImageChain chain(12, 8, 4, 7);
  const int input = chain.at();
  chain.conv(4, {.kernel = 3});
  chain.add(input);
  const auto network =
      generate_network(executed(chain.finish()), *load_device("rv32imc"), {},
                       {.name = "net", .strips = {{0, 0, 2, InputArrival::kRows}}});
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message(), HasSubstr("it reads the input that arrives in rows"));
}

}  // namespace
}  // namespace tinytune
