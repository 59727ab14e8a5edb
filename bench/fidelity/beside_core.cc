#include "bench/fidelity/beside_core.h"

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "devices/arrival_way.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

struct Row {
  std::string_view device, what, unit;
  double low = 0, high = 0;  ///< published, or derived from documents
  double simulated = 0;
  std::string_view source;
};

// The loops of rpc_device/boards/firmware/counters_rp2040.c: each turn loads from all four banks;
// one loop takes two cycles more.
std::string loop_of_loads(const std::string& name, const std::string& more) {
  return ".globl " + name + "\n.p2align 2\n.thumb_func\n" + name +
         ":\npush {r4, lr}\nldr r5, =4096\n1: ldr r1, [r0]\nldr r2, [r0, #4]\nldr r3, [r0, #8]\n"
         "ldr r4, [r0, #12]\n" +
         more + "subs r5, #1\nbne 1b\npop {r4, pc}\n.ltorg\n";
}

/// Collision cycles when both loops run at once, in percent of the longer loop's cycles.
double lost_in_banks() {
  Program program("rp2040", ".syntax unified\n" + loop_of_loads("first", "") +
                                loop_of_loads("second", "nop\nnop\n") +
                                ".globl f\n.thumb_func\nf: push {r0, r5, r6, lr}\nbl first\n"
                                "ldr r0, [sp]\nbl second\npop {r0, r5, r6, pc}\n");
  CallOptions options;
  options.sections = {program.symbol("first") & ~1u, program.symbol("second") & ~1u};
  options.pairs = {{0, 1}};
  const CallReport report = program.call({program.data()}, options);
  if (report.joined.size() != 1) throw std::runtime_error(report.detail);
  const auto lost = static_cast<double>(report.joined[0].collision_cycles);
  return 100 * lost / static_cast<double>(report.sections[1].cycles);
}

constexpr std::string_view kStream = R"(
typedef unsigned int word;
void f(const word *from, word *to, word words) {
  volatile word *const xip = (volatile word *)XIP, *const dma = (volatile word *)0x50000000u;
  xip[5] = (word)from;
  xip[6] = words;
  dma[0] = FIFO;
  dma[1] = (word)to;
  dma[2] = words;
  dma[3] = 1u | 2u << 2 | CONTROL;
  while ((dma[3] & 1u << BUSY) != 0u) {
  }
}
)";

constexpr std::string_view kBurst = R"(
typedef unsigned int word;
#define SSI ((volatile word *)0x18000000u)
static void set(word words, word dma) {
  SSI[2] = 0u;
  SSI[1] = words - 1u;
  SSI[19] = dma;
  SSI[2] = 1u;
}
void f(const word *from, word *to, word words) {
  volatile word *const dma = (volatile word *)0x50000000u;
  set(words, 3u);
  dma[0] = 0x18000060u;
  dma[1] = (word)to;
  dma[2] = words;
  dma[3] = 1u | 2u << 2 | 1u << 5 | 39u << 15 | 1u << 22;
  SSI[24] = (word)from << 8 | 0xa0u;
  while ((dma[3] & 1u << 24) != 0u) {
  }
  set(1u, 0u);
}
)";

constexpr std::string_view kPreload = R"(
typedef unsigned int word;
void f(const word *from, word *to, word words) {
  volatile word *const cache = (volatile word *)0x600c4000u;
  (void)to;
  cache[14] = (word)from;
  cache[15] = 4u * words;
  cache[13] = 1u;
  while ((cache[13] & 2u) == 0u) {
  }
}
)";

std::string program_of(const ArrivalWay& way) {
  const auto stream = [](const char* xip, const char* fifo, const char* control, int busy) {
    return fmt::format("#define XIP {}\n#define FIFO {}\n#define CONTROL {}\n#define BUSY {}\n{}",
                       xip, fifo, control, busy, kStream);
  };
  if (way.engine == "rp2040_stream")
    return stream("0x14000000u", "0x50400000u", "1u << 5 | 37u << 15", 24);
  if (way.engine == "rp2350_stream")
    return stream("0x400c8000u", "0x50500000u", "1u << 6 | 49u << 17", 26);
  return std::string(way.engine == "rp2040_burst" ? kBurst : kPreload);
}

uint64_t cycles_to_bring(const Device& device, const ArrivalWay& way, uint32_t words) {
  auto simulator = Simulator::create(device);
  if (!simulator) throw std::runtime_error(simulator.error().message());
  const auto elf = simulator->load(compile_c(program_of(way), device));
  if (!elf) throw std::runtime_error(elf.error().message());
  CallOptions options;
  options.arrival = way;
  const uint32_t flash = device.memory(device.rodata_memory).address;
  const uint32_t ram = device.memory(device.data_memory).address;
  const auto report = simulator->call(elf->symbols.at("f").address,
                                      std::vector<uint32_t>{flash, ram, words}, options);
  if (!report || report->end != CallEnd::kReturned)
    throw std::runtime_error(report ? report->detail : report.error().message());
  return report->counts.cycles;
}

/// Cycles per byte; the difference of two lengths cancels the start-up cost.
double rate_of(const std::string& device_name, const std::string& name) {
  const Device device = load_device(device_name).value();
  const std::vector<ArrivalWay> ways = load_arrival_ways(device_name).value();
  for (const ArrivalWay& way : ways) {
    if (way.name != name) continue;
    constexpr uint32_t kFew = 256, kMany = 1024;
    const uint64_t few = cycles_to_bring(device, way, kFew);
    return static_cast<double>(cycles_to_bring(device, way, kMany) - few) / (4 * (kMany - kFew));
  }
  throw std::runtime_error(device_name + " has no way " + name);
}

}  // namespace

bool print_beside_core() {
  const Row rows[] = {
      {"rp2040", "two cores that load from all banks: loss of each", "%", 3, 14, lost_in_banks(),
       "derived: busy times busy by 4, either waits a cycle; pico-sdk PR 2654: up to 10 %"},
      {"rp2040", "stream", "cycles a byte", 10, 12, rate_of("rp2040", "stream"),
       "derived: 20 SPI clocks a word at divider 2, and its select"},
      {"rp2040", "burst", "cycles a byte", 4, 4.4, rate_of("rp2040", "burst"),
       "derived: 8 SPI clocks a word; pico-examples ssi_dma: about 2.5 times a stream"},
      {"rp2350", "stream", "cycles a byte", 6, 6, rate_of("rp2350", "stream"),
       "derived: 8 SPI clocks a word at divider 3"},
      {"esp32c3", "preload", "cycles a byte", 4, 5.25, rate_of("esp32c3", "preload"),
       "derived: 84 SPI clocks a line, 64 of them data"}};
  fmt::print(
      "\n| device | beside the core | expected | simulated | source |\n|---|---|--:|--:|---|\n");
  bool all_hold = true;
  for (const Row& row : rows) {
    const bool holds = row.low - 0.05 <= row.simulated && row.simulated <= row.high + 0.05;
    fmt::print("| {} | {} | {}–{} {} | {:.2f}{} | {} |\n", row.device, row.what, row.low, row.high,
               row.unit, row.simulated, holds ? "" : " MISSED", row.source);
    all_hold = all_hold && holds;
  }
  return all_hold;
}

}  // namespace tinytune
