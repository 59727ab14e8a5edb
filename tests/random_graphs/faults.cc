#include "tests/random_graphs/faults.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tests/random_graphs/damages.h"

namespace tinytune::bench {
namespace {

// Faults in the integer network, as wrong constants would be.

/// Breaks the first operator of type `Form` in which `change` finds something to break.
template <typename Form, typename Change>
Damage in_form(Change change) {
  return {.network = [change](IntegerNetwork& network) {
    for (IntegerOp& op : network.ops)
      if (auto* form = std::get_if<Form>(&op); form != nullptr && change(*form)) return true;
    return false;
  }};
}

bool shift_zero_point(KernelOp& op) {
  op.workload.output_zero_point += op.workload.output_zero_point < 127 ? 1 : -1;
  return true;
}

bool drop_padding(KernelOp& op) {
  if (op.workload.pad_top == 0 && op.workload.pad_left == 0) return false;
  op.workload.pad_top = op.workload.pad_left = 0;
  return true;
}

bool lose_multiplier_bits(KernelOp& op) {
  for (int32_t& multiplier : op.data.multiplier) multiplier &= ~0xfffff;
  return true;
}

bool halve_last_channel(KernelOp& op) {
  --op.data.shift.back();
  return op.data.multiplier.back() != 0 && op.data.shift.back() > -31;
}

bool forget_bias(KernelOp& op) {
  if (op.data.bias.back() == 0) return false;
  op.data.bias.back() = 0;
  return true;
}

bool negate_a_weight(KernelOp& op) {
  const auto w = std::find_if(op.data.weights.begin(), op.data.weights.end(),
                              [](int8_t weight) { return weight > 3; });
  if (w == op.data.weights.end()) return false;
  *w = static_cast<int8_t>(-*w);
  return true;
}

bool forget_clamp(KernelOp& op) {
  if (op.workload.activation_min == -128 && op.workload.activation_max == 127) return false;
  op.workload.activation_min = -128, op.workload.activation_max = 127;
  return true;
}

bool shift_second_operand(AddOp& op) { return ++op.input2_offset <= 128; }

bool shift_a_box(MoveOp& op) {
  for (MoveOp::Box& box : op.boxes)
    for (size_t axis = 0; axis < box.extents.size(); ++axis)
      if (box.extents[axis] > 1 && box.input_offset > 0) return --box.input_offset >= 0;
  return false;
}

bool change_table_entry(LookupOp& op) {
  op.table[0x85] = static_cast<uint8_t>(op.table[0x85] + 1);
  return true;
}

bool shorten_exponentials(SoftmaxOp& op) {
  op.input_left_shift -= 1;
  return op.input_left_shift >= 0 && op.depth > 1;
}

bool count_one_more(MeanOp& op) {
  op.bias += 1 << 5;
  return true;
}

bool pool_without_padding(PoolOp& op) {
  if (op.pad_top == 0 && op.pad_left == 0) return false;
  op.pad_top = op.pad_left = 0;
  return true;
}

bool repeat_a_row(ResizeOp& op) {
  if (op.rows.size() < 2 || op.rows[0] == op.rows[1]) return false;
  op.rows[1] = op.rows[0];
  return true;
}

// Faults in the generated files, as a wrong printer would write them.

// Removes the call of invoke's last layer.
bool skip_last_layer(GeneratedNetwork& network) {
  GeneratedFile* file = file_ending(network, network.name + ".c");
  const auto last = std::find_if(network.layers.rbegin(), network.layers.rend(),
                                 [](const GeneratedLayer& l) { return !l.symbol.empty(); });
  if (last == network.layers.rend()) return false;
  const std::string call = "  " + last->symbol + "(";
  const size_t at = file->contents.rfind(call);
  if (at == std::string::npos) return false;
  file->contents.insert(at, "  if (0)");
  return true;
}

// Lowers the first tensor offset by 4 bytes, so that two live tensors may overlap.
bool overlap_tensors(GeneratedNetwork& network) {
  GeneratedFile* file = file_ending(network, network.name + ".c");
  const std::string place = "(arena + ";
  const size_t at = file->contents.find(place);
  if (at == std::string::npos) return false;
  const size_t digits = at + place.size(), end = file->contents.find(')', digits);
  const int offset = std::stoi(file->contents.substr(digits, end - digits));
  file->contents.replace(digits, end - digits, std::to_string(offset - 4));
  return offset >= 4;
}

// Places a tensor on another whose live range overlaps, in the plan and in the code.
bool overlap_in_the_plan(GeneratedNetwork& network) {
  for (const PlacedTensor& result : network.tensors)
    for (const PlacedTensor& operand : network.tensors) {
      const bool at_once =
          operand.first_step < result.first_step && result.first_step <= operand.last_step;
      const uint32_t from = result.offset, to = operand.offset;
      if (!at_once || from == 0 || from == to) continue;
      const bool fits =
          std::all_of(network.tensors.begin(), network.tensors.end(), [&](const PlacedTensor& t) {
            return t.offset != from || to + t.bytes <= network.arena_bytes;
          });
      const Damage moved = replacing(network.name + ".c", "(arena + " + std::to_string(from) + ")",
                                     "(arena + " + std::to_string(to) + ")");
      if (!fits || !moved.files(network)) continue;
      for (PlacedTensor& t : network.tensors)
        if (t.offset == from) t.offset = to;
      return true;
    }
  return false;
}

// Applies `change` to the body of the first function of a group of strips that it can break.
Damage in_strips(std::function<bool(std::string&)> change) {
  return {.files = [change](GeneratedNetwork& network) {
    GeneratedFile* file = file_ending(network, network.name + ".c");
    if (file == nullptr) return false;
    for (const LayerFunction& function : network.functions) {
      if (!function.symbol.starts_with(network.name + "_layers_")) continue;
      const size_t at = file->contents.find(function.body);
      std::string body = function.body;
      if (at == std::string::npos || !change(body)) continue;
      file->contents.replace(at, function.body.size(), body);
      return true;
    }
    return false;
  }};
}

/// Adds `more` to the number behind the first `mark`.
std::function<bool(std::string&)> adding(std::string mark, int64_t more) {
  return [=](std::string& body) {
    const size_t at = body.find(mark);
    if (at == std::string::npos) return false;
    size_t digits = 0;
    const int64_t number = std::stoll(body.substr(at + mark.size()), &digits);
    body.replace(at + mark.size(), digits, std::to_string(number + more));
    return true;
  };
}

// Copies the halo onto itself: rows that the next strip reads again do not move to their window's
// start.
bool forget_the_halo(std::string& body) {
  const std::string to = "uint32_t *to = (uint32_t *)", from = "*from = (const uint32_t *)";
  const size_t target = body.find(to);
  const size_t source = target == std::string::npos ? target : body.rfind(from, target);
  if (source == std::string::npos) return false;
  const auto place_behind = [&](size_t at) { return body.substr(at, body.find(';', at) - at); };
  const std::string there = place_behind(target + to.size());
  const std::string here = place_behind(source + from.size());
  body.replace(source + from.size(), here.size(), there);
  return here != there;
}

// Faults in packed constants, as a template that packs wrongly would write them.

// Starts the low lane as if there were one group less.
bool forget_a_group(Numbers& params) {
  params[1] = static_cast<int32_t>(static_cast<uint32_t>(params[1]) + 0x8000u);
  return true;
}

// Merges the first two groups of a convolution, each of which begins with its length in bytes.
bool merge_groups(Numbers& weights) {
  const int64_t first = weights[0] & 0xff;
  if (static_cast<size_t>(first) + 1 >= weights.size()) return false;
  const auto second = weights.begin() + 1 + first;
  const int64_t both = first + (*second & 0xff);
  if (*second == 0 || both > 255) return false;
  weights[0] = static_cast<int8_t>(both);
  weights.erase(second);
  weights.push_back(0);
  return true;
}

}  // namespace

std::span<const Fault> faults() {
  static const std::vector<Fault> kFaults = {
      {"a zero point off by one", in_form<KernelOp>(shift_zero_point)},
      {"padding dropped from a kernel", in_form<KernelOp>(drop_padding)},
      {"multipliers cut to 11 bits", in_form<KernelOp>(lose_multiplier_bits)},
      {"one channel's shift off by one", in_form<KernelOp>(halve_last_channel)},
      {"one channel's bias forgotten", in_form<KernelOp>(forget_bias)},
      {"one weight negated", in_form<KernelOp>(negate_a_weight)},
      {"a fused activation forgotten", in_form<KernelOp>(forget_clamp)},
      {"a zero point of ADD off by one", in_form<AddOp>(shift_second_operand)},
      {"a slice off by one element", in_form<MoveOp>(shift_a_box)},
      {"one entry of a table off by one", in_form<LookupOp>(change_table_entry)},
      {"SOFTMAX with half its scale", in_form<SoftmaxOp>(shorten_exponentials)},
      {"MEAN's bias off by 32", in_form<MeanOp>(count_one_more)},
      {"a pool that drops its padding", in_form<PoolOp>(pool_without_padding)},
      {"a neighbour taken from the row above", in_form<ResizeOp>(repeat_a_row)},
      {"requantisation that truncates", replacing("net.c", "+ 1073741824", "+ 0")},
      {"ties of negative values rounded up", replacing("net.c", "(v < 0 ? 1 : 0)", "0")},
      {"an average that truncates", replacing("net.c", "+ count / 2", "+ 0")},
      {"a constant byte changed in the weights", replacing("_weights.c", " 17,", " 18,")},
      {"the last layer not called", {.files = skip_last_layer}},
      {"two tensors that overlap", {.files = overlap_tensors}},
      {"two tensors at once in one place of the plan", {.files = overlap_in_the_plan}},
      {"strips that are one too few", in_strips(adding("turn < ", -1))},
      {"strips that begin a word late", in_strips(adding("turn * ", 4))},
      {"a halo that is not kept", in_strips(forget_the_halo)},
      {"a multiplier of SMLAD halved", in_packed("smlad", "params", halve(1))},
      {"a multiplier of Winograd's kernel halved", in_packed("winograd", "params", halve(1))},
      {"a multiplier of lanes halved", in_packed("lanes_nhwc", "params", halve(2))},
      {"a multiplier of a sliding window halved", in_packed("sliding", "params", halve(1))},
      {"a multiplier of wide lanes halved", in_packed("wide_lanes", "params", halve(0))},
      {"two packed weights of SMLAD swapped", in_packed("smlad", "weights", swap_weights)},
      {"two of Winograd's weights swapped", in_packed("winograd", "weights", swap_weights)},
      {"two weights of wide lanes swapped", in_packed("wide_lanes", "weights", swap_weights)},
      {"two of a sliding window's weights swapped", in_packed("sliding", "weights", swap_weights)},
      {"lanes that start a group short", in_packed("lanes", "params", forget_a_group)},
      {"two groups of lanes as one", in_packed("lanes_nhwc", "weights", merge_groups)},
  };
  return kFaults;
}

}  // namespace tinytune::bench
