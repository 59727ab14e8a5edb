#include "cli/input_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "base/files.h"
#include "base/little_endian.h"
#include "cli/npy_file.h"
#include "deploy/model/model_state.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

Error invalid(const std::string& at_fault, const std::string& why) {
  return Error(ErrorCode::kInvalidInput, at_fault + ": " + why);
}

int64_t bytes_of_all(const std::vector<TensorInfo>& tensors) {
  int64_t bytes = 0;
  for (const TensorInfo& tensor : tensors) bytes += tensor.bytes;
  return bytes;
}

template <typename T>
std::vector<uint8_t> quantised(std::span<const uint8_t> floats, const Quantization& quantization) {
  constexpr auto kLeast = std::numeric_limits<T>::min(), kMost = std::numeric_limits<T>::max();
  std::vector<uint8_t> bytes;
  for (size_t at = 0; at < floats.size(); at += sizeof(float)) {
    float real = 0;
    std::memcpy(&real, floats.data() + at, sizeof real);
    const float steps =
        std::round(real / quantization.scales[0]) + static_cast<float>(quantization.zero_points[0]);
    const float inside = std::clamp<float>(steps, kLeast, kMost);  // NaN becomes kLeast below
    append_little_endian(bytes, inside >= kLeast ? static_cast<T>(inside) : kLeast);
  }
  return bytes;
}

/// Converts one or many inputs to the tensor's type.
Result<std::vector<uint8_t>> in_type_of(const Tensor& tensor, NpyArray array,
                                        const std::string& origin) {
  const std::string wanted(name_of(tensor.type));
  if (array.type == wanted) return std::move(array.bytes);
  if (array.type == "float32" && tensor.quantization.scales.size() == 1) {
    if (tensor.type == ElementType::kInt8)
      return quantised<int8_t>(array.bytes, tensor.quantization);
    if (tensor.type == ElementType::kUint8)
      return quantised<uint8_t>(array.bytes, tensor.quantization);
    if (tensor.type == ElementType::kInt16)
      return quantised<int16_t>(array.bytes, tensor.quantization);
  }
  return invalid(origin, "elements are " + array.type + ", the input takes " + wanted);
}

/// Reads the raw bytes of a file with one item or, if `several`, one or more.
Result<std::vector<uint8_t>> read_items(const Model& model, const std::string& path, bool several) {
  TT_TRY_ASSIGN(std::vector<uint8_t> bytes, read_file(path, kMostBytes));
  if (path.ends_with(".npy")) {
    if (model.info().inputs.size() != 1)
      return invalid(path, fmt::format("an array holds one input, but the model has {}",
                                       model.info().inputs.size()));
    TT_TRY_ASSIGN(NpyArray array, parse_npy(bytes, path));
    const Graph& graph = model.state().graph;
    TT_TRY_ASSIGN(bytes, in_type_of(graph.tensor(graph.inputs[0]), std::move(array), path));
  }
  const auto one = static_cast<size_t>(bytes_of_all(model.info().inputs));
  const bool holds = several ? !bytes.empty() && bytes.size() % one == 0 : bytes.size() == one;
  if (holds) return bytes;
  return invalid(path, fmt::format("{} bytes, but an input takes {}", bytes.size(), one));
}

void append(InputSet& set, const std::vector<TensorInfo>& tensors, std::span<const uint8_t> items) {
  for (size_t at = 0; at < items.size();)
    for (size_t i = 0; i < tensors.size(); ++i) {
      const auto bytes = items.subspan(at, static_cast<size_t>(tensors[i].bytes));
      set.inputs[i].insert(set.inputs[i].end(), bytes.begin(), bytes.end());
      at += bytes.size();
    }
}

Result<std::vector<fs::path>> files_in(const std::string& folder, const std::string& labels) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    std::error_code unknown;
    const bool is_labels = !labels.empty() && fs::equivalent(at->path(), labels, unknown);
    if (at->is_regular_file() && !is_labels && at->path().filename().string()[0] != '.')
      files.push_back(at->path());
  }
  if (failed) return invalid(folder, failed.message());
  if (files.empty()) return invalid(folder, "no file in it");
  std::sort(files.begin(), files.end());
  return files;
}

std::optional<int> class_of(const std::string& word) {
  int label = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), label);
  if (error != std::errc() || end != word.data() + word.size() || label < 0) return std::nullopt;
  return label;
}

/// Returns the labels in the order of `names`, by name.
Result<std::vector<int>> by_name(const std::map<std::string, int>& labels, const std::string& path,
                                 const std::vector<std::string>& names) {
  std::vector<int> ordered;
  for (const std::string& name : names) {
    const auto at = labels.find(name);
    if (at == labels.end()) return invalid(path, "no label for " + name);
    ordered.push_back(at->second);
  }
  return ordered;
}

}  // namespace

Result<InputSet> read_input_set(const Model& model, const std::string& path,
                                const std::string& labels) {
  const std::vector<TensorInfo>& tensors = model.info().inputs;
  if (bytes_of_all(tensors) == 0) return invalid(model.path(), "it has no input");
  InputSet set;
  set.inputs.resize(tensors.size());
  std::error_code unknown;
  if (!fs::is_directory(path, unknown)) {
    TT_TRY_ASSIGN(const std::vector<uint8_t> items, read_items(model, path, true));
    append(set, tensors, items);
    const size_t count = items.size() / static_cast<size_t>(bytes_of_all(tensors));
    const std::string name = fs::path(path).filename().string();
    for (size_t i = 0; i < count; ++i) set.names.push_back(fmt::format("{}[{}]", name, i));
    return set;
  }
  TT_TRY_ASSIGN(const std::vector<fs::path> files, files_in(path, labels));
  uint64_t bytes = 0;
  for (const fs::path& file : files) {
    TT_TRY_ASSIGN(const std::vector<uint8_t> item, read_items(model, file.string(), false));
    append(set, tensors, item);
    set.names.push_back(file.filename().string());
    bytes += item.size();
    if (bytes > kMostBytes) return invalid(path, "more than 1 GiB of inputs");
  }
  return set;
}

Result<std::vector<int>> read_labels(const std::string& path,
                                     const std::vector<std::string>& names) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kMostBytes));
  std::istringstream lines{std::string(text_of(bytes))};
  std::vector<int> in_order;
  std::map<std::string, int> named;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream words(line);
    std::vector<std::string> said;
    for (std::string word; words >> word;) said.push_back(word);
    if (said.empty()) continue;
    const auto label = class_of(said.back());
    if (!label || said.size() > 2)
      return invalid(fmt::format("{}:{}", path, number),
                     "a line has a class, a number from 0, or a file's name and a class");
    if (said.size() == 1)
      in_order.push_back(*label);
    else if (named.try_emplace(said[0], *label).first->second != *label)
      return invalid(fmt::format("{}:{}", path, number), "another class for " + said[0]);
  }
  if (!named.empty() && in_order.empty()) return by_name(named, path, names);
  if (!named.empty() || in_order.size() != names.size())
    return invalid(
        path, fmt::format("{} labels for {} inputs", in_order.size() + named.size(), names.size()));
  return in_order;
}

}  // namespace tinytune
