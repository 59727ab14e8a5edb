// Two Hazard3 cores (two_cores.v) with memory in banks, cycle by cycle.
//
// An access is accepted when it is requested. If another port has the bank in that cycle, the
// access waits with its port held (HREADY low) and asks again in the next, as AHB's input stages
// do. A bank serves one access a cycle. Everything outside the banks is served at once.
//
// Registers: 0x80000000 prints a byte, 0x80000004 a word in hex on a line, 0x80000008 ends the run
// with a status, 0x8000000C tells a core its number.
#include <verilated.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "Vtwo_cores.h"

namespace {

constexpr uint32_t kPrintByte = 0x80000000, kPrintWord = 0x80000004, kEnd = 0x80000008;
constexpr uint32_t kCore = 0x8000000C;
constexpr int kNoBank = -1;

[[noreturn]] void fail(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(2);
}

/// Memory in pages, which are allocated on first access.
class Memory {
 public:
  uint8_t* at(uint32_t address) {
    std::vector<uint8_t>& page = pages_[address >> kPageBits];
    if (page.empty()) page.resize(size_t{1} << kPageBits);
    return page.data() + (address & ((1u << kPageBits) - 1));
  }
  uint32_t word(uint32_t address) {
    uint32_t value = 0;
    std::memcpy(&value, at(address & ~3u), sizeof value);
    return value;
  }
  void load_elf(const char* path) {
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const auto half = [&](size_t at) { return read<uint16_t>(bytes, at); };
    const auto word_at = [&](size_t at) { return read<uint32_t>(bytes, at); };
    if (bytes.size() < 52 || std::memcmp(bytes.data(), "\177ELF", 4) != 0)
      fail(std::string(path) + ": no ELF file");
    for (size_t i = 0; i < half(44); ++i) {
      const size_t header = word_at(28) + i * half(42);
      if (word_at(header) != 1) continue;  // PT_LOAD
      const uint32_t offset = word_at(header + 4), address = word_at(header + 8);
      for (uint32_t k = 0; k < word_at(header + 16); ++k)
        *at(address + k) = static_cast<uint8_t>(bytes.at(offset + k));
    }
  }

 private:
  static constexpr uint32_t kPageBits = 16;
  template <typename T>
  static T read(const std::vector<char>& bytes, size_t at) {
    T value{};
    if (at + sizeof value > bytes.size()) fail("the ELF file ends too early");
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
  }
  std::vector<std::vector<uint8_t>> pages_{size_t{1} << (32 - kPageBits)};
};

struct Stripe {
  uint32_t first, end;
  int bank, banks;
};

struct Port {
  bool pending = false, served = false, waited = false, writes = false;
  uint32_t address = 0;
  uint32_t bytes = 0;
  int bank = kNoBank;
};

/// Priority of ports for a bank.
/// * waited: ports that waited, then the core that was not served last, then data before code
/// * data: data before code, then ports that waited, then the core that was not served last
/// * fixed: data before code, core 0 before core 1
/// * robin: round robin, from the port after the one that was served last
enum class Rule { kWaited, kData, kFixed, kRobin };

Rule rule_of(const std::string& name) {
  const char* const names[] = {"waited", "data", "fixed", "robin"};
  for (int i = 0; i < 4; ++i)
    if (name == names[i]) return static_cast<Rule>(i);
  fail("no rule " + name + ": waited, data, fixed or robin");
}

/// Grants each bank to one of four ports: fetch and data of core 0, then of core 1.
class Arbiter {
 public:
  explicit Arbiter(Rule rule) : rule_(rule) {}

  int choose(const Port (&ports)[4], int bank) {
    int best = -1;
    for (int port = 0; port < 4; ++port)
      if (ports[port].pending && !ports[port].served && ports[port].bank == bank &&
          (best < 0 || rank(ports, port) < rank(ports, best)))
        best = port;
    if (best >= 0) last_[bank] = best;
    return best;
  }

 private:
  int rank(const Port (&ports)[4], int port) const {
    const bool is_fetch = port % 2 == 0;
    const int last = last_[ports[port].bank];
    const int other = port / 2 == last / 2 ? 1 : 0;
    const int late = ports[port].waited ? 0 : 1;
    switch (rule_) {
      case Rule::kWaited:
        return 4 * late + 2 * other + is_fetch;
      case Rule::kData:
        return 4 * is_fetch + 2 * late + other;
      case Rule::kFixed:
        return 2 * is_fetch + port / 2;
      case Rule::kRobin:
        break;
    }
    return (port + 3 - last) % 4;
  }

  Rule rule_;
  std::array<int, 64> last_{};  ///< port that each bank served last
};

class Board {
 public:
  Board(std::vector<Stripe> stripes, Rule rule) : stripes_(std::move(stripes)), arbiter_(rule) {}

  int run(const char* elf, uint64_t most_cycles, bool both) {
    memory_.load_elf(elf);
    top_.rst_n = 0;
    top_.runs = both ? 3 : 1;
    top_.hready = 15;
    for (int i = 0; i < 4; ++i) clock();
    top_.rst_n = 1;
    for (uint64_t cycle = 0; cycle < most_cycles && !ended_; ++cycle) step();
    if (!ended_) fail("no end after " + std::to_string(most_cycles) + " cycles");
    return status_;
  }

 private:
  void clock() {
    top_.clk = 1;
    top_.eval();
    top_.clk = 0;
    top_.eval();
  }

  void step() {
    unsigned ready = 0;
    for (int i = 0; i < 4; ++i) {
      Port& port = ports_[i];
      if (!port.pending || port.served) ready |= 1u << i;
      top_.hrdata[i] = port.served && !port.writes ? load(i) : 0;
    }
    top_.hready = ready;
    top_.eval();
    for (int i = 0; i < 4; ++i) {
      Port& port = ports_[i];
      if ((ready >> i & 1) == 0) continue;
      if (port.pending && port.writes) store(port, top_.hwdata[i]);
      port = Port();
      if ((top_.htrans >> (2 * i) & 2) == 0) continue;
      port.pending = true;
      port.address = top_.haddr[i];
      port.bytes = 1u << (top_.hsize >> (3 * i) & 7);
      port.writes = (top_.hwrite >> i & 1) != 0;
      port.bank = bank_of(port.address);
      port.served = port.bank == kNoBank;
    }
    for (Port& port : ports_) {
      if (!port.pending || port.served || served_[port.bank] == cycle_) continue;
      served_[port.bank] = cycle_;
      ports_[arbiter_.choose(ports_, port.bank)].served = true;
    }
    ++cycle_;
    for (Port& port : ports_) port.waited = port.pending && !port.served;
    clock();
  }

  int bank_of(uint32_t address) const {
    for (const Stripe& stripe : stripes_)
      if (address >= stripe.first && address < stripe.end)
        return stripe.bank + static_cast<int>(address / 4 % stripe.banks);
    return kNoBank;
  }

  uint32_t load(int port) {
    const uint32_t address = ports_[port].address;
    return address == kCore ? port / 2 : memory_.word(address);
  }

  void store(const Port& port, uint32_t data) {
    if (port.address == kPrintByte) {
      std::putchar(static_cast<int>(data & 255));
    } else if (port.address == kPrintWord) {
      std::printf("%08x\n", data);
    } else if (port.address == kEnd) {
      ended_ = true;
      status_ = static_cast<int>(data);
    } else {
      for (uint32_t i = 0; i < port.bytes; ++i)
        *memory_.at(port.address + i) =
            static_cast<uint8_t>(data >> (8 * ((port.address + i) % 4)));
    }
  }

  Vtwo_cores top_;
  Memory memory_;
  std::vector<Stripe> stripes_;
  Arbiter arbiter_;
  Port ports_[4];
  std::array<uint64_t, 64> served_{};  ///< cycle in which each bank last served a port
  uint64_t cycle_ = 1;
  bool ended_ = false;
  int status_ = 0;
};

}  // namespace

// two_cores ELF CORES RULE [FIRST:END:BANK:BANKS]...
int main(int count, char** words) {
  if (count < 4) fail("usage: two_cores ELF 1|2 waited|data|fixed|robin [FIRST:END:BANK:BANKS]...");
  std::vector<Stripe> stripes;
  for (int i = 4; i < count; ++i) {
    Stripe stripe{};
    if (std::sscanf(words[i], "%x:%x:%d:%d", &stripe.first, &stripe.end, &stripe.bank,
                    &stripe.banks) != 4 ||
        stripe.banks < 1 || stripe.bank < 0 || stripe.bank + stripe.banks > 64)
      fail(std::string("no stripe: ") + words[i]);
    stripes.push_back(stripe);
  }
  Board board(stripes, rule_of(words[3]));
  return board.run(words[1], uint64_t{1} << 32, words[2][0] == '2');
}
