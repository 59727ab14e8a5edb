// Files of other formats, told by their first bytes: the error names the format and how to convert.
#include "models/file_formats.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

#include "base/files.h"
#include "base/temporary_directory.h"
#include "examples/tflite_writer.h"
#include "models/model_file.h"
#include "models/tflite/model.h"
#include "tests/models/test_models.h"

namespace tinytune {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Returns the error for a file that begins with `begin`, padded with dots.
std::string refusal(std::string_view begin) {
  std::string text(begin);
  if (!text.empty()) text += "................................";
  return TfliteModel::open({reinterpret_cast<const uint8_t*>(text.data()), text.size()})
      .error()
      .message();
}

TEST(OtherFormats, AreNamedWithWhatMakesAModelOfThem) {
  const auto expect = [](std::string_view begin, const char* is, const char* remedy) {
    EXPECT_THAT(refusal(begin), AllOf(HasSubstr(is), HasSubstr(remedy)));
    EXPECT_LE(refusal(begin).size(), 200U);
  };
  using namespace std::string_view_literals;
  expect("\x89HDF\r\n\x1a\n", "a Keras model (HDF5)", "tf.lite.TFLiteConverter");
  expect("PK\x03\x04", "a zip archive", "quantised ONNX");
  constexpr auto kZip = "PK\x03\x04..............................";
  std::string keras(kZip), torch(kZip);
  keras.resize(30, '.'), torch.resize(30, '.');
  keras[26] = 13, torch[26] = 14;
  expect(keras + "metadata.json", "but a Keras model", "tf.lite.TFLiteConverter");
  expect(torch + "model/data.pkl", "but a PyTorch model", "ai-edge-torch");
  expect("\x80\x02}q", "a Python pickle", "ai-edge-torch");
  expect("\x08\x01\x12", "a SavedModel", "tf.lite.TFLiteConverter");
  expect("\x0a\x1c\x0a\x05input\x12\x0bPlaceholder", "a frozen graph of TensorFlow",
         "tf.lite.TFLiteConverter");
  expect("\x08\x07\x12\x07pytorch", "an ONNX model", "the ending .onnx");
  expect("\x20\0\0\0ORTM"sv, "ONNX Runtime's own format", "the .onnx file");
  expect("\x1f\x8b\x08", "compressed by gzip", "unpack it");
  expect("version https://git-lfs.github.com/spec/v1\n", "a pointer of Git LFS", "git lfs pull");
  expect("\n<!DOCTYPE html>"sv.substr(1), "a web page", "download the file itself");
  expect("{\"modelTopology\":", "TensorFlow.js", "convert the network");
  expect("", "but an empty file", "");
}

TEST(OtherFormats, WhatIsNotKnown_IsNotGuessed) {
  for (const char* begin : {"....", "\n a text file", "\n\n\n", "\x0a\x05hello", "{}", "\x08\x02"})
    EXPECT_THAT(refusal(begin), HasSubstr("not a TensorFlow Lite file (no TFL3 identifier)"));
}

TEST(OtherFormats, FolderOfASavedModel_IsNamed) {
  const auto directory = TemporaryDirectory::create("formats");
  ASSERT_TRUE(directory);
  EXPECT_THAT(read_model_file(directory->path()).error().message(),
              HasSubstr("not a file but a folder: '"));
  ASSERT_TRUE(write_file(directory->file("saved_model.pb"), "x"));
  EXPECT_THAT(read_model_file(directory->path()).error().message(),
              AllOf(HasSubstr("a SavedModel of TensorFlow"), HasSubstr("tf.lite.TFLiteConverter")));
}

TEST(OtherFormats, TensorFlowLiteCalledOnnx_IsToldItsEnding) {
  const auto read = import_model(write_tflite(tiny_network()), "net.onnx", {});
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("give its name the ending .tflite"));
}

}  // namespace
}  // namespace tinytune
