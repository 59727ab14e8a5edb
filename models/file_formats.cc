#include "models/file_formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <optional>
#include <string_view>

#include "models/tflite/model.h"

namespace tinytune {
namespace {

constexpr const char* kOfTensorFlow =
    "quantise it to int8 with tf.lite.TFLiteConverter and a representative_dataset";
constexpr const char* kOfPyTorch =
    "export it to quantised ONNX, or to int8 .tflite with ai-edge-torch";

std::string_view text_of_bytes(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Reads fields of Protocol Buffers: only the kinds needed to tell one message from another.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : rest_(bytes) {}

  bool take(char tag) {
    if (rest_.empty() || rest_.front() != tag) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<uint64_t> take_number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }
  /// Takes a string of 1 to 255 printable characters.
  std::optional<std::string_view> take_name() {
    const auto size = take_number();
    if (!size || *size == 0 || *size > 255 || *size > rest_.size()) return std::nullopt;
    const std::string_view name = rest_.substr(0, *size);
    rest_.remove_prefix(*size);
    const auto is_printable = [](char c) { return c > 0x20 && c < 0x7f; };
    return std::ranges::all_of(name, is_printable) ? std::optional(name) : std::nullopt;
  }

 private:
  std::string_view rest_;
};

// node { name: "x" op: "Placeholder" …
bool is_graph_def(std::string_view bytes) {
  Fields fields(bytes);
  if (!fields.take('\x0a') || !fields.take_number()) return false;
  if (!fields.take('\x0a') || !fields.take_name() || !fields.take('\x12')) return false;
  const auto op = fields.take_name();
  return op && (std::isalpha(static_cast<unsigned char>(op->front())) != 0 || op->front() == '_');
}

// saved_model_schema_version: 1 meta_graphs { …
bool is_saved_model(std::string_view bytes) { return bytes.starts_with("\x08\x01\x12"); }

// ir_version: 3 to 19, then producer_name or another field of an ONNX model.
bool is_onnx(std::string_view bytes) {
  if (bytes.size() < 3 || bytes[0] != '\x08' || bytes[1] < 3 || bytes[1] > 19) return false;
  return std::string_view("\x12\x1a\x22\x32\x3a\x42").find(bytes[2]) != std::string_view::npos;
}

// Tells the archive's format by the name of its first entry.
std::string zip_archive(std::string_view bytes) {
  constexpr size_t kSizeAt = 26, kNameAt = 30;
  const std::string_view name = bytes.size() > kNameAt
                                    ? bytes.substr(kNameAt, static_cast<uint8_t>(bytes[kSizeAt]))
                                    : std::string_view();
  if (name == "metadata.json" || name == "config.json")
    return fmt::format("a Keras model: {}", kOfTensorFlow);
  if (name.find("data.pkl") != name.npos || name.find("/.format") != name.npos)
    return fmt::format("a PyTorch model: {}", kOfPyTorch);
  return "a zip archive, as PyTorch and Keras write them: export PyTorch's to quantised ONNX, "
         "quantise Keras's to int8 with tf.lite.TFLiteConverter";
}

bool is_pickle(std::string_view bytes) {
  return bytes.size() > 2 && bytes[0] == '\x80' && bytes[1] >= 2 && bytes[1] <= 5;
}

bool is_page(std::string_view bytes) {
  std::string begin(bytes.substr(0, 15));
  std::ranges::transform(begin, begin.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return begin.starts_with("<!doctype html") || begin.starts_with("<html");
}

std::optional<std::string> known_format(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  if (bytes.starts_with("\x89HDF\r\n"))
    return fmt::format("a Keras model (HDF5): {}", kOfTensorFlow);
  if (bytes.starts_with("PK\x03\x04")) return zip_archive(bytes);
  if (is_pickle(bytes))
    return fmt::format("a Python pickle, as PyTorch writes them: {}", kOfPyTorch);
  if (is_saved_model(bytes)) return fmt::format("a SavedModel of TensorFlow: {}", kOfTensorFlow);
  if (is_graph_def(bytes)) return fmt::format("a frozen graph of TensorFlow: {}", kOfTensorFlow);
  if (is_onnx(bytes)) return "an ONNX model: give its name the ending .onnx";
  if (bytes.size() > 8 && bytes.substr(4, 4) == "ORTM")
    return "a model in ONNX Runtime's own format: give the .onnx file that it was made from";
  if (bytes.starts_with("\x1f\x8b")) return "compressed by gzip: unpack it first";
  if (bytes.starts_with("version https://git-lfs"))
    return "a pointer of Git LFS: `git lfs pull` fetches the file itself";
  if (is_page(bytes)) return "a web page: download the file itself";
  if (bytes.starts_with("{") && bytes.find("modelTopology") != bytes.npos)
    return "a model of TensorFlow.js: convert the network that it was made from";
  return std::nullopt;
}

}  // namespace

std::string other_format(std::span<const uint8_t> bytes) {
  const auto known = known_format(text_of_bytes(bytes));
  return known ? " but " + *known : " (no TFL3 identifier)";
}

std::string folder_is_no_model(const std::string& path) {
  std::error_code failed;
  const bool saved = std::filesystem::exists(path + "/saved_model.pb", failed);
  return fmt::format(
      "not a file but {}: '{}'",
      saved ? fmt::format("a SavedModel of TensorFlow, {}", kOfTensorFlow) : "a folder",
      printable_ascii(path, kLongestPath));
}

bool begins_as_tflite(std::span<const uint8_t> bytes) {
  return bytes.size() >= 8 && text_of_bytes(bytes).substr(4, 4) == "TFL3";
}

}  // namespace tinytune
