#include "templates/smlad/smlad_tiles.h"

#include <algorithm>
#include <utility>

#include "schedules/layer_shifts.h"
#include "schedules/requantise.h"
#include "templates/isa/thumb2_dsp.h"
#include "templates/packing.h"

namespace tinytune {
namespace {

constexpr int kRegisters = Thumb2Dsp::kRegisters;
constexpr int64_t kReach = Thumb2Dsp::kReach;

// Operands at the start; the sums take them once they rest in the frame.
constexpr Reg kWeights{0}, kInputs{1}, kWeightsEnd{2}, kParams{3}, kOutput{4}, kShared{5};
constexpr Reg kFirstSum{SmladStep::kCursors};

// The frame, in bytes from the stack pointer.
constexpr int kEndAt = 0;  // where a step looks for it
constexpr int kTileEndAt = 4, kWeightsAt = 8, kInputsAt = 12, kWeightsEndAt = 16, kParamsAt = 20,
              kOutputAt = 24, kLeftAt = 28, kRightAt = 32, kMultiplierAt = 36, kLastAt = 40,
              kFrame = 48;

// Registers besides sums that finish a tile, the cursor of weights not among them: the output,
// what scales, and where the next channel's is.
int finishing(const Workload& w, Scaled scaled) {
  const bool by_layer = scaled == Scaled::kByLayer;
  const int shifts = w.facts.requantise != Requantise::kFused ? 1 : by_layer ? 0 : 2;
  return 1 + 2 + shifts + (by_layer ? 0 : 1);
}

class Writer {
 public:
  Writer(const Workload& w, const SmladShape& shape)
      : w_(w),
        tile_(shape.tile),
        runs_(shape.runs),
        loads_(shape.loads),
        by_layer_(shape.scaled == Scaled::kByLayer),
        step_(smlad_step(tile_, shape.inputs, runs_.step, loads_)),
        sums_(tile_.channels * tile_.pixels),
        crowded_(kRegisters - 1 - sums_ < finishing(w, shape.scaled)) {
    enter();
    if (by_layer_) emit(".p2align 2");
    emit("1:");
    start_sums();
    add_products();
    if (crowded_) free_.give_back(kWeights);
    for (int i = end().number; i < kRegisters; ++i) free_.give_back(Reg{i});
    free_.give_back(kInputs);
    finish();
    emit("bne 1b");
    emit("add sp, #{}", kFrame);
  }

  std::string text() const { return code_.text(); }

 private:
  template <typename... Operands>
  void emit(fmt::format_string<Operands...> format, Operands&&... operands) {
    code_.emit(format, std::forward<Operands>(operands)...);
  }

  Reg sum(int pixel, int channel) const { return kFirstSum + (pixel * tile_.channels + channel); }
  Reg end() const { return kFirstSum + sums_; }
  bool joined() const { return tile_.form == WeightForm::kJoined; }
  bool shifts_are_read() const { return fused() && !by_layer_; }
  bool fused() const { return w_.facts.requantise == Requantise::kFused; }

  void load_two(Reg first, Reg second, int at) {
    if (loads_ == LoadOrder::kPaired) return emit("ldrd {}, {}, [sp, #{}]", first, second, at);
    isa_.load(first, at);
    isa_.load(second, at + 4);
  }

  void enter() {
    emit("sub sp, #{}", kFrame);
    isa_.store(kInputs, kInputsAt);
    isa_.store(kWeightsEnd, kWeightsEndAt);
    isa_.store_two(kParams, kOutput, kParamsAt);
    const auto keep = [&](Reg from, int offset, int at) {
      emit("ldrd {}, {}, [{}, #{}]", kWeightsEnd, kParams, from, offset);
      isa_.store_two(kWeightsEnd, kParams, at);
    };
    if (by_layer_) keep(kShared, 0, kMultiplierAt);
    if (shifts_are_read()) keep(kShared, 0, kLeftAt);
  }

  // What the sums of the first pixel start from stands before the tile's weights.
  void start_sums() {
    std::string list;
    for (int c = 0; c < tile_.channels; ++c) list += fmt::format("{}{}", c ? ", " : "", sum(0, c));
    if (tile_.channels == 1)
      emit("ldr {}, [{}], #4", list, kWeights);
    else
      emit("ldm {}!, {{{}}}", kWeights, list);
    isa_.add(end(), kWeights, runs_.count * tile_.weight_bytes(runs_.pairs));
    for (int i = 1; i < tile_.pixels; ++i)
      for (int c = 0; c < tile_.channels; ++c) emit("mov {}, {}", sum(i, c), sum(0, c));
  }

  // The end of the tile's weights is there already.
  void add_products() {
    if (runs_.count > 1) {
      isa_.store(end(), kTileEndAt);
      emit("2:");
      isa_.add(end(), kWeights, tile_.weight_bytes(runs_.pairs));
    }
    if (step_.end_on_stack) isa_.store(end(), kEndAt);
    emit(".p2align 2");
    emit("3:");
    code_.append(step_.code);
    isa_.repeat_until(kWeights, end(), 3);
    if (runs_.count == 1) return;
    isa_.load(end(), kTileEndAt);
    if (runs_.gap_bytes != 0) emit("addw {0}, {0}, #{1}", kInputs, runs_.gap_bytes);
    isa_.repeat_until(kWeights, end(), 2);
  }

  // Ends with the test for another tile.
  void finish() {
    if (crowded_) isa_.store(kWeights, kWeightsAt);
    const Reg params = by_layer_ ? Reg{} : free_.take(), output = free_.take();
    scale_.multiplier = free_.take(), scale_.last = free_.take();
    if (!fused() || !by_layer_) scale_.left = free_.take();
    if (shifts_are_read()) scale_.right = free_.take();
    if (by_layer_)
      isa_.load(output, kOutputAt);
    else
      load_two(params, output, kParamsAt);
    if (shifts_are_read()) load_two(scale_.left, scale_.right, kLeftAt);
    if (by_layer_) load_two(scale_.multiplier, scale_.last, kMultiplierAt);
    separate();
    const int stride = joined() ? 2 : 1;
    for (int first = 0; first < stride; ++first) {
      // What separated sums lack of the shift; see separate().
      if (shifts_are_read() && first == 1) emit("sub {0}, #8", scale_.left);
      Thumb2Dsp::Sums sums;
      std::vector<int64_t> at;  // from the output
      for (int c = first; c < tile_.channels; c += stride) {
        for (int i = 0; i < tile_.pixels; ++i) {
          sums.push_back(sum(i, c));
          at.push_back(int64_t{i} * w_.out_c + c);
        }
        if (by_layer_) continue;
        emit("ldrd {}, {}, [{}, #{}]", scale_.multiplier, scale_.last, params, 8 * c);
        scale_by_channel(sums);
        isa_.saturate(sums);
        isa_.store_bytes(std::exchange(sums, {}), output, std::exchange(at, {}));
      }
      if (!by_layer_) continue;
      scale_by_layer(sums, first == 1);
      isa_.saturate(sums, fused() ? kLayerRight : 0);
      isa_.store_bytes(sums, output, at);
    }
    emit("add {0}, #{1}", output, tile_.channels);
    const Reg weights_end = scale_.multiplier;
    if (by_layer_) {  // a store hides what the loads before it wait, and costs the next
      load_two(kInputs, weights_end, kInputsAt);
      isa_.store(output, kOutputAt);
    } else {
      emit("add {0}, #{1}", params, 8 * tile_.channels);
      isa_.store_two(params, output, kParamsAt);
      if (crowded_) isa_.load(kWeights, kWeightsAt);
      load_two(kInputs, weights_end, kInputsAt);
    }
    emit("cmp {}, {}", kWeights, weights_end);
  }

  // The upper one of joined channels, 256 times: the fused form shifts left by eight or more.
  void separate() {
    const auto each = [&](const auto& body) {
      for (int c = 1; joined() && c < tile_.channels; c += 2)
        for (int i = 0; i < tile_.pixels; ++i) body(sum(i, c), sum(i, c - 1));
    };
    each([&](Reg both, Reg lower) { emit("sub {0}, {0}, {1}", both, lower); });
    if (!fused()) each([&](Reg upper, Reg) { emit("asr {0}, {0}, #8", upper); });
  }

  void scale_by_channel(const Thumb2Dsp::Sums& sums) {
    if (!fused()) return scale_short(sums);
    isa_.shift_left(sums, scale_.left);
    isa_.scale(sums, scale_.multiplier, scale_.last);
    isa_.shift_right(sums, scale_.right);
  }

  // But for the right shift, which saturation does on its way. `upper`: of joined channels.
  void scale_by_layer(const Thumb2Dsp::Sums& sums, bool upper) {
    if (!fused()) return scale_short(sums);
    const int left = upper ? kLayerLeft - 8 : kLayerLeft;
    for (const Reg s : sums)
      if (left > 0) emit("lsl {0}, {0}, #{1}", s, left);
    isa_.scale(sums, scale_.multiplier, scale_.last);
  }

  void scale_short(const Thumb2Dsp::Sums& sums) {
    isa_.scale_short(sums, scale_.multiplier, scale_.last, scale_.left, w_.output_zero_point);
  }

  const Workload& w_;
  const SmladTile& tile_;
  const SmladRuns& runs_;
  const LoadOrder loads_;
  const bool by_layer_;
  const SmladStep step_;
  const int sums_;
  const bool crowded_;
  Registers free_{0};
  struct {
    Reg multiplier, last, left, right;  // last: offset, or right shift
  } scale_{};
  Assembly code_;
  Thumb2Dsp isa_{code_};
};

}  // namespace

bool SmladTiles::fits() const {
  const auto& [tile, inputs, runs, loads, scaled] = shape_;
  const Requantise requantise = w_.facts.requantise;
  return (requantise == Requantise::kFused || requantise == Requantise::kShort) &&
         w_.activation_min == -128 && w_.activation_max == 127 &&
         kRegisters - tile.channels * tile.pixels >= finishing(w_, scaled) &&
         int64_t{tile.pixels - 1} * w_.out_c + tile.channels <= kReach && runs.gap_bytes >= 0 &&
         runs.gap_bytes <= kReach && smlad_step_fits(tile, inputs, runs.step);
}

int64_t SmladTiles::tile_bytes() const {
  const int64_t starts = fits() ? 4 * shape_.tile.channels : 0;
  return starts + shape_.runs.count * shape_.tile.weight_bytes(shape_.runs.pairs);
}

void SmladTiles::write(const Place& place, IrText& ir) const {
  ir.assembly_of_all_registers(
      Writer(w_, shape_).text(),
      {place.weights, place.inputs, place.weights_end, place.params, place.output, place.shared});
}

Result<std::vector<PackedConstant>> SmladTiles::pack(const LayerData& data,
                                                     const PackTile& pack_tile) const {
  const bool in_one_piece = fits();
  TT_TRY_ASSIGN(const PackedConstant params,
                in_one_piece ? pack_scaling(w_, data, shape_.scaled) : pack_params(w_, data));
  if (in_one_piece) TT_TRY(check_starts(data));
  std::vector<int32_t> words;
  const int channels = shape_.tile.channels;
  int first = 0;
  for (const auto& tile : tiles_of_weights(w_, data, channels)) {
    if (in_one_piece) add_starts(data, std::min(first, w_.out_c - channels), words);
    TT_TRY(pack_tile(tile, words));
    first += channels;
  }
  return std::vector<PackedConstant>{words_constant("weights", words), params};
}

// A joined sum is separated by its distance from its neighbour, 24 bits of it.
Status SmladTiles::check_starts(const LayerData& data) const {
  constexpr int64_t kMost = (int64_t{1} << 23) - 1;
  if (shape_.tile.form != WeightForm::kJoined) return ok_status();
  for (const AccumulatorRange& range : accumulator_ranges(w_, data))
    if (range.low < -kMost || range.high > kMost)
      return Error(ErrorCode::kUnsupported, "sums of joined weights may exceed 24 bits");
  return ok_status();
}

void SmladTiles::add_starts(const LayerData& data, int first, std::vector<int32_t>& words) const {
  uint32_t lower = 0;
  for (int c = 0; c < shape_.tile.channels; ++c) {
    auto start = static_cast<uint32_t>(folded_bias(w_, data, first + c));
    if (shape_.tile.form == WeightForm::kJoined && c % 2 == 1) start = 256 * start + lower;
    words.push_back(static_cast<int32_t>(start));
    lower = start;
  }
}

}  // namespace tinytune
