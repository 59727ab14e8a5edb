#include "rpc_device/boards/doctor/core_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tinytune {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr size_t kRoundTrips = 9;
constexpr uint32_t kLinkBytes = 8192;
constexpr uint32_t kSpotBytes = 16;
// A debugger has the last KiB of code memory (gdb/core_driver.h).
constexpr uint32_t kLeftAtEnd = 2048;
constexpr RunLimits kCallLimits = {1'000'000'000, 30'000};

// Long enough to hide a jump of the counter by a thousand cycles when a core is started.
constexpr uint32_t kIterations = 100'000;
constexpr double kMostPerIteration = 40, kLeastPerIteration = 0.2;  // cycles
constexpr double kMostBend = 0.05;
// Short enough for counters of 24 bits, long against the jitter of a link over USB.
constexpr uint64_t kMostClockCycles = 4'000'000;
constexpr Seconds kLongEnough{0.25};
constexpr double kClockTolerance = 0.25;

// Decrements its argument until it is zero.
std::vector<uint8_t> loop_code(CoreFamily family) {
  if (family == CoreFamily::kRiscv32)
    return {0x7D, 0x15, 0x7D, 0xFD, 0x82, 0x80};  // c.addi a0, -1; c.bnez a0, -2; ret
  return {0x01, 0x38, 0xFD, 0xD1, 0x70, 0x47};    // subs r0, #1; bne .-2; bx lr
}

Finding good(std::string check, std::string words) {
  return {std::move(check), true, std::move(words)};
}
Finding bad(std::string check, std::string words) {
  return {std::move(check), false, std::move(words)};
}

// Offsets are powers of two, so that two spots coincide if an address line is not connected.
std::vector<uint32_t> spots_in(const MemoryRegion& memory) {
  std::vector<uint32_t> spots = {memory.address};
  if (memory.size_bytes <= kLeftAtEnd) return spots;
  for (uint32_t offset = kSpotBytes; offset < memory.size_bytes - kLeftAtEnd; offset *= 2)
    spots.push_back(memory.address + offset);
  spots.push_back(memory.address + memory.size_bytes - kLeftAtEnd);
  return spots;
}

std::vector<uint8_t> bytes_for(uint32_t address) {
  return bytes_of(Contents::random_from(address), kSpotBytes);
}

std::string megahertz(double hertz) { return fmt::format("{:.1f} MHz", hertz / 1e6); }

}  // namespace

Result<Finding> CoreChecks::link() {
  const uint32_t address = device_.memory(device_.data_memory).address;
  std::array<Seconds, kRoundTrips> trips;
  for (Seconds& trip : trips) {
    const auto start = Clock::now();
    TT_TRY(core_.read(address, 4));
    trip = Clock::now() - start;
  }
  std::ranges::sort(trips);
  round_trip_ = trips[kRoundTrips / 2];
  const auto sent = bytes_of(Contents::random_from(1), kLinkBytes);
  const auto start = Clock::now();
  TT_TRY(core_.write(address, sent));
  const std::array range = {AddressRange{address, kLinkBytes}};
  TT_TRY_ASSIGN(const auto arrived, core_.digests(range));
  const Seconds spent = Clock::now() - start;
  if (arrived.front() != digest_of(sent))
    return bad("link", fmt::format("of {} bytes that were sent others arrived", kLinkBytes));
  return good("link", fmt::format("answers in {:.2f} ms, takes {:.0f} KB/s",
                                  1e3 * round_trip_.count(), kLinkBytes / 1e3 / spent.count()));
}

Result<Finding> CoreChecks::memory() {
  uint64_t bytes = 0;
  for (const std::string& name : facts_.ram) {
    const MemoryRegion& memory = device_.memory(name);
    const auto wrong = [&](uint32_t address, const std::string& why) {
      return bad(
          "memory",
          fmt::format("'{}' at 0x{:08x}: {}; is this chip {}, and its memory as large as the "
                      "device file says, and switched on?",
                      name, address, why, device_.name));
    };
    for (const uint32_t spot : spots_in(memory))
      if (const Status written = core_.write(spot, bytes_for(spot)); !written) {
        if (written.error().code() == ErrorCode::kDeviceLost) return written.error();
        return wrong(spot, written.error().message());
      }
    for (const uint32_t spot : spots_in(memory)) {
      const auto there = core_.read(spot, kSpotBytes);
      if (!there) return wrong(spot, there.error().message());
      if (*there != bytes_for(spot)) return wrong(spot, "does not hold what is written to it");
    }
    bytes += memory.size_bytes;
  }
  return good("memory", fmt::format("{} KiB in {} memories hold what is written to them",
                                    bytes / 1024, facts_.ram.size()));
}

Result<uint64_t> CoreChecks::cycles_of_loop(uint32_t iterations) {
  CoreCall call;
  call.function = device_.memory(device_.kernel_memory()).address;
  call.arguments = {iterations};
  call.limits = kCallLimits;
  TT_TRY(core_.write(call.function, loop_code(device_.target.family)));
  TT_TRY_ASSIGN(const CoreReturn done, core_.call(call));
  if (done.end == RunEnd::kReturned) return done.cycles;
  return Error(ErrorCode::kFailed, "a loop of two instructions does not return: " + done.detail);
}

Result<Finding> CoreChecks::counter() {
  std::array<double, 3> cycles{};  // of 1, 2 and 4 times as many iterations
  for (size_t i = 0; i < cycles.size(); ++i) {
    TT_TRY_ASSIGN(const uint64_t counted, cycles_of_loop(kIterations << i));
    cycles[i] = static_cast<double>(counted);
  }
  const double first = (cycles[1] - cycles[0]) / kIterations;
  const double second = (cycles[2] - cycles[1]) / (2 * kIterations);
  if (cycles[0] == cycles[2])
    return bad("counter", fmt::format("it says {:.0f} whatever runs: it is not switched on, or "
                                      "not the one the device file names",
                                      cycles[0]));
  const std::string each = fmt::format(
      "{:.2f} and {:.2f} cycles an iteration of a loop of two instructions", first, second);
  if (std::abs(first - second) > kMostBend * std::abs(first))
    return bad("counter", each + ": a longer loop should cost as much an iteration");
  if (first < kLeastPerIteration || first > kMostPerIteration)
    return bad("counter", each + ": that is no count of this core's cycles");
  return good("counter", each);
}

Result<Finding> CoreChecks::clock() {
  for (uint32_t iterations = kIterations;; iterations *= 2) {
    const auto start = Clock::now();
    TT_TRY_ASSIGN(const uint64_t cycles, cycles_of_loop(iterations));
    const Seconds spent = std::max(Seconds(Clock::now() - start) - round_trip_, Seconds(1e-9));
    if (spent < kLongEnough && cycles < kMostClockCycles) continue;
    const double seen = static_cast<double>(cycles) / spent.count();
    const auto said = core_.traits().clock_hz;
    if (!said)
      return good("clock", "about " + megahertz(seen) +
                               " by this machine's clock; the device file names none");
    const auto says = megahertz(static_cast<double>(*said));
    if (std::abs(seen / static_cast<double>(*said) - 1) <= kClockTolerance)
      return good("clock", says + ", and so by this machine's clock");
    return bad("clock", "about " + megahertz(seen) + " by this machine's clock, not " + says +
                            ": times in milliseconds will be wrong; is the PLL set up?");
  }
}

}  // namespace tinytune
