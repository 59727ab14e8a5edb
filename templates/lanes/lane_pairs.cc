#include "templates/lanes/lane_pairs.h"

#include <algorithm>
#include <utility>

#include "templates/isa/rv32_ends.h"
#include "templates/packing.h"
#include "templates/tile/assembly.h"
#include "templates/tile/registers.h"

namespace tinytune {
namespace {

constexpr int kRegisters = 28;  // of RV32, but zero, sp, gp and tp
constexpr int kReach = 2048;    // of a load's offset, backwards
constexpr int kAddend = 2048;   // of an immediate
constexpr Reg kStream{0}, kInputs{1}, kOutputs{2}, kFirstSum{3};
constexpr int kCursors = 3;
constexpr int kInstruction = 4;  // bytes, none of them compressed

// Of what stands before a group, in bytes.
constexpr int kStepAt = 0, kSkippedAt = 2, kLengthAt = 4, kGroupBytes = 8;
// Of what stands behind the last group, whose step is 0.
constexpr int kMoreAt = 2, kLastBytes = 4;

int words(const LanePairs& tile) { return tile.in_bytes ? tile.pairs / 2 : tile.pairs; }
int weight_bytes(const LanePairs& tile) { return 4 * words(tile); }

// Instructions for one product of every channel.
int instructions(const LanePairs& tile) {
  return tile.in_bytes ? 2 + 7 * words(tile) : 1 + 3 * words(tile);
}

// Operands: the cursors, (sum, high) of every pair and its accumulator, an input, two words, what a
// group moves the stream's cursor by, where the products begin, and a constant: what lanes start
// from, or the mask of bytes, which come with the sum of a group's inputs. The sum of a pair is
// that of its words, low + (high << 16); `high` is the high lane's own.
class Operands {
 public:
  explicit Operands(const LanePairs& tile) : all_(kRegisters) {
    all_.keep(kCursors + 2 * tile.pairs);
    accumulator = all_.keep(tile.pairs);
    input = all_.keep(), word = all_.keep(2), step = all_.keep(), code = all_.keep();
    constant = all_.keep();
    if (tile.in_bytes) inputs_sum = all_.keep();
    // The ends of channels begin where accumulators did.
    const int kept = kRegisters - all_.left(), of_ends = accumulator.number + kScratchOfEnds;
    all_.keep(std::max(0, of_ends - kept));
    last = Reg{kRegisters - all_.left() - 1};
    levels = last + 1 + kCursors;  // behind what is carried, once more
  }

  int temporaries() const { return last.number + 1 - kCursors; }
  bool suffice(int more) const { return all_.suffice(more); }

  Reg accumulator, input, word, step, code, constant, inputs_sum, last, levels;

 private:
  Registers all_;
};

class Writer : public Assembly {
 public:
  Writer(const Workload& w, const LanePairs& tile)
      : w_(w), tile_(tile), r_(tile), ends_(w, {r_.accumulator, r_.levels, kOutputs}, *this) {
    emit("3: lui {}, {}", r_.constant, tile.in_bytes ? 0xff0 : 8);
    if (tile.in_bytes) emit("addi {0}, {0}, 0xff", r_.constant);
    for (int i = 0; i < 2 * tile.pairs; ++i) emit("lw {}, {}({})", kFirstSum + i, 4 * i, kStream);
    move(kStream, 8 * tile.pairs);
    groups();
    ends();
    move(kOutputs, 2 * tile.pairs);
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
    constexpr int kProductsAt = 3 * kInstruction;  // behind the first of these three
    for (const char* line : {".option push", ".option norelax", ".p2alignw 2, 1", ".option norvc"})
      emit("{}", line);
    emit("auipc {}, 0", r_.code);
    emit("lhu {}, {}({})", r_.step, kStepAt, kStream);
    emit("j 1f");
    for (int left = tile_.longest - 1; left > 0; --left)
      product(-left, -left * weight_bytes(tile_), /*first=*/false);
    emit("lhu {}, {}({})", r_.step, kStepAt, kStream);
    tile_.in_bytes ? empty_bytes() : empty_words();
    emit("beqz {}, 2f", r_.step);
    emit("1:");
    product(0, kGroupBytes, /*first=*/true);
    emit("lhu {}, {}({})", r_.word, kSkippedAt, kStream);
    emit("lbu {}, {}({})", r_.input, kLengthAt, kStream);
    emit("add {0}, {0}, {1}", kStream, r_.step);
    emit("add {0}, {0}, {1}", r_.word, r_.code);
    emit("add {0}, {0}, {1}", kInputs, r_.input);
    emit("jalr zero, {}({})", kProductsAt, r_.word);
    emit("2: .option pop");
  }

  void ends() {
    const int words = 4 * end_words(w_.facts.requantise);
    int at = kLastBytes;
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
      ends_.end(sum, low_channel);
      if (!tile_.by_layer) load_words();
      ends_.end(high, high_channel);
    }
    emit("lhu {}, {}({})", r_.input, kMoreAt, kStream);
    move(kStream, at);
  }

  // One product of every channel, the first of a group or one more.
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
    for (int i = 0; i < words(tile_); ++i) {
      const Reg of_even = r_.accumulator + 2 * i, of_rest = of_even + 1;
      emit("and {}, {}, {}", even, rest, r_.constant);
      emit("srli {0}, {0}, 8", rest);
      emit("mul {}, {}, {}", first ? of_even : even, even, r_.input);
      emit("mul {}, {}, {}", first ? of_rest : rest, rest, r_.input);
      if (!first) emit("add {0}, {0}, {1}", of_even, even);
      if (i + 1 < words(tile_)) emit("lw {}, {}({})", even, weights_at + 4 * (i + 1), kStream);
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

  // Lanes start from 2^15 here, less 128 in either lane, and of the rest 2^15 more (256 times what
  // 128 adds to channel 2), for each unit of the inputs' sum.
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
      emit("slli {0}, {0}, 8", of_even);  // channel 2's
      emit("sub {0}, {0}, {1}", of_rest, of_even);
      empty(q + 1);
    }
  }

  const Workload& w_;
  const LanePairs& tile_;
  const Operands r_;
  LaneEnds ends_;
};

}  // namespace

std::pair<int, int> LanePairs::channels_of(int q) const {
  if (!in_bytes) return {2 * q, 2 * q + 1};
  const int first = 4 * (q / 2) + q % 2;
  return {first, first + 2};
}

std::vector<int32_t> LanePairs::product_words(const std::vector<int8_t>& weights) const {
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

std::vector<int32_t> LanePairs::group_words(int products) const {
  return {halves(kGroupBytes + products * weight_bytes(*this),
                 (longest - products) * instructions(*this) * kInstruction),
          products};
}

int LanePairs::product_code_bytes() const { return kInstruction * instructions(*this); }

std::vector<int32_t> LanePairs::last_words(bool more_tiles) const {
  return {halves(0, more_tiles ? 1 : 0)};
}

bool lane_pairs_fit(const Workload& w, const LanePairs& tile) {
  const int levels = w.facts.requantise == Requantise::kStepped ? 1 : 0;
  return Operands(tile).suffice(levels) && tile.pairs % (tile.in_bytes ? 2 : 1) == 0 &&
         (tile.longest - 1) * weight_bytes(tile) <= kReach;
}

LaneCursors add_lane_pairs(const Workload& w, const LanePairs& tile, const LaneCursors& cursors,
                           const Value& levels, IrText& ir) {
  const Writer writer(w, tile);
  Values read;
  if (w.facts.requantise == Requantise::kStepped) read.push_back(levels);
  const Values end = ir.assembly(writer.text(), {cursors.stream, cursors.inputs, cursors.outputs},
                                 read, writer.temporaries());
  return {end[kStream.number], end[kInputs.number], end[kOutputs.number]};
}

}  // namespace tinytune
