#include "simulator/helium/footprint.h"

#include <algorithm>
#include <array>

#include "simulator/helium/executor.h"

namespace tinytune::helium {
namespace {

using Unit = Footprint::Unit;
using Result = Footprint::Result;

template <size_t n>
bool begins(std::string_view name, const std::array<std::string_view, n>& with) {
  return std::any_of(with.begin(), with.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

constexpr std::array<std::string_view, 7> kSums = {"vmladav",   "vmlsdav",   "vmlaldav", "vmlsldav",
                                                   "vrmlaldav", "vrmlsldav", "vadd"};
constexpr std::array<std::string_view, 6> kLogic = {"vand", "vbic", "veor", "vor", "vmvn", "vrev"};
constexpr std::array<std::string_view, 6> kNarrow = {"vmovn",  "vqmov", "vshrn",
                                                     "vrshrn", "vqshr", "vqrshr"};
constexpr std::array<std::string_view, 4> kRound = {"vrsh", "vqshl", "vqrshl", "vsbc"};
/// Instructions that keep lanes of their destination, or add to it.
constexpr std::array<std::string_view, 10> kMerge = {"vmla", "vmls",  "vqdml", "vqrdml", "vsli",
                                                     "vsri", "vmovn", "vqmov", "vshrn",  "vrshrn"};
constexpr std::array<std::string_view, 3> kMergeToo = {"vqshr", "vqrshr", "vshlc"};

bool is_sum(const Row& row) {
  const bool over_lanes =
      row.name == "vaddv" || row.name == "vaddlv" || row.name == "vabav" ||
      row.name.find("maxv") != row.name.npos || row.name.find("minv") != row.name.npos ||
      row.name.find("maxav") != row.name.npos || row.name.find("minav") != row.name.npos;
  return over_lanes || (row.name.ends_with("av") && begins(row.name, kSums));
}

bool is_product(std::string_view name) {
  return name.find("mul") != name.npos || name.starts_with("vml") || name.starts_with("vqdml") ||
         name.starts_with("vqrdml");
}

void place(const Row& row, Footprint& of) {
  if (row.name.starts_with("vld"))
    of.unit = Unit::kLoad;
  else if (row.name.starts_with("vst"))
    of.unit = Unit::kStore;
  else if (row.name == "vctp" || row.name == "vpst" || row.name == "vpnot")
    of.unit = Unit::kControl;
  else if (is_sum(row))
    of.unit = Unit::kMultiply, of.result = Result::kSum;
  else if (is_product(row.name))
    of.unit = Unit::kMultiply, of.result = Result::kProduct;
  else if (row.name == "vcmp" || row.name.starts_with("vpt"))
    of.unit = Unit::kMultiply;
  else if (row.name == "vmov" || row.name == "vpsel" || begins(row.name, kLogic))
    of.unit = Unit::kLogic;
  else
    of.unit = Unit::kInteger;
  if (of.unit != Unit::kInteger) return;
  if (begins(row.name, kNarrow))
    of.result = Result::kNarrowed;
  else if (begins(row.name, kRound))
    of.result = Result::kRounded;
}

}  // namespace

Footprint footprint_of(uint32_t stored) {
  const uint32_t code = stored >> 16 | stored << 16;
  const Row* row = find_row(code);
  Footprint of;
  if (row == nullptr || row->kind == Kind::kScalar) return of;
  if (row->kind == Kind::kBranch) {
    if (row->name.starts_with("le")) of.unit = Unit::kLoop;
    return of;
  }
  if (!row->name.starts_with("v")) return of;
  const auto has = [&](char letter) { return row->pattern.find(letter) != row->pattern.npos; };
  place(*row, of);
  const bool memory = of.unit == Unit::kLoad || of.unit == Unit::kStore;
  const uint32_t d = has('d') ? 1u << qd(code) : 0;
  (of.unit == Unit::kStore ? of.reads : of.writes) = d;
  if (has('n')) of.reads |= 1u << qn(code);
  if (has('m')) of.reads |= 1u << qm(code);
  if (memory && (has('m') || has('n'))) {
    of.result = Result::kGathered;
    of.elements = has('m') ? 16u >> field(code, 8, 7) : 4;
  }
  if (row->name == "vld2" || row->name == "vst2" || row->name == "vld4" || row->name == "vst4") {
    const unsigned count = row->name.ends_with("2") ? 2 : 4;
    (of.unit == Unit::kStore ? of.reads : of.writes) = ((1u << count) - 1) << qd(code) & 0xFF;
    of.result = Result::kStructure;
  }
  if (row->name == "vmov" && has('t')) {
    // Core registers and one lane (field n; bit 20: from the vector) or two (u; bit 20: to it). A
    // write keeps the other lanes.
    const bool from_vector = (field(code, 20, 20) != 0) != has('u');
    of.reads = 1u << (has('u') ? qd(code) : qn(code));
    of.writes = from_vector ? 0 : of.reads;
    if (from_vector) of.result = Result::kMoved;
  } else if (row->name == "vdup") {  // field n is what it writes
    std::swap(of.reads, of.writes);
  } else if (begins(row->name, kMerge) || begins(row->name, kMergeToo)) {
    of.reads |= of.writes;
  }
  return of;
}

}  // namespace tinytune::helium
