#include "cli/tensor_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "tests/tuner/small_model.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

class TensorFiles : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tinytune-tensors-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  Model load(const Graph& graph) {
    const std::string path = (folder_ / "m.tflite").string();
    test::write_model(graph, path);
    auto model = Model::load(path);
    EXPECT_TRUE(model) << model.error().message();
    return *model;
  }
  fs::path folder_;
};

TEST_F(TensorFiles, UniformSeed_StepsTheGeneratorOncePerByte) {
  const Model model = load(test::small_graph());
  const auto inputs = generate_inputs(model, 1);
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->size(), 1u);
  uint32_t state = 1;
  for (uint8_t byte : (*inputs)[0]) {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    EXPECT_EQ(byte, state >> 24);
  }
}

TEST_F(TensorFiles, SeedsFrom100On_WalkInSmallSteps) {
  const Model model = load(test::small_graph());
  for (uint32_t seed : {100u, 101u, 4294967295u}) {
    const auto inputs = generate_inputs(model, seed);
    ASSERT_TRUE(inputs);
    int previous = 0;
    for (uint8_t byte : (*inputs)[0]) {
      const int value = static_cast<int8_t>(byte);
      EXPECT_LE(std::abs(value - previous), 8);
      previous = value;
    }
  }
}

TEST_F(TensorFiles, SeveralInputs_AreOneContinuingStream) {
  const Model two = load(test::two_in_two_out_graph());
  const auto inputs = generate_inputs(two, 7);
  ASSERT_TRUE(inputs);
  ASSERT_EQ(inputs->size(), 2u);
  EXPECT_NE((*inputs)[0], (*inputs)[1]);
  const Model one = load(test::small_graph());
  const auto stream = (*generate_inputs(one, 7))[0];
  std::vector<uint8_t> joined = (*inputs)[0];
  joined.insert(joined.end(), (*inputs)[1].begin(), (*inputs)[1].end());
  EXPECT_TRUE(std::equal(joined.begin(), joined.end(), stream.begin()));
}

TEST_F(TensorFiles, SeedZero_IsRefused) {
  const Model model = load(test::small_graph());
  EXPECT_EQ(generate_inputs(model, 0).error().code(), ErrorCode::kInvalidInput);
}

TEST_F(TensorFiles, GoldenInputs_AreWhatTheGeneratorMakes) {
  const std::string shared = TINYTUNE_SOURCE_DIR "/../shared";
  if (!fs::exists(shared + "/golden/kws_ref_model")) GTEST_SKIP() << "no golden vectors";
  const auto model = Model::load(shared + "/models/kws_ref_model.tflite");
  ASSERT_TRUE(model) << model.error().message();
  for (uint32_t seed : {1u, 2u, 3u, 101u, 102u}) {
    const std::string golden =
        test::read_bytes(shared + "/golden/kws_ref_model/" + std::to_string(seed) + ".in.bin");
    const auto inputs = generate_inputs(*model, seed);
    ASSERT_TRUE(inputs);
    EXPECT_EQ(std::string((*inputs)[0].begin(), (*inputs)[0].end()), golden) << seed;
  }
}

TEST(Seed, OnlyNonZero32BitNumbers_AreTaken) {
  EXPECT_EQ(parse_seed("seed:1").value(), 1u);
  EXPECT_EQ(parse_seed("seed:4294967295").value(), 4294967295u);
  for (const char* text :
       {"seed:", "seed:0", "seed:-1", "seed:4294967296", "seed:1x", "1", "Seed:1", "se"})
    EXPECT_FALSE(parse_seed(text)) << text;
}

}  // namespace
}  // namespace tinytune
