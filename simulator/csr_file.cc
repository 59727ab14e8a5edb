#include "simulator/csr_file.h"

#include <algorithm>

namespace tinytune {
namespace {

struct Range {
  uint32_t first, last;
};
// Registers that keep the value written and have no other effect here.
constexpr Range kPlain[] = {
    {0x300, 0x300},                  // mstatus
    {0x304, 0x306},                  // mie, mtvec, mcounteren
    {0x310, 0x310},                  // mstatush
    {0x320, 0x320},                  // mcountinhibit
    {0x323, 0x33F},                  // mhpmevent
    {0x340, 0x344},                  // mscratch, mepc, mcause, mtval, mip
    {0x3A0, 0x3EF},                  // physical memory protection
    {0x7A0, 0x7A5},                  // triggers
    {0x7C0, 0x7FF},                  // a core's own
    {0xB03, 0xB1F},                  // mhpmcounter
    {0xB83, 0xB9F}, {0xBC0, 0xBFF},  // a core's own
    {0xF11, 0xF15},                  // vendor, architecture, implementation, hart, configuration
};
constexpr uint32_t kMisa = 0x301;

uint32_t misa_of(const Target& target) {
  uint32_t misa = 1u << 30 | 1u << ('i' - 'a');  // 32 bits
  for (const char extension : {'m', 'a', 'c'})
    if (target.features.find(std::string("+") + extension) != std::string::npos)
      misa |= 1u << (extension - 'a');
  return misa;
}

bool holds(const std::vector<uint32_t>& all, uint32_t csr) {
  return std::find(all.begin(), all.end(), csr) != all.end();
}

}  // namespace

CsrFile::CsrFile(const Target& target, const ProgramFacts& facts) : known_(facts.counters) {
  for (const CoreCounter& counter : known_) counters_.push_back({&counter});
  plain_[kMisa] = misa_of(target);
  writable_[kMisa] = 0;
  for (const ControlRegister& one : facts.registers) {
    plain_[one.csr] = one.reset;
    writable_[one.csr] = one.writable;
    inhibit(one.csr, one.reset, Counts());
  }
}

void CsrFile::inhibit(uint32_t csr, uint32_t bits, const Counts& now) {
  for (Counter& counter : counters_) {
    if (counter.of->inhibit_csr != csr || csr == 0) continue;
    const uint64_t held = value(counter, now);
    counter.stopped = (bits >> counter.of->inhibit_bit & 1) != 0;
    counter.offset = 0;
    counter.offset = held - (counter.stopped ? 0 : value(counter, now));
  }
}

CsrFile::Found CsrFile::find(uint32_t csr) {
  for (Counter& counter : counters_) {
    if (holds(counter.of->csrs, csr)) return {&counter, false};
    if (holds(counter.of->high_csrs, csr)) return {&counter, true};
  }
  return {};
}

uint64_t CsrFile::value(const Counter& counter, const Counts& now) {
  if (counter.stopped) return counter.offset;
  return counter.offset + (counter.of->counts_cycles ? now.cycles : now.instructions);
}

bool CsrFile::is_plain(uint32_t csr) const {
  return plain_.contains(csr) ||
         std::any_of(std::begin(kPlain), std::end(kPlain),
                     [&](const Range& range) { return csr >= range.first && csr <= range.last; });
}

std::optional<uint32_t> CsrFile::read(uint32_t csr, const Counts& now) {
  if (const Found found = find(csr); found.counter != nullptr)
    return static_cast<uint32_t>(value(*found.counter, now) >> (found.high ? 32 : 0));
  if (!is_plain(csr)) return std::nullopt;
  return plain_[csr];
}

bool CsrFile::write(uint32_t csr, uint32_t written, const Counts& before) {
  Counts now = before;  // includes the instruction that writes
  ++now.instructions;
  ++now.cycles;
  if (const Found found = find(csr); found.counter != nullptr) {
    Counter& counter = *found.counter;
    const uint64_t old = value(counter, now);
    const uint64_t changed = found.high ? (old & 0xFFFFFFFF) | uint64_t{written} << 32
                                        : (old & ~uint64_t{0xFFFFFFFF}) | written;
    counter.offset += changed - old;
    return true;
  }
  if (!is_plain(csr)) return false;
  inhibit(csr, written, now);
  const auto mask = writable_.find(csr);
  const uint32_t bits = mask == writable_.end() ? 0xFFFFFFFF : mask->second;
  plain_[csr] = (plain_[csr] & ~bits) | (written & bits);
  return true;
}

}  // namespace tinytune
