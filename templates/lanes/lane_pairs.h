// Tiles of lane-packed dense layers (lanes_dense.cc) in one piece of assembly for RV32.
//
// The piece has the products of groups, the code that empties the lanes after each group, and the
// epilogues of channels. Every sum has its own registers; LLVM would spill a tile of four pairs.
// Everything that tiles read, except inputs, is one stream in the order of reading. Products are
// unrolled and not counted: a group jumps to the point in the code after which as many products
// follow as it has. The offset of that point and the distances that the cursors move precede the
// group's weights. So a group has any length, and costs eight instructions besides its products and
// the emptying of lanes. Cursors move to the group's end first; products reach back from there.
//
// Short groups may have separate code for each length instead, which moves the cursors by
// constants: five instructions a group. Only the offset of its code precedes a group's weights.
//
// Weights are one word per pair; or bytes, w + 128, of four channels in a word, from which
//   even = word & 0xff00ff   has the lanes of channels 0 and 2,
//   rest = word >> 8         has the lanes of channels 1 and 3, plus 256 times channel 2.
// The even lanes yield the sum of channel 2 to subtract, so bytes cost only a mask and a shift per
// four products. The 128 adds a multiple of the sum of inputs, the same to all channels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedules/workload.h"
#include "templates/isa/rv32_ends.h"
#include "templates/packing.h"
#include "templates/tile/ir_text.h"
#include "templates/tile/registers.h"

namespace tinytune {

struct LanePairs {
  int pairs;      ///< pairs of channels per tile; two pairs per word if `in_bytes`
  int longest;    ///< products in the longest group; odd: each length has its own code
  bool in_bytes;  ///< weights are bytes
  bool by_layer;  ///< all channels have the same epilogue words
  bool scatters;  ///< stores outputs to places in the stream, after the last group's words

  static constexpr int kInstruction = 4;  ///< bytes per instruction; none is compressed
  static constexpr int kEachLength[] = {9, 17};
  bool each_length() const { return longest % 2 == 1; }
  /// The header of a group: offsets and size, in bytes.
  static constexpr int kStepAt = 0, kSkippedAt = 2, kLengthAt = 4, kGroupBytes = 8;
  static constexpr int kCodeAt = 0, kShortGroupBytes = 4;  ///< with code for each length
  /// The words after the last group, read like a header: step 0, or the code of the tile's end.
  static constexpr int kMoreAt = 2, kLastBytes = 4;

  static constexpr int kPlaceBytes = 2;
  /// Returns the places of a tile's outputs, two per word, in the order of its channels.
  std::vector<int32_t> place_words(const std::vector<int>& places) const {
    std::vector<int32_t> words;
    for (size_t c = 0; scatters && c < places.size(); c += 2)
      words.push_back(halves(places[c], places[c + 1]));
    return words;
  }
  /// Returns the offset of the epilogue words from the words after the last group.
  int ends_at() const { return kLastBytes + (scatters ? 2 * pairs * kPlaceBytes : 0); }

  int words() const { return in_bytes ? pairs / 2 : pairs; }  ///< words of weights per product
  int weight_bytes() const { return 4 * words(); }
  /// Returns the instructions for one product of every channel.
  int instructions() const { return in_bytes ? 2 + 7 * words() : 1 + 3 * words(); }
  int product_code_bytes() const { return kInstruction * instructions(); }
  /// Returns the instructions that empty the lanes.
  int emptying() const { return in_bytes ? 7 + 5 * pairs : 3 * pairs; }
  /// Returns the offset of the code for a length, which follows that of all shorter ones. With
  /// bytes, the first product of a group needs no additions.
  int code_of_length(int length) const {
    constexpr int kOfGroup = 5;
    const int saved = in_bytes ? pairs : 0, shorter = length - 1;
    return kInstruction *
           (instructions() * shorter * length / 2 + (emptying() + kOfGroup - saved) * shorter);
  }
  int64_t code_bytes() const {
    return each_length() ? code_of_length(longest + 1) : int64_t{longest} * product_code_bytes();
  }

  /// Returns which of the tile's channels are in the low and in the high lane of pair `q`.
  std::pair<int, int> channels_of(int q) const {
    if (!in_bytes) return {2 * q, 2 * q + 1};
    const int first = 4 * (q / 2) + q % 2;
    return {first, first + 2};
  }
  /// Packs the weights of one product, of all the tile's channels.
  std::vector<int32_t> product_words(const std::vector<int8_t>& weights) const {
    std::vector<int32_t> all;
    const size_t channels = in_bytes ? 4 : 2;
    for (size_t c = 0; c < weights.size(); c += channels) {
      uint32_t word = 0;
      for (size_t i = 0; i < channels; ++i)
        word += static_cast<uint32_t>(weights[c + i] + (in_bytes ? 128 : 0)) << (32 / channels * i);
      all.push_back(static_cast<int32_t>(word));
    }
    return all;
  }
  /// Return the words before a group's weights, and after a tile's last group. In the stream, a
  /// tile begins with `sum` and `high` of each pair's PairStart, and ends with places and epilogue
  /// words: those of the layer, or of the channels in the order of pairs.
  std::vector<int32_t> group_words(int products) const {
    if (each_length()) return {code_of_length(products)};
    return {halves(kGroupBytes + products * weight_bytes(),
                   (longest - products) * instructions() * kInstruction),
            products};
  }
  std::vector<int32_t> last_words(bool more_tiles) const {
    return {halves(each_length() ? code_of_length(longest + 1) : 0, more_tiles ? 1 : 0)};
  }
};

// Operands: the cursors; (sum, high) of every pair; its accumulator; an input; two words; the step
// of the stream's cursor; the address of the products; a constant, which is the lanes' start value
// or the mask of bytes; for bytes, the sum of a group's inputs. `sum` adds up a pair's words, low +
// (high << 16); `high` adds up its high lane.
class LanePairOperands {
 public:
  static constexpr int kRegisters = 28;  // all of RV32's but zero, sp, gp and tp
  static constexpr int kCursors = 3;

  explicit LanePairOperands(const LanePairs& tile) : all_(kRegisters) {
    all_.keep(kCursors + 2 * tile.pairs);
    accumulator = all_.keep(tile.pairs);
    input = all_.keep(), word = all_.keep(2), step = all_.keep(), code = all_.keep();
    constant = all_.keep();
    if (tile.in_bytes) inputs_sum = all_.keep();
    // The epilogues' registers begin at the accumulators'.
    const int kept = kRegisters - all_.left(), of_ends = accumulator.number + kScratchOfEnds;
    all_.keep(std::max(0, of_ends - kept));
    last = Reg{kRegisters - all_.left() - 1};
    levels = last + 1 + kCursors;  // after the carried operands, which are listed twice
  }

  int temporaries() const { return last.number + 1 - kCursors; }
  bool suffice(int more) const { return all_.suffice(more); }

  Reg accumulator, input, word, step, code, constant, inputs_sum, last, levels;

 private:
  Registers all_;
};

class LanePairsWriter : public Assembly {
 public:
  LanePairsWriter(const Workload& w, const LanePairs& tile, bool skips_low)
      : w_(w),
        tile_(tile),
        r_(tile),
        ends_(w, skips_low,
              {r_.accumulator, r_.levels, kOutputs,
               tile.scatters ? std::optional(kStream) : std::nullopt},
              *this) {
    emit("3: lui {}, {}", r_.constant, tile.in_bytes ? 0xff0 : 8);
    if (tile.in_bytes) emit("addi {0}, {0}, 0xff", r_.constant);
    for (int i = 0; i < 2 * tile.pairs; ++i) emit("lw {}, {}({})", kFirstSum + i, 4 * i, kStream);
    move(kStream, 8 * tile.pairs);
    tile.each_length() ? groups_of_each_length() : groups();
    ends();
    if (!tile.scatters) move(kOutputs, 2 * tile.pairs);
    move(kInputs, -w.in_c);
    emit("beqz {}, 6f", r_.input);
    emit("j 3b");
    emit("6:");
  }

  int temporaries() const { return r_.temporaries(); }

 private:
  void move(Reg cursor, int64_t bytes) {
    if (bytes >= -kAddend && bytes < kAddend) return emit("addi {0}, {0}, {1}", cursor, bytes);
    emit("li {}, {}", r_.word, bytes);
    emit("add {0}, {0}, {1}", cursor, r_.word);
  }

  void groups() {
    constexpr int kProductsAt = 3 * LanePairs::kInstruction;  // after AUIPC, LHU and J
    for (const char* line : {".option push", ".option norelax", ".p2alignw 2, 1", ".option norvc"})
      emit("{}", line);
    emit("auipc {}, 0", r_.code);
    emit("lhu {}, {}({})", r_.step, LanePairs::kStepAt, kStream);
    emit("j 1f");
    for (int left = tile_.longest - 1; left > 0; --left)
      product(-left, -left * tile_.weight_bytes(), /*first=*/false);
    emit("lhu {}, {}({})", r_.step, LanePairs::kStepAt, kStream);
    tile_.in_bytes ? empty_bytes() : empty_words();
    emit("beqz {}, 2f", r_.step);
    emit("1:");
    product(0, LanePairs::kGroupBytes, /*first=*/true);
    emit("lhu {}, {}({})", r_.word, LanePairs::kSkippedAt, kStream);
    emit("lbu {}, {}({})", r_.input, LanePairs::kLengthAt, kStream);
    emit("add {0}, {0}, {1}", kStream, r_.step);
    emit("add {0}, {0}, {1}", r_.word, r_.code);
    emit("add {0}, {0}, {1}", kInputs, r_.input);
    emit("jalr zero, {}({})", kProductsAt, r_.word);
    emit("2: .option pop");
  }

  // The register `step` holds the offset of the next group's code.
  void groups_of_each_length() {
    constexpr int kCodeFrom = 4 * LanePairs::kInstruction;  // after AUIPC, LHU, ADD and JALR
    for (const char* line : {".option push", ".option norelax", ".p2alignw 2, 1", ".option norvc"})
      emit("{}", line);
    emit("auipc {}, 0", r_.code);
    const auto load_next = [&] { emit("lhu {}, {}({})", r_.step, LanePairs::kCodeAt, kStream); };
    const auto enter_next = [&] {
      emit("add {0}, {0}, {1}", r_.step, r_.code);
      emit("jalr zero, {}({})", kCodeFrom, r_.step);
    };
    load_next();
    enter_next();
    for (int length = 1; length <= tile_.longest; ++length) {
      for (int k = 0; k < length; ++k)
        product(k, LanePairs::kShortGroupBytes + k * tile_.weight_bytes(), /*first=*/k == 0);
      emit("addi {0}, {0}, {1}", kInputs, length);
      emit("addi {0}, {0}, {1}", kStream,
           LanePairs::kShortGroupBytes + length * tile_.weight_bytes());
      load_next();
      tile_.in_bytes ? empty_bytes() : empty_words();
      enter_next();
    }
    emit(".option pop");
  }

  void ends() {
    const int words = 4 * end_words(w_);
    int at = tile_.ends_at();
    const auto output = [&](int channel) {
      return tile_.scatters ? LanePairs::kLastBytes + LanePairs::kPlaceBytes * channel : channel;
    };
    ends_.load_limits();
    const auto load_words = [&] {
      ends_.load_words(kStream, at);
      at += words;
    };
    if (tile_.by_layer) load_words();
    for (int q = 0; q < tile_.pairs; ++q) {
      const Reg sum = kFirstSum + 2 * q, high = sum + 1;
      const auto [low_channel, high_channel] = tile_.channels_of(q);
      if (!tile_.by_layer) load_words();
      const Reg scratch = r_.last;
      emit("slli {}, {}, 16", scratch, high);
      emit("sub {0}, {0}, {1}", sum, scratch);
      ends_.end(sum, output(low_channel));
      if (!tile_.by_layer) load_words();
      ends_.end(high, output(high_channel));
    }
    emit("lhu {}, {}({})", r_.input, LanePairs::kMoreAt, kStream);
    move(kStream, at);
  }

  // Writes one product of every channel. `first`: of a group.
  void product(int input_at, int weights_at, bool first) {
    emit("lb {}, {}({})", r_.input, input_at, kInputs);
    tile_.in_bytes ? product_of_bytes(weights_at, first) : product_of_words(weights_at, first);
  }

  // The next word is loaded before the product of this one.
  void product_of_words(int weights_at, bool first) {
    const auto load_word = [&](int q) {
      emit("lw {}, {}({})", r_.word + q % 2, weights_at + 4 * q, kStream);
    };
    load_word(0);
    for (int q = 0; q < tile_.pairs; ++q) {
      if (q + 1 < tile_.pairs) load_word(q + 1);
      const Reg word = r_.word + q % 2, sum = r_.accumulator + q;
      emit("mul {0}, {0}, {1}", word, r_.input);
      emit("add {}, {}, {}", sum, first ? r_.constant : sum, word);
    }
  }

  // The next word is loaded into the register of the even lanes, once they are added.
  void product_of_bytes(int weights_at, bool first) {
    Reg even = r_.word, rest = r_.word + 1;
    emit("lw {}, {}({})", rest, weights_at, kStream);
    if (first) {
      emit("mv {}, {}", r_.inputs_sum, r_.input);
    } else {
      emit("add {0}, {0}, {1}", r_.inputs_sum, r_.input);
    }
    for (int i = 0; i < tile_.words(); ++i) {
      const Reg of_even = r_.accumulator + 2 * i, of_rest = of_even + 1;
      emit("and {}, {}, {}", even, rest, r_.constant);
      emit("srli {0}, {0}, 8", rest);
      emit("mul {}, {}, {}", first ? of_even : even, even, r_.input);
      emit("mul {}, {}, {}", first ? of_rest : rest, rest, r_.input);
      if (!first) emit("add {0}, {0}, {1}", of_even, even);
      if (i + 1 < tile_.words()) emit("lw {}, {}({})", even, weights_at + 4 * (i + 1), kStream);
      if (!first) emit("add {0}, {0}, {1}", of_rest, rest);
      std::swap(even, rest);
    }
  }

  void empty(int q) {
    const Reg sum = kFirstSum + 2 * q, high = sum + 1, accumulator = r_.accumulator + q;
    emit("add {0}, {0}, {1}", sum, accumulator);
    emit("srai {0}, {0}, 16", accumulator);
    emit("add {0}, {0}, {1}", high, accumulator);
  }

  void empty_words() {
    for (int q = 0; q < tile_.pairs; ++q) empty(q);
  }

  // Adds the lanes' start value here: 2^15, less, for each unit of the inputs' sum, 128 in either
  // lane and in `rest` another 2^15 (256 times what 128 adds to channel 2).
  void empty_bytes() {
    const Reg start = r_.word, start_of_rest = r_.word + 1;
    emit("slli {}, {}, 7", start, r_.inputs_sum);
    emit("slli {}, {}, 23", start_of_rest, r_.inputs_sum);
    emit("add {0}, {0}, {1}", start_of_rest, start);
    emit("lui {}, 8", start);
    emit("sub {0}, {0}, {1}", start, start_of_rest);
    emit("slli {}, {}, 15", start_of_rest, r_.inputs_sum);
    emit("sub {0}, {1}, {0}", start_of_rest, start);
    for (int q = 0; q < tile_.pairs; q += 2) {
      const Reg of_even = r_.accumulator + q, of_rest = of_even + 1;
      emit("add {0}, {0}, {1}", of_even, start);
      emit("add {0}, {0}, {1}", of_rest, start_of_rest);
      empty(q);
      emit("slli {0}, {0}, 8", of_even);  // channel 2, times 256
      emit("sub {0}, {0}, {1}", of_rest, of_even);
      empty(q + 1);
    }
  }

  static constexpr Reg kStream{0}, kInputs{1}, kOutputs{2}, kFirstSum{3};
  static constexpr int kAddend = 2048;  // range of an immediate

  const Workload& w_;
  const LanePairs& tile_;
  const LanePairOperands r_;
  LaneEnds ends_;
};

/// Returns whether RV32's registers and the offsets of its loads suffice.
inline bool lane_pairs_fit(const Workload& w, const LanePairs& tile) {
  constexpr int kReach = 2048;  // of a load's offset, backwards
  const int levels = w.facts.requantise == Requantise::kStepped ? 1 : 0;
  return LanePairOperands(tile).suffice(levels) && tile.pairs % (tile.in_bytes ? 2 : 1) == 0 &&
         (tile.longest - 1) * tile.weight_bytes() <= kReach;
}

/// Cursors of the stream, of inputs (which returns to the first) and of outputs.
struct LaneCursors {
  Value stream, inputs, outputs;
};

/// Writes code that computes tiles up to the one whose words say that it is the last. Returns the
/// cursors after it. `skips_low` and `levels` as in rv32_ends.h.
inline LaneCursors add_lane_pairs(const Workload& w, const LanePairs& tile, bool skips_low,
                                  const LaneCursors& cursors, const Value& levels, IrText& ir) {
  const LanePairsWriter code(w, tile, skips_low);
  Values read;
  if (w.facts.requantise == Requantise::kStepped) read.push_back(levels);
  const Values end = ir.assembly(code.text(), {cursors.stream, cursors.inputs, cursors.outputs},
                                 read, code.temporaries());
  return {end[0], end[1], end[2]};
}

}  // namespace tinytune
