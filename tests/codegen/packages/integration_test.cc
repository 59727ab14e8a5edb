// Packages in a user's own project: the README's example, a build for another core, and the origin
// that a package states.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>

#include "base/files.h"
#include "base/sha256.h"
#include "tests/codegen/packages/board.h"
#include "tests/codegen/packages/package_folder.h"
#include "tests/tuner/small_model.h"
#include "tinytune/tinytune.h"

namespace tinytune::test {
namespace {

using testing::HasSubstr;

class Integration : public PackageFolder, public testing::WithParamInterface<Board> {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(GetParam()); !missing.empty())
      GTEST_SKIP() << "not installed:" << missing;
    PackageFolder::SetUp();
  }

  ProcessResult compile_file(const std::string& compiler, const std::vector<std::string>& flags,
                             const std::string& package, const std::string& source) const {
    std::vector<std::string> words = {compiler};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {"-ffreestanding", "-Wall", "-Wextra", "-Werror", "-I", package, "-c",
                               source, "-o", path("object.o")});
    return run(words);
  }
};

std::string first_c_block(const std::string& markdown) {
  const std::string fence = "```c\n";
  const size_t begin = markdown.find(fence) + fence.size();
  return markdown.substr(begin, markdown.find("```", begin) - begin);
}

TEST_P(Integration, ReadmesExample_IsCAndCpp) {
  const Board& board = GetParam();
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  const std::string example = first_c_block(text_of_file(package + "/README.md"));
  ASSERT_THAT(example, HasSubstr("net_invoke"));
  const std::map<std::string, std::string> compilers = {{"example.c", "gcc"},
                                                        {"example.cpp", "g++"}};
  for (const auto& [file, compiler] : compilers) {
    ASSERT_TRUE(write_file(path(file), example));
    std::vector<std::string> flags = board.machine;
    flags.push_back(compiler == "gcc" ? "-std=c11" : "-std=c++11");
    if (compiler == "gcc") flags.push_back("-Wno-missing-prototypes");
    const ProcessResult done = compile_file(board.prefix + compiler, flags, package, path(file));
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }
}

TEST_P(Integration, AnotherCore_IsRefusedByName) {
  const Board& board = GetParam();
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  const bool arm = board.prefix.starts_with("arm");
  const std::vector<std::string> other =
      arm ? std::vector<std::string>{"-mcpu=cortex-m3", "-mthumb"}
          : std::vector<std::string>{"-march=rv32ic", "-mabi=ilp32"};
  const std::string kernels = package + "/net_kernels.S";
  const ProcessResult done = compile_file(board.prefix + "gcc", other, package, kernels);
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("#error \"net is made for " + board.device));
  EXPECT_THAT(done.err, HasSubstr(board.machine[0])) << "what to do";
  EXPECT_EQ(compile_file(board.prefix + "gcc", board.machine, package, kernels).exit_code, 0);
}

/// Returns the graph with other weights, as retraining would change it.
Graph retrained(Graph graph) {
  for (Tensor& tensor : graph.tensors)
    for (size_t i = 0; i < tensor.data.size(); i += 3)
      if (tensor.type == ElementType::kInt8) tensor.data[i] ^= 0x11;
  return graph;
}

TEST_P(Integration, FilesOfTwoBuilds_DoNotBecomeOneProgram) {
  const Board& board = GetParam();
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  const std::string older = path("older");
  std::filesystem::rename(package, older);
  ASSERT_EQ(compile(model(retrained(small_graph()), "net"), board.device, "cmake"), package);
  ASSERT_NE(build_program(board, package, sources_under(package), path("whole.elf")), "");
  for (const std::string file :
       {"net.c", "net_weights.c", "net_kernels.S", "net.h", "net_internal.h", "test/net_smoke.c"}) {
    SCOPED_TRACE(file);
    const std::string mixed = path("mixed");
    std::filesystem::remove_all(mixed);
    std::filesystem::copy(package, mixed, std::filesystem::copy_options::recursive);
    std::filesystem::copy_file(older + "/" + file, mixed + "/" + file,
                               std::filesystem::copy_options::overwrite_existing);
    const ProcessResult done = try_to_build(board, mixed, sources_under(mixed), path("mixed.elf"));
    EXPECT_NE(done.exit_code, 0);
    EXPECT_THAT(done.err, testing::AnyOf(HasSubstr("_build_"), HasSubstr("of another build")));
  }
}

// Acts like a build system that compiles only sources newer than their objects.
TEST_P(Integration, ObjectsOfTwoBuilds_DoNotLink) {
  const Board& board = GetParam();
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  ASSERT_EQ(compile_file(board.prefix + "gcc", board.machine, package, package + "/net_weights.c")
                .exit_code,
            0);
  ASSERT_EQ(compile(model(retrained(small_graph()), "net"), board.device, "cmake"), package);
  std::vector<std::string> sources = sources_under(package);
  std::erase(sources, package + "/net_weights.c");
  sources.push_back(path("object.o"));
  const ProcessResult done = try_to_build(board, package, sources, path("mixed.elf"));
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, testing::ContainsRegex("undefined reference to `net_.*_build_"));
}

TEST_P(Integration, HeaderAndReadme_SayWhatTheNetworkIsMadeFrom) {
  const Board& board = GetParam();
  const std::string file = model(small_graph(), "net");
  const std::string package = compile(file, board.device, "cmake");
  ASSERT_NE(package, "");
  const auto bytes = read_file(file);
  ASSERT_TRUE(bytes);
  for (const char* document : {"/net.h", "/README.md"}) {
    const std::string text = text_of_file(package + document);
    EXPECT_THAT(text, HasSubstr(sha256(*bytes)));
    EXPECT_THAT(text, HasSubstr("generated by tinytune " + std::string(version())));
    EXPECT_THAT(text, HasSubstr(board.device));
  }
}

INSTANTIATE_TEST_SUITE_P(Cores, Integration, testing::Values(boards().at(0), boards().at(1)),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace tinytune::test
