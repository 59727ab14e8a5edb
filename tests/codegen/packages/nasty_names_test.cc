// Names of files, tensors and devices that would break a package if they were printed unchanged:
// every format must stay complete, compile and configure.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/toolchain.h"
#include "codegen/networks/names.h"
#include "codegen/packages/package.h"
#include "codegen/packages/write_package.h"
#include "codegen/passes/passes.h"
#include "tests/codegen/packages/board.h"
#include "tests/codegen/packages/package_folder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Files = std::vector<GeneratedFile>;
using Bytes = std::vector<uint8_t>;

const std::string kNasty =
    "x*/ int y; /*\n#error a\\\n\"; }?\?/\r\n`$(id)` ${CMAKE_C_COMPILER} #[[ ]] - : \xff\xf0 @%s\t";

const char* const kFormats[] = {"cmake", "esp-idf",    "zephyr",   "arduino",
                                "mlf",   "platformio", "pico-sdk", "stm32cube"};

/// Has no kernels, so that compilers for any machine accept its C.
Graph graph_named(const std::string& tensors) {
  Graph graph = two_in_two_out_graph();
  for (Tensor& tensor : graph.tensors) tensor.name = tensors + std::to_string(tensor.id);
  return graph;
}

struct Outside {
  std::string stem, tensors, device;
};

Files files_of(const Outside& names, const std::string& format) {
  const Graph graph = graph_named(names.tensors);
  Device device = *load_device("esp32c3");
  if (!names.device.empty())
    device.name = device.description = device.target.isa = device.target.abi = names.device;
  if (!names.device.empty()) device.target.cpu = device.fast_code_section = names.device;
  const auto executed = executed_network(graph);
  EXPECT_TRUE(executed) << executed.error().message();
  const auto network = generate_network(*executed, device, {}, {network_name(names.stem)});
  EXPECT_TRUE(network) << network.error().message();
  if (!executed || !network) return {};
  SmokeTest smoke{{Bytes(16, 0), Bytes(16, 1)}, {Bytes(16, 2), Bytes(4, 3)}};
  return package_files(*network, device, *parse_package_format(format), {smoke});
}

size_t lines_of(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

class NastyNames : public PackageFolder, public testing::WithParamInterface<const char*> {
 protected:
  /// Compiles every source by itself, and headers as C and as C++.
  void expect_compiles(const Files& files, const std::string& directory) const {
    std::vector<std::string> words = {clang_program(), "-std=c11", "-Wall",      "-Wextra",
                                      "-Wcomment",     "-Werror",  "-trigraphs", "-fsyntax-only"};
    words.emplace_back("-Wno-unused-function");  // of headers that are compiled alone
    for (const GeneratedFile& file : files)
      if (file.role == FileRole::kHeader)
        words.push_back("-I" + fs::path(directory + "/" + file.name).parent_path().string());
    for (const GeneratedFile& file : files) {
      const bool c = file.role == FileRole::kHeader ||
                     (file.role != FileRole::kBuild && file.name.ends_with(".c"));
      if (!c) continue;
      std::vector<std::string> one = words;
      one.insert(one.end(), {"-x", "c", directory + "/" + file.name});
      const ProcessResult done = run(one);
      EXPECT_EQ(done.exit_code, 0) << file.name << ": " << done.err;
      if (file.role != FileRole::kHeader || file.name.ends_with("_placement.h")) continue;
      one = {"g++",
             "-std=c++11",
             "-Wall",
             "-Wextra",
             "-fsyntax-only",
             "-I" + fs::path(directory + "/" + file.name).parent_path().string(),
             "-x",
             "c++",
             directory + "/" + file.name};
      const ProcessResult cpp = run(one);
      EXPECT_EQ(cpp.exit_code, 0) << file.name << ": " << cpp.err;
    }
  }
};

TEST_P(NastyNames, TextFromOutside_AddsNoLineAndBreaksNoFile) {
  const std::string format = GetParam();
  const Files plain = files_of({"net", "t", ""}, format);
  const Files nasty = files_of({"net", kNasty, kNasty}, format);
  ASSERT_EQ(plain.size(), nasty.size());
  ASSERT_FALSE(plain.empty());
  for (size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(plain[i].name, nasty[i].name);
    EXPECT_EQ(lines_of(plain[i].contents), lines_of(nasty[i].contents)) << plain[i].name;
    if (plain[i].name != "metadata.json") continue;
    EXPECT_FALSE(nlohmann::json::parse(nasty[i].contents, nullptr, false).is_discarded());
  }
  ASSERT_TRUE(write_package(path(format), nasty));
  expect_compiles(nasty, path(format));
}

TEST_P(NastyNames, AnyStem_GivesAPackageThatCompiles) {
  for (const std::string& stem :
       {std::string("stdint"), std::string("math"), std::string("arena"), std::string("int"),
        std::string(240, 'n'), std::string("\xe6\xa8\xa1\xe5\x9e\x8b"), kNasty}) {
    SCOPED_TRACE(stem);
    const Files files = files_of({stem, "t", ""}, GetParam());
    const std::string directory = path(network_name(stem));
    ASSERT_TRUE(write_package(directory, files));
    for (const GeneratedFile& file : files)
      EXPECT_LE(fs::path(file.name).filename().string().size(), 100U);
    expect_compiles(files, directory);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, NastyNames, testing::ValuesIn(kFormats), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST_F(PackageFolder, NamesOfTargets_ConfigureAndBuild) {
  for (const char* stem : {"all", "install", "help", "clean", "arena", "stdint", "m", "PUBLIC"}) {
    SCOPED_TRACE(stem);
    const std::string file = model(two_in_two_out_graph(), stem);
    const std::string package = path(stem) + ".out", build = path(stem) + ".build";
    ASSERT_EQ(run({TINYTUNE_BINARY_DIR "/tune", "compile", "--model", file, "--device", "rv32imc",
                   "-o", package})
                  .exit_code,
              0);
    const ProcessResult configured = run({"cmake", "-G", "Ninja", "-S", package, "-B", build});
    ASSERT_EQ(configured.exit_code, 0) << configured.err;
    EXPECT_EQ(configured.err, "");
    const std::string smoke = network_name(stem) + "_smoke";
    const ProcessResult built = run({"cmake", "--build", build, "--target", smoke});
    ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
    EXPECT_EQ(run({build + "/" + smoke}).out, "PASS\n");
  }
}

TEST_F(PackageFolder, NamesTooLongForFiles_CompileInEveryFormat) {
  const std::string file = model(two_in_two_out_graph(), std::string(240, 'n'));
  for (const char* format : kFormats) {
    const ProcessResult done = run({TINYTUNE_BINARY_DIR "/tune", "compile", "--model", file,
                                    "--device", "rv32imc", "--format", format, "-o", path(format)});
    EXPECT_EQ(done.exit_code, 0) << format << ": " << done.err;
  }
}

TEST_F(PackageFolder, DirectoryThatCannotBe_IsALineAndExitCodeOne) {
  const std::string file = model(two_in_two_out_graph(), "net");
  fs::create_symlink("loop", path("loop"));
  for (const std::string& place : {path("loop/x"), path(std::string(300, 'x'))}) {
    const ProcessResult done = run({TINYTUNE_BINARY_DIR "/tune", "compile", "--model", file,
                                    "--device", "rv32imc", "-o", place});
    EXPECT_EQ(done.exit_code, 1) << done.err;
    EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1) << done.err;
    EXPECT_THAT(done.err, testing::HasSubstr("cannot be made a directory"));
  }
}

TEST_F(PackageFolder, CompiledForAnotherModelAndFormat_LeavesNothingOfTheFirst) {
  const std::string first = model(small_graph(), "first"),
                    second = model(two_in_two_out_graph(), "second");
  const auto compile_into = [&](const std::string& file, const char* format) {
    EXPECT_EQ(run({TINYTUNE_BINARY_DIR "/tune", "compile", "--model", file, "--device", "rv32imc",
                   "--format", format, "-o", path("out")})
                  .exit_code,
              0);
  };
  compile_into(first, "arduino");
  ASSERT_TRUE(write_file(path("out/src/own.c"), "int own;\n"));
  compile_into(second, "cmake");
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(path("out")))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), path("out")).string());
  EXPECT_THAT(files, testing::UnorderedElementsAre(".tinytune-files", "CMakeLists.txt", "README.md",
                                                   "second.c", "second.h", "second_internal.h",
                                                   "src/own.c", "test/second_smoke.c"));
}

}  // namespace
}  // namespace tinytune::test
