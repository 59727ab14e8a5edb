#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/rng.h"
#include "base/subprocess.h"
#include "base/toolchain.h"
#include "codegen/networks/network.h"
#include "codegen/networks/network_memory.h"
#include "examples/ds_cnn.h"
#include "models/integer_op.h"
#include "models/tflite/tflite.h"
#include "templates/kernel_template.h"
#include "tests/codegen/graph_builder.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

using test::Bytes;
using test::executed;
using test::expect_exact;
using test::GraphBuilder;
using test::NetworkRun;
using test::run_network;
using test::seeded_inputs;
using testing::HasSubstr;
namespace fs = std::filesystem;

const fs::path kSharedModels = fs::path(TINYTUNE_SOURCE_DIR) / ".." / "shared";

Bytes read_whole(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

// Writes the files and compiles each as a user's own build would.
void expect_warning_free(const Graph& graph, const Device& device,
                         const std::vector<std::string>& compiler) {
  if (!run_process({compiler[0], "--version"}, std::chrono::seconds(10)))
    GTEST_SKIP() << compiler[0] << " is not installed";
  auto network = generate_network(executed(graph), device, {}, {"net"});
  ASSERT_TRUE(network.has_value()) << network.error().message();
  const fs::path directory =
      fs::temp_directory_path() / ("tinytune-test-" + std::to_string(getpid()));
  fs::create_directories(directory);
  for (const GeneratedFile& file : network->files)
    std::ofstream(directory / file.name, std::ios::binary) << file.contents;
  std::vector<std::string> link = compiler;
  for (const GeneratedFile& file : network->files) {
    if (!file.name.ends_with(".c") && !file.name.ends_with(".S")) continue;
    std::vector<std::string> words = compiler;
    for (const char* flag :
         {"-O2", "-std=c11", "-ffreestanding", "-Wall", "-Wextra", "-Werror", "-c"})
      words.push_back(flag);
    words.push_back((directory / file.name).string());
    link.push_back((directory / (file.name + ".o")).string());
    words.insert(words.end(), {"-o", link.back()});
    auto done = run_process(words, std::chrono::minutes(2));
    ASSERT_TRUE(done.has_value()) << done.error().message();
    EXPECT_EQ(done->exit_code, 0) << file.name << ": " << done->err;
  }
  if (compiler[0].ends_with("gcc")) {  // GCC calls memcpy and its own library where it likes
    link.insert(link.end(), {"-nostdlib", "-Wl,-e,net_invoke", "-o", (directory / "elf").string()});
    auto linked = run_process(link, std::chrono::minutes(1));
    ASSERT_TRUE(linked.has_value()) << linked.error().message();
    EXPECT_EQ(linked->exit_code, 0) << "needs a library: " << linked->err;
  }
  std::ofstream(directory / "user.cc") << "#include \"net.h\"\n#include \"net.h\"\n"
                                          "int f(void* a) { return net_invoke(a) == NET_OK; }\n";
  auto cpp = run_process({"g++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                          "-fsyntax-only", (directory / "user.cc").string()},
                         std::chrono::minutes(1));
  ASSERT_TRUE(cpp.has_value());
  EXPECT_EQ(cpp->exit_code, 0) << cpp->err;
  fs::remove_all(directory);
}

TEST(GenerateNetwork, OurOwnDsCnn_EqualsTheReferenceOnEveryTensor) {
  const Graph graph = make_ds_cnn(1);
  for (const uint32_t seed : {1u, 101u}) {
    const NetworkRun run = expect_exact(graph, *load_device("esp32c3"), seeded_inputs(graph, seed));
    EXPECT_GT(run.instructions, 0u);
  }
}

class RealModel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const fs::path path = kSharedModels / "models" / (std::string(GetParam()) + ".tflite");
    if (!fs::exists(path)) GTEST_SKIP() << path << " is not here";
    auto graph = import_tflite(path.string());
    ASSERT_TRUE(graph.has_value()) << graph.error().message();
    graph_ = std::move(graph).value();
  }
  Graph graph_;
};

TEST_P(RealModel, DefaultSchedules_EqualGoldenVectors) {
  const fs::path golden = kSharedModels / "golden" / GetParam();
  if (!fs::exists(golden)) GTEST_SKIP() << golden << " is not here";
  const NetworkRun run =
      expect_exact(graph_, *load_device("esp32c3"), {read_whole(golden / "1.in.bin")});
  ASSERT_EQ(run.outputs.size(), 1u);
  EXPECT_EQ(run.outputs[0], read_whole(golden / "1.out.bin"));
  for (const auto& [tensor, bytes] : run.tensors)
    EXPECT_EQ(bytes, read_whole(golden / ("seed1_tensor_" + std::to_string(tensor) + ".bin")))
        << "tensor " << tensor;
  for (const auto& [layer, instructions] : run.layer_instructions)
    RecordProperty("layer_" + std::to_string(layer), std::to_string(instructions));
  RecordProperty("instructions", std::to_string(run.instructions));
}

TEST_P(RealModel, TwoRuns_SameBytes) {
  const Device device = *load_device("rv32imc");
  auto first = generate_network(executed(graph_), device, {}, {"net"});
  auto second = generate_network(executed(graph_), device, {}, {"net"});
  ASSERT_TRUE(first.has_value() && second.has_value());
  ASSERT_EQ(first->files.size(), second->files.size());
  for (size_t i = 0; i < first->files.size(); ++i)
    EXPECT_EQ(first->files[i].contents, second->files[i].contents) << first->files[i].name;
}

TEST_P(RealModel, Arena_IsWithinFivePercentOfTheLowerBound) {
  const auto memory = network_memory(executed(graph_), {"net"});
  const std::vector<uint32_t> no_scratch(memory.layers.size(), 0);
  EXPECT_LE(memory.arena_bytes(no_scratch) * 100u, memory.lower_bound * 105u);
  for (const NetworkMemory::Layer& layer : memory.layers)
    EXPECT_LE(layer.live_bytes, memory.arena_bytes(no_scratch)) << "layer " << layer.index;
}

TEST_P(RealModel, ArenaWithScratch_IsWhatWasFiguredBeforehand) {
  auto network = generate_network(executed(graph_), *load_device("rv32imc"), {}, {"net"});
  ASSERT_TRUE(network.has_value()) << network.error().message();
  const auto memory = network_memory(executed(graph_), {"net"});
  std::vector<uint32_t> scratch;
  for (const GeneratedLayer& layer : network->layers) {
    if (!layer.schedule) continue;
    const Workload& workload = memory.layers.at(scratch.size()).op.workload;
    const KernelTemplate* owner = *find_template(*layer.schedule);
    scratch.push_back(static_cast<uint32_t>(owner->scratch_bytes(workload, *layer.schedule)));
  }
  EXPECT_EQ(memory.arena_bytes(scratch), network->arena_bytes);
  EXPECT_EQ(memory.lower_bound, network->arena_lower_bound);
}

TEST_P(RealModel, Clang_FindsNothingToWarnAbout) {
  const Device device = *load_device("rv32imc");
  std::vector<std::string> words = {clang_program()};
  for (const std::string& argument : clang_arguments(device.target)) words.push_back(argument);
  expect_warning_free(graph_, device, words);
}

TEST_P(RealModel, RiscvGcc_FindsNothingToWarnAbout) {
  expect_warning_free(graph_, *load_device("rv32imc"),
                      {"riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32"});
}

TEST_P(RealModel, ArmGcc_FindsNothingToWarnAbout) {
  expect_warning_free(graph_, *load_device("cortex-m4"),
                      {"arm-none-eabi-gcc", "-mcpu=cortex-m4", "-mthumb"});
}

TEST_P(RealModel, PortableKernels_HaveNothingToWarnAboutInAnyCompiler) {
  const Device device = with_portable_kernels(*load_device("rv32imc"));
  expect_warning_free(graph_, device, {"gcc"});
  expect_warning_free(graph_, device, {"riscv64-unknown-elf-gcc", "-march=rv32imc", "-mabi=ilp32"});
  std::vector<std::string> clang = {clang_program()};
  for (const std::string& argument : clang_arguments(device.target)) clang.push_back(argument);
  expect_warning_free(graph_, device, clang);
}

TEST_P(RealModel, OnArm_EqualsTheReference) {
  expect_exact(graph_, *load_device("cortex-m4"), seeded_inputs(graph_, 101));
}

INSTANTIATE_TEST_SUITE_P(MlperfTiny, RealModel,
                         testing::Values("kws_ref_model", "ad01_int8", "pretrainedResnet_quant",
                                         "vww_96_int8"));

}  // namespace
}  // namespace tinytune
