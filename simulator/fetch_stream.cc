#include "simulator/fetch_stream.h"

#include <algorithm>
#include <string>

#include "base/hash.h"

namespace tinytune {
namespace {

constexpr uint32_t word_of(uint32_t address) { return address & ~3u; }
constexpr bool is_odd(uint32_t address) { return address % 4 != 0; }  // in a word's upper half

}  // namespace

BankMap::BankMap(const Device& device) {
  std::vector<std::string> names;
  for (const MemoryRegion& memory : device.memories) {
    if (memory.banks.empty()) continue;
    Stripe& stripe = stripes_.emplace_back();
    stripe.address = memory.address;
    stripe.size_bytes = memory.size_bytes;
    for (const std::string& bank : memory.banks) {
      const auto known = std::find(names.begin(), names.end(), bank);
      stripe.banks.push_back(static_cast<uint8_t>(known - names.begin() + 1));
      if (known == names.end()) names.push_back(bank);
    }
  }
}

uint64_t BankMap::all_at(uint32_t address) const {
  uint64_t all = 0;
  for (const Stripe& stripe : stripes_)
    if (address - stripe.address < stripe.size_bytes)
      for (const uint8_t bank : stripe.banks) all |= uint64_t{1} << bank % 64;
  return all;
}

FetchStream::FetchStream(uint32_t address)
    : next_(word_of(address) + 4),
      coming_halves_(is_odd(address) ? 1 : 2),
      pending_(1),
      active_(true) {}

// Requested words must find room even if nothing is decoded meanwhile.
bool FetchStream::must_pause() const {
  return queued_ == 2 || (queued_ == 1 && pending_ > 0) || pending_ > 1;
}

void FetchStream::advance(const Cycle& cycle, const BankMap& banks, uint32_t bank_wait) {
  const uint32_t asked = step(cycle);
  if (asked == kNowhere) return;
  const bool meets = cycle.data_bank != BankMap::kNone && banks.at(asked) == cycle.data_bank;
  delay(meets ? bank_wait : 0);
}

uint32_t FetchStream::step(const Cycle& cycle) {
  const bool ready = waits_ == 0;
  const bool comes = active_ && ready;
  const bool kept = comes && dropped_ == 0;
  const bool jumps = cycle.jump_to != kNowhere && !holds_;
  const uint32_t asked = jumps ? word_of(cycle.jump_to) : next_;
  const bool asks = holds_ || jumps || !must_pause();

  // Moves a word from the queue, or past an empty one, to the decoder.
  const unsigned left = buffered_ - cycle.used;
  const unsigned halves = queued_ > 0 ? queued_halves_[0] : coming_halves_;
  const bool room = left + halves <= 3;
  const bool moves = room && (queued_ > 0 || kept);
  buffered_ = static_cast<uint8_t>(left + (moves ? halves : 0));
  const bool queues = kept && !(room && queued_ == 0);
  if (room && queued_ > 0) {
    queued_halves_[0] = queued_halves_[1];
    --queued_;
  }
  if (queues) queued_halves_[queued_++] = coming_halves_;
  const auto pending_before = static_cast<uint8_t>(pending_ - comes);
  if (dropped_ > 0 && comes) --dropped_;
  pending_ = static_cast<uint8_t>(pending_before + (asks && !holds_));
  if (jumps) {
    buffered_ = cycle.kept;
    queued_ = foreseen_ = 0;
    dropped_ = pending_before;
    next_ = word_of(cycle.jump_to) + (ready ? 4 : 0);
    spills_ = false;
    next_halves_ = !ready && is_odd(cycle.jump_to) ? 1 : 2;
    if (ready) coming_halves_ = is_odd(cycle.jump_to) ? 1 : 2;
  } else if (asks && ready) {
    const bool here = branch_ != kNowhere && word_of(branch_) == next_;
    const bool spills = here && wide_ && is_odd(branch_);
    const bool passed = !wide_ && !is_odd(branch_) && next_halves_ < 2;
    const bool follows = (here && !spills && !passed) || spills_;
    const bool ends_in_lower = is_odd(branch_) == wide_;
    coming_halves_ = static_cast<uint8_t>(next_halves_ - (follows && ends_in_lower ? 1 : 0));
    next_halves_ = follows && is_odd(target_) ? 1 : 2;
    next_ = follows ? word_of(target_) : next_ + 4;
    foreseen_ = static_cast<uint8_t>(foreseen_ + follows);
    spills_ = spills;
  }
  holds_ = asks && !ready;
  if (!ready) {
    --waits_;
    return kNowhere;
  }
  active_ = asks;
  return asks ? asked : kNowhere;
}

bool FetchStream::takes_foreseen(uint32_t address) {
  if (branch_ != address || foreseen_ == 0) return false;
  --foreseen_;
  return true;
}

void FetchStream::foresee(uint32_t branch, bool wide, uint32_t target) {
  branch_ = branch;
  wide_ = wide;
  target_ = target;
}

void FetchStream::forget() {
  branch_ = kNowhere;
  wide_ = false;
  target_ = 0;
}

uint64_t FetchStream::hash() const {
  const uint32_t words[] = {
      next_, branch_, target_,
      uint32_t{wide_} | uint32_t{spills_} << 1 | uint32_t{active_} << 2 | uint32_t{holds_} << 3 |
          uint32_t{foreseen_} << 4 | uint32_t{next_halves_} << 8 | uint32_t{coming_halves_} << 10 |
          uint32_t{queued_halves_[0]} << 12 | uint32_t{queued_halves_[1]} << 14 |
          uint32_t{queued_} << 16 | uint32_t{pending_} << 18 | uint32_t{dropped_} << 20 |
          uint32_t{buffered_} << 22 | uint32_t{waits_} << 24};
  return Fnv1a().add({reinterpret_cast<const uint8_t*>(words), sizeof words}).value();
}

}  // namespace tinytune
