// --stream-input and --arena-front, as a user gives them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "models/operator_kind.h"
#include "tests/cli/tune_program.h"
#include "tests/codegen/graph_builder.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

class StreamInput : public TuneProgram {
 protected:
  void expect_refused(std::vector<std::string> arguments, const std::string& why) const {
    arguments.insert(arguments.end(), {"--stream-input", "rows"});
    const ProcessResult told = tune(std::move(arguments));
    EXPECT_NE(told.exit_code, 0);
    EXPECT_THAT(told.err, HasSubstr(why));
  }
};

TEST_F(StreamInput, Rows_AreExactAndHaveNoPlaceInTheArena) {
  const ProcessResult told =
      tune(with_model({"run", "--verify", "--json", "--stream-input", "rows"}));
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const Json report = Json::parse(told.out);
  EXPECT_EQ(report["exact"], true);
  // Each strip's call counts as its layers'.
  EXPECT_LT(report["overhead_instructions"].get<uint64_t>() * 2, report["instructions"]);
  for (const Json& tenant : report["arena"]["tensors"]) EXPECT_NE(tenant["tensor"], 0) << told.out;
}

TEST_F(StreamInput, NetworkOfTwoInputs_IsRefusedInWords) {
  write_model(two_in_two_out_graph(), path("two.tflite"));
  expect_refused(
      {"run", "--model", "two.tflite", "--device", "esp32c3"},
      "the input cannot arrive in rows: operator 0 is in no group of strips: rows arrive "
      "for one input, the network has 2");
}

TEST_F(StreamInput, WhatKnowsNoRows_IsRefusedInWords) {
  expect_refused(with_model({"run", "--dump-tensors", "out"}), "no dump of tensors");
  expect_refused(with_model({"run", "--disable-pass", "strips"}), "strips, which are disabled");
  expect_refused(with_model({"compile", "-o", "out", "--format", "mlf"}),
                 "TVM's format knows no inputs that arrive in rows");
  expect_refused(with_model({"run", "--arena", "16"}), "the smallest arena achievable is");
}

TEST_F(StreamInput, Frames_AreExactStepByStep) {
  GraphBuilder b;
  const int input = b.input({1, 9, 4, 4}, 0.1F, -1);
  const int weights = b.constant({4, 3, 3, 4}, 0.01F, 0, std::vector<uint8_t>(144, 3));
  const ConvAttributes unpadded{Padding::kValid};
  const int rows =
      b.op(OperatorKind::kConv2d, {input, weights, -1}, unpadded, {1, 7, 2, 4}, 0.1F, -128);
  write_model(b.finish({rows}), path("window.tflite"));
  const std::vector<std::string> words = {"run",     "--model",  "window.tflite", "--device",
                                          "esp32c3", "--verify", "--json"};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    const ProcessResult told = tune(std::move(more));
    EXPECT_EQ(told.exit_code, 0) << told.err;
    return Json::parse(told.out);
  };
  const Json whole = run({}), step = run({"--stream-input", "frames", "--steps", "12"});
  EXPECT_EQ(step["exact"], true);
  EXPECT_LT(step["cycles"].get<uint64_t>(), whole["cycles"]);
  EXPECT_EQ(step["layers"][0]["macs_executed"].get<int64_t>() * 7,
            whole["layers"][0]["macs_executed"]);
}

TEST_F(StreamInput, FramesOfANetworkThatPads_AreRefusedInWords) {
  const ProcessResult told = tune(with_model({"run", "--stream-input", "frames"}));
  EXPECT_EQ(told.exit_code, 2);
  EXPECT_THAT(told.err, HasSubstr("the input cannot arrive in frames: operator 0"));
}

TEST_F(StreamInput, ArenaFront_IsOfSmallerAndSlowerNetworks) {
  GraphBuilder b;
  const int input = b.input({1, 6, 32, 8}, 0.5F, -1);
  const int weights = b.constant({8, 1, 1, 8}, 0.01F, 0, std::vector<uint8_t>(64, 3));
  write_model(b.finish({b.op(OperatorKind::kConv2d, {input, weights}, ConvAttributes{},
                             {1, 6, 32, 8}, 0.1F, -128)}),
              path("pointwise.tflite"));
  const ProcessResult told = tune(
      {"run", "--model", "pointwise.tflite", "--device", "esp32c3", "--arena-front", "--json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const Json report = Json::parse(told.out), front = report["arena_front"];
  ASSERT_FALSE(front.empty());
  EXPECT_LE(front[0]["cycles"], report["cycles"]);
  EXPECT_LT(front.back()["arena_bytes"], report["arena_bytes"]);
  for (size_t i = 1; i < front.size(); ++i) {
    EXPECT_LT(front[i]["arena_bytes"], front[i - 1]["arena_bytes"]);
    EXPECT_GT(front[i]["cycles"], front[i - 1]["cycles"]);
  }
}

}  // namespace
}  // namespace tinytune::test
