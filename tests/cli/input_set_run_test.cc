// run --inputs and --labels on a data set made here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;

class InputSetRun : public TuneProgram {
 protected:
  static constexpr int kInputs = 8;

  /// Writes random inputs to set/, each labelled with the answer of `run --input`.
  void SetUp() override {
    TuneProgram::SetUp();
    fs::create_directory(path("set"));
    Rng rng(7);
    for (int i = 0; i < kInputs; ++i) {
      std::string bytes(6 * 6 * 4, '\0');
      for (char& byte : bytes) byte = static_cast<char>(rng.below(256));
      write_bytes(path("set/x" + std::to_string(i) + ".bin"), bytes);
      all_ += bytes;
    }
    // The same inputs as steps of one run.
    write_bytes(path("steps.bin"), all_);
    EXPECT_EQ(tune(with_model({"run", "--input", "steps.bin", "--steps", std::to_string(kInputs),
                               "--output", "y.bin"}))
                  .exit_code,
              0);
    const std::string scores = read_bytes(path("y.bin"));
    classes_ = static_cast<int>(scores.size()) / kInputs;
    for (int i = 0; i < kInputs; ++i) {
      const auto* first = reinterpret_cast<const int8_t*>(scores.data()) + i * classes_;
      labels_.push_back(static_cast<int>(std::max_element(first, first + classes_) - first));
    }
  }

  void write_labels(const std::vector<int>& labels) const {
    std::string text;
    for (const int label : labels) text += std::to_string(label) + "\n";
    write_bytes(path("labels.txt"), text);
  }

  Json run(std::vector<std::string> options, int exit_code = 0) const {
    options.insert(options.begin(), "run");
    options.emplace_back("--json");
    const ProcessResult result = tune(with_model(std::move(options)));
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    return Json::parse(result.out, nullptr, false);
  }

  std::string all_;
  std::vector<int> labels_;
  int classes_ = 0;
};

TEST_F(InputSetRun, Accuracy_CountsWhatIsAsLabelled) {
  std::vector<int> labels = labels_;
  for (const size_t i : {1U, 4U}) labels[i] = (labels[i] + 1) % classes_;
  write_labels(labels);
  const Json told = run({"--inputs", "set", "--labels", "labels.txt", "--verify"});
  EXPECT_EQ(told["inputs"], kInputs);
  EXPECT_EQ(told["exact"], true);
  EXPECT_EQ(told["first_difference"], Json());
  EXPECT_EQ(told["correct"], kInputs - 2);
  EXPECT_DOUBLE_EQ(told["accuracy"].get<double>(), 0.75);
  EXPECT_GT(told["cycles"], 0);
  std::vector<std::vector<int>> confusion(static_cast<size_t>(classes_),
                                          std::vector<int>(static_cast<size_t>(classes_), 0));
  for (size_t i = 0; i < labels.size(); ++i)
    ++confusion[static_cast<size_t>(labels[i])][static_cast<size_t>(labels_[i])];
  EXPECT_EQ(told["confusion"], confusion);
  for (size_t i = 0; i < labels_.size(); ++i) {
    EXPECT_EQ(told["classes"][i]["input"], "x" + std::to_string(i) + ".bin");
    EXPECT_EQ(told["classes"][i]["class"], labels_[i]);
  }
  const ProcessResult text =
      tune(with_model({"run", "--inputs", "set", "--labels", "labels.txt", "--verify"}));
  EXPECT_THAT(text.out, HasSubstr("accuracy 75.00 %: 6 of 8 as labelled"));
  EXPECT_THAT(text.out, HasSubstr("all outputs equal the reference's"));
}

TEST_F(InputSetRun, FileAndReference_AnswerAsTheFolderDoes) {
  write_labels(labels_);
  write_bytes(path("all.bin"), all_);
  const Json folder = run({"--inputs", "set", "--labels", "labels.txt"});
  const Json file = run({"--inputs", "all.bin", "--labels", "labels.txt", "--output", "y.bin"});
  const Json reference =
      run({"--inputs", "set", "--labels", "labels.txt", "--reference", "--output", "r.bin"});
  for (const char* key : {"inputs", "accuracy", "correct", "confusion"}) {
    EXPECT_EQ(folder[key], file[key]) << key;
    EXPECT_EQ(folder[key], reference[key]) << key;
  }
  EXPECT_EQ(folder["accuracy"], 1.0);
  EXPECT_EQ(folder["classes"], reference["classes"]);
  EXPECT_FALSE(reference.contains("cycles")) << "nothing was simulated";
  EXPECT_EQ(read_bytes(path("y.bin")), read_bytes(path("r.bin")));
}

TEST_F(InputSetRun, WrongUse_IsRefusedInOneLine) {
  write_bytes(path("labels.txt"), "0\n");
  const std::vector<std::vector<std::string>> wrong = {
      {"--inputs", "nowhere"},
      {"--inputs", "set", "--labels", "labels.txt"},
      {"--inputs", "set", "--input", "seed:1"},
      {"--inputs", "set", "--steps", "2"},
      {"--inputs", "set", "--reference", "--verify"},
      {"--labels", "labels.txt"},
  };
  for (std::vector<std::string> options : wrong) {
    options.insert(options.begin(), "run");
    const ProcessResult refused = tune(with_model(options));
    EXPECT_EQ(refused.exit_code, 2) << options.back() << refused.err;
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
  }
}

}  // namespace
}  // namespace tinytune::test
