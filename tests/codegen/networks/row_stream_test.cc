// Networks whose input arrives in rows: the same bytes as from a whole input, however many rows
// come at a time, and calls that refuse what is not rows of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "codegen/networks/network.h"
#include "examples/ds_cnn.h"
#include "simulator/simulator.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::executed;
using test::ImageChain;
using test::seeded_inputs;
using testing::HasSubstr;

// As the generated header has them.
constexpr uint32_t kOk = 0, kMisalignedArena = 2, kMoreRows = 3, kErrorRows = 4;

Result<GeneratedNetwork> generated(const Graph& graph, int last, int rows, const Device& device) {
  return generate_network(executed(graph), device, {},
                          {.name = "net", .strips = {{0, last, rows, /*is_streamed=*/true}}});
}

/// The built library, its arena full of what an earlier program left.
class Stream {
 public:
  Stream(const Graph& graph, int last, int rows, const char* device_name = "rv32imc")
      : graph_(graph), device_(*load_device(device_name)) {
    auto network = generated(graph, last, rows, device_);
    if (!network) {
      ADD_FAILURE() << network.error().message();
      return;
    }
    network_ = std::move(*network);
    simulator_.emplace(*Simulator::create(device_));
    image_ = *simulator_->load(build_network(network_, device_)->elf);
    EXPECT_TRUE(simulator_->write(address(network_.arena_symbol), Bytes(network_.arena_bytes, 0xa5))
                    .has_value());
    call(network_.reset_symbol, {address(network_.arena_symbol)});
  }

  const GeneratedNetwork& network() const { return network_; }
  int rows() const { return network_.stream->rows; }

  void give(const Bytes& input) {
    EXPECT_TRUE(simulator_->write(address(network_.stream->rows_symbol), input).has_value());
  }

  uint32_t reset() { return call(network_.reset_symbol, {address(network_.arena_symbol)}); }

  uint32_t push(int first, int count) {
    const uint32_t rows = address(network_.stream->rows_symbol) +
                          static_cast<uint32_t>(first) * network_.stream->row_bytes;
    return call(network_.invoke_symbol,
                {address(network_.arena_symbol), rows, static_cast<uint32_t>(count)});
  }

  uint32_t call_push(uint32_t arena_offset, uint32_t rows, uint32_t count) {
    return call(network_.invoke_symbol,
                {address(network_.arena_symbol) + arena_offset, rows, count});
  }

  Bytes output() {
    const Port& port = network_.outputs[0];
    return *simulator_->read(address(network_.arena_symbol) + port.offset,
                             static_cast<size_t>(port.tensor.bytes()));
  }

  /// `at_a_time` rows with each call, those left over with the last.
  void expect_exact(uint32_t seed, int at_a_time) {
    const auto inputs = seeded_inputs(graph_, seed);
    give(inputs[0]);
    for (int row = 0; row < rows(); row += at_a_time) {
      const int count = std::min(at_a_time, rows() - row);
      ASSERT_EQ(push(row, count), row + count < rows() ? kMoreRows : kOk) << "row " << row;
    }
    const auto reference = run_reference(graph_, inputs);
    EXPECT_EQ(output(), (*reference)[static_cast<size_t>(graph_.outputs[0])]);
  }

 private:
  uint32_t address(const std::string& symbol) const { return image_.symbols.at(symbol).address; }

  uint32_t call(const std::string& symbol, std::vector<uint32_t> arguments) {
    auto report = simulator_->call(address(symbol), arguments, {});
    EXPECT_TRUE(report && report->end == CallEnd::kReturned);
    return report ? report->return_value : 0;
  }

  Graph graph_;
  Device device_;
  GeneratedNetwork network_;
  std::optional<Simulator> simulator_;
  ElfInfo image_;
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
  const auto network = generated(chain.finish(), 0, 2, *load_device("rv32imc"));
  ASSERT_FALSE(network.has_value());
  EXPECT_THAT(network.error().message(), HasSubstr("it reads the input that arrives in rows"));
}

}  // namespace
}  // namespace tinytune
