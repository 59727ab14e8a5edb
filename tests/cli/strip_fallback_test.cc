// A network whose whole tensors do not fit: strips by default, and messages that name the limit.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/cli/tune_program.h"
#include "tests/codegen/strips/image_chains.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;

class StripFallbackOfTune : public TuneProgram {
 protected:
  void SetUp() override {
    TuneProgram::SetUp();
    ImageChain chain(24, 24, 4, 1);
    chain.conv(16, {});
    chain.depthwise({});
    chain.conv(8, {1});
    chain.depthwise({3, 2});
    write_model(chain.finish(), path("chain.tflite"));
  }

  ProcessResult with_chain(std::vector<std::string> words, const std::string& device = "esp32c3",
                           const std::vector<std::string>& more = {}) const {
    for (const char* word : {"--model", "chain.tflite", "--device"}) words.emplace_back(word);
    words.push_back(device);
    words.insert(words.end(), more.begin(), more.end());
    return tune(words);
  }

  uint64_t bound() const {
    const ProcessResult result = tune({"inspect", "chain.tflite", "--json"});
    return Json::parse(result.out)["arena_lower_bound"];
  }

  std::string device_with(uint64_t bytes) const {
    std::string device = read_bytes(TINYTUNE_SOURCE_DIR "/devices/stm32f4.toml");
    const std::string size = "size_bytes = 0x00020000";
    device.replace(device.find(size), size.size(), "size_bytes = " + std::to_string(bytes));
    write_bytes(path("tight.toml"), device);
    return "tight.toml";
  }

  /// An STM32F4 whose memory is just too small for the whole tensors.
  std::string too_small_device() const { return device_with((bound() - 1) / 4096 * 4096); }

  /// Returns the number after `words` in the refusal of a limit of 100 bytes.
  uint64_t smallest(const std::string& option, const std::string& words) const {
    const ProcessResult refused =
        with_chain({"compile"}, "esp32c3", {"-o", "refused", option, "100"});
    EXPECT_EQ(refused.exit_code, 1);
    std::smatch found;
    const bool names =
        std::regex_search(refused.err, found, std::regex("the smallest achievable is " + words));
    EXPECT_TRUE(names) << refused.err;
    return names ? std::stoull(found[1]) : 0;
  }

  int compiled_within(const std::string& option, uint64_t bytes) const {
    const std::string text = std::to_string(bytes);
    return with_chain({"compile"}, "esp32c3", {"-o", "within" + text, option, text}).exit_code;
  }
};

TEST_F(StripFallbackOfTune, DeviceWithoutRoomForWholeTensors_RunsInStrips) {
  const std::string device = too_small_device();
  const ProcessResult ran = with_chain({"run", "--verify", "--json"}, device);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["exact"], true);
  EXPECT_LT(Json::parse(ran.out)["arena_bytes"], bound());
}

// One tuning run serves all checks, because each search for strips takes seconds.
TEST_F(StripFallbackOfTune, DeviceWithoutRoomForWholeTensors_TunesReportsAndChecksStrips) {
  const std::string device = too_small_device();
  const std::vector<std::string> log = {"--records", "log.jsonl"};
  const ProcessResult tuned = with_chain(
      {}, device, {"--trials", "12", "--tuner", "random", "--records", "log.jsonl", "--json"});
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_NE(tuned.err.find("run in strips, whose kernels are tuned"), std::string::npos)
      << tuned.err;
  ASSERT_FALSE(trials("log.jsonl").empty());
  bool strips = false;
  for (const std::string& trial : trials("log.jsonl"))
    strips |= trial.find("in24x24") == std::string::npos;
  EXPECT_TRUE(strips);
  const ProcessResult ran = with_chain({"run", "--verify", "--json"}, device, log);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["exact"], true);
  for (const Json& layer : Json::parse(ran.out)["layers"])
    EXPECT_TRUE(layer["tuned"]) << layer["index"] << ": its strips are not those that were tuned";
  const ProcessResult page = with_chain({"report", "--html", "page.html", "--json"}, device, log);
  ASSERT_EQ(page.exit_code, 0) << page.err;
  const auto names_of = [](const Json& tasks) {
    std::vector<std::string> names;
    for (const Json& task : tasks) names.push_back(task["name"]);
    return names;
  };
  EXPECT_EQ(names_of(Json::parse(page.out)["tasks"]), names_of(Json::parse(tuned.out)["tasks"]));
  const ProcessResult checked = with_chain({"check", "--against", "log.jsonl"}, device);
  EXPECT_EQ(checked.exit_code, 0) << checked.out << checked.err;
}

TEST_F(StripFallbackOfTune, SmallestArenaThatIsNamed_IsEnough_AndLessIsNot) {
  const uint64_t named = smallest("--arena", "an arena of (\\d+) bytes, in strips");
  ASSERT_GT(named, 100u);
  EXPECT_LT(named, bound());
  EXPECT_EQ(compiled_within("--arena", named), 0);
  EXPECT_EQ(compiled_within("--arena", named - 16), 1);
  const auto tuned = [&](uint64_t bytes) {
    return with_chain({}, "esp32c3",
                      {"--trials", "6", "--tuner", "random", "--records", "log.jsonl", "--arena",
                       std::to_string(bytes)});
  };
  const ProcessResult enough = tuned(named), less = tuned(named - 16);
  EXPECT_EQ(enough.exit_code, 0) << enough.err;
  EXPECT_EQ(less.exit_code, 1);
  EXPECT_NE(less.err.find("an arena of " + std::to_string(named) + " bytes"), std::string::npos)
      << less.err;
}

TEST_F(StripFallbackOfTune, SmallestRamThatIsNamed_IsEnough_AndLessIsNot) {
  const uint64_t named = smallest("--ram", "--ram (\\d+), in strips");
  ASSERT_GT(named, 100u);
  EXPECT_LT(named, bound());
  EXPECT_EQ(compiled_within("--ram", named), 0);
  const std::string as_named = "the smallest achievable is --ram " + std::to_string(named);
  const std::vector<std::string> less = {"--ram", std::to_string(named - 16)};
  for (const char* command : {"run", "compile"}) {
    std::vector<std::string> words = {command};
    if (words[0] == "compile") words.insert(words.end(), {"-o", "less"});
    const ProcessResult refused = with_chain(words, "esp32c3", less);
    EXPECT_EQ(refused.exit_code, 1) << command;
    EXPECT_NE(refused.err.find(as_named), std::string::npos) << refused.err;
  }
  const auto tuned = [&](uint64_t bytes) {
    return with_chain({}, "esp32c3",
                      {"--trials", "6", "--tuner", "random", "--records", "log.jsonl", "--ram",
                       std::to_string(bytes)});
  };
  const ProcessResult refused = tuned(named - 16);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find(as_named), std::string::npos) << refused.err;
  EXPECT_EQ(tuned(named).exit_code, 0);
}

TEST_F(StripFallbackOfTune, LayersByThemselves_NameTheSmallestRamToo) {
  const auto compiled = [&](uint64_t bytes) {
    return with_chain({"compile", "--disable-pass", "strips"}, "esp32c3",
                      {"-o", "whole", "--ram", std::to_string(bytes)});
  };
  std::smatch found;
  const std::string refused = compiled(100).err;
  ASSERT_TRUE(std::regex_search(refused, found, std::regex("achievable is --ram (\\d+)\n")))
      << refused;
  const uint64_t named = std::stoull(found[1]);
  EXPECT_GT(named, bound());
  EXPECT_EQ(compiled(named).exit_code, 0);
  EXPECT_EQ(compiled(named - 16).exit_code, 1);
}

TEST_F(StripFallbackOfTune, DeviceThatIsTooSmall_NamesTheMemoryThatIsEnough) {
  const auto run_with = [&](uint64_t bytes) { return with_chain({"run"}, device_with(bytes)); };
  std::smatch found;
  const std::string refused = run_with(4096).err;
  ASSERT_TRUE(std::regex_search(refused, found,
                                std::regex("the smallest achievable is (\\d+) bytes of it")))
      << refused;
  const uint64_t pages = std::stoull(found[1]) / 4096;  // pages of the simulator
  EXPECT_EQ(run_with((pages + 1) * 4096).exit_code, 0);
  EXPECT_EQ(run_with(pages * 4096).exit_code, 1);
}

// The arena alone would fit; with the stack of whole layers it does not.
TEST_F(StripFallbackOfTune, RamWithoutRoomForTheStackOfWholeLayers_TunesAndRunsStrips) {
  const std::vector<std::string> ram = {"--ram", std::to_string(bound() + 16)};
  std::vector<std::string> tuning = {"--trials", "6",         "--tuner",
                                     "random",   "--records", "log.jsonl"};
  tuning.insert(tuning.end(), ram.begin(), ram.end());
  const ProcessResult tuned = with_chain({}, "esp32c3", tuning);
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_NE(tuned.err.find("run in strips, whose kernels are tuned"), std::string::npos)
      << tuned.err;
  const ProcessResult ran = with_chain({"run", "--verify", "--json"}, "esp32c3", ram);
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(Json::parse(ran.out)["exact"], true);
  EXPECT_LE(Json::parse(ran.out)["ram_bytes"], bound() + 16);
}

}  // namespace
}  // namespace tinytune::test
