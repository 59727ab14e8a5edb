#include "tuner/tensor_files.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tinytune/deploy.h"
#include "tuner/arguments.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

Error invalid(std::string message) { return Error(ErrorCode::kInvalidInput, std::move(message)); }

/// The generator that golden vectors are made with: xorshift32, one step a byte.
class ByteGenerator {
 public:
  explicit ByteGenerator(uint32_t seed) : state_(seed), walks_(seed >= kFirstWalk) {}

  int8_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    const uint32_t top = state_ >> 24;
    if (!walks_) return static_cast<int8_t>(top);
    walk_ = std::clamp(walk_ + static_cast<int>(top % 17) - 8, -128, 127);
    return static_cast<int8_t>(walk_);
  }

 private:
  // Uniform bytes saturate most networks to one answer; a walk looks more like a signal.
  static constexpr uint32_t kFirstWalk = 100;
  uint32_t state_;
  bool walks_;
  int walk_ = 0;
};

void append_element(std::vector<uint8_t>& bytes, const std::string& type, int8_t value) {
  if (type != "float32") {
    bytes.push_back(static_cast<uint8_t>(value));
    return;
  }
  const float real = static_cast<float>(value + 128) / 255.0f;
  uint8_t raw[sizeof real];
  std::memcpy(raw, &real, sizeof real);
  bytes.insert(bytes.end(), raw, raw + sizeof real);
}

Result<std::vector<uint8_t>> read_file(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return Error(ErrorCode::kNotFound, path + ": no such file; --input takes a file or seed:N");
  }
  std::ifstream file(path, std::ios::binary);
  if (!fs::is_regular_file(path, error) || !file) return invalid(path + ": cannot be read");
  std::vector<uint8_t> bytes((std::istreambuf_iterator<char>(file)), {});
  if (file.bad()) return Error(ErrorCode::kFailed, path + ": reading failed");
  return bytes;
}

Error wrong_size(const std::string& path, size_t has, int64_t wants, const std::string& what) {
  return invalid(path + ": " + std::to_string(has) + " bytes, but " + what + " takes " +
                 std::to_string(wants));
}

std::string describe(const TensorInfo& tensor) {
  return "input '" + tensor.name + "' (t" + std::to_string(tensor.id) + ", " + tensor.type + ")";
}

/// All inputs from one file, back to back.
Result<std::vector<std::vector<uint8_t>>> split_file(const Model& model, const std::string& path) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path));
  const std::vector<TensorInfo>& tensors = model.info().inputs;
  int64_t total = 0;
  for (const TensorInfo& tensor : tensors) total += tensor.bytes;
  if (static_cast<int64_t>(bytes.size()) != total) {
    return wrong_size(path, bytes.size(), total,
                      tensors.size() == 1
                          ? describe(tensors[0])
                          : "the " + std::to_string(tensors.size()) + " inputs together");
  }
  std::vector<std::vector<uint8_t>> inputs;
  auto at = bytes.begin();
  for (const TensorInfo& tensor : tensors) {
    inputs.emplace_back(at, at + tensor.bytes);
    at += tensor.bytes;
  }
  return inputs;
}

bool is_seed(const std::string& argument) { return argument.starts_with("seed:"); }

}  // namespace

Result<std::vector<std::vector<uint8_t>>> generate_inputs(const Model& model, uint32_t seed) {
  if (seed == 0) return invalid("seed:0 is refused: the generator would only give zeros");
  ByteGenerator generator(seed);
  std::vector<std::vector<uint8_t>> inputs;
  for (const TensorInfo& tensor : model.info().inputs) {
    std::vector<uint8_t> bytes;
    int64_t elements = 1;
    for (int extent : tensor.shape) elements *= extent;
    for (int64_t i = 0; i < elements; ++i) append_element(bytes, tensor.type, generator.next());
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

Result<std::vector<std::vector<uint8_t>>> read_inputs(const Model& model,
                                                      std::span<const std::string> arguments) {
  const std::vector<TensorInfo>& tensors = model.info().inputs;
  if (arguments.empty()) return generate_inputs(model, 1);
  if (arguments.size() == 1) {
    if (!is_seed(arguments[0])) return split_file(model, arguments[0]);
    TT_TRY_ASSIGN(const uint32_t seed, parse_seed(arguments[0]));
    return generate_inputs(model, seed);
  }
  if (arguments.size() != tensors.size()) {
    return invalid("--input is given " + std::to_string(arguments.size()) +
                   " times, but the model has " + std::to_string(tensors.size()) + " input(s)");
  }
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_seed(arguments[i])) {
      TT_TRY_ASSIGN(const uint32_t seed, parse_seed(arguments[i]));
      TT_TRY_ASSIGN(auto all, generate_inputs(model, seed));
      inputs.push_back(std::move(all[i]));
      continue;
    }
    TT_TRY_ASSIGN(std::vector<uint8_t> bytes, read_file(arguments[i]));
    if (static_cast<int64_t>(bytes.size()) != tensors[i].bytes)
      return wrong_size(arguments[i], bytes.size(), tensors[i].bytes, describe(tensors[i]));
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

Status write_outputs(const Model& model, std::span<const std::string> files,
                     std::span<const std::vector<uint8_t>> outputs) {
  if (files.empty()) return ok_status();
  if (files.size() == 1) {
    std::vector<uint8_t> all;
    for (const auto& output : outputs) all.insert(all.end(), output.begin(), output.end());
    return write_file(files[0], all);
  }
  if (files.size() != outputs.size()) {
    return invalid("--output is given " + std::to_string(files.size()) +
                   " times, but the model has " + std::to_string(model.info().outputs.size()) +
                   " output(s)");
  }
  for (size_t i = 0; i < files.size(); ++i) TT_TRY(write_file(files[i], outputs[i]));
  return ok_status();
}

Status write_file(const std::string& path, std::span<const uint8_t> bytes) {
  std::error_code error;
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, error);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (!file) {
    return Error(ErrorCode::kFailed,
                 path + ": cannot be written" +
                     (errno != 0 ? ": " + std::string(std::strerror(errno)) : ""));
  }
  return ok_status();
}

}  // namespace tinytune
