// From a package's bench program to a device file, as done with a board and without a debug probe.
// The board is the simulator of a device file whose waits the calibration does not know.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/files.h"
#include "devices/device.h"
#include "examples/ds_cnn.h"
#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

// Code and weights stay behind the cache, whose fill times are unknown.
const std::vector<std::string> kNetwork = {"--model", "kws.tflite", "--device",
                                           "esp32c3", "--fast-ram", "0"};

std::vector<std::string> words(std::vector<std::string> first,
                               const std::vector<std::string>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

class Calibration : public TuneProgram {
 protected:
  void SetUp() override {
    if (!run_process({"riscv64-unknown-elf-gcc", "--version"}, std::chrono::seconds(60)))
      GTEST_SKIP() << "not installed: riscv64-unknown-elf-gcc";
    TuneProgram::SetUp();
    // Larger than the cache: the waits of a smaller network are only first misses, and depend on
    // where the linker put it.
    write_model(make_ds_cnn(1), path("kws.tflite"));
  }

  /// Returns what the bench program prints on a device with these fill times, in cycles.
  std::string console(int code_fill, int weights_fill) const {
    const auto compiled = tune(words(words({"compile"}, kNetwork), {"--bench", "-o", "net"}));
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    const std::string net = path("net") + "/";
    // Aligned to the whole cache, so that the end of the application's code does not decide which
    // cache lines the library shares.
    write_bytes(path("align.S"), ".text\n.balign 16384\n.section .rodata\n.balign 16384\n");
    // Without start-up code nothing sets gp, so linker relaxation must not rely on it.
    const auto built = run_process({"riscv64-unknown-elf-gcc",
                                    "-march=rv32imc",
                                    "-mabi=ilp32",
                                    "-std=c11",
                                    "-O2",
                                    "-ffreestanding",
                                    "-msmall-data-limit=0",
                                    "-Wall",
                                    "-Wextra",
                                    "-Werror",
                                    "-nostdlib",
                                    "-nostartfiles",
                                    "-Wl,--no-relax",
                                    "-Wl,-e,main",
                                    "-Wl,-Ttext=0x42000000",
                                    "-Wl,--section-start=.rodata=0x3C000000",
                                    "-Wl,-Tbss=0x3FCB0000",
                                    "-I" + net,
                                    net + "bench/kws_bench.c",  // before the library
                                    path("align.S"),
                                    net + "kws.c",
                                    net + "kws_weights.c",
                                    net + "kws_kernels.S",
                                    "-lgcc",
                                    "-o",
                                    path("bench.elf")},
                                   std::chrono::seconds(100));
    EXPECT_TRUE(built && built->exit_code == 0) << (built ? built->err : "no compiler");
    const auto fill = [](const char* memory, int cycles) {
      return std::string("[[memory]]\nname = \"") + memory +
             "\"\nfill_cycles = " + std::to_string(cycles) + "\nsource = \"made up\"\n";
    };
    write_bytes(path("board.toml"), "base = \"esp32c3\"\nname = \"board\"\ndescription = \"b\"\n" +
                                        fill("flash_code", code_fill) +
                                        fill("flash_rodata", weights_fill));
    return tune({"simulate", "--device", "board.toml", "bench.elf", "--call", "main"}).out;
  }
};

TEST_F(Calibration, WaitsOfTheBoard_AreFoundAndTheFileLoads) {
  write_bytes(path("console.txt"), "boot\r\n" + console(90, 250));
  const auto imported = tune({"import-times", "console.txt", "-o", "net.times"});
  EXPECT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_THAT(imported.out, HasSubstr("exact: every output byte was the reference's"));
  const auto fitted = tune(words(words({"calibrate"}, kNetwork),
                                 {"--times", "net.times", "-o", "mychip.toml", "--json"}));
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  const Json report = Json::parse(fitted.out);
  EXPECT_GT(report["error_before"], 0.005);
  EXPECT_LT(report["error_after"], 0.002);
  const auto device = load_device(path("mychip.toml"));
  ASSERT_TRUE(device) << device.error().message();
  EXPECT_EQ(device->name, "mychip");
  EXPECT_NEAR(device->memory("flash_code").fill_cycles, 90, 6);
  EXPECT_NEAR(device->memory("flash_rodata").fill_cycles, 250, 12);
}

TEST_F(Calibration, TimesOfAnotherLibrary_AreRefused) {
  write_bytes(path("console.txt"), console(168, 168));
  const auto fitted = tune({"calibrate", "--model", "kws.tflite", "--device", "esp32c3",
                            "--fast-ram", "all", "--times", "console.txt"});
  EXPECT_EQ(fitted.exit_code, 2);
  EXPECT_THAT(fitted.err, HasSubstr("the times are of another library"));
}

}  // namespace
}  // namespace tinytune::test
