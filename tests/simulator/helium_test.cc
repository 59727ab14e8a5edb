// The executor of Helium instructions on its own: encodings against LLVM's disassembler, and the
// effects of predicates. helium_oracle compares all values with QEMU's.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "simulator/decoder.h"
#include "simulator/helium/executor.h"

namespace tinytune::helium {
namespace {

Target cortex_m55() {
  Target target;
  target.family = CoreFamily::kArmM;
  target.isa = "armv8.1-m.main";
  target.triple = "thumbv8.1m.main-none-unknown-eabi";
  target.cpu = "cortex-m55";
  target.features = "+v8.1m.main,+mve,+lob,+dsp,+8msecext";
  return target;
}

/// A core with 256 bytes of memory from 0x1000 on.
class Core final : public helium::Core {
 public:
  uint32_t get(unsigned reg) override { return registers[reg]; }
  void set(unsigned reg, uint32_t value) override { registers[reg] = value; }
  uint32_t flags() override { return apsr; }
  void set_flags(uint32_t value) override { apsr = value; }
  uint8_t* access(uint32_t address, uint32_t size_bytes, uint32_t element_bytes, bool) override {
    const bool inside = uint64_t{address - 0x1000} + size_bytes <= memory.size();
    return inside && address % element_bytes == 0 ? &memory[address - 0x1000] : nullptr;
  }
  std::array<uint32_t, 16> registers{};
  std::array<uint8_t, 256> memory{};
  uint32_t apsr = 0;
};

using Result = Executor::Result;

// Encodings, as an assembler gives them.
constexpr uint32_t kVpste = 0xFE718F4D;         // vpste
constexpr uint32_t kAddVectors = 0xEF020844;    // vadd.i8 q0, q1, q2
constexpr uint32_t kLoadWords = 0xED901F00;     // vldrw.u32 q0, [r0]
constexpr uint32_t kStartTail = 0xF002E001;     // dlstp.8 lr, r2
constexpr uint32_t kEndTail = 0xF01FC005;       // letp, 8 bytes back
constexpr uint32_t kCompareEqual = 0xFE030F04;  // vcmp.i8 eq, q1, q2

class HeliumTest : public testing::Test {
 protected:
  void fill(unsigned q, uint8_t first, uint8_t step) {
    for (unsigned i = 0; i < 16; ++i)
      executor.state().bytes[16 * q + i] = static_cast<uint8_t>(first + step * i);
  }
  uint8_t byte(unsigned q, unsigned i) { return executor.state().bytes[16 * q + i]; }
  Result run(uint32_t code, uint32_t address = 0x200) {
    return executor.execute(code, address, core);
  }
  Executor executor;
  Core core;
};

/// Whether an assembler may write an instruction of that row as `text`: some have aliases.
bool is_named(const std::string& text, std::string_view name) {
  struct Alias {
    std::string_view name, other;
  };
  constexpr Alias kAliases[] = {{"vmladav", "vmlav"},
                                {"vmlaldav", "vmlalv"},
                                {"vrmlaldavh", "vrmlalvh"},
                                {"vcmp", "vpt"},
                                {"vorr", "vmov"},
                                {"vshllb", "vmovlb"},
                                {"vshllt", "vmovlt"},
                                {"csel", "cs"},
                                {"csel", "cin"},
                                {"csel", "cneg"},
                                // Bits of the immediate select the operation.
                                {"vmov", "vmvn"},
                                {"vmov", "vorr"},
                                {"vmov", "vbic"},
                                // One row has both forms, which one register tells apart.
                                {"vidup", "viwdup"},
                                {"vddup", "vdwdup"}};
  if (text.starts_with(name)) return true;
  for (const Alias& alias : kAliases)
    if (alias.name == name && text.starts_with(alias.other)) return true;
  return false;
}

TEST(HeliumRows, EveryEncoding_IsWhatLlvmDecodes) {
  auto decoder = Decoder::create(cortex_m55());
  ASSERT_TRUE(decoder.has_value());
  std::mt19937 random(7);
  size_t checked = 0;
  for (const auto rows : {arithmetic_rows(), scalar_operand_rows(), multiply_rows(),
                          reduction_rows(), shift_rows(), narrowing_rows(), compare_rows(),
                          memory_rows(), structure_rows(), loop_rows(), core_rows(), move_rows()})
    for (const Row& row : rows) {
      Executor executor;
      Core core;
      core.registers.fill(0x1080);
      for (int attempt = 0, found = 0; attempt < 2000 && found < 4; ++attempt) {
        uint32_t code = 0;
        for (const char c : row.pattern)
          if (c != ' ') code = code << 1 | (c == '0' || c == '1' ? c == '1' : random() & 1);
        // Neither the core nor older LLVMs read this bit; LLVM 19 requires it to be clear.
        if (row.name == "vmla" || row.name == "vmlas") code &= ~(1U << 28);
        const auto result = executor.execute(code, 0x200, core);
        executor.state().vpr = 0;
        executor.state().ltpsize = 4;
        core.registers.fill(0x1080);
        if (find_row(code) != &row || result != Result::kDone) continue;
        const std::array<uint8_t, 4> bytes = {
            static_cast<uint8_t>(code >> 16), static_cast<uint8_t>(code >> 24),
            static_cast<uint8_t>(code), static_cast<uint8_t>(code >> 8)};
        const std::string text = decoder->text(bytes, 0x200);
        EXPECT_TRUE(is_named(text, row.name)) << row.name << " " << row.pattern << ": " << text;
        ++found;
        ++checked;
      }
    }
  EXPECT_GT(checked, 500u);
}

// Only three bits distinguish their encodings from right shifts and inserting shifts.
TEST_F(HeliumTest, EvenImmediates_AreNoShifts) {
  constexpr uint32_t kMoveImmediate = 0xEF85205A;  // vmov.i32 q1, #0x5a << 8 * (mode / 2)
  for (unsigned mode = 0; mode < 8; ++mode) {
    fill(1, 0, 0);
    ASSERT_EQ(run(kMoveImmediate | mode << 8), Result::kDone) << mode;  // odd modes: vorr
    for (unsigned i = 0; i < 16; ++i)
      EXPECT_EQ(byte(1, i), i % 4 == mode / 2 ? 0x5a : 0) << mode << ", byte " << i;
  }
}

TEST_F(HeliumTest, VptBlock_ElseWritesTheOtherLanes) {
  fill(1, 10, 1);
  fill(2, 100, 0);
  fill(0, 1, 0);
  executor.state().vpr = 0x00FF;
  ASSERT_EQ(run(kVpste), Result::kDone);
  ASSERT_EQ(run(kAddVectors), Result::kDone);
  EXPECT_EQ(byte(0, 7), 117);
  EXPECT_EQ(byte(0, 8), 1);
  fill(2, 0, 0);
  ASSERT_EQ(run(kAddVectors), Result::kDone);
  EXPECT_EQ(byte(0, 7), 117);
  EXPECT_EQ(byte(0, 8), 18);
  EXPECT_EQ(executor.state().vpr >> 16, 0u) << "the block is over";
}

TEST_F(HeliumTest, TailLoop_LastTurnWritesWhatIsLeft) {
  fill(1, 1, 0);
  fill(2, 2, 0);
  core.registers[2] = 20;
  ASSERT_EQ(run(kStartTail, 0x200), Result::kDone);
  ASSERT_EQ(run(kAddVectors, 0x204), Result::kDone);
  EXPECT_EQ(byte(0, 15), 3);
  ASSERT_EQ(run(kEndTail, 0x208), Result::kDone);
  EXPECT_EQ(executor.next(), 0x204u);
  EXPECT_EQ(core.registers[14], 4u);
  fill(1, 10, 0);
  ASSERT_EQ(run(kAddVectors, 0x204), Result::kDone);
  EXPECT_EQ(byte(0, 3), 12);
  EXPECT_EQ(byte(0, 4), 3);
  ASSERT_EQ(run(kEndTail, 0x208), Result::kDone);
  EXPECT_EQ(executor.next(), 0x20Cu);
  EXPECT_EQ(executor.state().ltpsize, 4u);
}

TEST_F(HeliumTest, Comparison_WritesABitAByte) {
  fill(1, 0, 1);
  fill(2, 3, 0);
  ASSERT_EQ(run(kCompareEqual), Result::kDone);
  EXPECT_EQ(executor.state().vpr, 1u << 3);
}

TEST_F(HeliumTest, MisalignedOrForeignAddress_IsAFault) {
  core.registers[0] = 0x1002;
  EXPECT_EQ(run(kLoadWords), Result::kFault);
  core.registers[0] = 0x10F8;
  EXPECT_EQ(run(kLoadWords), Result::kFault);
}

TEST_F(HeliumTest, OtherInstructions_AreNotClaimed) {
  EXPECT_EQ(run(0xF3AF8000), Result::kUnknown);  // nop.w
  EXPECT_EQ(run(0xEF000D40), Result::kUnknown);  // vadd.f32 q0, q0, q0
  EXPECT_EQ(run(0xF0404001), Result::kUnknown);  // no instruction
}

}  // namespace
}  // namespace tinytune::helium
