// A board with a core that no built-in device has is one file: tuning, running, packaging.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

class NewDevice : public TuneProgram {
 protected:
  void SetUp() override {
    TuneProgram::SetUp();
    fs::copy_file(TINYTUNE_SOURCE_DIR "/tests/cli/cortex_m33.toml", path("board.toml"));
  }

  ProcessResult with_board(std::vector<std::string> arguments) const {
    // SMLAD kernels stage their inputs, and the tensors of so small a network leave no room.
    for (const char* word : {"--model", "small.tflite", "--device", "board.toml", "--arena", "8K"})
      arguments.emplace_back(word);
    const ProcessResult result = tune(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments[0] << "\n" << result.err;
    return result;
  }

  std::string sources_of(const std::string& folder) const {
    std::string text;
    for (const auto& entry : fs::recursive_directory_iterator(path(folder)))
      if (entry.is_regular_file()) text += read_bytes(entry.path());
    return text;
  }
};

TEST_F(NewDevice, CortexM33_IsTunedWithSmladRunsExactlyAndPackages) {
  with_board({"--trials", "24", "--workers", "2", "--records", "m33.jsonl", "--quiet"});
  const std::vector<std::string> measured = trials("m33.jsonl");
  EXPECT_THAT(measured, testing::Contains(testing::ContainsRegex("smlad_[a-z]+.* ok [0-9]+")));
  EXPECT_THAT(measured, testing::Not(testing::Contains(HasSubstr("build_failed"))));
  EXPECT_THAT(measured, testing::Not(testing::Contains(HasSubstr("crashed"))));

  const Json run = Json::parse(
      with_board({"run", "--records", "m33.jsonl", "--verify", "--json"}).out, nullptr, false);
  EXPECT_EQ(run["exact"], true);
  EXPECT_EQ(run["layers"][0]["tuned"], true);
  EXPECT_GT(run["milliseconds"], 0);

  for (const char* format : {"cmake", "zephyr", "arduino"})
    with_board(
        {"compile", "--records", "m33.jsonl", "--require-tuned", "--format", format, "-o", format});
  EXPECT_THAT(sources_of("cmake"), testing::ContainsRegex("\tsmlad[ \t]"));
  EXPECT_THAT(sources_of("cmake"), HasSubstr("board-m33"));
}

}  // namespace
}  // namespace tinytune::test
