#include "cli/tensor_files.h"

#include <algorithm>
#include <charconv>

#include "base/files.h"
#include "tinytune/deploy.h"

namespace tinytune {
namespace {

Error invalid(std::string message) { return Error(ErrorCode::kInvalidInput, std::move(message)); }

Result<std::vector<uint8_t>> read_tensor(const std::string& path) {
  auto bytes = read_file(path);
  if (bytes || bytes.error().code() != ErrorCode::kNotFound) return bytes;
  return Error(ErrorCode::kNotFound, bytes.error().message() + "; --input takes a file or seed:N");
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

constexpr std::string_view kSeed = "seed:";

bool is_seed(const std::string& argument) { return argument.starts_with(kSeed); }

}  // namespace

Result<uint32_t> parse_seed(std::string_view text) {
  uint32_t seed = 0;
  const char* end = text.data() + text.size();
  const char* begin = text.data() + std::min(kSeed.size(), text.size());
  const auto [stop, error] = std::from_chars(begin, end, seed);
  if (!text.starts_with(kSeed) || error != std::errc() || stop != end)
    return invalid("'" + std::string(text) + "': write seed:N with N from 1 to 4294967295");
  if (seed == 0) return invalid("seed:0 is refused: the generator would only give zeros");
  return seed;
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
    TT_TRY_ASSIGN(std::vector<uint8_t> bytes, read_tensor(arguments[i]));
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
    return write_file(files[0], text_of(all));
  }
  if (files.size() != outputs.size()) {
    return invalid("--output is given " + std::to_string(files.size()) +
                   " times, but the model has " + std::to_string(model.info().outputs.size()) +
                   " output(s)");
  }
  for (size_t i = 0; i < files.size(); ++i) TT_TRY(write_file(files[i], text_of(outputs[i])));
  return ok_status();
}

}  // namespace tinytune
