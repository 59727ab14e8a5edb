// A depthwise window's sums with Helium: a channel's 4 by 4 inputs are one vector.
//
// The kernel walks along one axis of the image; across it, four neighbours are one word. Sixteen
// channels are staged at a time: VST4 interleaves the vectors of four pixels across into 16 such
// words, and the next step along follows after 64 bytes. A gather then loads four steps of one
// channel, 4 by 4 bytes, and VMLADAV multiplies them with the window, of which there is a vector
// for each of `rows` positions across. An output takes one such instruction, although half of its
// products are by zero.
//
// A turn computes `columns` by `rows` sums (not 7: pairs of the first ones would be lost). They
// move into lanes and are requantised together with the channel's constants, which are in core
// registers. For each channel, the array has the vectors of weights, then the folded bias, the
// multiplier and the shift. The offsets of a turn's outputs and of a gather's loads precede all
// channels.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "schedules/layer_data.h"
#include "schedules/requantise.h"
#include "schedules/workload.h"
#include "templates/channel_params.h"
#include "templates/isa/helium.h"
#include "templates/lane_shifts.h"
#include "templates/packing.h"
#include "templates/tile/ir_text.h"

namespace tinytune {

class HeliumColumns {
 public:
  static constexpr int kChannels = Helium::kBytes;  ///< channels staged together
  static constexpr int kAcross = 4;                 ///< inputs per word
  static constexpr int64_t kStepBytes = int64_t{kAcross} * kChannels;
  static constexpr int64_t kTableBytes = 2 * Helium::kBytes;

  /// The image along one of its sides; distances in bytes.
  struct Axis {
    int in, out, kernel, stride, pad;
    int64_t in_bytes, out_bytes;  ///< from a pixel to the next
  };

  /// `down`: walks along columns of the image; else along rows.
  HeliumColumns(const Workload& w, bool down, int columns, int rows)
      : w_(w),
        down_(down),
        along_(down ? vertical(w) : horizontal(w)),
        across_(down ? horizontal(w) : vertical(w)),
        columns_(columns),
        rows_(rows) {}

  const Axis& along() const { return along_; }
  const Axis& across() const { return across_; }
  int rows() const { return rows_; }
  /// Returns the number of blocks of channels that are staged together.
  static int blocks(const Workload& w) { return (w.out_c + kChannels - 1) / kChannels; }

  bool fits() const {
    return along_.kernel <= kAcross && inputs_across() <= kAcross && columns_ <= along_.out &&
           rows_ <= across_.out && sums() >= 2 && sums() <= kMostSums && sums() != 7 &&
           gather_step() <= Helium::kWordReach && staged_bytes() <= kMostHalf &&
           columns_ * along_.out_bytes <= kMostAdded && output_offset(sums() - 1) <= kMostHalf;
  }

  /// Returns the staged steps, with the border along the walk and inputs that only weights of zero
  /// multiply.
  int staged_steps() const { return (along_.out - 1) * along_.stride + kAcross; }
  int64_t staged_bytes() const { return staged_steps() * kStepBytes; }
  /// Returns the steps inside the image.
  int used_steps() const { return std::min(along_.in, staged_steps() - along_.pad); }
  /// Returns the neighbours across that windows read.
  int inputs_across() const { return (rows_ - 1) * across_.stride + across_.kernel; }
  /// Returns the lanes of a turn. All are stored: if there are fewer sums, the first ones repeat.
  int lanes() const { return sums() > kLanes ? 2 * kLanes : kLanes; }
  int64_t channel_bytes() const { return rows_ * Helium::kBytes + 4 * kParams; }

  PackedConstant pack(const LayerData& data) const {
    std::vector<int32_t> words;
    pack_tables(words);
    for (int c = 0; c < w_.out_c; ++c) {
      const std::vector<int8_t> window = channel_weights(w_, data, c);
      for (int row = 0; row < rows_; ++row) pack_window(window, row, words);
      words.insert(words.end(), {folded_bias(w_, data, c), data.multiplier[static_cast<size_t>(c)],
                                 -right_shift(data, c)});
    }
    return words_constant("weights", words);
  }

  /// Stages used_steps() of up to 16 channels. `inputs` and `distances`: for each of
  /// inputs_across() neighbours, the address of the first one and the distance to the next step.
  void stage(const Values& inputs, const Values& distances, const Value& target,
             const Value& channels, IrText& ir) const {
    Assembly code;
    Helium isa(code);
    const Reg from{0}, distance{inputs_across()}, to{2 * inputs_across()}, count = to + 1,
                                                                           steps = to + 2;
    const bool predicated = w_.in_c % kChannels != 0;
    if (predicated) isa.predicate(count, 8);
    code.emit("movw {}, #{}", steps, used_steps());
    isa.begin_loop(kCounter, steps);
    isa.load_rows(from, inputs_across(), predicated);
    for (int i = 0; i < inputs_across(); ++i) code.emit("add {0}, {1}", from + i, distance + i);
    isa.store_interleaved(to);
    isa.end_loop(kCounter);
    Values read = inputs;
    read.insert(read.end(), distances.begin(), distances.end());
    read.insert(read.end(), {target, channels});
    ir.assembly_of_all_registers(code.text(), read);
  }

  /// Writes all outputs of the staged inputs: those of rows() neighbours across. `constants`: of
  /// the first channel; `output`: its first output.
  void write(const Value& staged, const Value& constants, const Value& output,
             const Value& channels, IrText& ir) const {
    Assembly code;
    Helium isa(code);
    const Reg tables{0}, first_input{2};
    isa.load_words(kOffsets, tables);
    isa.load_words(kAddresses, tables);
    isa.add({kAddresses}, first_input);
    code.emit("mov {}, #{}", kZeroPoint, w_.output_zero_point);
    code.emit("mov {}, {}", kLeft, Reg{4});
    code.emit("2:");
    for (int row = 0; row < rows_; ++row) isa.load_words(weights(row), kConstants);
    code.emit("ldm {}!, {{{}, {}, {}}}", kConstants, kBias, kMultiplier, kShift);
    write_walk(code, isa);
    code.emit("subs {0}, {0}, #1", kLeft);
    code.emit("bne 2b");
    ir.assembly_of_all_registers(code.text(),
                                 {argument("weights"), constants, staged, output, channels});
  }

  /// Estimates the layer's instructions.
  int64_t instructions() const {
    const int64_t tiles = (across_.out + rows_ - 1) / rows_;
    const int64_t turns = (along_.out + columns_ - 1) / columns_;
    const int64_t turn = columns_ + sums() + lanes() / 2 + (lanes() > kLanes ? 17 : 10);
    const int64_t staging = used_steps() * (2 * inputs_across() + 5) + 60;
    return tiles * (w_.out_c * (10 + turns * turn) + blocks(w_) * staging);
  }

 private:
  static constexpr int kLanes = Helium::kLanes, kMostSums = 2 * kLanes, kParams = 3;
  static constexpr int64_t kMostAdded = 4095, kMostHalf = 65535;  // immediates of one instruction
  // Sums are in r0, r2, … r10. LLVM fills r0 to r4 first.
  static constexpr int kSumRegisters = 6;
  static constexpr Reg kConstants{1}, kOutput{3}, kBias{5}, kMultiplier{7}, kShift{9},
      kZeroPoint{11}, kLeft{12}, kCounter{13};
  static constexpr Reg kSums = Helium::q(2), kAddresses = Helium::q(6), kOffsets = Helium::q(7);
  static constexpr Reg weights(int row) { return Helium::q(4 + row); }

  static Axis horizontal(const Workload& w) {
    return {w.in_w, w.out_w, w.kernel_w, w.stride_w, w.pad_left, w.in_c, w.out_c};
  }
  static Axis vertical(const Workload& w) {
    return {w.in_h,
            w.out_h,
            w.kernel_h,
            w.stride_h,
            w.pad_top,
            int64_t{w.in_w} * w.in_c,
            int64_t{w.out_w} * w.out_c};
  }

  int sums() const { return columns_ * rows_; }
  int64_t gather_step() const { return along_.stride * kStepBytes; }
  // Returns the sum in a lane, counted over the vectors of words. Pairs of neighbours move into
  // lanes two apart; if there are fewer sums than lanes, the first ones repeat.
  int sum_in_lane(int lane) const {
    const int vector = lane / kLanes, in_vector = lane % kLanes;
    return (4 * vector + 2 * (in_vector % 2) + in_vector / 2) % sums();
  }
  static Reg sum(int number) { return {2 * (number % kSumRegisters)}; }
  int64_t output_offset(int sum) const {
    return sum / rows_ * along_.out_bytes + sum % rows_ * across_.out_bytes;
  }

  // Packs the tables. Narrowed vectors are in halves of words: the second one's lanes above the
  // first one's.
  void pack_tables(std::vector<int32_t>& words) const {
    const auto offset = [&](int lane) {
      return static_cast<int>(output_offset(sum_in_lane(lane)));
    };
    for (int i = 0; i < kLanes; ++i)
      words.push_back(lanes() > kLanes ? halves(offset(i), offset(kLanes + i)) : offset(i));
    for (int i = 0; i < kLanes; ++i)
      words.push_back(static_cast<int32_t>(i * kStepBytes - gather_step()));
  }

  // Packs the window for the `row`th position across, in the order of staged bytes.
  void pack_window(const std::vector<int8_t>& window, int row, std::vector<int32_t>& words) const {
    for (int step = 0; step < kAcross; ++step) {
      uint32_t word = 0;
      for (int i = 0; i < kAcross; ++i) {
        const int tap = i - row * across_.stride;
        if (step >= along_.kernel || tap < 0 || tap >= across_.kernel) continue;
        const int y = down_ ? step : tap, x = down_ ? tap : step;
        const auto weight = static_cast<uint8_t>(window[static_cast<size_t>(y * w_.kernel_w + x)]);
        word |= uint32_t{weight} << 8 * i;
      }
      words.push_back(static_cast<int32_t>(word));
    }
  }

  // Writes a channel's outputs, then moves to the next channel. The last turn moves back to fit.
  void write_walk(Assembly& code, Helium& isa) const {
    const int turns = along_.out / columns_, rest = along_.out % columns_;
    if (turns > 1) {
      code.emit("movw {}, #{}", Reg{0}, turns);
      isa.begin_loop(kCounter, Reg{0});
    }
    write_turn(code, isa);
    if (turns > 1) isa.end_loop(kCounter);
    if (rest > 0) {
      move_back((columns_ - rest) * gather_step(), (columns_ - rest) * along_.out_bytes, code, isa);
      write_turn(code, isa);
    }
    move_back(along_.out * gather_step() - kAcross, along_.out * along_.out_bytes - 1, code, isa);
  }

  void move_back(int64_t inputs, int64_t outputs, Assembly& code, Helium& isa) const {
    code.emit("movw {}, #{}", Reg{0}, inputs);
    isa.subtract(kAddresses, Reg{0});
    if (outputs <= kMostAdded) return code.emit("subw {0}, {0}, #{1}", kOutput, outputs);
    code.emit("movw {}, #{}", Reg{0}, outputs % (kMostHalf + 1));
    if (outputs > kMostHalf) code.emit("movt {}, #{}", Reg{0}, outputs / (kMostHalf + 1));
    code.emit("sub {0}, {0}, {1}", kOutput, Reg{0});
  }

  // Writes `columns` steps along: the next step's inputs are loaded before this one's are
  // multiplied.
  void write_turn(Assembly& code, Helium& isa) const {
    const auto inputs = [](int column) { return Helium::q(column % 2); };
    isa.gather_next(inputs(0), kAddresses, gather_step());
    int moved = 0;
    for (int column = 0; column < columns_; ++column) {
      if (column + 1 < columns_) isa.gather_next(inputs(column + 1), kAddresses, gather_step());
      for (int row = 0; row < rows_; ++row) {
        const int computed = column * rows_ + row + 1;
        isa.dot_product(sum(computed - 1), inputs(column), weights(row), false);
        while (2 * moved < lanes() && (2 * moved + 2 <= computed || computed == sums()))
          move_pair(moved++, isa);
      }
    }
    write_end(code, isa);
  }

  void move_pair(int pair, Helium& isa) const {
    isa.to_lanes(kSums + pair / 2, pair % 2, sum(2 * pair % sums()), sum((2 * pair + 1) % sums()));
  }

  void write_end(Assembly& code, Helium& isa) const {
    const bool two = lanes() > kLanes;
    const Helium::Vectors sums = two ? Helium::Vectors{kSums, kSums + 1} : Helium::Vectors{kSums};
    const Helium::Vectors scratch = {Helium::q(0), Helium::q(1)};
    isa.add(sums, kBias);
    isa.scale(sums, kMultiplier);
    if (!clamps_negatives(w_)) isa.turn_halves(sums, kShift, false, scratch);
    isa.shift_right_alike(sums, kShift);
    if (two) {
      isa.narrow(kSums, kSums + 1);
      isa.add_half(kSums, kZeroPoint);
      isa.clamp_halves(kSums, w_.activation_min, w_.activation_max, scratch[0]);
    } else {
      isa.add_word(sums, kZeroPoint);
      isa.clamp(sums, w_.activation_min, w_.activation_max, scratch);
    }
    isa.scatter_bytes(kSums, two ? 16 : 32, kOutput, kOffsets);
    code.emit("addw {0}, {0}, #{1}", kOutput, columns_ * along_.out_bytes);
  }

  const Workload& w_;
  const bool down_;
  const Axis along_, across_;
  const int columns_, rows_;
};

}  // namespace tinytune
