// State as a pair of an input and an output: the output of one inference is the input of the next.
//
// Deeploy's language models pass their caches so: an input of N rows and an output of N + 1, the
// new row last. In the graph such a pair becomes one variable, read before and assigned after all
// other operators, as in TFLite's networks: the passes that remove copies and shift windows in
// place know only such variables.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/onnx/onnx_import.h"

namespace tinytune {
namespace {

std::optional<size_t> place_of(const std::vector<OnnxValue>& values, std::string_view name) {
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].name == name) return i;
  return std::nullopt;
}

std::string names_of(const std::vector<OnnxValue>& values) {
  std::string names;
  for (const OnnxValue& value : values)
    names += (names.empty() ? "" : ", ") + OnnxValues::shown(value.name);
  return names;
}

std::string described(const Tensor& tensor) {
  return fmt::format("{} [{}]", name_of(tensor.type), fmt::join(tensor.shape, ", "));
}

// Returns the only axis along which two shapes of equal rank differ.
std::optional<size_t> differing_axis(const std::vector<int>& a, const std::vector<int>& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::optional<size_t> axis;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (axis) return std::nullopt;
    axis = i;
  }
  return axis;
}

Error wrong(const std::string& why) { return Error(ErrorCode::kInvalidInput, "--state " + why); }

struct Pair {
  size_t input, output;
};

// Parses INPUT=OUTPUT; the names may contain "=", too.
Result<Pair> pair_of(const OnnxModel& model, const std::string& text) {
  if (text.find('=') == std::string::npos)
    return wrong("is INPUT=OUTPUT, not " + OnnxValues::shown(text));
  std::optional<size_t> input;
  for (size_t at = text.find('='); at != std::string::npos; at = text.find('=', at + 1)) {
    const auto found = place_of(model.inputs, text.substr(0, at));
    const auto output = place_of(model.outputs, text.substr(at + 1));
    if (found && output) return Pair{*found, *output};
    if (found) input = found;
  }
  const std::string shown = OnnxValues::shown(text);
  if (!input) return wrong(fmt::format("{}: the inputs are {}", shown, names_of(model.inputs)));
  return wrong(fmt::format("{}: the outputs are {}", shown, names_of(model.outputs)));
}

}  // namespace

Status OnnxGraph::keep(int input, int output) {
  const Tensor old = tensor(input), given = tensor(output);
  const auto axis = differing_axis(old.shape, given.shape);
  const bool fit = axis || old.shape == given.shape;
  if (old.type != given.type || !fit)
    return Error(ErrorCode::kInvalidInput,
                 fmt::format("{} is no state of {}: of one type, shapes may differ along one axis",
                             described(given), described(old)));
  if (old.quantization.scales != given.quantization.scales ||
      old.quantization.zero_points != given.quantization.zero_points)
    return Error(ErrorCode::kInvalidInput, "its two ends have different scales or zero points");
  int value = output;
  if (axis && given.shape[*axis] < old.shape[*axis])
    value = concatenated({input, output}, static_cast<int>(*axis));
  if (axis) {
    const int kept = old.shape[*axis];
    std::vector<int32_t> begins(old.shape.size(), 0);
    begins[*axis] = tensor(value).shape[*axis] - kept;
    const auto rank = static_cast<int>(old.shape.size());
    const int newest = add(old.name, old.type, old.shape, old.quantization, false);
    add_operator(OperatorKind::kSlice,
                 {value, add_numbers("begins", begins, {rank}),
                  add_numbers("sizes", {old.shape.begin(), old.shape.end()}, {rank})},
                 newest);
    value = newest;
  }
  const int state = add(old.name, old.type, old.shape, old.quantization, false);
  graph_.tensors.back().is_variable = true;
  add_operator(OperatorKind::kAssignVariable, {value}, state);
  graph_.operators.insert(graph_.operators.begin(),
                          {0, OperatorKind::kReadVariable, {state}, {input}, {}});
  for (size_t i = 0; i < graph_.operators.size(); ++i)
    graph_.operators[i].index = static_cast<int>(i);
  return ok_status();
}

Status OnnxImport::keep_states(std::span<const std::string> states) {
  const std::vector<int> inputs = graph_.inputs(), outputs = graph_.outputs();
  std::vector<size_t> kept_inputs, kept_outputs;
  for (const std::string& text : states) {
    TT_TRY_ASSIGN(const Pair pair, pair_of(model_, text));
    const auto is_among = [](const std::vector<size_t>& all, size_t one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    if (is_among(kept_inputs, pair.input) || is_among(kept_outputs, pair.output))
      return wrong(OnnxValues::shown(text) + ": one of the two is named before");
    kept_inputs.push_back(pair.input);
    kept_outputs.push_back(pair.output);
    if (kept_outputs.size() == outputs.size())
      return wrong(OnnxValues::shown(text) + ": no output would be left");
    if (Status status = graph_.keep(inputs[pair.input], outputs[pair.output]); !status)
      return wrong(OnnxValues::shown(text) + ": " + status.error().message());
  }
  const auto left = [](const std::vector<int>& ids, const std::vector<size_t>& kept) {
    std::vector<int> others;
    for (size_t i = 0; i < ids.size(); ++i)
      if (std::find(kept.begin(), kept.end(), i) == kept.end()) others.push_back(ids[i]);
    return others;
  };
  graph_.set_border(left(inputs, kept_inputs), left(outputs, kept_outputs));
  return ok_status();
}

}  // namespace tinytune
