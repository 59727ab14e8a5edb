// What --inputs reads: arrays, folders and labels; and the evaluation of the answers.
#include "cli/input_set.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

#include "cli/accuracy.h"
#include "cli/npy_file.h"
#include "tests/tuner/small_model.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

/// Returns the file that numpy.save() would write.
std::string npy(const std::string& type, const std::string& shape, const std::string& elements,
                const std::string& order = "False") {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  header.resize((header.size() + 10 + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() & 0xFF) +
         static_cast<char>(header.size() >> 8) + header + elements;
}

Result<NpyArray> parse(const std::string& file) {
  return parse_npy({reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "x.npy");
}

TEST(NpyFile, Array_HasTypeShapeAndElements) {
  const auto array = parse(npy("|i1", "(2, 3)", std::string("\x01\x02\x03\xFF\xFE\x00", 6)));
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_EQ(array->type, "int8");
  EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(array->bytes, (std::vector<uint8_t>{1, 2, 3, 255, 254, 0}));
  const auto scalar = parse(npy("<f4", "()", "abcd"));
  ASSERT_TRUE(scalar) << scalar.error().message();
  EXPECT_TRUE(scalar->shape.empty());
}

TEST(NpyFile, Version2_HasALongerLength) {
  std::string file = npy("|u1", "(1,)", "x");
  file[6] = 2;
  file.insert(10, 2, '\0');
  const auto array = parse(file);
  ASSERT_TRUE(array) << array.error().message();
  EXPECT_EQ(array->type, "uint8");
}

TEST(NpyFile, WhatIsNoArrayHere_IsRefusedByName) {
  const std::string good = npy("|i1", "(2, 3)", "abcdef");
  std::vector<std::string> wrong = {"",
                                    "\x93NUMPY",
                                    "raw bytes of a tensor",
                                    npy("|i1", "(2, 3)", "abcde"),
                                    npy("|i1", "(2, 3", "abcdef"),
                                    npy("|i1", "(2, x)", "abcdef"),
                                    npy("|i1", "(9999999999, 9999999999)", "abcdef"),
                                    npy("<f8", "(1,)", "abcdefgh"),
                                    npy("|i1", "(2, 3)", "abcdef", "True")};
  for (size_t cut = 0; cut < good.size(); ++cut) wrong.push_back(good.substr(0, cut));
  for (const std::string& file : wrong) {
    const auto array = parse(file);
    ASSERT_FALSE(array) << file;
    EXPECT_EQ(array.error().code(), ErrorCode::kInvalidInput);
    EXPECT_TRUE(array.error().message().starts_with("x.npy: ")) << array.error().message();
  }
}

class InputSets : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tinytune-inputs-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    test::write_model(test::small_graph(), file("m.tflite"));
    fs::create_directory(folder_ / "set");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  Model model() const { return *Model::load(file("m.tflite")); }
  std::string refusal(const std::string& path) const {
    const auto set = read_input_set(model(), path, "");
    EXPECT_FALSE(set);
    return set ? "" : set.error().message();
  }
  std::string refusal_of_labels(const std::string& text) const {
    test::write_bytes(file("labels.txt"), text);
    const auto labels = read_labels(file("labels.txt"), {"a.bin", "b.bin"});
    EXPECT_FALSE(labels) << text;
    return labels ? "" : labels.error().message();
  }

  static constexpr size_t kBytes = 6 * 6 * 4;  // per input
  fs::path folder_;
};

TEST_F(InputSets, FolderAndFiles_HoldTheSame) {
  const std::string a(kBytes, '\1'), b(kBytes, '\2');
  test::write_bytes(file("set/b.npy"), npy("|i1", "(1, 6, 6, 4)", b));
  test::write_bytes(file("set/a.bin"), a);
  test::write_bytes(file("set/.hidden"), "x");
  test::write_bytes(file("set/labels.txt"), "0\n1\n");
  test::write_bytes(file("all.npy"), npy("|i1", "(2, 6, 6, 4)", a + b));
  test::write_bytes(file("all.bin"), a + b);
  const auto folder = read_input_set(model(), file("set"), file("set/labels.txt"));
  ASSERT_TRUE(folder) << folder.error().message();
  EXPECT_EQ(folder->names, (std::vector<std::string>{"a.bin", "b.npy"}));
  for (const char* name : {"all.npy", "all.bin"}) {
    const auto set = read_input_set(model(), file(name), "");
    ASSERT_TRUE(set) << set.error().message();
    EXPECT_EQ(set->names[1], std::string(name) + "[1]");
    EXPECT_EQ(set->inputs, folder->inputs);
  }
}

TEST_F(InputSets, InputsOfAModelWithTwo_AreSplit) {
  test::write_model(test::two_in_two_out_graph(), file("m.tflite"));
  const std::string first(16, '\1'), second(16, '\2');
  test::write_bytes(file("all.bin"), first + second + first + second);
  const auto set = read_input_set(model(), file("all.bin"), "");
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(set->names.size(), 2U);
  EXPECT_EQ(set->inputs[0], std::vector<uint8_t>(32, 1));
  EXPECT_EQ(set->inputs[1], std::vector<uint8_t>(32, 2));
}

TEST_F(InputSets, Floats_AreQuantisedAsTheInputIs) {
  const Inspection about = *inspect_model(file("m.tflite"));
  const TensorDetails& input = about.tensors[static_cast<size_t>(about.info.inputs[0].id)];
  const float scale = input.scales[0];
  const int zero = input.zero_points[0];
  std::vector<float> reals(kBytes, 0.0F);
  reals[0] = 3 * scale;
  reals[1] = -0.5F * scale;  // a tie, rounded away from zero
  reals[2] = 1e9F;
  reals[3] = -1e9F;
  std::string bytes(kBytes * sizeof(float), '\0');
  std::memcpy(bytes.data(), reals.data(), bytes.size());
  test::write_bytes(file("x.npy"), npy("<f4", "(1, 6, 6, 4)", bytes));
  const auto set = read_input_set(model(), file("x.npy"), "");
  ASSERT_TRUE(set) << set.error().message();
  const auto at = [&](size_t i) {
    return static_cast<int>(static_cast<int8_t>(set->inputs[0][i]));
  };
  EXPECT_EQ(at(0), zero + 3);
  EXPECT_EQ(at(1), zero - 1);
  EXPECT_EQ(at(2), 127);
  EXPECT_EQ(at(3), -128);
  EXPECT_EQ(at(4), zero);
}

TEST_F(InputSets, WhatIsNoInput_IsRefusedByName) {
  EXPECT_NE(refusal(file("set")).find("set: no file in it"), std::string::npos);
  EXPECT_NE(refusal(file("none")).find("none"), std::string::npos);
  test::write_bytes(file("set/short.bin"), "x");
  EXPECT_NE(refusal(file("set")).find("short.bin: 1 bytes, but an input takes 144"),
            std::string::npos);
  test::write_bytes(file("set/short.bin"), std::string(2 * kBytes, 'x'));
  EXPECT_NE(refusal(file("set")).find("short.bin"), std::string::npos) << "a file, an input";
  test::write_bytes(file("x.npy"), npy("|u1", "(1, 6, 6, 4)", std::string(kBytes, 'x')));
  EXPECT_NE(refusal(file("x.npy")).find("elements are uint8, the input takes int8"),
            std::string::npos);
}

TEST_F(InputSets, Labels_AreInOrderOrByName) {
  for (const char* text : {"3\n0\n", "b.bin 0\na.bin 3\n", "b.bin,0\n\na.bin, 3", "3\r\n0\r\n"}) {
    test::write_bytes(file("labels.txt"), text);
    const auto labels = read_labels(file("labels.txt"), {"a.bin", "b.bin"});
    ASSERT_TRUE(labels) << labels.error().message();
    EXPECT_EQ(*labels, (std::vector<int>{3, 0})) << text;
  }
  EXPECT_NE(refusal_of_labels("1\n").find("1 labels for 2 inputs"), std::string::npos);
  EXPECT_NE(refusal_of_labels("1\n2\n3\n").find("3 labels for 2 inputs"), std::string::npos);
  EXPECT_NE(refusal_of_labels("a.bin 1\nc.bin 2\n").find("no label for b.bin"), std::string::npos);
  EXPECT_NE(refusal_of_labels("a.bin 1\nb.bin 2\na.bin 3\n").find("labels.txt:3: another class"),
            std::string::npos);
  EXPECT_NE(refusal_of_labels("0\ncat\n").find("labels.txt:2: "), std::string::npos);
  EXPECT_NE(refusal_of_labels("0\n-1\n").find("labels.txt:2: "), std::string::npos);
}

TEST(Accuracy, Class_IsTheFirstOfTheLargest) {
  Tensor scores;
  scores.shape = {1, 3};
  const std::vector<uint8_t> outputs = {1, 2, 0, 0x80, 0xFF, 0xFE, 5, 5, 5};
  EXPECT_EQ(*classes_of(scores, outputs), (std::vector<int>{1, 1, 0}));
  scores.type = ElementType::kUint8;
  EXPECT_EQ(*classes_of(scores, outputs), (std::vector<int>{1, 1, 0}));
  scores.type = ElementType::kBool;
  EXPECT_FALSE(classes_of(scores, outputs));
}

TEST(Accuracy, SingleElement_IsClass1FromAHalfOn) {
  Tensor score;
  score.shape = {1, 1};
  score.quantization = {{1.0F / 256}, {-128}, 0};
  EXPECT_EQ(*classes_of(score, std::vector<uint8_t>{0xFF, 0x00, 0x80, 0x7F}),
            (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(class_count(score), 2);
}

TEST(Accuracy, Confusion_CountsLabelsByAnswer) {
  const std::vector<int> labels = {0, 1, 1, 2}, answers = {0, 1, 2, 2};
  const auto confusion = confusion_of(labels, answers, 3);
  ASSERT_TRUE(confusion);
  EXPECT_EQ(confusion->counts, (std::vector<std::vector<int>>{{1, 0, 0}, {0, 1, 1}, {0, 0, 1}}));
  EXPECT_EQ(confusion->correct, 3);
  EXPECT_DOUBLE_EQ(confusion->accuracy(), 0.75);
  EXPECT_FALSE(confusion_of(labels, answers, 2)) << "2 is no class of two";
}

}  // namespace
}  // namespace tinytune
