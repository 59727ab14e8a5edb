// advise: its figures for every device that can be simulated are those of `run`.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/operator_kind.h"
#include "tests/cli/tune_program.h"
#include "tests/codegen/graph_builder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;
using Rows = std::map<std::pair<std::string, std::string>, Json>;  // by device and set-up

/// Adds two tensors of 9 MiB: together they exceed every simulated memory.
Graph huge_addition() {
  GraphBuilder b;
  const std::vector<int> shape = {1, 1536, 1536, 4};
  const int first = b.input(shape, 0.5F, 3), second = b.input(shape, 0.25F, -7);
  return b.finish(
      {b.op(OperatorKind::kAdd, {first, second}, ActivationAttributes{}, shape, 0.5F, 0)});
}

/// A layer with several kernels, whose fastest is not its smallest.
Graph one_layer() {
  GraphBuilder b;
  const std::vector<int> shape = {1, 4, 4, 8};
  const int input = b.input(shape, 0.5F, -1);
  const int weights = b.constant({8, 1, 1, 8}, 0.03F, 0, std::vector<uint8_t>(64, 5));
  return b.finish(
      {b.op(OperatorKind::kConv2d, {input, weights}, ConvAttributes{}, shape, 0.1F, -128)});
}

/// Time limit for tens of devices on a busy machine.
constexpr std::chrono::minutes kAdvisePatience{10};

class Advise : public TuneProgram {
 protected:
  ProcessResult tune(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {"env", "-C", folder_.string(), "TMPDIR=" + folder_.string(),
                                      TINYTUNE_BINARY_DIR "/tune"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto result = run_process(words, kAdvisePatience);
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ProcessResult{-1, "", ""};
  }

  Rows advise(std::vector<std::string> options, int exit_code = 0,
              const std::string& model = "small.tflite") {
    options.insert(options.begin(), {"advise", "--model", model, "--json", "--quiet"});
    const ProcessResult result = tune(options);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    Rows rows;
    const Json told = Json::parse(result.out, nullptr, false);
    EXPECT_TRUE(told.is_object()) << result.out;
    if (!told.is_object()) return rows;
    for (const Json& row : told["devices"])
      EXPECT_TRUE(rows.emplace(std::pair(row["name"], row["setup"]), row).second) << row;
    return rows;
  }

  static std::vector<std::string> run_like(const std::string& device, const std::string& setup) {
    std::vector<std::string> words = {"run",      "--model", "small.tflite",
                                      "--device", device,    "--json"};
    if (setup == "all in flash") words.insert(words.end(), {"--fast-ram", "0"});
    return words;
  }
};

TEST_F(Advise, Figures_AreThoseOfRun) {
  Rows rows;
  for (const char* device : {"esp32c3", "rp2040", "cortex-m4"}) {
    rows.merge(advise({"--device", device}));
    for (const char* setup : {"fast memory", "all in flash"}) {
      const Json& row = rows.at({device, setup});
      const Json ran = Json::parse(tune(run_like(device, setup)).out);
      for (const char* key : {"cycles", "milliseconds", "ram_bytes", "flash_bytes"})
        EXPECT_EQ(row[key], ran[key]) << device << ", " << setup << ": " << key;
      EXPECT_EQ(row["fits"], true);
      EXPECT_EQ(row["short_by_bytes"], 0);
    }
  }
  const Json& fast = rows.at({"esp32c3", "fast memory"});
  const Json& flash = rows.at({"esp32c3", "all in flash"});
  EXPECT_NE(fast["ram_bytes"], flash["ram_bytes"]);
  EXPECT_EQ(fast["ram_limit_bytes"], flash["ram_limit_bytes"]) << "the chip's";
}

TEST_F(Advise, TooLittleRam_IsShortByWhatRunAsksFor) {
  const Rows rows = advise({"--ram", "128", "--device", "cortex-m4"}, 1);
  EXPECT_EQ(rows.size(), 2U);
  for (const auto& [of, row] : rows) EXPECT_EQ(row["fits"], false) << row;
  const Json& row = rows.at({"cortex-m4", "fast memory"});
  std::vector<std::string> words = run_like("cortex-m4", "fast memory");
  words.insert(words.end(), {"--ram", "128"});
  const std::string refusal = Json::parse(tune(words).out)["error"];
  EXPECT_EQ(row["refusal"], refusal);
  const size_t at = refusal.find("achievable is --ram ");
  ASSERT_NE(at, std::string::npos) << refusal;
  EXPECT_EQ(row["short_by_bytes"], std::stoul(refusal.substr(at + 20)) - 128);
  EXPECT_EQ(row["short_of_ram_bytes"], row["short_by_bytes"]);
  EXPECT_EQ(row["cycles"], Json());
}

TEST_F(Advise, TooLittleFlash_IsShortByWhatRunNeedsAndNoMore) {
  write_model(one_layer(), path("small.tflite"));
  const Rows rows = advise({"--flash", "256", "--device", "cortex-m4"}, 1);
  const Json& row = rows.at({"cortex-m4", "all in flash"});
  EXPECT_EQ(row["short_of_ram_bytes"], 0) << row;
  const uint64_t needs = row["flash_bytes"].get<uint64_t>();
  EXPECT_EQ(row["short_of_flash_bytes"], needs - 256) << row;
  const auto run_in = [&](uint64_t bytes) {
    std::vector<std::string> words = run_like("cortex-m4", "all in flash");
    words.insert(words.end(), {"--flash", std::to_string(bytes)});
    return tune(words);
  };
  const ProcessResult enough = run_in(needs);
  EXPECT_EQ(enough.exit_code, 0) << needs << ": " << enough.out;
  EXPECT_EQ(run_in(needs - 32).exit_code, 1) << "overstated";
}

TEST_F(Advise, NetworkTooLargeForAll_ExitsWith1AndNamesTheNearest) {
  write_model(huge_addition(), path("huge.tflite"));
  const ProcessResult text = tune({"advise", "--model", "huge.tflite", "--quiet"});
  EXPECT_EQ(text.exit_code, 1);
  EXPECT_NE(text.out.find("no, lacks "), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("yes"), std::string::npos) << text.out;
  EXPECT_NE(text.err.find("huge.tflite fits no device; the nearest is "), std::string::npos)
      << text.err;
  const Json devices = Json::parse(tune({"devices", "--json"}).out)["devices"];
  for (const Json& device : devices) {
    const Json& ways = device["transports"];
    const bool simulated = std::count(ways.begin(), ways.end(), "simulator") > 0;
    const std::string row = "\n" + device["name"].get<std::string>() + " ";
    EXPECT_EQ(text.out.find(row) != std::string::npos, simulated) << device["name"];
  }
}

TEST_F(Advise, LimitOnTime_LeavesOutWhatIsSlower) {
  const Rows all = advise({"--device", "esp32c3"});
  const double ms = all.at({"esp32c3", "all in flash"})["milliseconds"].get<double>();
  const Rows rows = advise({"--device", "esp32c3", "--max-ms", std::to_string(ms * 0.99)});
  EXPECT_EQ(rows.at({"esp32c3", "fast memory"})["fits"], true);
  const Json& slow = rows.at({"esp32c3", "all in flash"});
  EXPECT_EQ(slow["fits"], false);
  EXPECT_NEAR(slow["too_slow_by_milliseconds"].get<double>(), ms * 0.01, 1e-4);
  EXPECT_EQ(slow["milliseconds"], ms);
  for (const char* wrong : {"0", "-1", "fast", "5x"})
    EXPECT_EQ(tune({"advise", "--model", "small.tflite", "--max-ms", wrong}).exit_code, 2) << wrong;
}

TEST_F(Advise, DeviceWithoutASimulator_IsRefused) {
  const ProcessResult refused = tune({"advise", "--model", "small.tflite", "--device", "esp32"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err,
            "tune: esp32 has no simulator; without --device all that have one are compared\n");
}

}  // namespace
}  // namespace tinytune::test
