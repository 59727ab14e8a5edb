// Manifests of build systems that tests cannot assume to be installed: they must parse and name
// exactly the files that are there.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/files.h"
#include "codegen/packages/write_package.h"
#include "tests/codegen/packages/board.h"
#include "tests/codegen/packages/package_folder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::UnorderedElementsAre;

using Manifests = PackageFolder;

std::vector<std::string> files_under(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(directory))
    if (entry.is_regular_file() && entry.path().filename() != kPackageManifest)
      files.push_back(fs::relative(entry.path(), directory).string());
  std::sort(files.begin(), files.end());
  return files;
}

// Lets CMake read the file, with the kit's functions replaced by ones that print their arguments,
// one per line.
std::vector<std::string> cmake_calls(const std::string& file, const std::string& folder,
                                     const std::vector<std::string>& functions) {
  std::string script;
  for (const std::string& function : functions)
    script += "function(" + function + ")\n  foreach(word IN LISTS ARGV)\n    message(\"" +
              function + " ${word}\")\n  endforeach()\nendfunction()\n";
  script += "include(\"" + file + "\")\n";
  const std::string path = folder + "/read.cmake";
  EXPECT_TRUE(write_file(path, script));
  const ProcessResult done = run({"cmake", "-P", path});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  std::vector<std::string> lines;
  std::istringstream in(done.err);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Reads the "key: value" lines of a YAML mapping with one level of nesting, as "key.inner". Other
// syntax is a failure: these manifests need no more of the language.
std::map<std::string, std::string> simple_yaml(const std::string& text) {
  std::map<std::string, std::string> values;
  std::string outer;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    const bool nested = line.starts_with("  ");
    const size_t start = nested ? 2 : 0, colon = line.find(':');
    EXPECT_TRUE(colon != std::string::npos && colon > start && line[start] != ' ') << line;
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(start, colon - start);
    const std::string value = colon + 2 < line.size() ? line.substr(colon + 2) : "";
    if (!value.empty()) {
      EXPECT_EQ(line[colon + 1], ' ') << line;
      EXPECT_EQ(std::count(value.begin(), value.end(), '"') % 2, 0) << line;
    }
    if (!nested) outer = key;
    const std::string name = nested ? outer + "." + key : key;
    EXPECT_EQ(values.count(name), 0u) << "twice: " << name;
    values[name] = value;
  }
  return values;
}

TEST_F(Manifests, Cmake_BuildsTheLibraryAndTheSmokeTest) {
  const Board& board = riscv_virt();
  if (const std::string missing = missing_tools(board); !missing.empty())
    GTEST_SKIP() << "not installed:" << missing;
  const std::string package = compile(model(small_graph(), "net"), board.device, "cmake");
  ASSERT_NE(package, "");
  const std::string boards = TINYTUNE_SOURCE_DIR "/tests/codegen/packages/boards/riscv_virt";
  const std::string flags = "-march=rv32imc -mabi=ilp32 -O2 -ffreestanding -Wall -Wextra -Werror";
  ASSERT_EQ(run({board.prefix + "gcc", "-march=rv32imc", "-mabi=ilp32", "-ffreestanding", "-c",
                 boards + ".c", "-o", path("start.o")})
                .exit_code,
            0);
  const ProcessResult configured = run(
      {"cmake", "-G", "Ninja", "-S", package, "-B", path("build"), "-DCMAKE_SYSTEM_NAME=Generic",
       "-DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY",
       "-DCMAKE_C_COMPILER=" + board.prefix + "gcc", "-DCMAKE_ASM_COMPILER=" + board.prefix + "gcc",
       "-DCMAKE_C_FLAGS=" + flags, "-DCMAKE_ASM_FLAGS=" + flags,
       "-DCMAKE_EXE_LINKER_FLAGS=-nostdlib -T " + boards + ".ld " + path("start.o")});
  ASSERT_EQ(configured.exit_code, 0) << configured.err;
  EXPECT_EQ(configured.err, "");
  const ProcessResult library = run({"cmake", "--build", path("build")});
  ASSERT_EQ(library.exit_code, 0) << library.out << library.err;
  EXPECT_TRUE(fs::exists(path("build/libnet.a")));
  EXPECT_FALSE(fs::exists(path("build/net_smoke"))) << "only when asked for";
  const ProcessResult program = run({"cmake", "--build", path("build"), "--target", "net_smoke"});
  ASSERT_EQ(program.exit_code, 0) << program.out << program.err;
  EXPECT_EQ(run_under_qemu(board, path("build/net_smoke")).out, "PASS\n");
}

TEST_F(Manifests, EspIdf_ComponentNamesItsFiles) {
  const std::string package = compile(model(small_graph(), "net"), "esp32c3", "esp-idf");
  ASSERT_NE(package, "");
  EXPECT_THAT(
      files_under(package),
      UnorderedElementsAre("CMakeLists.txt", "README.md", "idf_component.yml", "net.c", "net.h",
                           "net_internal.h", "net_kernels.S", "net_placement.h", "net_weights.c",
                           "test/CMakeLists.txt", "test/main/CMakeLists.txt", "test/net_smoke.c"));
  const std::string name = "idf_component_register ";
  EXPECT_THAT(cmake_calls(package + "/CMakeLists.txt", path(""),
                          {"idf_component_register", "target_compile_options"}),
              ElementsAre(name + "SRCS", name + "net.c", name + "net_weights.c",
                          name + "net_kernels.S", name + "INCLUDE_DIRS", name + ".",
                          "target_compile_options PRIVATE", "target_compile_options -O2"));
  EXPECT_THAT(
      cmake_calls(package + "/test/main/CMakeLists.txt", path(""), {"idf_component_register"}),
      ElementsAre(name + "SRCS", name + "../net_smoke.c"));
  const auto manifest = simple_yaml(text_of_file(package + "/idf_component.yml"));
  EXPECT_EQ(manifest.at("version"), "\"1.0.0\"");
  EXPECT_EQ(manifest.count("description"), 1u);
  EXPECT_EQ(manifest.at("targets"), "[esp32c3]");
  EXPECT_EQ(manifest.at("dependencies.idf"), "\">=4.4\"");
  EXPECT_EQ(manifest.count("url") + manifest.count("license"), 0u) << "nobody gave them";

  // The kit's project file is included from IDF_PATH; a stub there shows what ours adds.
  ASSERT_TRUE(write_file(path("idf/tools/cmake/project.cmake"),
                         "message(\"components ${EXTRA_COMPONENT_DIRS}\")\n"));
  ASSERT_TRUE(write_file(path("project.cmake"),
                         "function(project)\n  message(\"project ${ARGV}\")\n"
                         "endfunction()\ninclude(\"" +
                             package + "/test/CMakeLists.txt\")\n"));
  const ProcessResult project =
      run({"env", "IDF_PATH=" + path("idf"), "cmake", "-P", path("project.cmake")});
  EXPECT_EQ(project.exit_code, 0) << project.err;
  EXPECT_EQ(project.err, "components " + package + "/test/..\nproject net_smoke\n");
}

TEST_F(Manifests, Zephyr_ModuleNamesItsFiles) {
  const std::string package = compile(model(small_graph(), "net"), "stm32f4", "zephyr");
  ASSERT_NE(package, "");
  EXPECT_THAT(files_under(package),
              UnorderedElementsAre("README.md", "net.c", "net.h", "net_internal.h", "net_kernels.S",
                                   "net_placement.h", "net_weights.c", "test/CMakeLists.txt",
                                   "test/net_smoke.c", "test/prj.conf", "zephyr/CMakeLists.txt",
                                   "zephyr/module.yml"));
  const auto module = simple_yaml(text_of_file(package + "/zephyr/module.yml"));
  EXPECT_EQ(module.at("name"), "net");
  EXPECT_EQ(module.at("build.cmake"), "zephyr");
  const auto calls = cmake_calls(package + "/zephyr/CMakeLists.txt", path(""),
                                 {"zephyr_library_named", "zephyr_library_sources",
                                  "zephyr_library_compile_options", "zephyr_include_directories"});
  EXPECT_THAT(calls,
              ElementsAre("zephyr_library_named net", "zephyr_library_sources ../net.c",
                          "zephyr_library_sources ../net_weights.c",
                          "zephyr_library_sources ../net_kernels.S",
                          "zephyr_library_compile_options -O2", "zephyr_include_directories .."));
  EXPECT_THAT(
      cmake_calls(package + "/test/CMakeLists.txt", path(""),
                  {"find_package", "project", "target_sources"}),
      IsSupersetOf({"find_package Zephyr", "project net_smoke", "target_sources net_smoke.c"}));
}

TEST_F(Manifests, Arduino_LibraryHasTheRequiredProperties) {
  const std::string package = compile(model(small_graph(), "net"), "esp32c3", "arduino");
  ASSERT_NE(package, "");
  EXPECT_THAT(files_under(package),
              UnorderedElementsAre(
                  "README.md", "examples/net_smoke/net_smoke.c", "examples/net_smoke/net_smoke.ino",
                  "library.properties", "src/net.c", "src/net.h", "src/net_internal.h",
                  "src/net_placement.h", "src/net_kernels.S", "src/net_weights.c"));
  std::map<std::string, std::string> properties;
  std::istringstream in(text_of_file(package + "/library.properties"));
  for (std::string line; std::getline(in, line);) {
    const size_t equals = line.find('=');
    ASSERT_NE(equals, std::string::npos) << line;
    EXPECT_TRUE(properties.emplace(line.substr(0, equals), line.substr(equals + 1)).second) << line;
  }
  for (const char* key : {"name", "version", "author", "maintainer", "sentence", "paragraph",
                          "category", "url", "architectures"})
    EXPECT_EQ(properties.count(key), 1u) << key;
  EXPECT_EQ(properties["name"], "net");
  EXPECT_EQ(properties["architectures"], "esp32");
  EXPECT_TRUE(fs::exists(package + "/src/" + properties["includes"]));
  // The sketch is C++; a stand-in for the core's header shows that it compiles.
  ASSERT_TRUE(write_file(path("Arduino.h"),
                         "struct Port { void begin(long) {} operator bool() {"
                         " return true; } void println(const char*) {} };\n"
                         "static Port Serial;\n"));
  const ProcessResult sketch =
      run({"g++", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-include", path("Arduino.h"),
           "-I", package + "/src", "-x", "c++", package + "/examples/net_smoke/net_smoke.ino"});
  EXPECT_EQ(sketch.exit_code, 0) << sketch.err;
}

TEST_F(Manifests, Mlf_IsAnArchiveOfVersionFive) {
  const std::string package = compile(model(small_graph(), "net"), "stm32f4", "mlf");
  ASSERT_NE(package, "");
  EXPECT_THAT(files_under(path("stm32f4-mlf")), ElementsAre("net.tar"));
  EXPECT_THAT(files_under(package),
              UnorderedElementsAre(
                  "README.md", "codegen/host/include/net.h", "codegen/host/include/net_internal.h",
                  "codegen/host/include/net_placement.h", "codegen/host/src/net.c",
                  "codegen/host/src/net_kernels.S", "codegen/host/src/net_weights.c",
                  "metadata.json", "parameters/net.params", "src/layers.txt", "test/net_smoke.c"));
  const auto metadata =
      nlohmann::json::parse(text_of_file(package + "/metadata.json"), nullptr, false);
  ASSERT_TRUE(metadata.is_object());
  EXPECT_EQ(metadata["version"], 5);
  EXPECT_EQ(metadata["model_name"], "net");
  EXPECT_THAT(metadata["executors"], ElementsAre("aot"));
  EXPECT_EQ(metadata["target"]["1"], "c -keys=cpu -mcpu=cortex-m4");
  const auto& main = metadata["memory"]["main"][0];
  EXPECT_EQ(main["io_size_bytes"],
            1 * 6 * 6 * 4 + small_graph().tensor(small_graph().outputs[0]).bytes());
  const std::string header = text_of_file(package + "/codegen/host/include/net.h");
  EXPECT_THAT(header, testing::HasSubstr("#define NET_ARENA_BYTES " +
                                         main["workspace_size_bytes"].dump() + "u\n"));
  const std::string source = text_of_file(package + "/codegen/host/src/net.c");
  ASSERT_FALSE(metadata["memory"]["operator_functions"].empty());
  for (const auto& function : metadata["memory"]["operator_functions"])
    EXPECT_THAT(source, testing::HasSubstr(function["function_name"].get<std::string>() + "("));
  // An empty list in TVM's format: its mark, a reserved word, no names, no arrays.
  EXPECT_EQ(text_of_file(package + "/parameters/net.params"),
            std::string("\xb7\x9c\x04\x05\x4f\x8d\xe5\xf7", 8) + std::string(24, '\0'));
}

TEST_F(Manifests, UnknownFormat_IsRefusedInOneLine) {
  const ProcessResult done =
      run({TINYTUNE_BINARY_DIR "/tune", "compile", "--model", model(small_graph(), "net"),
           "--device", "esp32c3", "--format", "make", "-o", path("out")});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, testing::HasSubstr("cmake,esp-idf,zephyr,arduino,mlf"));
  EXPECT_EQ(std::count(done.err.begin(), done.err.end(), '\n'), 1);
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace tinytune::test
