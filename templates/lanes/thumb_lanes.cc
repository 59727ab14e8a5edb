#include "templates/lanes/thumb_lanes.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "templates/tile/assembly.h"

namespace tinytune {
namespace {

using Value = IrText::Value;
using Values = IrText::Values;

constexpr int kFirstWord = 2;      // r0 and r1 are the cursors of weights and of words
constexpr int kLow = 8;            // registers that most instructions see
constexpr int kHigh = 6;           // r8 to r12 and lr
constexpr int kLinkRegister = 13;  // as IrText counts
constexpr int kMostOffset = 31;    // of a byte from its base
constexpr int kReach = 252;        // bytes that the loop's branch may go back

// The register that a sum is in, as IrText counts.
int sum_at(const LaneTile& tile, int channel, int word) {
  return kLow + channel * tile.words + word;
}

bool needs_copies(const LaneTile& tile) { return tile.channels > 1 && tile.words > 1; }

// The end is in the last high register where sums leave it.
bool ends_high(const LaneTile& tile) { return tile.channels * tile.words < kHigh; }

int low_registers(const LaneTile& tile) {
  return kFirstWord + tile.words + 1 + (needs_copies(tile) ? 1 : 0) + (ends_high(tile) ? 0 : 1);
}

// Of the loop; each instruction takes two bytes.
int body_bytes(const LaneTile& tile) {
  const int copies = (tile.channels - 1) * (tile.words - 1);
  return 2 * tile.step * (1 + tile.channels + 2 * tile.channels * tile.words + copies) + 6;
}

std::string register_name(int i) { return i == kLinkRegister ? "lr" : fmt::format("r{}", i); }

class Code {
 public:
  explicit Code(const LaneTile& tile)
      : tile_(tile), end_(register_name(ends_high(tile) ? kLinkRegister : kLow - 1)) {
    text_.emit("mov {}, r2", end_);  // the operand
    load_words();
    for (int c = 0; c < tile.channels; ++c)
      for (int i = 0; i < tile.words; ++i) text_.emit("mov {}, {}", sum(c, i), word(i));
    text_.emit("1:");
    for (int u = 0; u < tile.step; ++u) product(u);
    text_.emit("adds r0, #{}", tile.weight_bytes());
    text_.emit("cmp r0, {}", end_);
    text_.emit("bne 1b");
  }

  const std::string& text() const { return text_.text(); }

 private:
  std::string sum(int channel, int word) const {
    return register_name(sum_at(tile_, channel, word));
  }
  static std::string word(int i) { return register_name(kFirstWord + i); }

  void load_words() { text_.emit("ldmia r1!, {{{}-{}}}", word(0), word(tile_.words - 1)); }

  void product(int u) {
    const std::string weight = word(tile_.words), copy = word(tile_.words + 1);
    load_words();
    for (int c = 0; c < tile_.channels; ++c) {
      text_.emit("ldrb {}, [r0, #{}]", weight, u * tile_.channels + c);
      for (int i = 0; i < tile_.words; ++i) {
        const bool word_may_go = c + 1 == tile_.channels, weight_may_go = i + 1 == tile_.words;
        const std::string into = word_may_go ? word(i) : weight_may_go ? weight : copy;
        if (into == copy) text_.emit("mov {}, {}", copy, word(i));
        text_.emit("muls {0}, {1}, {0}", into, into == weight ? word(i) : weight);
        text_.emit("add {}, {}", sum(c, i), into);
      }
    }
  }

  const LaneTile& tile_;
  const std::string end_;
  Assembly text_;
};

}  // namespace

bool thumb_tile_fits(const LaneTile& tile) {
  return tile.channels * tile.words <= kHigh && low_registers(tile) <= kLow &&
         tile.weight_bytes() <= kMostOffset + 1 && body_bytes(tile) <= kReach;
}

Values thumb_lane_products(const LaneTile& tile, const Value& weights, const Value& weights_end,
                           const Value& staged, IrText& ir) {
  std::vector<int> sums;
  for (int c = 0; c < tile.channels; ++c)
    for (int i = 0; i < tile.words; ++i) sums.push_back(sum_at(tile, c, i));
  return ir.assembly_of_all_registers(Code(tile).text(), {weights, staged, weights_end}, sums);
}

}  // namespace tinytune
