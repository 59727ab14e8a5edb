#include "simulator/arm_system.h"

namespace tinytune {
namespace {

constexpr uint32_t kDwtControl = 0x1000, kCycleCount = 0x1004;
constexpr uint32_t kTickControl = 0xE010, kTickReload = 0xE014, kTickValue = 0xE018;
constexpr uint32_t kCpuId = 0xED00, kVectorTable = 0xED08, kResetControl = 0xED0C;
constexpr uint32_t kConfiguration = 0xED14, kCoprocessors = 0xED88, kDebug = 0xEDFC;
constexpr uint32_t kTrapMisaligned = 1u << 3, kTrapDivisionByZero = 1u << 4;
constexpr uint32_t kTraceEnable = 1u << 24, kNoCycleCount = 1u << 25;
constexpr uint32_t kTickFlag = 1u << 16, kTickMask = 0x00FFFFFF;

uint32_t cpu_id_of(std::string_view cpu) {
  struct Row {
    std::string_view cpu;
    uint32_t id;
  };
  constexpr Row kRows[] = {
      {"cortex-m0", 0x410CC200},  {"cortex-m0plus", 0x410CC601}, {"cortex-m1", 0x410CC210},
      {"cortex-m3", 0x412FC231},  {"cortex-m4", 0x410FC241},     {"cortex-m7", 0x411FC272},
      {"cortex-m23", 0x411CD200}, {"cortex-m33", 0x410FD213},    {"cortex-m35p", 0x410FD310}};
  for (const Row& row : kRows)
    if (row.cpu == cpu) return row.id;
  return 0;
}

}  // namespace

ArmSystem::ArmSystem(const Target& target, uint32_t vector_table)
    : has_cycle_counter_(!target.triple.starts_with("thumbv6m") &&
                         !target.triple.starts_with("thumbv8m.base")),
      always_aligned_(sees_eight_registers(target)),
      traps_misaligned_(always_aligned_) {
  words_[kCpuId] = cpu_id_of(target.cpu);
  words_[kVectorTable] = vector_table;
  words_[kResetControl] = 0xFA050000;
  words_[kConfiguration] = 0x200;  // the stack is aligned to 8 bytes
  if (always_aligned_) words_[kConfiguration] |= kTrapMisaligned;
  words_[kDwtControl] = 4u << 28 | (has_cycle_counter_ ? 0 : kNoCycleCount);
}

uint32_t ArmSystem::read(uint32_t offset, uint32_t size_bytes, uint64_t cycles) {
  const uint32_t word = read_word(offset & ~3u, cycles) >> (8 * (offset & 3));
  return size_bytes >= 4 ? word : word & ((1u << (8 * size_bytes)) - 1);
}

void ArmSystem::write(uint32_t offset, uint32_t size_bytes, uint32_t value, uint64_t cycles) {
  const uint32_t shift = 8 * (offset & 3);
  if (size_bytes >= 4) return write_word(offset & ~3u, value, cycles);
  const uint32_t mask = ((1u << (8 * size_bytes)) - 1) << shift;
  const uint32_t old = words_[offset & ~3u];
  write_word(offset & ~3u, (old & ~mask) | (value << shift & mask), cycles);
}

bool ArmSystem::floating_point_enabled() const {
  const auto access = words_.find(kCoprocessors);
  return access != words_.end() && (access->second >> 20 & 3) != 0;
}

bool ArmSystem::cycle_counter_runs() const {
  const auto bit = [&](uint32_t offset, uint32_t mask) {
    const auto found = words_.find(offset);
    return found != words_.end() && (found->second & mask) != 0;
  };
  return has_cycle_counter_ && bit(kDwtControl, 1) && bit(kDebug, kTraceEnable);
}

uint32_t ArmSystem::cycle_counter(uint64_t cycles) const {
  return counter_offset_ + (cycle_counter_runs() ? static_cast<uint32_t>(cycles) : 0);
}

// Returns SysTick's value: it counts down to 0, and then again from the reload value.
uint32_t ArmSystem::tick_value(uint64_t cycles) const {
  const auto control = words_.find(kTickControl), reload = words_.find(kTickReload);
  if (control == words_.end() || (control->second & 1) == 0) return tick_start_;
  const uint64_t passed = cycles - tick_since_;
  if (passed <= tick_start_) return tick_start_ - static_cast<uint32_t>(passed);
  const uint64_t from = reload == words_.end() ? 0 : reload->second & kTickMask;
  return static_cast<uint32_t>(from - (passed - tick_start_ - 1) % (from + 1));
}

bool ArmSystem::tick_reached_zero(uint64_t cycles) const {
  const auto control = words_.find(kTickControl), reload = words_.find(kTickReload);
  if (control == words_.end() || (control->second & 1) == 0) return false;
  const uint64_t from = reload == words_.end() ? 0 : reload->second & kTickMask;
  const uint64_t passed = cycles - tick_since_;
  return tick_start_ > 0 ? passed >= tick_start_ : from > 0 && passed > from;
}

uint32_t ArmSystem::read_word(uint32_t offset, uint64_t cycles) {
  if (offset == kCycleCount) return cycle_counter(cycles);
  if (offset == kTickValue) return tick_value(cycles);
  if (offset == kTickControl) {
    const uint32_t flag = tick_flag_ || tick_reached_zero(cycles) ? kTickFlag : 0;
    const uint32_t value = tick_value(cycles);  // reading clears the flag
    tick_start_ = value;
    tick_since_ = cycles;
    tick_flag_ = false;
    return words_[offset] | flag;
  }
  return words_[offset];
}

void ArmSystem::write_word(uint32_t offset, uint32_t value, uint64_t cycles) {
  switch (offset) {
    case kCpuId:
      return;
    case kCycleCount:
      counter_offset_ = value - (cycle_counter_runs() ? static_cast<uint32_t>(cycles) : 0);
      return;
    case kDwtControl:
    case kDebug: {
      const uint32_t held = cycle_counter(cycles);
      const uint32_t fixed = offset == kDwtControl ? words_[offset] & 0xFE000000 : 0;
      words_[offset] = fixed | (offset == kDwtControl ? value & 0x01FFFFFF : value);
      counter_offset_ = held - (cycle_counter_runs() ? static_cast<uint32_t>(cycles) : 0);
      return;
    }
    case kTickValue:  // any value clears it
      tick_start_ = 0;
      tick_since_ = cycles;
      tick_flag_ = false;
      return;
    case kTickControl:
    case kTickReload:
      tick_flag_ = tick_flag_ || tick_reached_zero(cycles);
      tick_start_ = tick_value(cycles);
      tick_since_ = cycles;
      words_[offset] = offset == kTickControl ? value & 7 : value & kTickMask;
      return;
    case kConfiguration:
      if (always_aligned_) return;  // nothing to write
      words_[offset] = value;
      traps_misaligned_ = (value & kTrapMisaligned) != 0;
      traps_division_by_zero_ = (value & kTrapDivisionByZero) != 0;
      return;
    case kResetControl:
      reset_ = reset_ || ((value >> 16) == 0x05FA && (value & 4) != 0);
      return;
    default:
      words_[offset] = value;
  }
}

}  // namespace tinytune
