// What `cmake --install` installs is enough for another CMake project.
#include <gtest/gtest.h>

#include "base/subprocess.h"
#include "tests/api/scratch_folder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

class Install : public ScratchFolder {
 protected:
  void expect_runs(const std::vector<std::string>& words) {
    const auto result = run_process(words, std::chrono::seconds(200));
    ASSERT_TRUE(result) << result.error().message();
    ASSERT_EQ(result->exit_code, 0) << result->out << result->err;
  }
};

TEST_F(Install, AnotherProject_FindsAndUsesTheLibrary) {
  ASSERT_NO_FATAL_FAILURE(expect_runs({"cmake", "--install", TINYTUNE_BINARY_DIR, "--prefix",
                                       path("usr"), "--component", "tinytune"}));
  std::filesystem::create_directory(path("host"));
  write_bytes(path("host/CMakeLists.txt"),
              "cmake_minimum_required(VERSION 3.25)\n"
              "project(host CXX)\n"
              "set(CMAKE_CXX_STANDARD 20)\n"
              "find_package(tinytune REQUIRED CONFIG)\n"
              "add_executable(host host.cc)\n"
              "target_link_libraries(host PRIVATE tinytune::tinytune)\n");
  write_bytes(path("host/host.cc"),
              "#include <tinytune/tinytune.h>\n"
              "#include <cstdio>\n"
              "int main() {\n"
              "  std::puts(tinytune::version());\n"
              "  return tinytune::list_devices().empty();\n"
              "}\n");
  ASSERT_NO_FATAL_FAILURE(expect_runs({"cmake", "-G", "Ninja", "-S", path("host"), "-B",
                                       path("host/build"), "-DCMAKE_PREFIX_PATH=" + path("usr"),
                                       "-DCMAKE_EXE_LINKER_FLAGS=" TINYTUNE_LINK_FLAGS}));
  ASSERT_NO_FATAL_FAILURE(expect_runs({"cmake", "--build", path("host/build")}));
  expect_runs({path("host/build/host")});
  expect_runs({path("usr/bin/tune"), "devices"});
}

}  // namespace
}  // namespace tinytune::test
