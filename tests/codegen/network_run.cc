#include "tests/codegen/network_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "codegen/passes/passes.h"

namespace tinytune::test {
namespace {

class Runner {
 public:
  // Word accesses at odd addresses are legal on Cortex-M3 and up, and LLVM makes use of that.
  Runner(const GeneratedNetwork& network, const Graph& graph, const Device& device,
         Simulator simulator, ElfInfo image)
      : network_(network),
        graph_(graph),
        aligned_only_(device.target.family == CoreFamily::kRiscv32),
        simulator_(std::move(simulator)),
        image_(std::move(image)) {}

  NetworkRun run(const std::vector<Bytes>& inputs) {
    NetworkRun result;
    fill(inputs);
    keep(-1, result);
    for (size_t step = 0; step < network_.layers.size(); ++step) {
      for (const std::string& function : network_.layers[step].functions()) call(function, {});
      keep(static_cast<int>(step), result);
    }
    fill(inputs);
    CallOptions options;
    for (const LayerFunction& function : network_.functions)
      options.sections.push_back(image_.symbols.at(function.symbol).address);
    std::vector<int> indices;
    for (const GeneratedLayer& layer : network_.layers)
      indices.insert(indices.end(), layer.functions().size(), layer.index);
    const CallReport report = call(network_.invoke_symbol, options);
    EXPECT_EQ(report.return_value, 0u);
    result.instructions = report.counts.instructions;
    for (size_t i = 0; i < indices.size(); ++i)
      result.layer_instructions[indices[i]] += report.visits.at(i).counts.instructions;
    for (const int output : graph_.outputs) result.outputs.push_back(read(output));
    if (network_.cores > 1) expect_no_race(inputs, std::move(options));
    return result;
  }

  Bytes run_calls(const std::vector<std::vector<Bytes>>& calls) {
    Bytes outputs;
    reset();
    for (const std::vector<Bytes>& inputs : calls) {
      give(inputs);
      EXPECT_EQ(call(network_.invoke_symbol, {}).return_value, 0u);
      for (const int output : graph_.outputs) {
        const Bytes value = read(output);
        outputs.insert(outputs.end(), value.begin(), value.end());
      }
    }
    return outputs;
  }

 private:
  void expect_no_race(const std::vector<Bytes>& inputs, CallOptions options) {
    const auto section_of = [&](const std::string& symbol) {
      const auto at = std::find(options.sections.begin(), options.sections.end(),
                                image_.symbols.at(symbol).address);
      return static_cast<size_t>(at - options.sections.begin());
    };
    for (const GeneratedLayer& layer : network_.layers)
      if (!layer.other_symbol.empty())
        options.pairs.push_back({section_of(layer.symbol), section_of(layer.other_symbol)});
    fill(inputs);
    aligned_only_ = false;  // a checked run cannot follow two cores
    const CallReport report = call(network_.invoke_symbol, options);
    EXPECT_EQ(report.race, "");
    EXPECT_EQ(report.joined.size(), options.pairs.size());
  }

  uint32_t arena() const { return image_.symbols.at(network_.arena_symbol).address; }

  const PlacedTensor& placed(int tensor) const {
    return *std::find_if(network_.tensors.begin(), network_.tensors.end(),
                         [&](const PlacedTensor& t) { return t.tensor == tensor; });
  }

  void fill(const std::vector<Bytes>& inputs) {
    reset();
    give(inputs);
  }

  void reset() {
    // Poisons the arena, so that no result depends on what an earlier run left.
    EXPECT_TRUE(simulator_.write(arena(), Bytes(network_.arena_bytes, 0xa5)).has_value());
    if (!network_.reset_symbol.empty()) call(network_.reset_symbol, {});
  }

  void give(const std::vector<Bytes>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
      EXPECT_TRUE(
          simulator_.write(arena() + placed(graph_.inputs[i]).offset, inputs[i]).has_value());
  }

  void keep(int step, NetworkRun& result) {
    for (const PlacedTensor& t : network_.tensors)
      if (t.first_step == step || graph_.tensor(t.tensor).is_variable)  // state: after each step
        result.tensors[t.tensor] = read(t.tensor);
  }

  Bytes read(int tensor) {
    auto bytes = simulator_.read(arena() + placed(tensor).offset, placed(tensor).bytes);
    EXPECT_TRUE(bytes.has_value());
    return bytes ? *bytes : Bytes();
  }

  CallReport call(const std::string& symbol, CallOptions options) {
    options.check_alignment = aligned_only_;
    if (network_.arrivals) options.arrival = network_.arrivals->way;
    const uint32_t argument = arena();
    auto report = simulator_.call(image_.symbols.at(symbol).address, {&argument, 1}, options);
    if (!report) {
      ADD_FAILURE() << symbol << ": " << report.error().message();
      return {};
    }
    EXPECT_EQ(report->end, CallEnd::kReturned) << symbol << ": " << report->detail;
    EXPECT_TRUE(report->registers_restored) << symbol << ": " << report->clobbered;
    return *report;
  }

  const GeneratedNetwork& network_;
  const Graph& graph_;
  bool aligned_only_;
  Simulator simulator_;
  ElfInfo image_;
};

}  // namespace

IntegerNetwork executed(const Graph& graph) {
  auto network = executed_network(graph);
  if (!network) {
    ADD_FAILURE() << network.error().message();
    return {};
  }
  return *network;
}

namespace {

std::optional<Runner> load(const GeneratedNetwork& network, const Graph& graph,
                           const Device& device) {
  auto elf = build_network(network, device);
  if (!elf) {
    ADD_FAILURE() << elf.error().message();
    return std::nullopt;
  }
  auto simulator = Simulator::create(device);
  if (!simulator) {
    ADD_FAILURE() << simulator.error().message();
    return std::nullopt;
  }
  auto image = simulator->load(elf->elf);
  if (!image) {
    ADD_FAILURE() << image.error().message();
    return std::nullopt;
  }
  return Runner(network, graph, device, std::move(*simulator), *image);
}

}  // namespace

NetworkRun run_network(const GeneratedNetwork& network, const Graph& graph, const Device& device,
                       const std::vector<Bytes>& inputs) {
  auto runner = load(network, graph, device);
  return runner ? runner->run(inputs) : NetworkRun{};
}

Bytes run_calls(const GeneratedNetwork& network, const Graph& graph, const Device& device,
                const std::vector<std::vector<Bytes>>& calls) {
  auto runner = load(network, graph, device);
  return runner ? runner->run_calls(calls) : Bytes{};
}

NetworkRun expect_exact(const Graph& graph, const Device& device, const std::vector<Bytes>& inputs,
                        const NetworkOptions& options) {
  auto network = generate_network(executed(graph), device, {}, options);
  if (!network) {
    ADD_FAILURE() << network.error().message();
    return {};
  }
  NetworkRun run = run_network(*network, graph, device, inputs);
  const auto reference = run_reference(graph, inputs);
  if (!reference) {
    ADD_FAILURE() << reference.error().message();
    return {};
  }
  for (const auto& [tensor, bytes] : run.tensors)
    EXPECT_TRUE(bytes == (*reference)[static_cast<size_t>(tensor)])
        << "tensor " << tensor << " differs from the reference";
  for (size_t i = 0; i < run.outputs.size(); ++i)
    EXPECT_TRUE(run.outputs[i] == (*reference)[static_cast<size_t>(graph.outputs[i])])
        << "output " << i << " of invoke differs from the reference";
  return run;
}

std::vector<Bytes> seeded_inputs(const Graph& graph, uint32_t seed) {
  uint32_t state = seed;
  int walk = 0;
  std::vector<Bytes> inputs;
  for (const int input : graph.inputs) {
    Bytes bytes(static_cast<size_t>(graph.tensor(input).bytes()));
    for (uint8_t& byte : bytes) {
      state ^= state << 13, state ^= state >> 17, state ^= state << 5;
      const uint32_t top = state >> 24;
      if (seed >= 100) walk = std::clamp(walk + static_cast<int>(top % 17) - 8, -128, 127);
      byte = static_cast<uint8_t>(seed < 100 ? top : static_cast<uint32_t>(walk));
    }
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

}  // namespace tinytune::test
