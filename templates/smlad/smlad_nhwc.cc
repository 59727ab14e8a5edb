// Convolution for cores with the Arm DSP extension: SMLAD adds two 16-bit products to a sum.
//
// Inputs are widened to pairs of 16 bits once per tile of pixels (four bytes cost one load and two
// SXTB16) and used by every output channel. The inner loop is then loads and SMLAD only: a tile of
// `oc` channels by `px` pixels loads oc + px words for 2 * oc * px products, or half of the oc
// words where weights are joined (smlad_weights.h).
//
// Each group of channels is such a product; a tile stages the inputs of one group at a time.
//
// If a pixel's inputs are one run, they can be widened in the inner loop instead, which needs no
// scratch; a tile then has one pixel. 1x1 convolutions use this if RAM is short.
//
// A dense layer has one pixel. Most have one scale for all channels: then the words of the
// requantisation are read once, instead of from flash for every single output. Each weight is read
// once, so cores that can prefetch a cache line prefetch the next ones.

#include <algorithm>

#include "templates/smlad/smlad_template.h"
#include "templates/tile/pixel_tiles.h"

namespace tinytune {
namespace {

constexpr char kConv[] = "smlad_nhwc", kPointwise[] = "smlad_pointwise", kDense[] = "smlad_dense",
               kDenseByLayer[] = "smlad_dense_by_layer", kDenseAhead[] = "smlad_dense_ahead",
               kDenseByLayerAhead[] = "smlad_dense_by_layer_ahead";

constexpr int kFewestAhead = 32;  // inputs per output, for steps of whole lines of weights

bool is_by_layer(std::string_view name) {
  return name == kDenseByLayer || name == kDenseByLayerAhead;
}
bool asks_ahead(std::string_view name) { return name == kDenseAhead || name == kDenseByLayerAhead; }

// How inputs are widened: by words of four if every run of inputs starts on a word; by pairs if
// runs are even; by pairs and a last one if the window is a single odd run; else one by one.
enum class Staging { kWords, kPairs, kOddRun, kHalves };

struct Plan {
  int oc, px, step;  // channels and pixels a tile, pairs between tests of the loop
  int tiles = 1;     // tiles staged together
  SmladTile tile;
  LoadOrder loads;
  bool multiple;  // see SmladInputs
  Scaled scaled;
  std::string border;
  Staging staging;
  bool staged = true;  // else inputs are widened in the loop
  int right;           // see SmladShape
  bool moved;          // LLVM's machine scheduler moves instructions
  int64_t pairs;       // of the reduction, rounded up to steps

  Plan(const Workload& w, const Schedule& s)
      : oc(s.get_int("oc")),
        px(s.get_int("px")),
        step(s.get_int("step")),
        tile{weight_form(s.get("weights")), oc, px,
             asks_ahead(s.template_name()) ? s.get_int("ahead") : 0},
        loads(smlad_load_order(s.get("loads"))),
        multiple(s.get("loads") == "multiple"),
        scaled(is_by_layer(s.template_name()) ? Scaled::kByLayer : Scaled::kByChannel),
        border(s.get("border")),
        right(s.get_int("right")),
        moved(switches_of(s).scheduler == "pressure") {
    const int64_t run = inputs_of_run(w, border);
    staging = w.in_c / w.groups % 4 == 0                 ? Staging::kWords
              : run % 2 == 0                             ? Staging::kPairs
              : run == w.reduction() && border != "test" ? Staging::kOddRun
                                                         : Staging::kHalves;
    const int64_t all = (w.reduction() + 1) / 2;
    pairs = (all + step - 1) / step * step;
    if (w.op == OpKind::kDense)
      staged = s.get("inputs") == "staged";
    else if (s.template_name() == kPointwise)
      staged = false;
    else
      tiles = s.get_int("tiles");
  }

  int pixels() const { return px * tiles; }
  int64_t staged_bytes() const { return 4 * pairs * px; }  // of a tile

  int64_t scratch_bytes(const Workload& w) const {
    return staged ? PixelTiles::bytes(w, border) + staged_bytes() * tiles : 0;
  }

  // The input that a half of a pair multiplies: SXTB16 takes bytes 0 and 2 of a word, then
  // (rotated) 1 and 3.
  int64_t input_of(int64_t half) const {
    return staging != Staging::kWords ? half : half / 4 * 4 + half / 2 % 2 + half % 2 * 2;
  }

  SmladInputs inputs() const {
    const int64_t pair = staged ? 4 * px : 2;
    return {pair, 4, pair * step, !staged, multiple};
  }

  SmladShape shape() const {
    return {tile, inputs(), {.pairs = pairs, .step = step}, loads, scaled, right};
  }

  // Inputs that are widened in the loop must be words of four, and whole steps. Without a loop
  // around a tile, the machine scheduler moves loads between the copies into the assembly's
  // fourteen registers, and LLVM then lacks registers.
  bool legal(const Workload& w) const {
    if (pixels() > w.out_h * w.out_w || 2 * step > std::max<int64_t>(2, w.reduction()) ||
        !smlad_step_fits(tile, inputs(), step))
      return false;
    const bool walks_staged = staged && w.op == OpKind::kConv2d;
    if (moved && !walks_staged && oc >= w.out_c / w.groups) return false;
    const SmladTiles smlad(w, shape());
    if (!smlad.permits_right() || !smlad.permits_loads() ||
        (scaled == Scaled::kByLayer && !smlad.in_one_piece()))
      return false;
    return staged || (staging == Staging::kWords && w.reduction() % (2 * step) == 0);
  }
};

template <const char* name>
bool supports(const Workload& w, const Device& device) {
  const OpKind op = name == kConv || name == kPointwise ? OpKind::kConv2d : OpKind::kDense;
  const bool one_run = w.kernel_h * w.kernel_w == 1 && !needs_border(w);
  if (name == kPointwise && (!one_run || w.in_c / w.groups % 4 != 0)) return false;
  return grouped_tiles_fit(w) && w.op == op && device.target.can(Capability::kDsp) &&
         (!is_by_layer(name) || SmladTiles::end_in_assembly(w)) &&
         (!asks_ahead(name) || (device.target.can(Capability::kPrefetch) && w.out_c >= 2 &&
                                w.reduction() >= kFewestAhead));
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const int64_t blocks = PixelTiles::tiles(w, plan.pixels()), tiles = blocks * plan.tiles;
  NestBuilder build(w, plan.staged ? 4 : 2, plan.tile.is_joined() ? 2 : 4, 1);
  const bool reads_pixels = !plan.staged && w.op == OpKind::kConv2d;
  build.loop("px_outer", blocks,
             {.input = reads_pixels ? int64_t{w.stride_w} * w.in_c : 0,
              .output = int64_t{w.out_c} * plan.pixels()});
  const Workload group = one_group(w);
  build.group_tiles(w, group, plan.oc, plan.tile.weight_bytes(plan.pairs),
                    reads_pixels ? group.in_c : 0);
  if (plan.tiles > 1)
    build.loop("px_tile", plan.tiles,
               {.input = plan.staged_bytes(), .output = int64_t{w.out_c} * plan.px});
  LoopNest nest = describe_tile(w, plan.shape(), plan.pairs, build, schedule);
  if (plan.staged)
    nest.prologue_bytes =
        PixelTiles::bytes(w, plan.border) + plan.staged_bytes() * tiles * w.groups;
  nest.switches.emplace_back("widened", (plan.staged ? 0.0 : 1.0) +
                                            2.0 * static_cast<int>(plan.tile.form) +
                                            (plan.scaled == Scaled::kByLayer ? 4.0 : 0.0));
  if (plan.tile.ahead > 0) nest.switches.emplace_back("ahead", plan.tile.ahead);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w),
        plan_(plan),
        group_(one_group(w)),
        tiles_(w, plan.pixels(), plan.border),
        ir_(tiles_.ir()) {}

  std::string write(const std::string& symbol) {
    if (plan_.staged) {
      tiles_.walk([&](const std::vector<PixelTiles::Pixel>& pixels) { stage(pixels); },
                  [&](const Value& out) {
                    inputs_ = tiles_.staging_area();
                    channels(out);
                  });
      return ir_.function(symbol, {"input", "weights", "params", "scratch", "output"});
    }
    if (w_.op == OpKind::kDense)  // of one pixel: there is nothing to walk
      channels(argument("output"));
    else
      tiles_.walk(
          [&](const std::vector<PixelTiles::Pixel>& pixels) { inputs_ = pixels[0].address; },
          [&](const Value& out) { channels(out); });
    return ir_.function(symbol, {"input", "weights", "params", "output"});
  }

 private:
  // Returns where a pixel's first pair is staged.
  int64_t staged_at(int pixel) const {
    return pixel / plan_.px * plan_.staged_bytes() + int64_t{4} * (pixel % plan_.px);
  }

  // [tile][pair][pixel], a word each.
  void stage(const std::vector<PixelTiles::Pixel>& pixels) {
    const int64_t pair = int64_t{4} * plan_.px;
    const Value staged = tiles_.staging_area();
    // Zeros where there is no input: the high half of an odd last pair, pairs that complete a step.
    for (int64_t p = w_.reduction() / 2; p < plan_.pairs; ++p)
      for (int i = 0; i < plan_.pixels(); ++i)
        ir_.store_word(0, ir_.at(staged, staged_at(i) + p * pair));
    if (plan_.staging == Staging::kWords) return stage_words(pixels);
    for (int i = 0; i < plan_.pixels(); ++i) {
      const PixelTiles::Pixel& pixel = pixels[static_cast<size_t>(i)];
      const Value target = ir_.at(staged, staged_at(i));
      switch (plan_.staging) {
        case Staging::kWords:
          break;
        case Staging::kPairs:
          tiles_.for_each_input({pixel}, target, 2, pair / 2,
                                [&](const Values& p) { stage_pair(p[0], p[1]); });
          break;
        case Staging::kOddRun: {
          const Value last = ir_.at(pixel.address, w_.reduction() - 1);
          const Values end = ir_.while_loop(
              {pixel.address, target}, [&](const Values& p) { return ir_.differs(p[0], last); },
              [&](const Values& p) {
                stage_pair(p[0], p[1]);
                return Values{ir_.at(p[0], 2), ir_.at(p[1], pair)};
              });
          ir_.store_half(ir_.load_byte(end[0], true), end[1]);
          break;
        }
        case Staging::kHalves:
          // The cursor counts halves as if pixels were not interleaved: 2 bytes an input.
          tiles_.for_each_input({pixel}, argument("scratch"), 1, 2, [&](const Values& p) {
            const Value offset = ir_.distance(p[1], argument("scratch"));
            const Value word = ir_.mul(ir_.bit_and(offset, -4), plan_.px);
            ir_.store_half(ir_.load_byte(p[0], true),
                           ir_.at(target, ir_.add(word, ir_.bit_and(offset, 2))));
          });
          break;
      }
    }
  }

  // Stages the pixels of a tile together, because their words are adjacent. With tested borders,
  // one by one: most pixels are inside and need no test of each tap.
  void stage_words(const std::vector<PixelTiles::Pixel>& pixels) {
    const int together = plan_.border == "test" ? 1 : plan_.px;
    const int64_t pair = int64_t{4} * plan_.px;
    for (int i = 0; i < plan_.pixels(); i += together) {
      const Value target = ir_.at(tiles_.staging_area(), staged_at(i));
      tiles_.for_each_input({pixels.begin() + i, pixels.begin() + i + together}, target, 4,
                            pair / 2, [&](const Values& p) {
                              Values words;
                              for (int k = 0; k < together; ++k)
                                words.push_back(ir_.load_word(p[static_cast<size_t>(k)]));
                              for (const int64_t half : {0, 1})
                                for (int k = 0; k < together; ++k) {
                                  const Value& word = words[static_cast<size_t>(k)];
                                  const Value bytes = half == 0 ? word : ir_.rotate_right(word, 8);
                                  ir_.store_word(ir_.call("llvm.arm.sxtb16", {bytes}),
                                                 ir_.at(p.back(), half * pair + int64_t{4} * k));
                                }
                            });
    }
  }

  void stage_pair(const Value& from, const Value& to) {
    ir_.store_half(ir_.load_byte(from, true), to);
    ir_.store_half(ir_.load_byte(ir_.at(from, 1), true), ir_.at(to, 2));
  }

  // Returns the current group's constants.
  ChannelSlice slice() {
    ChannelSlice slice{w_.out_c};
    if (w_.groups == 1) return slice;
    const SmladTiles tiles(group_, plan_.shape(), slice);
    const int64_t params = int64_t{tiles.channels(ir_).param_bytes()} * group_.out_c +
                           (plan_.right > 0 ? 0 : 4 * shared_words(w_.facts.requantise));
    slice.weights = ir_.at(slice.weights, tiles_.group(), tiles.weight_bytes());
    slice.params = ir_.at(slice.params, tiles_.group(), params);
    return slice;
  }

  // Writes all output channels (of a group) for a tile of pixels.
  void channels(const Value& out) {
    const SmladTiles smlad(group_, plan_.shape(), slice());
    if (plan_.tiles == 1) return smlad.all(inputs_, out, ir_);
    smlad.channels(ir_).run(plan_.oc, out,
                            [&](const Value& weights, const Value& params, const Value& output) {
                              ir_.count_to(plan_.tiles, [&](const Value& i) {
                                smlad.one(weights, ir_.at(inputs_, i, plan_.staged_bytes()), params,
                                          ir_.at(output, i, int64_t{w_.out_c} * plan_.px), ir_);
                              });
                              return ir_.at(weights, smlad.tile_bytes());
                            });
  }

  const Workload& w_;
  const Plan& plan_;
  const Workload group_;
  PixelTiles tiles_;
  IrText& ir_;
  Value inputs_ = argument("input");  // address of the inputs that products read
};

// Dense layers and layers that are widened in the loop have their own knobs, and so their own rows.
template <const char* name>
struct Row {
  static constexpr const char* kName = name;
  static constexpr bool kNarrowsPixels = false, kIsConv = name == kConv;

  static std::vector<UsualKnob> knobs(const Workload& w, const Device& device) {
    std::vector<UsualKnob> knobs = {
        // Up to 16 for bodies of one pixel, which are smaller, and where products wait for loads at
        // the start of each body, so that larger bodies are worth their bytes.
        kIsConv && usual_loads(device) != "spread" ? int_knob("step", {1, 2, 4, 8})
                                                   : int_knob("step", {1, 2, 4, 8, 16}),
        {border_knob(w), usual_border(w)},
        {scheduler_knob(device), usual_scheduler(device)},
        weights_knob(),
        {smlad_loads_knob(), usual_loads(device)}};
    if (name == kPointwise) return knobs;
    knobs.emplace_back(kIsConv ? int_knob("tiles", {1, 2, 4})
                               : Knob{"inputs", {"staged", "widened"}});
    if (asks_ahead(name)) knobs.emplace_back("ahead", std::vector<int>{32, 64, 128}, 64);
    return knobs;
  }
  // Eight sums load least per product. If weights are slow to read, more pixels should share them.
  // If loads are free beside products, six sums leave registers to load ahead, but for long
  // reductions eight are faster. If the timing model counts instructions, long reductions first try
  // few sums with LDM.
  static std::vector<FirstTile> first_tiles(const Workload& w, const Device& device) {
    constexpr int kLong = 64;  // inputs that repay twice the tiles
    const std::string loads = usual_loads(device);
    const bool more_pixels = weights_wait(device) || loads == "spread";
    const int most = name == kPointwise ? 1 : more_pixels ? 3 : 2;
    const int channels = w.out_c / w.groups, pixels = std::min(w.out_h * w.out_w, most);
    const bool joined = usual_weights(w, device) == "joined";
    const FirstTile last = {pixels == 1   ? usual_tile_channels(channels, 8, joined)
                            : pixels == 2 ? std::min(channels, 4)
                                          : std::min(channels, 2),
                            pixels, loads};
    if (!kIsConv || channels < 4 || w.reduction() < kLong) return {last};
    const bool shares_most = w.kernel_h * w.kernel_w == 1 && weights_wait(device);
    if (loads == "spread" && pixels == 3 && !shares_most) return {{4, 2, loads}, last};
    if (loads != "paired") return {last};
    const int few = pixels == 1 ? usual_tile_channels(channels, 4, joined) : 2;
    return {{few, pixels, "multiple"}, last};
  }
};

template <const char* name>
KernelTemplate row() {
  return SmladTemplate<Row<name>, Plan, Writer>::row(supports<name>, describe);
}

}  // namespace

const KernelTemplate kSmladNhwc = row<kConv>();
const KernelTemplate kSmladPointwise = row<kPointwise>();
const KernelTemplate kSmladDense = row<kDense>();
const KernelTemplate kSmladDenseByLayer = row<kDenseByLayer>();
const KernelTemplate kSmladDenseAhead = row<kDenseAhead>();
const KernelTemplate kSmladDenseByLayerAhead = row<kDenseByLayerAhead>();

}  // namespace tinytune
