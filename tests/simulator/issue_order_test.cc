// Reordering of instructions to the order that a core issues fastest: same results, fewer cycles.

#include "codegen/kernels/issue_order.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/rng.h"
#include "tests/simulator/program.h"

namespace tinytune {
namespace {

constexpr const char* kDevice = "stm32f7";

std::string ordered(const std::string& text) {
  const auto device = load_device(kDevice);
  EXPECT_TRUE(device) << device.error().message();
  const auto result = in_issue_order(text, *device);
  EXPECT_TRUE(result) << result.error().message();
  return *result;
}

// Straight-line code over r0 to r6; r8 points to 32 words, and the frame has 8 words. Any store may
// alias any other store or load.
class RandomList {
 public:
  explicit RandomList(uint64_t seed) : rng_(seed) {}

  std::string text(int lines) {
    std::string all;
    for (int i = 0; i < lines; ++i) all += "\t" + line() + "\n";
    return all;
  }

 private:
  std::string reg() { return fmt::format("r{}", rng_.below(7)); }
  int word(int of) { return static_cast<int>(4 * rng_.below(static_cast<uint64_t>(of))); }

  std::string line() {
    const std::string a = reg(), b = reg(), c = reg(), d = reg();
    switch (rng_.below(20)) {
      case 0:
        return fmt::format("ldr\t{}, [r8, #{}]", a, word(32));
      case 1:
        return fmt::format("str\t{}, [r8, #{}]", a, word(32));
      case 2:
        return fmt::format("ldr\t{}, [sp, #{}]", a, word(8));
      case 3:
        return fmt::format("str.w\t{}, [sp, #{}]", a, word(8));
      case 4:
        return fmt::format("ldrsb.w\t{}, [r9, #{}]", a, rng_.below(60));
      case 5:
        return fmt::format("strb\t{}, [r9, #{}]", a, rng_.below(60));
      case 6:
        return fmt::format("smlad\t{}, {}, {}, {}", a, b, c, a);
      case 7:
        return fmt::format("smmla\t{}, {}, {}, {}", a, b, c, d);
      case 8:
        return fmt::format("sxtb16\t{}, {}, ror #8", a, b);
      case 9:
        return fmt::format("ssat\t{}, #8, {}, asr #3", a, b);
      case 10:
        return fmt::format("adds\t{}, {}, {}", a, b, c);
      case 11:
        return fmt::format("add.w\t{}, {}, {}, lsl #2", a, b, c);
      case 12:
        return fmt::format("muls\t{0}, {1}, {0}", a, b);
      case 13:
        return fmt::format("movs\t{}, #{}", a, rng_.below(256));
      case 14:
        return fmt::format("eors\t{}, {}", a, b);
      case 15:
        return fmt::format("bfi\t{}, {}, #4, #9", a, b);
      case 16:
        return a == b ? "nop" : fmt::format("smlal\t{}, {}, {}, {}", a, b, c, d);
      case 17:
        return fmt::format("ldr\t{}, [r9], #4\n\tsub.w\tr9, r9, #4", a);
      case 18:
        return fmt::format("cmp\t{}, {}\n\tit\tgt\n\tmovgt\t{}, #1", a, b, c);
      default:
        return a == b ? "nop" : fmt::format("ldrd\t{}, {}, [r9, #{}]", a, b, word(15));
    }
  }

  Rng rng_;
};

// 256 bytes for each list: its words, the registers at the start, the registers and flags at the
// end, the frame.
constexpr int kArea = 256, kLists = 60;

// Returns a program that runs all lists, one after the other, on areas from r0 on.
std::string program_of(const std::vector<std::string>& lists) {
  std::string source =
      "f:\n\tpush {r4, r5, r6, r7, r8, r9, r10, r11, lr}\n\tmov r10, r0\n\tsub sp, #32\n";
  for (const std::string& list : lists)
    source +=
        "\tmov r8, r10\n\tmov r9, r10\n\tadd r12, r10, #128\n\tldm r12, {r0, r1, r2, r3, r4, r5, "
        "r6, r7}\n"
        "\tstm sp, {r0, r1, r2, r3, r4, r5, r6, r7}\n" +
        list +
        "\tmov.w r11, #0\n\tit mi\n\taddmi r11, #1\n\tit eq\n\taddeq r11, #2\n\tit cs\n\taddcs "
        "r11, #4\n"
        "\tit vs\n\taddvs r11, #8\n\tadd r12, r10, #160\n\tstm r12!, {r0, r1, r2, r3, r4, r5, r6, "
        "r9, r11}\n"
        "\tldm sp, {r0, r1, r2, r3, r4, r5, r6, r7}\n\tstm r12, {r0, r1, r2, r3, r4, r5, r6, r7}\n"
        "\tadd r10, r10, #256\n";
  return source + "\tadd sp, #32\n\tpop {r4, r5, r6, r7, r8, r9, r10, r11, pc}\n";
}

// Returns the memory after a run; it starts from the same random bytes each time.
std::vector<uint8_t> run(const std::vector<std::string>& lists) {
  Program program(kDevice, program_of(lists));
  Rng rng(7);
  std::vector<uint8_t> bytes(lists.size() * kArea);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng.below(256));
  EXPECT_TRUE(program.simulator().write(program.data(), bytes));
  const CallReport report = program.call({program.data()});
  EXPECT_EQ(report.end, CallEnd::kReturned) << report.detail;
  return *program.simulator().read(program.data(), bytes.size());
}

TEST(IssueOrder, OfRandomLists_ComputesTheSame) {
  std::vector<std::string> lists, others;
  size_t moved = 0, renamed = 0;
  const auto sorted = [](const std::string& text) {
    std::string all = text;
    std::sort(all.begin(), all.end());
    return all;
  };
  for (uint64_t seed = 0; seed < kLists; ++seed) {
    lists.push_back(RandomList(seed).text(40));
    others.push_back(ordered(lists.back()));
    moved += others.back() != lists.back();
    renamed += sorted(others.back()) != sorted(lists.back());
  }
  EXPECT_GT(moved, kLists / 2u);
  EXPECT_GT(renamed, 0u) << "values in other registers are tried as well";
  const std::vector<uint8_t> expected = run(lists), actual = run(others);
  for (size_t i = 0; i < lists.size(); ++i)
    EXPECT_TRUE(std::equal(expected.begin() + i * kArea, expected.begin() + (i + 1) * kArea,
                           actual.begin() + i * kArea))
        << lists[i] << "became\n"
        << others[i];
}

TEST(IssueOrder, OfProductsBehindTheirLoads_IsFaster) {
  std::string list;
  for (int i = 0; i < 6; ++i)
    list += fmt::format("\tldr\tr0, [r8, #{}]\n\tsxtb16\tr1, r0\n\tsmlad\tr2, r1, r1, r2\n", 4 * i);
  const auto cycles = [](const std::string& text) {
    return Program(kDevice, "f:\n\tmov r8, r0\n" + text + "\tbx lr\n")
        .call({0x20000000})
        .counts.cycles;
  };
  EXPECT_LT(cycles(ordered(list)) + 5, cycles(list));
}

// A store may alias a later load; in a template's own text only if both have the same base.
TEST(IssueOrder, LoadsPassStoresOfTemplatesOnly) {
  const std::string list =
      "\tadd\tr0, r1\n\tstr\tr0, [r4]\n\tldr\tr2, [r5]\n\tmul\tr2, r2, r2\n\tmul\tr2, r2, r2\n";
  const auto load_is_first = [](const std::string& text) {
    return text.find("ldr") < text.find("str");
  };
  EXPECT_FALSE(load_is_first(ordered(list)));
  EXPECT_TRUE(load_is_first(ordered("\t@APP\n" + list + "\t@NO_APP\n")));
}

TEST(IssueOrder, WhatIsNotKnown_StaysWhereItIs) {
  const std::string text =
      "f:\n\t.p2align\t2\n\tpush\t{r4, lr}\n\tvadd.f32\ts0, s0, s1\n\tit\tgt\n\taddgt\tr0, r1, "
      "r2\n\tbl\tg\n";
  EXPECT_EQ(ordered(text), text);
}

}  // namespace
}  // namespace tinytune
