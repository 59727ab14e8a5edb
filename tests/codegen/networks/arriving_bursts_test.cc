// Layers whose weights arrive in bursts, during which nothing else can read flash: the same bytes,
// code in RAM wherever a burst may run, and networks that break that rule are caught.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/files.h"
#include "base/rng.h"
#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"
#include "tests/codegen/strips/image_chains.h"

namespace tinytune {
namespace {

using test::executed;
using test::run_network;
using test::seeded_inputs;
using testing::HasSubstr;

// Dense layers of 64, 32, 32 and 8 channels, with one scale per layer.
Graph chain_of_dense() {
  Rng rng(21);
  test::GraphBuilder builder;
  int at = builder.input({1, 64}, 0.05F, -3);
  for (const auto& [inputs, outputs] : {std::pair{64, 32}, {32, 32}, {32, 8}}) {
    std::vector<uint8_t> bytes(static_cast<size_t>(inputs * outputs));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.next());
    const int weights = builder.constant({outputs, inputs}, 0.01F, 0, bytes);
    at = builder.op(OperatorKind::kFullyConnected, {at, weights}, ActivationAttributes{},
                    {1, outputs}, 0.05F, -3);
  }
  return builder.finish({at});
}

NetworkOptions in_bursts(std::vector<ArrivingLayer> layers) {
  NetworkOptions options{.name = "net"};
  const std::vector<ArrivalWay> ways = *load_arrival_ways("rp2040");
  for (const ArrivalWay& way : ways)
    if (way.name == "burst") options.arrivals = Arrivals{way, std::move(layers)};
  return options;
}

GeneratedNetwork bursting(const Graph& graph, std::vector<ArrivingLayer> layers) {
  return *generate_network(executed(graph), *load_device("rp2040"), {},
                           in_bursts(std::move(layers)));
}

const std::string& text_of(const GeneratedNetwork& network, const std::string& name) {
  for (const GeneratedFile& file : network.files)
    if (file.name == name) return file.contents;
  static const std::string kNone;
  return kNone;
}

CallReport invoked(const GeneratedNetwork& network) {
  const Device device = *load_device("rp2040");
  const auto built = build_network(network, device);
  EXPECT_TRUE(built) << built.error().message();
  auto simulator = Simulator::create(device);
  const auto image = simulator->load(built->elf);
  CallOptions options;
  options.arrival = network.arrivals->way;
  const uint32_t arena = image->symbols.at(network.arena_symbol).address;
  return *simulator->call(image->symbols.at(network.invoke_symbol).address, {&arena, 1}, options);
}

TEST(ArrivingBursts, BlocksAndLayers_AreExact) {
  const Graph dense = chain_of_dense(), image = test::mobile_chain(3);
  const Device device = *load_device("rp2040");
  test::expect_exact(dense, device, seeded_inputs(dense, 3),
                     in_bursts({{0, 4, 0}, {1, 8, 0}, {2, 1, 1}}));
  test::expect_exact(image, device, seeded_inputs(image, 3),
                     in_bursts({{1, 1, 1}, {2, 1, 1}, {4, 1, 4}}));
}

TEST(ArrivingBursts, CodeThatRunsMeanwhile_IsInRamAndOtherCodeInFlash) {
  const GeneratedNetwork network = bursting(test::mobile_chain(3), {{2, 1, 2}});
  int kernels_in_flash = 0, kernels_in_ram = 0;
  for (size_t i = 0; i < network.placeable.size(); ++i) {
    const PlaceablePart& part = network.placeable[i];
    EXPECT_EQ(network.homes[i], part.needs_fast ? 1 : 0) << part.symbol;
    if (part.symbol.empty()) {
      EXPECT_TRUE(part.needs_fast) << "invoke and the driver";
    }
    if (part.code && !part.symbol.empty()) ++(part.needs_fast ? kernels_in_ram : kernels_in_flash);
  }
  EXPECT_EQ(kernels_in_ram, 1);
  EXPECT_GT(kernels_in_flash, 0);
  EXPECT_THAT(text_of(network, "net_placement.h"),
              HasSubstr("#define NET_FAST_LAYERS 1 /* not 0: it runs while flash cannot be read"));
}

size_t times(const std::string& text, const std::string& word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++count;
  return count;
}

// Other ways of arrival leave an array that all blocks share in flash and read it there.
TEST(ArrivingBursts, Blocks_HaveAllTheirConstants) {
  NetworkOptions options = in_bursts({{0, 4, 0}, {1, 4, 0}, {2, 1, 1}});
  const auto arrays_beside_blocks = [&] {
    const GeneratedNetwork network =
        *generate_network(executed(chain_of_dense()), *load_device("rp2040"), {}, options);
    const std::string& text = text_of(network, "net_weights.c");
    return times(text, "_Alignas(") - times(text, "_arriving[");
  };
  EXPECT_EQ(arrays_beside_blocks(), 0u);
  options.arrivals->way = load_arrival_ways("rp2040")->front();
  EXPECT_GT(arrays_beside_blocks(), 0u);
}

TEST(ArrivingBursts, LayerInFlashBetweenStartAndUse_IsCaught) {
  const GeneratedNetwork network = bursting(chain_of_dense(), {{2, 1, 0}});
  const CallReport report = invoked(network);
  EXPECT_EQ(report.end, CallEnd::kFault);
  EXPECT_THAT(report.detail, HasSubstr("flash, which a burst of weights has"));
}

TEST(ArrivingBursts, ApplicationThatKeepsItsChannels_GetsTheSameBytes) {
  const Graph graph = chain_of_dense();
  const std::vector<ArrivingLayer> layers = {{0, 4, 0}, {1, 8, 0}, {2, 1, 1}};
  GeneratedNetwork network = bursting(graph, layers);
  const auto inputs = seeded_inputs(graph, 9);
  const auto fetched = run_network(network, graph, *load_device("rp2040"), inputs);
  network.files.push_back({"application.c",
                           "#include \"net.h\"\nint net_claim_channel(void) { return -1; }\n",
                           FileRole::kSource, true});
  const auto refused = run_network(network, graph, *load_device("rp2040"), inputs);
  EXPECT_EQ(refused.outputs, fetched.outputs);
  EXPECT_NE(refused.instructions, fetched.instructions) << "the core copies";
}

/// Returns the symbols to which the library's code in RAM refers when GCC compiles it.
std::string referred_to_in_ram(const GeneratedNetwork& network, const std::string& optimisation) {
  const TemporaryDirectory directory = *TemporaryDirectory::create("bursts");
  for (const GeneratedFile& file : network.files)
    EXPECT_TRUE(write_file(directory.file(file.name), file.contents));
  const auto run = [&](const std::vector<std::string>& words) {
    const auto done = run_process(words, std::chrono::minutes(1));
    EXPECT_TRUE(done && done->exit_code == 0) << (done ? done->err : done.error().message());
    return done ? done->out : std::string();
  };
  const std::string object = directory.file("net.o");
  run({"arm-none-eabi-gcc", "-mcpu=cortex-m0plus", "-mthumb", "-std=c11", "-ffreestanding", "-Wall",
       "-Wextra", "-Werror", optimisation, "-c", directory.file("net.c"), "-o", object});
  std::string symbols;
  std::istringstream lines(
      run({"arm-none-eabi-objdump", "-r", "-j", ".time_critical.tinytune", object}));
  for (std::string line; std::getline(lines, line);)
    if (line.find(" R_ARM_") != std::string::npos)
      symbols += line.substr(line.find_last_of(' ') + 1) + "\n";
  return symbols;
}

// Functions that compilers call implicitly are in flash: copies and divisions must not need them.
TEST(ArrivingBursts, CodeThatRunsMeanwhile_CallsTheLibraryAlone) {
  if (const auto found = run_process({"arm-none-eabi-gcc", "--version"}, std::chrono::minutes(1));
      !found || found->exit_code != 0)
    GTEST_SKIP() << "arm-none-eabi-gcc is not installed";
  const GeneratedNetwork network = bursting(chain_of_dense(), {{0, 4, 0}, {1, 4, 0}, {2, 1, 1}});
  for (const char* optimisation : {"-O0", "-Os", "-O2"}) {
    std::istringstream symbols(referred_to_in_ram(network, optimisation));
    int calls = 0;
    for (std::string symbol; symbols >> symbol; ++calls)
      EXPECT_TRUE(symbol.starts_with("net_") || symbol.starts_with(".time_critical"))
          << symbol << " at " << optimisation;
    EXPECT_GT(calls, 3) << optimisation;
  }
}

TEST(ArrivingBursts, Header_SaysWhatMustNotRunMeanwhile) {
  EXPECT_THAT(text_of(bursting(chain_of_dense(), {{0, 1, 0}}), "net.h"),
              HasSubstr("nothing\n * else may be read or run from flash"));
}

}  // namespace
}  // namespace tinytune
