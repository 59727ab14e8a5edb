#include "cli/tensor_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

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

bool holds_steps(size_t bytes, int64_t one_step, int steps) {
  const auto size = static_cast<int64_t>(bytes);
  return size == one_step || size == one_step * steps;
}

struct Wanted {
  int64_t bytes = 0;  ///< of one step
  int steps = 1;
};

Error wrong_size(const std::string& path, size_t has, const Wanted& wanted,
                 const std::string& what) {
  std::string text = fmt::format("{}: {} bytes, but {} takes {}", path, has, what, wanted.bytes);
  if (wanted.steps != 1)
    text += fmt::format(", or {} for {} steps", wanted.bytes * wanted.steps, wanted.steps);
  const auto size = static_cast<int64_t>(has);
  if (size > 0 && wanted.bytes > 0 && size % wanted.bytes == 0)
    text += fmt::format("; it holds {} steps (--steps)", size / wanted.bytes);
  return invalid(std::move(text));
}

std::string describe(const TensorInfo& tensor) {
  return "input '" + tensor.name + "' (t" + std::to_string(tensor.id) + ", " + tensor.type + ")";
}

/// Reads all inputs from one file: back to back, step after step.
Result<std::vector<std::vector<uint8_t>>> split_file(const Model& model, const std::string& path,
                                                     int steps) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path));
  const std::vector<TensorInfo>& tensors = model.info().inputs;
  int64_t total = 0;
  for (const TensorInfo& tensor : tensors) total += tensor.bytes;
  if (!holds_steps(bytes.size(), total, steps)) {
    return wrong_size(path, bytes.size(), {total, steps},
                      tensors.size() == 1
                          ? describe(tensors[0])
                          : "the " + std::to_string(tensors.size()) + " inputs together");
  }
  std::vector<std::vector<uint8_t>> inputs(tensors.size());
  for (auto at = bytes.begin(); at != bytes.end();)
    for (size_t i = 0; i < tensors.size(); ++i) {
      inputs[i].insert(inputs[i].end(), at, at + tensors[i].bytes);
      at += tensors[i].bytes;
    }
  return inputs;
}

constexpr std::string_view kSeed = "seed:";

bool is_seed(const std::string& argument) { return argument.starts_with(kSeed); }

/// Drops empty files if there are too many files: the model has no inputs without elements.
std::vector<std::string> without_empty_files(std::span<const std::string> arguments,
                                             size_t wanted) {
  std::vector<std::string> files(arguments.begin(), arguments.end());
  if (files.size() <= wanted) return files;
  std::erase_if(files, [](const std::string& file) {
    std::error_code failed;
    return !is_seed(file) && std::filesystem::file_size(file, failed) == 0 && !failed;
  });
  return files.size() == wanted ? files : std::vector(arguments.begin(), arguments.end());
}

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
                                                      std::span<const std::string> given,
                                                      int steps) {
  const std::vector<TensorInfo>& tensors = model.info().inputs;
  const std::vector<std::string> arguments = without_empty_files(given, tensors.size());
  if (arguments.empty()) return generate_inputs(model, 1, steps);
  if (arguments.size() == 1) {
    if (!is_seed(arguments[0])) return split_file(model, arguments[0], steps);
    TT_TRY_ASSIGN(const uint32_t seed, parse_seed(arguments[0]));
    return generate_inputs(model, seed, steps);
  }
  if (arguments.size() != tensors.size()) {
    return invalid("--input is given " + std::to_string(arguments.size()) +
                   " times, but the model has " + std::to_string(tensors.size()) + " input(s)");
  }
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (is_seed(arguments[i])) {
      TT_TRY_ASSIGN(const uint32_t seed, parse_seed(arguments[i]));
      TT_TRY_ASSIGN(auto all, generate_inputs(model, seed, steps));
      inputs.push_back(std::move(all[i]));
      continue;
    }
    TT_TRY_ASSIGN(std::vector<uint8_t> bytes, read_tensor(arguments[i]));
    if (!holds_steps(bytes.size(), tensors[i].bytes, steps))
      return wrong_size(arguments[i], bytes.size(), {tensors[i].bytes, steps},
                        describe(tensors[i]));
    inputs.push_back(std::move(bytes));
  }
  return inputs;
}

Status write_outputs(const Model& model, std::span<const std::string> files,
                     std::span<const std::vector<uint8_t>> outputs) {
  if (files.empty()) return ok_status();
  if (files.size() == 1) {
    std::vector<uint8_t> all;
    size_t total = 0;
    for (const auto& output : outputs) total += output.size();
    for (ptrdiff_t step = 0; all.size() < total; ++step)
      for (size_t i = 0; i < outputs.size(); ++i) {
        const auto bytes = static_cast<ptrdiff_t>(model.info().outputs[i].bytes);
        const auto first = outputs[i].begin() + step * bytes;
        all.insert(all.end(), first, first + bytes);
      }
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
