// Networks with portable kernels: exact in the simulator like all others, and the same C is exact
// on this machine, through its own compiler.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "codegen/packages/package.h"
#include "examples/ds_cnn.h"
#include "tests/codegen/network_run.h"

namespace tinytune {
namespace {

Device portable(const char* name) { return with_portable_kernels(*load_device(name)); }

TEST(PortableNetwork, InTheSimulator_EqualsTheReference) {
  const Graph graph = make_ds_cnn(1);
  for (const char* name : {"rv32imc", "cortex-m4"})
    test::expect_exact(graph, portable(name), test::seeded_inputs(graph, 101));
}

TEST(PortableNetwork, Files_AreCOnlyAndNameNoCore) {
  const auto network =
      generate_network(test::executed(make_ds_cnn(1)), portable("rv32imc"), {}, {"net"});
  ASSERT_TRUE(network) << network.error().message();
  for (const GeneratedFile& file : network->files) {
    EXPECT_FALSE(file.name.ends_with(".S"));
    EXPECT_EQ(file.contents.find("__riscv"), std::string::npos) << file.name;
  }
}

/// Builds the network and its smoke test with `compiler` and its options, and runs it.
void expect_passes_natively(const std::vector<std::string>& compiler) {
  const Graph graph = make_ds_cnn(1);
  const auto inputs = test::seeded_inputs(graph, 1);
  const Device device = portable("rv32imc");
  const auto network = generate_network(test::executed(graph), device, {}, {"net"});
  ASSERT_TRUE(network) << network.error().message();
  const auto run = test::run_network(*network, graph, device, inputs);
  const auto directory = TemporaryDirectory::create("portable");
  ASSERT_TRUE(directory);
  std::vector<std::string> words = compiler;
  for (const char* flag : {"-std=c11", "-O1", "-Wall", "-Wextra", "-Werror"})
    words.emplace_back(flag);
  words.push_back("-I" + directory->path());
  for (const GeneratedFile& file :
       package_files(*network, device, PackageFormat::kCmake, {SmokeTest{inputs, run.outputs}})) {
    const std::string path = directory->file(file.name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << file.contents;
    if (file.name.ends_with(".c")) words.push_back(path);
  }
  const std::string program = directory->file("program");
  words.insert(words.end(), {"-o", program});
  const auto built = run_process(words, std::chrono::minutes(2));
  ASSERT_TRUE(built) << built.error().message();
  ASSERT_EQ(built->exit_code, 0) << built->err;
  const auto ran = run_process({program}, std::chrono::minutes(1));
  ASSERT_TRUE(ran) << ran.error().message();
  EXPECT_EQ(ran->exit_code, 0) << ran->out;
}

TEST(PortableNetwork, OnThisMachine_PassesItsOwnTest) { expect_passes_natively({"cc"}); }

// The text that any other compiler sees: words read by bytes, no aliasing attributes, no assembly.
TEST(PortableNetwork, WithoutAnythingOfGnu_PassesItsOwnTest) {
  expect_passes_natively({"cc", "-U__GNUC__", "-ffreestanding"});
}

}  // namespace
}  // namespace tinytune
