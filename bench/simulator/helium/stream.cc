#include "bench/simulator/helium/stream.h"

#include <algorithm>
#include <cstring>

namespace tinytune::helium {
namespace {

constexpr unsigned kFirstBase = 8, kSecondBase = 9, kLowBase = 7;  // never written
constexpr unsigned kMoving = 10, kLowMoving = 6, kCount = 12, kOffset = 4;

constexpr uint32_t kNoTail = 4;  // FPSCR.LTPSIZE outside of loops

constexpr bool is_base(unsigned reg) {
  return reg == kFirstBase || reg == kSecondBase || reg == kLowBase || reg == kSp;
}

/// Encodes MOVW or MOVT.
uint32_t move_half(unsigned rd, uint32_t half, bool top) {
  return (top ? 0xF2C00000 : 0xF2400000) | (half >> 11 & 1) << 26 | half >> 12 << 16 |
         (half >> 8 & 7) << 12 | rd << 8 | (half & 255);
}
bool is_move_half(uint32_t code) { return (code & 0xFB708000) == 0xF2400000; }

void set_field(uint32_t& code, unsigned high, unsigned low, uint32_t value) {
  const uint32_t mask = ((2u << (high - low)) - 1) << low;
  code = (code & ~mask) | (value << low & mask);
}

uint32_t fixed_bits(const Row& row, bool mask) {
  uint32_t bits = 0;
  for (const char c : row.pattern)
    if (c != ' ') bits = bits << 1 | (mask ? c == '0' || c == '1' : c == '1');
  return bits;
}

/// Whether QEMU 7.2 differs from the architecture on `code`: a shift to the right by 48 or more,
/// saturated to 48 bits, gives 0 there, but not in the manual's pseudocode.
bool is_beyond_qemu(uint32_t code, const StreamCore& core) {
  // QEMU keeps bits of VPR that have no meaning.
  if ((code & 0xFFFF0FFF) == 0xEEEC0A10) return core.value(field(code, 15, 12) % 15) >> 24 != 0;
  if ((code & 0xFE50FF80) == 0xEC508F80) return true;
  const bool left = (code & 0xFFF101FF) == 0xEA51018D, right = (code & 0xFFF101FF) == 0xEA5101AD;
  if (!left && !right) return false;
  const int amount = static_cast<int8_t>(core.value(field(code, 15, 12) % 15));
  return left ? amount <= -48 : amount >= 48;
}

/// The distance between the start and the end of a loop, as both instructions encode it.
uint32_t distance_bits(uint32_t bytes) { return bytes / 4 << 1 | (bytes / 2 & 1) << 11; }

}  // namespace

StreamCore::StreamCore(const Block& block, uint32_t block_address) {
  std::copy(block.registers.begin(), block.registers.begin() + 13, registers_.begin());
  registers_[kSp] = block_address;
  registers_[kLr] = block.registers[13];
  apsr_ = block.apsr;
  memory_ = block.memory;
  memory_address_ = block_address + static_cast<uint32_t>(offsetof(Block, memory));
  executor_.state().bytes = block.vectors;
  executor_.state().vpr = block.vpr;
  executor_.state().fpscr = block.fpscr & 0xFFF8FFFF;
}

Block StreamCore::block() const {
  Block block;
  std::copy(registers_.begin(), registers_.begin() + 13, block.registers.begin());
  block.registers[13] = registers_[kLr];
  const State& state = executor_.state();
  block.apsr = apsr_;
  block.vpr = state.vpr;
  block.fpscr = state.fpscr | state.ltpsize << 16;
  block.vectors = state.bytes;
  block.memory = memory_;
  return block;
}

uint8_t* StreamCore::access(uint32_t address, uint32_t size_bytes, uint32_t element_bytes, bool) {
  const uint32_t offset = address - memory_address_;
  if (address % element_bytes != 0 || uint64_t{offset} + size_bytes > Block::kMemoryBytes)
    return nullptr;
  return &memory_[offset];
}

bool StreamCore::step(uint32_t code, uint32_t& address) {
  if (is_move_half(code)) {
    const uint32_t half = field(code, 19, 16) << 12 | field(code, 26, 26) << 11 |
                          field(code, 14, 12) << 8 | field(code, 7, 0);
    uint32_t& value = registers_[field(code, 11, 8)];
    value = field(code, 23, 23) != 0 ? (value & 0xFFFF) | half << 16 : half;
    address += 4;
    return true;
  }
  const auto before = registers_;
  if (executor_.execute(code, address, *this) != Executor::Result::kDone) return false;
  address = executor_.next();
  for (unsigned reg = 0; reg < registers_.size(); ++reg)
    if (is_base(reg) && registers_[reg] != before[reg]) return false;
  return true;
}

StreamMaker::StreamMaker(uint64_t seed) : random_(seed) {
  for (const auto rows :
       {arithmetic_rows(), scalar_operand_rows(), multiply_rows(), reduction_rows(), shift_rows(),
        narrowing_rows(), compare_rows(), move_rows(), memory_rows(), structure_rows(),
        float_register_rows(), loop_rows(), core_rows()})
    for (const Row& row : rows) {
      const bool leaves_tail = row.name == "lctp";
      if (row.kind != Kind::kBranch || leaves_tail) rows_.push_back(&row);
      if (row.kind <= Kind::kStore) predicated_.push_back(&row);
    }
  for (const Row& row : compare_rows()) comparing_.push_back(&row);
}

Block StreamMaker::random_block(uint32_t block_address) {
  Block block;
  const uint32_t middle =
      block_address + static_cast<uint32_t>(offsetof(Block, memory)) + Block::kMemoryBytes / 2;
  for (uint32_t& reg : block.registers) reg = random(3) == 0 ? random(40) : word();
  block.registers[kFirstBase] = middle;
  block.registers[kSecondBase] = middle - 4 * random(16);
  block.registers[kLowBase] = middle + 4 * random(16);
  block.apsr = word() & 0xF8000000;
  block.vpr = word() & 0xFFFF;
  block.fpscr = kNoTail << 16;
  for (uint8_t& byte : block.memory) byte = static_cast<uint8_t>(word());
  // Extreme values, at which instructions saturate.
  constexpr uint32_t kExtremes[] = {0,          0xFFFFFFFF, 0x80000000, 0x7FFFFFFF, 0x80808080,
                                    0x80008000, 0x7FFF7FFF, 0x01010101, 0xFFFF8000, 0x7F7F7F7F};
  for (size_t i = 0; i < block.vectors.size(); i += 4) {
    uint32_t value = word();
    if (random(4) == 0) value = kExtremes[random(std::size(kExtremes))];
    if (random(8) == 0) value &= 0x1F1F1F1F;
    std::memcpy(&block.vectors[i], &value, 4);
  }
  return block;
}

// Points a memory access to the stream's memory, which random registers would never hit.
void StreamMaker::aim(const Row& row, uint32_t& code, const StreamCore& core,
                      std::vector<uint32_t>& before) {
  const auto point = [&](unsigned reg, uint32_t address) {
    before.push_back(move_half(reg, address & 0xFFFF, false));
    before.push_back(move_half(reg, address >> 16, true));
  };
  const bool free = !core.in_vpt_block();
  const uint32_t middle = core.memory_address() + Block::kMemoryBytes / 2 - 64 + 4 * random(32);
  const std::string_view pattern = row.pattern;
  if (pattern.starts_with("1111 1101 a")) {  // addresses in a vector
    if (!free) return;
    point(kOffset, middle);
    before.push_back(0xEE210F6E | (kOffset / 2) << 17 | qn(code) << 13 | random(2) << 7 |
                     random(2));  // vidup.u32
    if (random(2) == 0) set_field(code, 6, 0, random(24));
    return;
  }
  const bool narrow_base = pattern.find("srrr ddd0 111s siii") != pattern.npos;
  const bool may_move = free && random(3) == 0;
  constexpr unsigned kBases[] = {kFirstBase, kSecondBase, kLowBase, kSp};
  unsigned base = kBases[random(4)];
  if (narrow_base) base = kLowBase;
  if (may_move) {
    base = narrow_base ? kLowMoving : kMoving;
    point(base, middle);
  }
  if (narrow_base)
    set_field(code, 18, 16, base);
  else
    set_field(code, 19, 16, base);
  if (pattern.find("s se0e") != pattern.npos || pattern.find("111s se0e") != pattern.npos) {
    if (!free) return;
    before.push_back(move_half(kOffset, random(32), false));
    const uint32_t size = std::min<uint32_t>(2, field(code, 8, 7));
    before.push_back(0xEE010F6E | size << 20 | (kOffset / 2) << 17 | qm(code) << 13 |
                     random(2) << 7 | random(2));  // vidup
  }
}

std::vector<uint32_t> StreamMaker::draw(const StreamCore& core) {
  const auto& rows = core.in_vpt_block() ? predicated_ : random(12) == 0 ? comparing_ : rows_;
  const Row& row = *rows[random(static_cast<uint32_t>(rows.size()))];
  uint32_t code = fixed_bits(row, false) | (word() & ~fixed_bits(row, true));
  const bool memory = row.kind == Kind::kLoad || row.kind == Kind::kStore ||
                      row.name.starts_with("vst") || row.name.starts_with("vld");
  std::vector<uint32_t> codes;
  if (memory) aim(row, code, core, codes);
  codes.push_back(code);
  return codes;
}

bool StreamMaker::add_one(Stream& stream, StreamCore& core, uint32_t code_address) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const std::vector<uint32_t> codes = draw(core);
    StreamCore trial = core;
    auto address = code_address + 4 * static_cast<uint32_t>(stream.code.size());
    const auto runs = [&](uint32_t code) {
      return !is_beyond_qemu(code, trial) && trial.step(code, address);
    };
    if (!std::all_of(codes.begin(), codes.end(), runs)) continue;
    core = trial;
    stream.code.insert(stream.code.end(), codes.begin(), codes.end());
    ++stream.drawn;
    return true;
  }
  return false;
}

// The body is drawn while it runs for the first turn; later turns may prove impossible.
bool StreamMaker::add_loop(Stream& stream, StreamCore& core, uint32_t code_address) {
  const bool tail = random(4) != 0, checks = random(2) == 0;
  const Stream before = stream;
  StreamCore trial = core;
  const uint32_t turns = tail ? random(random(2) == 0 ? 8 : 36) : 1 + random(3);
  const size_t first = stream.code.size();
  const auto address_of = [&](size_t index) {
    return code_address + 4 * static_cast<uint32_t>(index);
  };
  stream.code.push_back(move_half(kCount, turns, false));
  const uint32_t size = tail ? random(4) << 20 : 0x00400000;
  stream.code.push_back((checks ? 0xF000C001 : 0xF000E001) | size | kCount << 16);
  uint32_t address = address_of(first);
  for (size_t i = first; i < stream.code.size(); ++i)
    if (!trial.step(stream.code[i], address)) return false;
  const size_t body = stream.code.size(), length = 1 + random(5);
  while (stream.code.size() < body + length || trial.in_vpt_block())
    if (!add_one(stream, trial, code_address)) break;
  const size_t end = stream.code.size();
  stream.code.push_back((tail ? 0xF01FC001 : 0xF00FC001) |
                        distance_bits(address_of(end) + 4 - address_of(body)));
  if (checks) stream.code[body - 1] |= distance_bits(address_of(end + 1) - address_of(body));
  address = address_of(first);
  trial = core;
  for (int steps = 0; steps < 400; ++steps) {
    const size_t index = (address - code_address) / 4;
    if (index == stream.code.size()) {
      if (trial.in_vpt_block()) break;
      core = trial;
      stream.drawn += 2;
      return true;
    }
    if (is_beyond_qemu(stream.code[index], trial)) break;
    if (!trial.step(stream.code[index], address)) break;
  }
  stream = before;
  return false;
}

Stream StreamMaker::make(size_t length, uint32_t block_address, uint32_t code_address) {
  Stream stream;
  stream.begin = random_block(block_address);
  StreamCore core(stream.begin, block_address);
  while (stream.drawn < length || core.in_vpt_block()) {
    const bool loop = length > 1 && !core.in_vpt_block() && random(10) == 0;
    if (loop ? !add_loop(stream, core, code_address) : !add_one(stream, core, code_address)) {
      if (!loop) break;
    }
  }
  stream.end = core.block();
  return stream;
}

}  // namespace tinytune::helium
