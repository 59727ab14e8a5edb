#include "models/refusal.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace tinytune {
namespace {

/// Why a whole network is refused, if the cause is more than a missing operator.
struct Kind {
  const char* is;
  const char* remedy;
};

constexpr Kind kVela = {"compiled by Vela for an Ethos-U",
                        "give the network as it was before Vela"};
constexpr Kind kHybrid = {
    "float32 activations with int8 weights (dynamic range quantisation)",
    "convert again with a representative_dataset: full-integer int8 quantisation"};
constexpr Kind kFloat16 = {
    "float16 weights",
    "convert again with full-integer int8 quantisation (a representative_dataset)"};
constexpr Kind kFloat32 = {"a float32 network",
                           "convert it with full-integer int8 quantisation: "
                           "tf.lite.TFLiteConverter with a representative_dataset"};
constexpr Kind kUint8 = {
    "quantised to uint8",
    "convert again with TensorFlow 2's TFLiteConverter: full-integer int8 quantisation"};
constexpr Kind kInt16 = {"unsupported", "convert it with full-integer int8 quantisation"};
constexpr Kind kDynamic = {"unsupported", "convert it with fixed shapes"};
constexpr Kind kOther = {"unsupported", ""};

constexpr const char* kLacking = "not supported";

bool says(const Unsupported& u, std::string_view words) {
  return u.reason.find(words) != std::string::npos;
}

/// Returns whether the operator reads a tensor of this type that is, or is not, constant.
bool reads(const ModelSummary& summary, const Unsupported& u, const char* type, bool constant) {
  if (u.index < 0 || static_cast<size_t>(u.index) >= summary.operators.size()) return false;
  const std::vector<int>& ids = summary.operators[static_cast<size_t>(u.index)].inputs;
  return std::ranges::any_of(ids, [&](int id) {
    if (id < 0 || static_cast<size_t>(id) >= summary.tensors.size()) return false;
    const TensorSummary& tensor = summary.tensors[static_cast<size_t>(id)];
    return tensor.type == type && tensor.is_constant == constant;
  });
}

Kind kind_of(const ModelSummary& summary) {
  const auto any = [&](auto is) { return std::ranges::any_of(summary.unsupported, is); };
  const auto any_says = [&](std::string_view words) {
    return any([&](const Unsupported& u) { return says(u, words); });
  };
  if (any([](const Unsupported& u) { return u.name == "CUSTOM ethos-u"; })) return kVela;
  if (any_says("float16")) return kFloat16;
  if (any_says("float32")) {
    const bool hybrid = any([&](const Unsupported& u) {
      return reads(summary, u, "float32", false) && reads(summary, u, "int8", true);
    });
    return hybrid ? kHybrid : kFloat32;
  }
  if (any_says("uint8")) return kUint8;
  if (any_says("int16")) return kInt16;
  return any_says("dynamic") ? kDynamic : kOther;
}

std::string shortened(const std::string& text, size_t longest) {
  return text.size() <= longest ? text : text.substr(0, longest - 3) + "...";
}

std::string entry_of(const Unsupported& u, size_t longest_reason) {
  constexpr size_t kLongestName = 40;
  const std::string reason = shortened(u.reason, longest_reason);
  return u.index < 0
             ? reason
             : fmt::format("operator {} {} ({})", u.index, shortened(u.name, kLongestName), reason);
}

// Lists the first operator, then others while there is room. If the whole network has no remedy,
// the reason of the first may end with its own, so reasons may be longer.
std::string list_of(const std::vector<Unsupported>& all, const Kind& kind) {
  constexpr size_t kRoom = 110;
  const size_t longest_reason = *kind.remedy == '\0' ? 300 : 100;
  std::string list;
  size_t listed = 0;
  for (const Unsupported& u : all) {
    const std::string entry = entry_of(u, longest_reason);
    if (listed > 0 && list.size() + entry.size() > kRoom) break;
    list += (listed++ > 0 ? "; " : "") + entry;
  }
  return listed < all.size() ? fmt::format("{} and {} more", list, all.size() - listed) : list;
}

// Names operators that would stay unsupported if the network were quantised.
std::string lacking_beside(const std::vector<Unsupported>& all) {
  const auto first = std::ranges::find(all, kLacking, &Unsupported::reason);
  if (first == all.end()) return "";
  const auto others = std::count_if(first + 1, all.end(), [&](const Unsupported& u) {
    return u.reason == kLacking && u.name != first->name;
  });
  return "; in any type " + shortened(first->name, 40) +
         (others > 0 ? fmt::format(" and {} more are", others) : " is") + " not supported";
}

/// Returns the operator's name for --external; nullopt if --external cannot take it.
std::optional<std::string> external_name(const Unsupported& u) {
  constexpr std::string_view kCustom = "CUSTOM ";
  if (u.reason != kLacking || u.name.starts_with("operator code")) return std::nullopt;
  if (!u.name.starts_with(kCustom)) return u.name;
  return "CUSTOM:" + u.name.substr(kCustom.size());
}

std::string remedy_of(const Kind& kind, const std::vector<Unsupported>& all) {
  if (*kind.remedy != '\0') return std::string("; ") + kind.remedy;
  for (const Unsupported& u : all)
    if (const auto name = external_name(u); name && name->size() <= 40)
      return "; --external " + *name + "=FUNCTION.h leaves it to a C function of yours";
  return "";
}

}  // namespace

std::string refusal_of(const ModelSummary& summary) {
  const std::vector<Unsupported>& all = summary.unsupported;
  if (all.empty()) return "";
  const Kind kind = kind_of(summary);
  std::string line = fmt::format("{}: {}{}", kind.is, list_of(all, kind), remedy_of(kind, all));
  const bool of_type = kind.is != kOther.is && kind.is != kVela.is;
  if (of_type) line += lacking_beside(all);
  return line;
}

}  // namespace tinytune
