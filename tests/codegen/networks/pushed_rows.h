// A network whose input arrives in rows or frames, built and called row by row in the simulator.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/network.h"
#include "simulator/simulator.h"
#include "tests/codegen/network_run.h"

namespace tinytune::test {

// Status codes, as in the generated header.
constexpr uint32_t kOk = 0, kMisalignedArena = 2, kMoreRows = 3, kErrorRows = 4;

/// The built library, with an arena full of an earlier program's data.
class PushedRows {
 public:
  PushedRows(const Graph& graph, const StripGroup& group, const char* device_name = "rv32imc")
      : graph_(graph), device_(*load_device(device_name)) {
    auto network =
        generate_network(executed(graph), device_, {}, {.name = "net", .strips = {group}});
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

  /// Returns the network's output from the arena.
  Bytes output() {
    const Port& port = network_.outputs[0];
    return *simulator_->read(address(network_.arena_symbol) + port.offset,
                             static_cast<size_t>(port.tensor.bytes()));
  }

  /// Pushes `at_a_time` rows per call, the remainder with the last, and compares the output.
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

}  // namespace tinytune::test
