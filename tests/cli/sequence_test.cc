// tune run --steps: a sequence of inputs gives a sequence of outputs, and every step is verified
// with the state that the steps before it left.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/integer_network.h"
#include "models/operator_kind.h"
#include "models/tflite/tflite.h"
#include "tests/cli/tune_program.h"
#include "tests/codegen/graph_builder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr size_t kSteps = 5, kInputBytes = 4, kOutputBytes = 2;

// A network whose state holds three steps.
Graph remembering_graph() {
  GraphBuilder b;
  const int x = b.input({1, 4}, 0.1F, 3);
  const int feature = b.constant({2, 4}, 0.01F, 0, {10, 20, 30, 40, 200, 210, 220, 230});
  const int time = b.constant({2, 3}, 0.01F, 0, {100, 50, 25, 156, 206, 231});
  const int state = b.variable({1, 6}, 0.1F, -7);
  return b.finish(
      {b.op(OperatorKind::kSvdf, {x, feature, time, b.bias({5, -5}, 0.1F * 0.01F), state},
            SvdfAttributes{1}, {1, 2}, 0.01F, 0)});
}

std::string some_text(size_t bytes) {
  std::string text;
  for (size_t i = 0; i < bytes; ++i) text.push_back(static_cast<char>(i * 71 + 13));
  return text;
}

class Sequence : public TuneProgram {
 protected:
  void SetUp() override {
    TuneProgram::SetUp();
    write_model(remembering_graph(), path("state.tflite"));
  }

  ProcessResult run(std::vector<std::string> more) const {
    more.insert(more.begin(), {"run", "--model", "state.tflite", "--device", "esp32c3"});
    return tune(std::move(more));
  }

  /// Returns the outputs of the reference operators, step by step.
  std::string expected(const std::string& inputs, size_t steps) const {
    const auto graph = import_tflite(path("state.tflite"));
    EXPECT_TRUE(graph) << graph.error().message();
    const auto network = integer_network(*graph);
    NetworkState state = initial_state(*graph);
    std::string outputs;
    for (size_t step = 0; step < steps; ++step) {
      const std::string frame = inputs.substr(step * kInputBytes % inputs.size(), kInputBytes);
      const std::vector<std::vector<uint8_t>> given(
          1, std::vector<uint8_t>(frame.begin(), frame.end()));
      const auto values = run_reference(*network, given, state);
      EXPECT_TRUE(values) << values.error().message();
      const auto& bytes = values->at(static_cast<size_t>(graph->outputs[0]));
      outputs.append(bytes.begin(), bytes.end());
    }
    return outputs;
  }
};

TEST_F(Sequence, AllSteps_AreReadVerifiedAndWritten) {
  const std::string inputs = some_text(kSteps * kInputBytes);
  write_bytes(path("in.bin"), inputs);
  const ProcessResult told =
      run({"--input", "in.bin", "--output", "out.bin", "--steps", "5", "--verify", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(nlohmann::json::parse(told.out)["exact"], true);
  const std::string outputs = read_bytes(path("out.bin"));
  EXPECT_EQ(outputs, expected(inputs, kSteps));
  // The first frame repeated gives other bytes, so the outputs depend on the state.
  EXPECT_NE(outputs, expected(inputs.substr(0, kInputBytes), kSteps));
}

TEST_F(Sequence, OneStep_IsRepeatedAndAMessageSaysSo) {
  const std::string inputs = some_text(kInputBytes);
  write_bytes(path("in.bin"), inputs);
  const ProcessResult told =
      run({"--input", "in.bin", "--output", "out.bin", "--steps", "5", "--verify"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.err, HasSubstr("the input holds one step; it is repeated for all 5 steps"));
  EXPECT_EQ(read_bytes(path("out.bin")), expected(inputs, kSteps));
}

TEST_F(Sequence, Seed_GoesOnOverTheSteps) {
  const ProcessResult told = run({"--input", "seed:7", "--output", "out.bin", "--steps", "5"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const ProcessResult alone = run({"--input", "seed:7", "--output", "first.bin"});
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const std::string outputs = read_bytes(path("out.bin"));
  ASSERT_EQ(outputs.size(), kSteps * kOutputBytes);
  EXPECT_EQ(outputs.substr(0, kOutputBytes), read_bytes(path("first.bin")));
}

TEST_F(Sequence, TwoInputsInOneFile_StandStepAfterStep) {
  write_model(two_in_two_out_graph(), path("two.tflite"));
  constexpr size_t kOne = 16;
  const std::string first = some_text(2 * kOne), second = some_text(4 * kOne).substr(2 * kOne);
  const auto run_on = [&](const std::string& inputs, const std::string& steps) {
    write_bytes(path("in.bin"), inputs);
    const ProcessResult told =
        tune({"run", "--model", "two.tflite", "--device", "esp32c3", "--input", "in.bin",
              "--output", "out.bin", "--steps", steps, "--verify"});
    EXPECT_EQ(told.exit_code, 0) << told.err;
    return read_bytes(path("out.bin"));
  };
  EXPECT_EQ(run_on(first + second, "2"), run_on(first, "1") + run_on(second, "1"));
}

TEST_F(Sequence, OtherNumbersOfBytes_AreRefusedInALine) {
  write_bytes(path("in.bin"), some_text(3 * kInputBytes));
  const auto expect_refused = [&](const std::string& steps, const std::string& why) {
    const ProcessResult told = run({"--input", "in.bin", "--steps", steps});
    EXPECT_EQ(told.exit_code, 2) << told.err;
    EXPECT_THAT(told.err, HasSubstr(why));
    EXPECT_EQ(std::count(told.err.begin(), told.err.end(), '\n'), 1) << told.err;
  };
  expect_refused("1", "in.bin: 12 bytes, but input 't0' (t0, int8) takes 4; it holds 3 steps");
  expect_refused("5", "takes 4, or 20 for 5 steps; it holds 3 steps");
  expect_refused("1000001", "--steps is at most 1000000, not 1000001");
}

/// Public networks, with the answers of TensorFlow Lite Micro for 24 steps.
class PublicSequence : public Sequence, public testing::WithParamInterface<const char*> {};

TEST_P(PublicSequence, TwentyFourSteps_GiveTflmsAnswers) {
  const fs::path folder = fs::path(TINYTUNE_SOURCE_DIR) / ".." / "shared" / "public" / GetParam();
  if (!fs::exists(folder)) GTEST_SKIP() << "no public network " << GetParam() << " at hand";
  std::string inputs, answers, model;
  for (int step = 1; step <= 24; ++step) {
    inputs += read_bytes((folder / (std::to_string(step) + ".in.bin")).string());
    answers += read_bytes((folder / (std::to_string(step) + ".out.bin")).string());
  }
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".tflite") model = entry.path();
  write_bytes(path("in.bin"), inputs);
  const ProcessResult told =
      tune({"run", "--model", model, "--device", "cortex-m4", "--input", "in.bin", "--output",
            "out.bin", "--steps", "24", "--verify", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(nlohmann::json::parse(told.out)["exact"], true);
  EXPECT_TRUE(read_bytes(path("out.bin")) == answers) << "differs from TensorFlow Lite Micro";
}

INSTANTIATE_TEST_SUITE_P(Sequences, PublicSequence,
                         testing::Values("dtln_noise_suppression", "okay_nabu", "trained_lstm_int8",
                                         "vad"));

}  // namespace
}  // namespace tinytune::test
