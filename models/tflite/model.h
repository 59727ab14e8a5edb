// A .tflite file's bytes, verified to be a FlatBuffer of the right kind before anything reads them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

namespace schema {
struct Model;
struct Operator;
}  // namespace schema

class TfliteModel {
 public:
  /// kInvalidInput: another kind of file, damaged, another schema version.
  static Result<TfliteModel> open(std::span<const uint8_t> bytes);

  const schema::Model& model() const { return *model_; }

 private:
  // A copy, because FlatBuffers reads its scalars in place and so needs them aligned.
  std::unique_ptr<std::vector<uint64_t>> bytes_;
  const schema::Model* model_ = nullptr;
};

/// kNotFound: no such file. kInvalidInput: a directory, unreadable, or too large for the format.
Result<std::vector<uint8_t>> read_model_file(const std::string& path);

/// Returns TFLite's code of an operator; nullopt if the model has none at that index.
std::optional<int> builtin_code(const schema::Model& model, const schema::Operator& op);

/// Returns TFLite's name of a builtin operator ("CONV_2D"); nullptr for an unknown code.
const char* builtin_name(int code);

/// Printable ASCII of at most `longest` characters: names from a file may hold anything.
inline constexpr size_t kLongestPath = 4096;
std::string printable_ascii(std::string_view text, size_t longest = 64);

}  // namespace tinytune
