#include "models/workload_description.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <optional>
#include <sstream>
#include <tuple>
#include <utility>

#include "models/quantise.h"

namespace tinytune {
namespace {

using Pair = std::pair<int, int>;

Error bad(const std::string& why) {
  return Error(ErrorCode::kInvalidInput, "workload description: " + why);
}

std::optional<int> number_in(std::string_view& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

/// Parses "3x5" with `between` "x"; nullopt for any other text.
std::optional<Pair> pair_in(std::string_view text, std::string_view between) {
  const auto first = number_in(text);
  if (!first || !text.starts_with(between)) return std::nullopt;
  text.remove_prefix(between.size());
  const auto second = number_in(text);
  if (!second || !text.empty()) return std::nullopt;
  return Pair{*first, *second};
}

/// "2" or "2x1".
std::optional<Pair> extents_in(std::string_view text) {
  std::string_view rest = text;
  const auto both = number_in(rest);
  if (both && rest.empty()) return Pair{*both, *both};
  return pair_in(text, "x");
}

/// The fields that the words give; complete() derives the others.
struct Words {
  Workload workload;
  std::optional<Pair> channels, input, output, pads;
  Padding padding = Padding::kSame;
  bool relu = false, states_lanes = false, states_requantise = false;
};

Status read_operator(const std::string& word, Workload& workload) {
  for (const OpKind op : {OpKind::kConv2d, OpKind::kDepthwiseConv2d, OpKind::kDense}) {
    const std::string name(name_of(op));
    if (word != name && word != name + "_s8" &&
        !(op == OpKind::kDepthwiseConv2d && word == "depthwise"))
      continue;
    workload.op = op;
    return ok_status();
  }
  return bad("'" + word + "' is no operator; there are conv2d, depthwise and dense");
}

bool read_name(const std::string& word, Words& words) {
  Workload& w = words.workload;
  if (word == "same" || word == "valid") {
    words.padding = word == "same" ? Padding::kSame : Padding::kValid;
    return true;
  }
  if (word == "relu") return words.relu = true;
  for (const Layout layout : {Layout::kNhwc, Layout::kNchw}) {
    if (word != name_of(layout)) continue;
    w.layout = layout;
    return true;
  }
  for (const Requantise form :
       {Requantise::kLong, Requantise::kShifted, Requantise::kShort, Requantise::kFused}) {
    if (word != name_of(form)) continue;
    w.facts.requantise = form;
    return words.states_requantise = true;
  }
  return false;
}

bool read_number(const std::string& word, std::string_view prefix, int& value) {
  std::string_view text = word;
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  const auto number = number_in(text);
  if (!number || !text.empty()) return false;
  value = *number;
  return true;
}

bool read_pair(const std::string& word, std::string_view prefix, std::string_view between,
               const std::function<void(Pair)>& take) {
  const std::string_view text = word;
  if (!text.starts_with(prefix)) return false;
  const auto both = between == "x" ? extents_in(text.substr(prefix.size()))
                                   : pair_in(text.substr(prefix.size()), between);
  if (both) take(*both);
  return both.has_value();
}

bool read_word(const std::string& word, Words& words) {
  Workload& w = words.workload;
  const auto into = [](int& first, int& second) {
    return [&first, &second](Pair both) { std::tie(first, second) = both; };
  };
  if (const auto channels = pair_in(word, "->")) {
    words.channels = *channels;
    return true;
  }
  if (const auto window = pair_in(word, "x")) {
    std::tie(w.kernel_h, w.kernel_w) = *window;
    return true;
  }
  if (read_number(word, "lane", w.facts.lane_group)) return words.states_lanes = true;
  return read_name(word, words) || read_pair(word, "k", "x", into(w.kernel_h, w.kernel_w)) ||
         read_pair(word, "in", "x", [&](Pair p) { words.input = p; }) ||
         read_pair(word, "@", "x", [&](Pair p) { words.output = p; }) ||
         read_pair(word, "s", "x", into(w.stride_h, w.stride_w)) ||
         read_pair(word, "/", "x", into(w.stride_h, w.stride_w)) ||
         read_pair(word, "d", "x", into(w.dilation_h, w.dilation_w)) ||
         read_pair(word, "p", ",", [&](Pair p) { words.pads = p; }) ||
         read_pair(word, "zp", ",", into(w.input_zero_point, w.output_zero_point)) ||
         read_pair(word, "act", ",", into(w.activation_min, w.activation_max)) ||
         read_number(word, "n", w.batch) || read_number(word, "g", w.groups);
}

/// One axis: the window, and the extents and padding known so far.
struct Axis {
  std::optional<int> in, out, pad;
  int filter = 1, stride = 1, dilation = 1;

  int reach() const { return (filter - 1) * dilation + 1; }
};

Status complete(Axis& axis, Padding padding, const char* name) {
  if (axis.filter < 1 || axis.stride < 1 || axis.dilation < 1 ||
      !window_is_small(axis.filter, axis.stride, axis.dilation))
    return bad(fmt::format("a window, stride or dilation of the {} that cannot be", name));
  constexpr int kMost = 1 << 24;
  for (const auto& end : {axis.in, axis.out})
    if (end && (*end < 1 || *end > kMost)) return bad(fmt::format("a {} of {}", name, *end));
  if (axis.pad && (*axis.pad < 0 || *axis.pad > axis.reach()))
    return bad(
        fmt::format("padding of {} where the window reaches over {}", *axis.pad, axis.reach()));
  if (!axis.in) {
    const int covered = (*axis.out - 1) * axis.stride + axis.reach();
    axis.in = axis.pad                    ? covered - 2 * *axis.pad
              : padding == Padding::kSame ? *axis.out * axis.stride
                                          : covered;
    if (*axis.in < 1)
      return bad(fmt::format("no {} of the input is left between the padding", name));
  }
  if (axis.pad) {
    const int most = (*axis.in + 2 * *axis.pad - axis.reach()) / axis.stride + 1;
    if (!axis.out) axis.out = most;
    // A window below or right of all input would only read padding.
    if (*axis.out < 1 || (*axis.out - 1) * axis.stride - *axis.pad >= *axis.in)
      return bad(fmt::format("an output {} of {} from an input of {}", name, *axis.out, *axis.in));
    return ok_status();
  }
  const Window window = window_of(padding, *axis.in, axis.filter, axis.stride, axis.dilation);
  if (window.extent < 1 || (axis.out && *axis.out != window.extent))
    return bad(fmt::format("an input {} of {} gives an output of {}{}", name, *axis.in,
                           window.extent,
                           axis.out ? fmt::format(", not {}", *axis.out) : std::string()));
  axis.out = window.extent;
  axis.pad = window.pad;
  return ok_status();
}

std::optional<int> first_of(const std::optional<Pair>& pair) {
  return pair ? std::optional(pair->first) : std::nullopt;
}
std::optional<int> second_of(const std::optional<Pair>& pair) {
  return pair ? std::optional(pair->second) : std::nullopt;
}

Status complete(Words& words) {
  Workload& w = words.workload;
  if (!words.channels) return bad("how many channels? say 64->64");
  std::tie(w.in_c, w.out_c) = *words.channels;
  if (w.op == OpKind::kDense) return ok_status();
  if (!words.input && !words.output)
    return bad("how large? say in25x5 for the input's height and width, or @25x5 for the output's");
  Axis rows{
      first_of(words.input), first_of(words.output), first_of(words.pads), w.kernel_h, w.stride_h,
      w.dilation_h};
  Axis columns{second_of(words.input),
               second_of(words.output),
               second_of(words.pads),
               w.kernel_w,
               w.stride_w,
               w.dilation_w};
  TT_TRY(complete(rows, words.padding, "height"));
  TT_TRY(complete(columns, words.padding, "width"));
  w.in_h = *rows.in, w.out_h = *rows.out, w.pad_top = *rows.pad;
  w.in_w = *columns.in, w.out_w = *columns.out, w.pad_left = *columns.pad;
  return ok_status();
}

}  // namespace

Result<WorkloadDescription> describe_workload(std::string_view text) {
  if (const auto whole = parse_workload(text)) return WorkloadDescription{*whole, true};
  std::istringstream stream{std::string(text)};
  Words words;
  Workload& w = words.workload;
  w.input_zero_point = w.output_zero_point = -128;
  std::string word;
  stream >> word;
  TT_TRY(read_operator(word, w));
  while (stream >> word)
    if (!read_word(word, words)) return bad("'" + word + "' says nothing here");
  TT_TRY(complete(words));
  if (w.op == OpKind::kDense && (words.input || words.output || w.reduction() != w.in_c))
    return bad("a dense layer has channels and a batch, and no height or width");
  if (w.op == OpKind::kDepthwiseConv2d) {
    if (w.in_c < 1 || w.out_c % w.in_c != 0)
      return bad("depthwise output channels are a multiple of the input's");
    w.depth_multiplier = w.out_c / w.in_c;
  }
  if (words.relu) w.activation_min = w.output_zero_point;
  TT_TRY(validate(w));
  for (const int value :
       {w.input_zero_point, w.output_zero_point, w.activation_min, w.activation_max})
    if (value < -128 || value > 127) return bad(fmt::format("{} is no int8", value));
  return WorkloadDescription{w, words.states_lanes || words.states_requantise};
}

std::string short_name(const Workload& w) {
  if (w.op == OpKind::kDense) return fmt::format("dense {}->{}", w.in_c, w.out_c);
  std::string name =
      fmt::format("{} {}x{} {}->{} @{}x{}", w.op == OpKind::kConv2d ? "conv2d" : "depthwise",
                  w.kernel_h, w.kernel_w, w.in_c, w.out_c, w.out_h, w.out_w);
  if (w.stride_h != 1 || w.stride_w != 1) name += fmt::format(" /{}x{}", w.stride_h, w.stride_w);
  return name;
}

}  // namespace tinytune
