// The reference operators against vectors that TensorFlow Lite Micro's reference kernels made.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/integer_op.h"
#include "models/operator_kind.h"
#include "models/tflite/tflite.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

const fs::path kShared = fs::path(TINYTUNE_SOURCE_DIR) / ".." / "shared";

std::vector<uint8_t> bytes_of_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Oracle : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    golden_ = kShared / "golden" / GetParam();
    const fs::path model = kShared / "models" / (std::string(GetParam()) + ".tflite");
    if (!fs::exists(golden_) || !fs::exists(model))
      GTEST_SKIP() << "no golden vectors at " << golden_;
    auto graph = import_tflite(model.string());
    ASSERT_TRUE(graph) << graph.error().message();
    graph_ = std::move(graph).value();
  }

  std::vector<std::vector<uint8_t>> run(const std::vector<uint8_t>& input) {
    auto values = run_reference(graph_, std::vector<std::vector<uint8_t>>{input});
    EXPECT_TRUE(values) << values.error().message();
    return values ? *values : std::vector<std::vector<uint8_t>>(graph_.tensors.size());
  }

  fs::path golden_;
  Graph graph_;
};

TEST_P(Oracle, EveryGoldenOutputAndLogit_IsReproduced) {
  int vectors = 0;
  for (const auto& entry : fs::directory_iterator(golden_)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".in.bin")) continue;
    const std::string seed = name.substr(0, name.find('.'));
    const auto values = run(bytes_of_file(entry.path()));
    EXPECT_EQ(values[static_cast<size_t>(graph_.outputs[0])],
              bytes_of_file(golden_ / (seed + ".out.bin")))
        << "seed " << seed;
    if (fs::exists(golden_ / (seed + ".logits.bin"))) {
      ASSERT_EQ(graph_.operators.back().kind, OperatorKind::kSoftmax);
      EXPECT_EQ(values[static_cast<size_t>(graph_.operators.back().inputs[0])],
                bytes_of_file(golden_ / (seed + ".logits.bin")))
          << "seed " << seed;
    }
    ++vectors;
  }
  EXPECT_GE(vectors, 5);
}

TEST_P(Oracle, EveryTensorOfSeedOne_IsReproduced) {
  const auto values = run(bytes_of_file(golden_ / "1.in.bin"));
  int compared = 0;
  for (const Tensor& tensor : graph_.tensors) {
    const auto& value = values[static_cast<size_t>(tensor.id)];
    if (value.empty()) continue;
    const fs::path expected = golden_ / ("seed1_tensor_" + std::to_string(tensor.id) + ".bin");
    ASSERT_TRUE(fs::exists(expected)) << expected;
    EXPECT_EQ(value, bytes_of_file(expected)) << "t" << tensor.id;
    ++compared;
  }
  EXPECT_EQ(compared, static_cast<int>(graph_.operators.size()) + 1);
}

INSTANTIATE_TEST_SUITE_P(Models, Oracle,
                         testing::Values("kws_ref_model", "vww_96_int8", "pretrainedResnet_quant",
                                         "ad01_int8"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tinytune
