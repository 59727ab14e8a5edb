// Fetches that conflict with loads and stores in a memory bank. First without conflicts, where code
// fetched word by word takes what the timing model's rules give; then the cost of conflicts.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/files.h"
#include "base/rng.h"
#include "simulator/program.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

const std::vector<std::string> kFour = {"0", "1", "2", "3"}, kOthers = {"4", "5", "6", "7"};

MemoryRegion& memory_of(Device& device, const std::string& name) {
  return *std::find_if(device.memories.begin(), device.memories.end(),
                       [&](const MemoryRegion& memory) { return memory.name == name; });
}

/// Hazard3 with code and stack in four banks, and data in the banks `data`: its own or the same.
Device striped(const std::vector<std::string>& data) {
  Device device = *load_device("hazard3");
  device.timing.cycles["bank_wait"] = 1;
  memory_of(device, "code").banks = kFour;
  memory_of(device, "stack").banks = kFour;
  memory_of(device, "data").banks = data;
  return device;
}

uint64_t cycles_of(const Device& device, const std::string& body, uint32_t offset = 0) {
  Program program(device, "f:\n" + body + "\nnop\nret\n");
  const CallReport report = program.call({program.data() + offset, program.data() + 64, 3, 5});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  return report.counts.cycles;
}

/// Cycles that bank conflicts add when a0 holds the address of a word of bank 0, 1, 2 and 3.
std::vector<uint64_t> added(const std::string& body) {
  std::vector<uint64_t> all;
  for (uint32_t offset = 0; offset < 16; offset += 4)
    all.push_back(cycles_of(striped(kFour), body, offset) -
                  cycles_of(*load_device("hazard3"), body, offset));
  return all;
}

using Added = std::vector<uint64_t>;
const std::string kWideCode = ".option norvc\n", kShort = ".option rvc\n";

TEST(BankTiming, LoadOfTheBankThatIsFetched_DelaysWhatComesNext) {
  // A wide instruction executes while the second word after it is requested.
  EXPECT_EQ(added(kWideCode + "nop\nnop\nlw a2,0(a0)\nnop\nnop\nnop\nnop"), (Added{1, 0, 0, 0}));
  EXPECT_EQ(added(kWideCode + "nop\nlw a2,0(a0)\nnop\nnop\nnop\nnop\nnop"), (Added{0, 0, 0, 1}));
  EXPECT_EQ(added(kWideCode + "nop\nsb a2,0(a0)\nnop\nnop\nnop\nnop\nnop"), (Added{0, 0, 0, 1}));
}

TEST(BankTiming, CodeThatIsFetchedAhead_HidesTheWait) {
  EXPECT_EQ(added(kShort + "c.nop\nc.nop\nc.nop\nc.lw a2,0(a0)\nc.nop\nc.nop\nc.nop\nc.nop\nc.nop"),
            (Added{0, 0, 0, 0}));
  // The core waits for the result of the division, while the fetch catches up.
  EXPECT_EQ(added(kWideCode + "nop\nnop\nlw a2,0(a0)\ndiv a3,a3,a3\nnop\nnop\nnop"),
            (Added{0, 0, 0, 0}));
}

TEST(BankTiming, LoopsAndCalls_TakeTheSameWhereNothingMeets) {
  for (const std::string& body :
       {kWideCode + "li a2,100\n1: lw a3,0(a0)\naddi a2,a2,-1\nbnez a2,1b",
        kWideCode + "li a2,100\n" + kShort + "c.nop\n1: c.lw a3,0(a0)\nc.addi a2,-1\nc.bnez a2,1b",
        kWideCode +
            "li a3,5\n1: li a2,3\n2: sw a2,0(a0)\naddi a2,a2,-1\nbnez a2,2b\naddi a3,a3,-1\n"
            "bnez a3,1b",
        kWideCode + "mv t1,ra\n" + kShort + "c.nop\nc.jal 2f\n" + kWideCode +
            "1: add a2,a2,a3\nmv ra,t1\nj 3f\n2: lw a2,0(a0)\nmul a2,a2,a2\nret\n3:"})
    EXPECT_EQ(cycles_of(striped(kOthers), body), cycles_of(*load_device("hazard3"), body)) << body;
}

/// Returns random loops, branches, loads and arithmetic, short and wide, on a2 to a5.
std::string random_code(Rng& rng, int depth) {
  const auto one_of = [&](const std::vector<std::string>& all) {
    return all[rng.below(all.size())];
  };
  const auto reg = [&] { return one_of({"a2", "a3", "a4", "a5"}); };
  std::string text;
  for (size_t count = 1 + rng.below(6); count > 0; --count) {
    text += one_of({kWideCode, kShort, ""});
    const size_t kind = rng.below(depth < 2 ? 8 : 6);
    if (kind < 2) text += "add " + reg() + "," + reg() + "," + reg() + "\n";
    if (kind == 2) text += "mul " + reg() + "," + reg() + "," + reg() + "\n";
    if (kind == 3) text += "lw " + reg() + ",4(a0)\n";
    if (kind == 4) text += "sw " + reg() + ",8(a0)\n";
    if (kind == 5) text += kShort + "c.nop\n";
    if (kind == 6)
      text +=
          one_of({"beq ", "bltu "}) + reg() + "," + reg() + ",7f\n" + random_code(rng, 2) + "7:\n";
    if (kind == 7) {
      const std::string counter = depth == 0 ? "t0" : "t1", label = depth == 0 ? "8" : "9";
      text += "li " + counter + "," + one_of({"1", "2", "5"}) + "\n" + label + ":\n" +
              random_code(rng, depth + 1) + "addi " + counter + "," + counter + ",-1\nbnez " +
              counter + "," + label + "b\n";
    }
  }
  return text;
}

TEST(BankTiming, RandomCode_TakesTheSameWhereNothingMeets) {
  Rng rng(28);
  for (int program = 0; program < 6; ++program) {
    std::string body;
    for (int i = 0; i < 60; ++i) body += random_code(rng, 0);
    const uint64_t rules = cycles_of(*load_device("hazard3"), body);
    EXPECT_EQ(cycles_of(striped(kOthers), body), rules) << body;
    EXPECT_GT(cycles_of(striped(kFour), body), rules);
  }
}

TEST(BankTiming, WithoutAWait_NothingIsAdded) {
  Device device = striped(kFour);
  device.timing.cycles.erase("bank_wait");
  const std::string body = kWideCode + "li a2,100\n1: lw a3,0(a0)\naddi a2,a2,-1\nbnez a2,1b";
  constexpr uint32_t kLast = 12;  // bank 3, from which the branch is fetched
  EXPECT_EQ(cycles_of(device, body, kLast), cycles_of(*load_device("hazard3"), body, kLast));
  EXPECT_EQ(added(body), (Added{0, 0, 0, 100}));
}

TEST(BankTiming, SecondCallOfTheSameCode_TakesTheSame) {
  Program program(striped(kFour),
                  "f: li a2,50\n1: lw a3,0(a0)\naddi a0,a0,4\naddi a2,a2,-1\nbnez a2,1b\nret\n");
  const uint64_t first = program.call({program.data()}).counts.cycles;
  EXPECT_EQ(program.call({program.data()}).counts.cycles, first);
}

TEST(BankTiming, Rp2350_KeepsCodeAndTensorsInDifferentBanks) {
  const Device device = *load_device("rp2350-riscv");
  const auto& code = device.memory(device.kernel_memory()).banks;
  const auto& data = device.memory(device.data_memory).banks;
  ASSERT_FALSE(code.empty());
  ASSERT_FALSE(data.empty());
  for (const std::string& bank : data) EXPECT_EQ(std::count(code.begin(), code.end(), bank), 0);
  EXPECT_EQ(device.timing.cycles.count("bank_wait"), 1u);
}

/// Maps the first column of "layer_0 instructions cycles" to the last.
std::map<std::string, double> cycles_by_name(const std::string& text) {
  std::map<std::string, double> cycles;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    double instructions = 0, count = 0;
    if (words >> name >> instructions >> count) cycles[name] = count;
  }
  return cycles;
}

// The RTL with four word-interleaved banks, data port first (rtl/README.md): 1.2 % more cycles for
// keyword spotting, 7.6 % more for its pool (layer 9).
TEST(BankTiming, KeywordSpottingInFourSharedBanks_LosesWhatTheRtlLoses) {
  const std::string folder = TINYTUNE_SOURCE_DIR "/../shared/rtl/";
  if (!std::filesystem::exists(folder + "kws.rtl.txt"))
    GTEST_SKIP() << "no figures of the RTL at hand";
  Device device = *load_device("hazard3");
  device.timing.cycles["bank_wait"] = 1;
  for (MemoryRegion& memory : device.memories) memory.banks = kFour;
  std::string printed;
  ProgramOptions options;
  options.print = [&](std::string_view text) { printed += text; };
  const auto ran = run_program(device, *load_program_facts(device.name),
                               *read_file(folder + "kws_hazard3.elf"), options);
  ASSERT_TRUE(ran) << ran.error().message();
  const auto apart = cycles_by_name(std::string(text_of(*read_file(folder + "kws.rtl.txt"))));
  const auto shared = cycles_by_name(printed);
  const auto percent = [&](const std::string& name) {
    return 100 * (shared.at(name) / apart.at(name) - 1);
  };
  constexpr double kPoints = 0.5;
  EXPECT_NEAR(percent("total"), 1.2, kPoints);
  EXPECT_NEAR(percent("layer_9"), 7.6, kPoints);
}

}  // namespace
}  // namespace tinytune
