// The bytes that `compile` reports for a network, against a firmware that links it: they are equal
// and leave room for an application.
#include "tests/codegen/packages/firmware.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/toolchain.h"
#include "examples/ds_cnn.h"
#include "tests/codegen/packages/board.h"
#include "tests/codegen/packages/package_folder.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const fs::path kModels = TINYTUNE_SOURCE_DIR "/../shared/models";

// Memories as in the linker scripts of STM32CubeF4, F7 and L4, the pico-sdk and esp-idf. The C3 has
// one SRAM on two buses: bytes of code on one cannot be data on the other. The pico-sdk copies the
// compiler's helpers to RAM whatever calls them: they count as the template's.
const std::vector<FirmwareBoard>& firmware_boards() {
  static const std::vector<FirmwareBoard> kBoards = {
      {"esp32c3",
       "  FLASH : ORIGIN = 0x42000000, LENGTH = 4M\n"
       "  FAST : ORIGIN = 0x40380000, LENGTH = 0x50000\n"
       "  RAM : ORIGIN = 0x3FC80000, LENGTH = 0x50000\n",
       "FAST", true},
      {"stm32f4",
       "  FLASH : ORIGIN = 0x08000000, LENGTH = 1M\n"
       "  RAM : ORIGIN = 0x20000000, LENGTH = 128K\n",
       "RAM"},
      {"stm32f7",
       "  FLASH : ORIGIN = 0x08000000, LENGTH = 1M\n"
       "  FAST : ORIGIN = 0x00000000, LENGTH = 16K\n"
       "  RAM : ORIGIN = 0x20000000, LENGTH = 320K\n",
       "FAST"},
      {"stm32l4r5",
       "  FLASH : ORIGIN = 0x08000000, LENGTH = 2M\n"
       "  RAM : ORIGIN = 0x20000000, LENGTH = 640K\n",
       "RAM"},
      {"rp2040",
       "  FLASH : ORIGIN = 0x10000000, LENGTH = 2M\n"
       "  RAM : ORIGIN = 0x20000000, LENGTH = 256K\n",
       "RAM", false, "  .compiler_helpers : { *libgcc.a:*(.text .text.*) } > RAM AT> FLASH\n"},
  };
  return kBoards;
}

class Firmware : public PackageFolder, public testing::WithParamInterface<FirmwareBoard> {
 protected:
  void SetUp() override {
    for (const std::string& tool :
         {std::string(clang_program()), lld_program(), std::string("arm-none-eabi-gcc")})
      if (!run_process({tool, "--version"}, std::chrono::seconds(60)))
        GTEST_SKIP() << "not installed: " << tool;
    PackageFolder::SetUp();
  }

  /// Runs `tune compile` into a folder and returns its outcome.
  ProcessResult compile(const std::string& model, std::vector<std::string> more) const {
    std::vector<std::string> words = {
        TINYTUNE_BINARY_DIR "/tune", "compile", "--model",      model, "--device",
        GetParam().device,           "-o",      path("package")};
    words.insert(words.end(), more.begin(), more.end());
    const auto done = run_process(words, std::chrono::minutes(10));
    EXPECT_TRUE(done) << done.error().message();
    return done ? *done : ProcessResult{-1, "", ""};
  }

  std::optional<FirmwareSizes> link(const std::string& package, const std::string& name) {
    fs::create_directories(path("build"));
    return link_firmware(GetParam(), package, name, path("build"), why_);
  }

  std::string why_;
};

TEST_P(Firmware, TakesTheBytesThatCompileSays) {
  const std::string file = model(make_ds_cnn(1), "kws");
  for (const char* fast : {"all", "8K", "0"}) {
    SCOPED_TRACE(fast);
    const ProcessResult compiled = compile(file, {"--fast-ram", fast, "--json"});
    ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
    const Json says = Json::parse(compiled.out);
    const auto with = link(path("package"), "kws"), without = link("", "kws");
    ASSERT_TRUE(with && without) << why_;
    EXPECT_EQ(with->ram - without->ram, says["ram_bytes"]);
    const Json& parts = says["ram"];
    EXPECT_EQ(says["ram_bytes"].get<uint64_t>(),
              parts["arena"].get<uint64_t>() + parts["weights"].get<uint64_t>() +
                  parts["code"].get<uint64_t>() + parts["data"].get<uint64_t>() +
                  parts["stack"].get<uint64_t>());
    EXPECT_LE(parts["weights"].get<uint64_t>() + parts["code"].get<uint64_t>(),
              std::string(fast) == "all" ? uint64_t{1} << 20
              : std::string(fast) == "0" ? 0
                                         : 8192);
    EXPECT_EQ(std::string(fast) == "all", parts["weights"] > 8192);
  }
}

// Compiles models with default options: one mostly weights, one small, one mostly tensors.
TEST_P(Firmware, FitsBesideAnApplication_OrCompileSaysBeforeLinking) {
  if (!fs::exists(kModels)) GTEST_SKIP() << "no " << kModels;
  int fit = 0;
  for (const char* model : {"ad01_int8", "kws_ref_model", "vww_96_int8"}) {
    SCOPED_TRACE(model);
    fs::remove_all(path("package"));
    const ProcessResult compiled =
        compile((kModels / (std::string(model) + ".tflite")).string(), {});
    const bool warned = compiled.err.find("does not fit") != std::string::npos;
    EXPECT_EQ(compiled.exit_code != 0, warned && !fs::exists(path("package"))) << compiled.err;
    if (compiled.exit_code != 0) continue;
    std::string name;
    for (const auto& file : fs::directory_iterator(path("package")))
      if (file.path().string().ends_with("_internal.h"))
        name = file.path().stem().string().substr(0, file.path().stem().string().size() - 9);
    const auto linked = link(path("package"), name);
    EXPECT_TRUE(linked || warned) << why_;
    fit += linked ? 1 : 0;
  }
  EXPECT_GT(fit, 0);
}

INSTANTIATE_TEST_SUITE_P(Boards, Firmware, testing::ValuesIn(firmware_boards()),
                         [](const auto& info) { return info.param.device; });

}  // namespace
}  // namespace tinytune::test
