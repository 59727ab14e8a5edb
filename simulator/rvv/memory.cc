#include "simulator/rvv/memory.h"

#include <algorithm>
#include <cstring>

namespace tinytune::rvv {
namespace {

using Outcome = VectorUnit::Outcome;

constexpr unsigned kUnit = 0, kStrided = 2;                         // addressing (mop)
constexpr unsigned kElements = 0, kWholeRegisters = 8, kMask = 11;  // of kUnit (lumop)

/// Returns log2 of the bytes of an element, or of an index.
int width_log(Code code) { return code.funct3() == 0 ? 0 : static_cast<int>(code.funct3()) - 4; }

/// The elements that a load or store moves, of `fields` fields with a group of registers each.
struct Transfer {
  Code code;
  bool is_store = false;
  unsigned fields = 1;
  int element_log = 0;  ///< log2 of an element's bytes
  unsigned group = 1;   ///< registers per field
  uint32_t count = 0;   ///< elements per field
  uint32_t base = 0;
  uint32_t element_bytes() const { return 1u << element_log; }
};

uint8_t* place_of(State& state, const Transfer& of, uint32_t element, unsigned field) {
  return state.reg<uint8_t>(of.code.vd() + field * of.group) + (size_t{element} << of.element_log);
}

void copy(const Transfer& of, uint8_t* registers, uint8_t* memory, size_t bytes) {
  of.is_store ? std::memcpy(memory, registers, bytes) : std::memcpy(registers, memory, bytes);
}

/// Moves all elements from vstart on, which are consecutive in memory.
Outcome run_contiguous(State& state, const Transfer& of, VectorUnit::Core& core) {
  if (state.vstart >= of.count) return Outcome::kExecuted;
  const uint32_t stride = of.fields << of.element_log;
  const uint32_t from = state.vstart, bytes = (of.count - from) * stride;
  const auto memory =
      core.vector_access(of.base + from * stride, bytes, of.element_bytes(), of.is_store);
  if (memory.empty()) return Outcome::kFault;
  if (of.fields == 1) {
    copy(of, place_of(state, of, from, 0), memory.data(), bytes);
    return Outcome::kExecuted;
  }
  uint8_t* at = memory.data();
  for (uint32_t i = from; i < of.count; ++i)
    for (unsigned field = 0; field < of.fields; ++field, at += of.element_bytes())
      copy(of, place_of(state, of, i, field), at, of.element_bytes());
  return Outcome::kExecuted;
}

/// Moves elements one by one; `offset_of(i)`: bytes from the base to element i's first field.
template <typename Offset>
Outcome run_scattered(State& state, const Transfer& of, VectorUnit::Core& core, Offset offset_of) {
  for (uint32_t i = state.vstart; i < of.count; ++i) {
    if (of.code.masked() && !state.bit(0, i)) continue;
    const uint32_t address = of.base + offset_of(i);
    for (unsigned field = 0; field < of.fields; ++field) {
      const auto memory = core.vector_access(address + (field << of.element_log),
                                             of.element_bytes(), of.element_bytes(), of.is_store);
      if (memory.empty()) return Outcome::kFault;
      copy(of, place_of(state, of, i, field), memory.data(), of.element_bytes());
    }
  }
  return Outcome::kExecuted;
}

uint32_t index_of(State& state, unsigned reg, int index_log, uint32_t i) {
  switch (index_log) {
    case 0:
      return state.reg<uint8_t>(reg)[i];
    case 1:
      return state.reg<uint16_t>(reg)[i];
    default:
      return state.reg<uint32_t>(reg)[i];
  }
}

unsigned registers_of(int lmul_log) { return lmul_log <= 0 ? 1 : 1u << lmul_log; }

constexpr const char* kAlignment = "register is no multiple of the group's size";

/// Sets group and count of `of`, and checks its registers; `lmul_log` is of a field. Returns why it
/// is illegal; null: it is not.
const char* prepare(const State& state, Transfer& of, int lmul_log) {
  if (lmul_log < -3 || lmul_log > 3) return "elements need more than 8 registers, or too few";
  of.group = registers_of(lmul_log);
  of.count = state.vl;
  if (of.code.vd() % of.group != 0) return kAlignment;
  if (of.fields * of.group > 8 || of.code.vd() + of.fields * of.group > 32)
    return "the fields need registers that are not there";
  if (!of.is_store && of.code.masked() && of.code.vd() == 0) return "destination is the mask v0";
  return nullptr;
}

// The same for indexed accesses: the instruction encodes the width of indices, elements have SEW.
const char* prepare_indexed(const State& state, Transfer& of) {
  const int index_log = width_log(of.code), lmul_log = state.lmul_log();
  of.element_log = state.sew_log();
  if (const char* reason = prepare(state, of, lmul_log)) return reason;
  const int index_lmul = index_log - of.element_log + lmul_log;
  if (index_lmul < -3 || index_lmul > 3) return "indices need more than 8 registers, or too few";
  const unsigned first = of.code.vs2(), end = first + registers_of(index_lmul);
  if (first % registers_of(index_lmul) != 0) return kAlignment;
  const unsigned to = of.code.vd(), to_end = to + of.fields * of.group;
  const bool meet = to < end && first < to_end;
  if (of.is_store || !meet) return nullptr;
  const bool lowest = index_log > of.element_log && to == first;
  const bool highest = index_log < of.element_log && index_lmul >= 0 && to_end == end;
  const bool may = of.fields == 1 && (index_log == of.element_log || lowest || highest);
  return may ? nullptr : "destination overlaps the indices";
}

// The same for whole registers, which need no legal vtype.
const char* prepare_whole(const State& state, Transfer& of) {
  const unsigned registers = of.fields;
  of.fields = 1;
  of.count = registers * state.vlenb >> of.element_log;
  return of.code.vd() % registers == 0 ? nullptr : kAlignment;
}

bool is_unit(Code code, unsigned kind) { return code.bits(27, 26) == kUnit && code.vs2() == kind; }

}  // namespace

bool runs_memory(Code code) {
  const unsigned fields = code.bits(31, 29) + 1;
  if (code.bits(28, 28) != 0) return false;  // elements of more than 64 bits
  if (code.funct3() == 7) return false;      // … of 64
  if (code.bits(27, 26) != kUnit) return true;
  const bool power = (fields & (fields - 1)) == 0, is_store = code.opcode() == 0x27;
  switch (code.vs2()) {
    case kElements:
      return true;
    case kWholeRegisters:
      return power && !code.masked() && (!is_store || code.funct3() == 0);
    case kMask:
      return fields == 1 && !code.masked() && code.funct3() == 0;
    default:
      return false;
  }
}

Outcome run_memory(State& state, Code code, VectorUnit::Core& core, const char*& reason) {
  const unsigned addressing = code.bits(27, 26);
  const bool indexed = addressing % 2 != 0, whole = is_unit(code, kWholeRegisters);
  Transfer of;
  of.code = code;
  of.is_store = code.opcode() == 0x27;
  of.fields = code.bits(31, 29) + 1;
  of.element_log = width_log(code);
  if (whole) {
    reason = prepare_whole(state, of);
  } else if (!state.legal()) {
    reason = "vtype is illegal (vill)";
  } else if (is_unit(code, kMask)) {
    reason = nullptr;
    of.count = (state.vl + 7) / 8;
  } else if (indexed) {
    reason = prepare_indexed(state, of);
  } else {
    reason = prepare(state, of, of.element_log - state.sew_log() + state.lmul_log());
  }
  if (reason != nullptr) return Outcome::kIllegal;
  of.base = core.get(code.vs1());
  if (indexed)
    return run_scattered(state, of, core, [&](uint32_t i) {
      return index_of(state, code.vs2(), width_log(code), i);
    });
  uint32_t stride = of.fields << of.element_log;
  if (addressing == kStrided) {
    stride = core.get(code.vs2());
  } else if (!code.masked()) {
    return run_contiguous(state, of, core);
  }
  return run_scattered(state, of, core, [&](uint32_t i) { return i * stride; });
}

}  // namespace tinytune::rvv
