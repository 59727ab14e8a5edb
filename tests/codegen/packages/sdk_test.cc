// Packages for PlatformIO, pico-sdk and STM32CubeMX, in projects as those kits make them. The kits
// are not here: stubs with the names of their headers, targets and functions stand for them.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "tests/codegen/packages/board.h"
#include "tests/codegen/packages/package_folder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kSdkBoards = TINYTUNE_SOURCE_DIR "/tests/codegen/packages/boards/";
constexpr const char* kStrict = " -ffreestanding -Wall -Wextra -Werror";

class Sdks : public PackageFolder {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_tools(boards().at(1)); !missing.empty())
      GTEST_SKIP() << "not installed:" << missing;
    PackageFolder::SetUp();
  }

  void write(const std::string& name, const std::string& text) const {
    ASSERT_TRUE(write_file(path(name), text));
  }

  /// Configures, with nothing on standard error, and builds.
  void expect_builds(const std::string& source, const std::vector<std::string>& settings) const {
    std::vector<std::string> words = {"env",
                                      "PICO_SDK_PATH=" + path("sdk"),
                                      "cmake",
                                      "-G",
                                      "Unix Makefiles",
                                      "-S",
                                      source,
                                      "-B",
                                      path("build")};
    words.insert(words.end(), settings.begin(), settings.end());
    const ProcessResult configured = run(words);
    ASSERT_EQ(configured.exit_code, 0) << configured.err;
    EXPECT_EQ(configured.err, "");
    const ProcessResult built = run({"cmake", "--build", path("build")});
    ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
  }
};

std::string toolchain(const std::string& flags) {
  return "set(CMAKE_SYSTEM_NAME Generic)\nset(CMAKE_SYSTEM_PROCESSOR arm)\n"
         "set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)\n"
         "set(CMAKE_C_COMPILER arm-none-eabi-gcc)\nset(CMAKE_CXX_COMPILER arm-none-eabi-g++)\n"
         "set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)\nset(CMAKE_C_FLAGS_INIT \"" +
         flags + "\")\nset(CMAKE_ASM_FLAGS_INIT \"" + flags + "\")\n";
}

TEST_F(Sdks, PicoSdk_SmokeProjectConfiguresAndCompiles) {
  const std::string package =
      compile(model(small_graph(), "net"), "rp2040", "pico-sdk", {"--bench"});
  ASSERT_NE(package, "");
  // The parts of the kit's script that projects can see; its compiler is chosen before project().
  // Links partially (-r), because without the kit ld refuses Thumb calls of undefined symbols.
  write("sdk/external/pico_sdk_import.cmake",
        "set(CMAKE_TOOLCHAIN_FILE " + path("sdk/toolchain.cmake") +
            ")\nmacro(pico_sdk_init)\n  add_library(pico_stdlib INTERFACE)\n"
            "  target_include_directories(pico_stdlib INTERFACE " +
            path("sdk/include") +
            ")\n  target_compile_definitions(pico_stdlib INTERFACE LIB_PICO_STDIO=1 "
            "PICO_ON_DEVICE=1)\n  target_link_options(pico_stdlib INTERFACE -nostdlib -r)\n"
            "endmacro()\n"
            "function(pico_enable_stdio_usb target on)\nendfunction()\n"
            "function(pico_enable_stdio_uart target on)\nendfunction()\n"
            "function(pico_add_extra_outputs target)\nendfunction()\n");
  write("sdk/toolchain.cmake", toolchain("-mcpu=cortex-m0plus -mthumb -Wall -Wextra -Werror"));
  write("sdk/include/pico/stdlib.h",
        "#include <stdbool.h>\n#include <stdint.h>\nbool stdio_init_all(void);\n"
        "void sleep_ms(uint32_t ms);\n");
  write("sdk/include/stdio.h", "int printf(const char *format, ...);\n");
  expect_builds(package + "/test", {});
  EXPECT_TRUE(fs::exists(path("build/net/libnet.a")));
  EXPECT_TRUE(fs::exists(path("build/net_smoke")));
  const std::string symbols =
      run({"arm-none-eabi-nm", path("build/CMakeFiles/net_smoke.dir/net_smoke.c.obj")}).out;
  for (const char* symbol : {" T main\n", " U net_invoke\n", " U stdio_init_all\n"})
    EXPECT_THAT(symbols, HasSubstr(symbol));
}

// Compiles the example of doc/two_cores.md with the network that it is written for.
TEST_F(Sdks, PicoSdk_ExampleOfTwoCoresCompiles) {
  const std::string package =
      compile(model(small_graph(), "kws"), "rp2040", "pico-sdk", {"--cores", "2"});
  ASSERT_NE(package, "");
  const std::string page = text_of_file(TINYTUNE_SOURCE_DIR "/doc/two_cores.md");
  const size_t begin = page.find("#include \"kws.h\"");
  ASSERT_LT(begin, page.size());
  write("main.c", page.substr(begin, page.find("```", begin) - begin));
  write("sdk/include/pico/multicore.h", "void multicore_launch_core1(void (*entry)(void));\n");
  write("sdk/include/hardware/sync.h",
        "#include <stddef.h>\nvoid __wfe(void);\nvoid __sev(void);\nvoid __dmb(void);\n");
  std::vector<std::string> words = {"arm-none-eabi-gcc",
                                    "-mcpu=cortex-m0plus",
                                    "-mthumb",
                                    "-O2",
                                    "-Wall",
                                    "-Wextra",
                                    "-Werror",
                                    "-nostdlib",
                                    "-r",
                                    "-I" + path("sdk/include"),
                                    path("main.c")};
  for (const std::string& file : sources_under(package))
    if (!file.ends_with("_smoke.c")) words.push_back(file);
  for (const auto& entry : fs::recursive_directory_iterator(package))
    if (entry.path().filename() == "kws.h")
      words.push_back("-I" + entry.path().parent_path().string());
  words.insert(words.end(), {"-o", path("two_cores.elf")});
  const ProcessResult built = run(words);
  EXPECT_EQ(built.exit_code, 0) << built.err;
  const std::string symbols = run({"arm-none-eabi-nm", path("two_cores.elf")}).out;
  for (const char* symbol : {" T kws_attach\n", " T kws_worker\n", " t core1_main\n"})
    EXPECT_THAT(symbols, HasSubstr(symbol));
}

TEST_F(Sdks, Stm32Cube_ProjectBuildsAndItsMainPasses) {
  const Board& board = boards().at(2);
  const std::string package =
      compile(model(small_graph(), "net"), "stm32f4", "stm32cube", {"--bench"});
  ASSERT_NE(package, "");
  fs::rename(package, path("net"));
  const std::string flags = "-mcpu=cortex-m4 -mfpu=fpv4-sp-d16 -mfloat-abi=hard";
  write("cmake/gcc-arm-none-eabi.cmake", toolchain(flags + kStrict));
  write("cmake/stm32cubemx/CMakeLists.txt",
        "add_library(stm32cubemx INTERFACE)\ntarget_include_directories(stm32cubemx INTERFACE "
        "../../Core/Inc)\ntarget_compile_definitions(stm32cubemx INTERFACE USE_HAL_DRIVER "
        "STM32F446xx)\n");
  write("Core/Inc/stm32f4xx_hal.h", "int HAL_Init(void);\n");
  write("Core/Src/main.c",
        "#include \"net.h\"\n#include \"stm32f4xx_hal.h\"\nextern int net_smoke(void);\n"
        "extern int net_bench(void);\nint main(void);\nint HAL_Init(void) { return 0; }\n"
        "int main(void) {\n  return HAL_Init() + net_smoke();\n}\n");
  write("CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.22)\nset(CMAKE_TOOLCHAIN_FILE "
        "${CMAKE_CURRENT_LIST_DIR}/cmake/gcc-arm-none-eabi.cmake)\nproject(firmware LANGUAGES C "
        "ASM)\n"
        "add_executable(firmware Core/Src/main.c " +
            kSdkBoards +
            "mps2.c)\nadd_subdirectory(cmake/stm32cubemx)\nadd_subdirectory(net)\n"
            "target_link_libraries(firmware stm32cubemx net_smoke net gcc)\n"
            "target_link_options(firmware PRIVATE -nostdlib -Wl,--no-warn-rwx-segments -T " +
            kSdkBoards + "mps2.ld)\n");
  expect_builds(path(""), {});
  EXPECT_EQ(run_under_qemu(board, path("build/firmware")).out, "PASS\n");
  EXPECT_EQ(run({"cmake", "--build", path("build"), "--target", "net_bench"}).exit_code, 0);
}

TEST_F(Sdks, Platformio_ManifestHasItsFieldsAndSourcesCompile) {
  const std::string package =
      compile(model(small_graph(), "net"), "stm32f4", "platformio",
              {"--package-version", "2.0.1", "--package-url", "https://example.com/net",
               "--package-licence", "Apache-2.0"});
  ASSERT_NE(package, "");
  const auto manifest = nlohmann::json::parse(text_of_file(package + "/library.json"));
  EXPECT_EQ(manifest["name"], "net");
  EXPECT_EQ(manifest["version"], "2.0.1");
  EXPECT_EQ(manifest["homepage"], "https://example.com/net");
  EXPECT_EQ(manifest["license"], "Apache-2.0");
  EXPECT_TRUE(fs::exists(package + "/src/" + manifest["headers"].get<std::string>()));
  EXPECT_EQ(manifest["build"]["flags"][0], "-O2");
  // Builds as PlatformIO does: all of src/, with the framework's flags and then the manifest's.
  const Board& board = boards().at(1);
  const std::string elf = build_program(board, package, sources_under(package), path("smoke.elf"));
  ASSERT_NE(elf, "");
  EXPECT_EQ(run_under_qemu(board, elf).out, "PASS\n");
  EXPECT_THAT(text_of_file(package + "/examples/net_smoke/platformio.ini"),
              HasSubstr("\n[env:board]\n"));
}

TEST_F(Sdks, FieldsOfManifests_AreWhereEachRegistryLooks) {
  const std::string file = model(small_graph(), "net");
  const std::vector<std::string> words = {"--package-version", "2.0.1",
                                          "--package-url",     "https://example.com/net",
                                          "--package-licence", "MIT OR Apache-2.0"};
  const std::string idf =
      text_of_file(compile(file, "esp32c3", "esp-idf", words) + "/idf_component.yml");
  for (const char* line : {"\nversion: \"2.0.1\"\n", "\nurl: \"https://example.com/net\"\n",
                           "\nlicense: \"MIT OR Apache-2.0\"\n"})
    EXPECT_THAT(idf, HasSubstr(line));
  const std::string arduino =
      text_of_file(compile(file, "esp32c3", "arduino", words) + "/library.properties");
  for (const char* line : {"\nversion=2.0.1\n", "\nurl=https://example.com/net\n"})
    EXPECT_THAT(arduino, HasSubstr(line));
}

TEST_F(Sdks, FieldsThatManifestsCannotHold_AreRefused) {
  const std::string file = model(small_graph(), "net");
  const std::vector<std::vector<std::string>> wrong = {
      {"--package-version", "1.0"},          {"--package-version", "1.0.0\nx"},
      {"--package-url", "example.com"},      {"--package-url", "https://e.com/\"x"},
      {"--package-licence", "MIT\nname: x"}, {"--package-version", "1..0"}};
  for (const auto& words : wrong) {
    const ProcessResult done = run({TINYTUNE_BINARY_DIR "/tune", "compile", "--model", file,
                                    "--device", "esp32c3", "-o", path("out"), words[0], words[1]});
    EXPECT_EQ(done.exit_code, 2) << words[1];
    EXPECT_THAT(done.err, HasSubstr(words[0] + " takes "));
  }
  EXPECT_FALSE(fs::exists(path("out")));
}

}  // namespace
}  // namespace tinytune::test
