#include "templates/smlad_tiles.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "templates/channel_params.h"

namespace tinytune {
namespace {

constexpr int kRegisters = 14;
constexpr int kFinishing = 6;  // registers besides sums: two pointers, four that scale
constexpr int64_t kReach = 4095;

// Operands at the start; the sums take them once they rest in the frame.
constexpr int kWeights = 0, kInputs = 1, kParams = 2, kParamsEnd = 3, kOutput = 4, kShared = 5;
constexpr int kFirstSum = SmladStep::kCursors;
constexpr int kAny = kRegisters - 1;  // no sum, and lost between loops

// The frame, in bytes from the stack pointer. Neighbours are loaded as pairs.
constexpr int kEndAt = 0;  // where a step looks for it
constexpr int kTileEndAt = 4, kParamsAt = 8, kOutputAt = 12, kLeftAt = 16, kRightAt = 20,
              kWeightsAt = 24, kInputsAt = 28, kParamsEndAt = 32, kFrame = 40;

class Writer {
 public:
  Writer(const Workload& w, const SmladTile& tile, const SmladInputs& inputs, const SmladRuns& runs,
         SmladLoads loads)
      : w_(w),
        tile_(tile),
        runs_(runs),
        step_(smlad_step(tile, inputs, runs.step, loads)),
        sums_(tile.channels * tile.pixels),
        param_bytes_(4 * (1 + scaling_words(w.facts.requantise))) {
    enter();
    text_ += "1:\\0A\\09";
    start_sums();
    add_products();
    for (int i = 0; i < kRegisters; ++i)
      if (i < kFirstSum || i >= kFirstSum + sums_) free_.push_back(i);
    finish();
    line("bne 1b");
    line(fmt::format("add sp, #{}", kFrame));
  }

  const std::string& text() const { return text_; }

 private:
  template <typename... Operands>
  void emit(fmt::format_string<Operands...> format, Operands&&... operands) {
    line(fmt::format(format, std::forward<Operands>(operands)...));
  }
  void line(const std::string& instruction) { text_ += instruction + "\\0A\\09"; }

  int sum(int pixel, int channel) const { return kFirstSum + pixel * tile_.channels + channel; }
  int end() const { return kFirstSum + sums_; }
  bool joined() const { return tile_.form == WeightForm::kJoined; }

  void store(int operand, int at) { emit("str ${}, [sp, #{}]", operand, at); }
  void load(int operand, int at) { emit("ldr ${}, [sp, #{}]", operand, at); }

  // `to` may not be `from` where the distance is long.
  void move(int to, int from, int64_t bytes) {
    if (bytes <= kReach) return emit("addw ${}, ${}, #{}", to, from, bytes);
    emit("movw ${}, #{}", to, bytes & 0xffff);
    if (bytes > 0xffff) emit("movt ${}, #{}", to, bytes >> 16);
    emit("add ${0}, ${0}, ${1}", to, from);
  }

  void enter() {
    emit("sub sp, #{}", kFrame);
    store(kInputs, kInputsAt);
    store(kParams, kParamsAt);
    store(kParamsEnd, kParamsEndAt);
    store(kOutput, kOutputAt);
    if (!fused()) return;
    emit("ldrd ${}, ${}, [${}]", kParams, kParamsEnd, kShared);
    emit("strd ${}, ${}, [sp, #{}]", kParams, kParamsEnd, kLeftAt);
  }

  // The second of two joined channels sums both: it starts as the first does.
  void start_sums() {
    const int stride = joined() ? 2 : 1;
    load(kAny, kParamsAt);
    move(end(), kWeights, runs_.count * tile_.weight_bytes(runs_.pairs));
    for (int c = 0; c < tile_.channels; c += stride)
      emit("ldr ${}, [${}, #{}]", sum(0, c), kAny, param_bytes_ * c);
    for (int i = 0; i < tile_.pixels; ++i)
      for (int c = 0; c < tile_.channels; ++c)
        if (i > 0 || c % stride != 0) emit("mov ${}, ${}", sum(i, c), sum(0, c / stride * stride));
  }

  // The end of the tile's weights is there already.
  void add_products() {
    if (runs_.count > 1) {
      store(end(), kTileEndAt);
      text_ += "2:\\0A\\09";
      move(end(), kWeights, tile_.weight_bytes(runs_.pairs));
    }
    if (step_.end_on_stack) store(end(), kEndAt);
    text_ += ".p2align 2\\0A\\093:\\0A\\09" + step_.text;
    emit("cmp ${}, ${}", kWeights, end());
    line("bne 3b");
    if (runs_.count == 1) return;
    load(kAny, kTileEndAt);
    if (runs_.gap_bytes != 0) emit("addw ${0}, ${0}, #{1}", kInputs, runs_.gap_bytes);
    emit("cmp ${}, ${}", kWeights, kAny);
    line("bne 2b");
  }

  int take() {
    const int taken = free_.back();
    free_.pop_back();
    return taken;
  }

  bool fused() const { return w_.facts.requantise == Requantise::kFused; }

  // Ends with the test for another tile.
  void finish() {
    const bool crowded = kRegisters - sums_ == kFinishing;
    if (crowded) store(kWeights, kWeightsAt);
    if (!crowded) free_.erase(free_.begin());  // the cursor of weights
    const int params = take(), output = take(), multiplier = take(), last = take();
    const int left = take(), right = take();
    emit("ldrd ${}, ${}, [sp, #{}]", params, output, kParamsAt);
    if (fused()) emit("ldrd ${}, ${}, [sp, #{}]", left, right, kLeftAt);
    separate(params, multiplier);
    for (int c = 0; c < tile_.channels; ++c) {
      emit("ldrd ${}, ${}, [${}, #{}]", multiplier, last, params, param_bytes_ * c + 4);
      if (fused())
        scale_fused(c, multiplier, last, left, right);
      else
        scale_short(c, multiplier, last, left);
      each(c, [&](int, int s) { emit("ssat ${0}, #8, ${0}", s); });
      each(c, [&](int i, int s) {
        emit("strb ${}, [${}, #{}]", s, output, int64_t{i} * w_.out_c + c);
      });
    }
    emit("add ${0}, #{1}", params, param_bytes_ * tile_.channels);
    emit("add ${0}, #{1}", output, tile_.channels);
    emit("strd ${}, ${}, [sp, #{}]", params, output, kParamsAt);
    load(multiplier, kParamsEndAt);
    emit("cmp ${}, ${}", params, multiplier);
    load(kInputs, kInputsAt);
    if (crowded) load(kWeights, kWeightsAt);
  }

  // The sums of joined channels.
  void separate(int params, int bias) {
    for (int c = 1; joined() && c < tile_.channels; c += 2) {
      emit("ldr ${}, [${}, #{}]", bias, params, param_bytes_ * c);
      for (int i = 0; i < tile_.pixels; ++i) emit("sub ${0}, ${0}, ${1}", sum(i, c), sum(i, c - 1));
      for (int i = 0; i < tile_.pixels; ++i) emit("add ${0}, ${1}, ${0}, asr #8", sum(i, c), bias);
    }
  }

  // Pixel by pixel where the next instruction need not wait for this one's result.
  template <typename Body>
  void each(int channel, const Body& body) {
    for (int i = 0; i < tile_.pixels; ++i) body(i, sum(i, channel));
  }

  void scale_fused(int channel, int multiplier, int offset, int left, int right) {
    each(channel, [&](int, int s) { emit("lsl ${0}, ${0}, ${1}", s, left); });
    each(channel, [&](int, int s) { emit("smmla ${0}, ${1}, ${0}, ${2}", s, multiplier, offset); });
    each(channel, [&](int, int s) { emit("asr ${0}, ${0}, ${1}", s, right); });
  }

  // (h + (h >> 31) + (1 << (right - 1))) >> right with h = (sum * twice + 2^31) >> 32, twice
  // without a sign. With one it is 2^32 less where its upper bit is set, and h then less by the
  // sum. The last bit that a shift drops is the carry, which adds what the half would.
  void scale_short(int channel, int twice, int right, int less) {
    each(channel, [&](int, int s) {
      emit("and ${}, ${}, ${}, asr #31", less, s, twice);
      emit("smmlar ${0}, ${0}, ${1}, ${2}", s, twice, less);
    });
    each(channel, [&](int, int s) { emit("add ${0}, ${0}, ${0}, asr #31", s); });
    const int zero_point = w_.output_zero_point;
    each(channel, [&](int, int s) {
      emit("asrs ${0}, ${0}, ${1}", s, right);
      if (zero_point >= 0)
        emit("adc ${0}, ${0}, #{1}", s, zero_point);
      else
        emit("sbc ${0}, ${0}, #{1}", s, -zero_point - 1);
    });
  }

  const Workload& w_;
  const SmladTile& tile_;
  const SmladRuns& runs_;
  const SmladStep step_;
  const int sums_;
  const int param_bytes_;
  std::vector<int> free_;
  std::string text_;
};

}  // namespace

bool SmladTiles::fits() const {
  const Requantise requantise = w_.facts.requantise;
  return (requantise == Requantise::kFused || requantise == Requantise::kShort) &&
         w_.activation_min == -128 && w_.activation_max == 127 &&
         tile_.channels * tile_.pixels <= kRegisters - kFinishing &&
         int64_t{tile_.pixels - 1} * w_.out_c + tile_.channels <= kReach && runs_.gap_bytes >= 0 &&
         runs_.gap_bytes <= kReach && smlad_step_fits(tile_, inputs_, runs_.step);
}

void SmladTiles::write(const Place& place, IrText& ir) const {
  ir.assembly(
      Writer(w_, tile_, inputs_, runs_, loads_).text(),
      {place.weights, place.inputs, place.params, place.params_end, place.output, place.shared}, {},
      kRegisters - 6);
}

}  // namespace tinytune
