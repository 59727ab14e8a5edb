// Depthwise convolution for cores with Helium: windows of up to 4 by 4 (helium_columns.h).
//
// Rows of outputs, or columns, are computed one or two at a time: the inputs that they read are
// staged, 16 channels at a time. Neighbours outside of the image are read from one pixel of zero
// points; the border along the walk is staged once, since nothing overwrites it.
#include "templates/helium/helium_columns.h"
#include "templates/helium/vector_code.h"
#include "templates/kernel_template.h"
#include "templates/lane_shifts.h"
#include "templates/nest_builder.h"
#include "templates/usual_knobs.h"

namespace tinytune {
namespace {

constexpr char kName[] = "helium_depthwise";

struct Plan {
  HeliumColumns columns;
  int turn;

  Plan(const Workload& w, const Schedule& s)
      : columns(w, s.get("walk") == "down", s.get_int("turn"), s.get_int("rows")),
        turn(s.get_int("turn")) {}

  bool legal(const Workload&) const { return columns.fits(); }

  // Scratch: a pixel of zero points, staged inputs, saved vectors of the caller.
  int64_t staged_at(const Workload& w) const { return (w.in_c + 15) / 16 * 16; }
  int64_t saved_at(const Workload& w) const { return staged_at(w) + columns.staged_bytes(); }
  int64_t scratch_bytes(const Workload& w) const { return saved_at(w) + Helium::kSavedBytes; }
};

const KnobTable& table() {
  static const KnobTable kAll{
      kName,
      1,
      {Knob{"walk", {"right", "down"}}, {"turn", {1, 2, 3, 4, 5, 6, 8}, 4}, {"rows", {1, 2}, 2}}};
  return kAll;
}

ConfigSpace space(const Workload& w, const Device&) { return table().legal_space<Plan>(w); }

bool supports(const Workload& w, const Device& device) {
  return device.target.can(Capability::kMve) && w.op == OpKind::kDepthwiseConv2d &&
         w.layout == Layout::kNhwc && w.batch == 1 && w.depth_multiplier == 1 &&
         w.dilation_h == 1 && w.dilation_w == 1 && w.rounding == Rounding::kTwice &&
         w.pad_top < w.kernel_h && w.pad_left < w.kernel_w && space(w, device).size() > 0;
}

// Chooses the fewest instructions.
Schedule default_schedule(const Workload& w, const Device& device) {
  const ConfigSpace all = space(w, device);
  const auto instructions = [&](size_t point) {
    return Plan(w, all.schedule(point)).columns.instructions();
  };
  size_t best = 0;
  for (size_t point = 1; point < all.size(); ++point)
    if (instructions(point) < instructions(best)) best = point;
  return all.schedule(best);
}

std::function<bool(const Schedule&)> permitted(const Workload& w, const LayerData& data) {
  return [permits = may_shift(w, data, /*left=*/false)](const Schedule&) { return permits; };
}

Result<std::vector<PackedConstant>> pack(const Workload& w, const LayerData& data,
                                         const Schedule& schedule) {
  TT_TRY(check_shifts(w, data, /*left=*/false));
  return std::vector<PackedConstant>{Plan(w, schedule).columns.pack(data)};
}

LoopNest describe(const Workload& w, const Schedule& schedule) {
  const Plan plan(w, schedule);
  const HeliumColumns& columns = plan.columns;
  const HeliumColumns::Axis &along = columns.along(), &across = columns.across();
  const int64_t tiles = (across.out + columns.rows() - 1) / columns.rows();
  const int64_t turns = (along.out + plan.turn - 1) / plan.turn;
  const int64_t step = HeliumColumns::kStepBytes;
  NestBuilder build(w, Helium::kBytes, Helium::kBytes, 1);
  build.loop({"tile", tiles, {.output = columns.rows() * across.out_bytes}});
  build.loop({"channel",
              w.out_c,
              {.weights = columns.channel_bytes(), .output = 1, .params = build.params_bytes()}});
  build.loop({"px_outer",
              turns,
              {.input = plan.turn * along.stride * step, .output = plan.turn * along.out_bytes}});
  build.loop({"px",
              plan.turn,
              {.input = along.stride * step, .output = along.out_bytes},
              build.kUnrolled});
  build.loop({"row",
              columns.rows(),
              {.weights = Helium::kBytes, .output = across.out_bytes},
              build.kUnrolled});
  LoopNest nest = build.finish(schedule);
  nest.macs_per_step = w.kernel_h * w.kernel_w;
  nest.multiplies_per_mac = 1 / nest.macs_per_step;
  nest.accumulators = plan.turn * columns.rows();
  nest.outputs = tiles * turns * columns.lanes() * w.out_c;
  nest.prologue_bytes =
      tiles * HeliumColumns::kAcross * columns.used_steps() * HeliumColumns::blocks(w) * 16;
  nest.unrolled_body = plan.turn * columns.rows();
  nest.switches.emplace_back("helium", 1.0);
  return nest;
}

class Writer {
 public:
  Writer(const Workload& w, const Plan& plan)
      : w_(w), plan_(plan), columns_(plan.columns), needs_zeros_(leaves_image()) {}

  std::string write(const std::string& symbol) {
    const Value saved = ir_.at(zeros_, plan_.saved_at(w_));
    save_vectors(ir_, saved);
    if (needs_zeros_) fill(zeros_, plan_.staged_at(w_));
    fill_ends();
    ir_.tiles(columns_.across().out, columns_.rows(), [&](const Value& first) { tile(first); });
    restore_vectors(ir_, saved);
    return ir_.function(symbol, {"input", "weights", "scratch", "output"});
  }

 private:
  bool leaves_image() const {
    const HeliumColumns::Axis& across = columns_.across();
    return across.pad > 0 || (across.out - 1) * across.stride + across.kernel > across.in;
  }
  void fill(const Value& from, int64_t bytes) {
    fill_array(ir_, from, bytes / 4, 0x01010101u * static_cast<uint8_t>(w_.input_zero_point));
  }
  // Fills the border along the walk.
  void fill_ends() {
    const int64_t before = columns_.along().pad * HeliumColumns::kStepBytes;
    const int64_t inside = before + columns_.used_steps() * HeliumColumns::kStepBytes;
    if (before > 0) fill(staged_, before);
    if (inside < columns_.staged_bytes())
      fill(ir_.at(staged_, inside), columns_.staged_bytes() - inside);
  }

  // Writes the outputs of rows() neighbours across, from `first` on.
  void tile(const Value& first) {
    const HeliumColumns::Axis &along = columns_.along(), &across = columns_.across();
    const Value start = ir_.sub(ir_.mul(first, across.stride), across.pad);
    Values inputs, distances, inside;
    for (int i = 0; i < columns_.inputs_across(); ++i) {
      const Value position = ir_.add(start, i);
      const Value address = ir_.at(argument("input"), position, across.in_bytes);
      if (needs_zeros_) inside.push_back(ir_.below(position, across.in));
      inputs.push_back(needs_zeros_ ? ir_.select(inside.back(), address, zeros_) : address);
      distances.push_back(needs_zeros_ ? ir_.select(inside.back(), along.in_bytes, 0)
                                       : Value(along.in_bytes));
    }
    const Value output = ir_.at(argument("output"), first, across.out_bytes);
    const Value target = ir_.at(staged_, along.pad * HeliumColumns::kStepBytes);
    constexpr int kChannels = HeliumColumns::kChannels;
    ir_.count_to(HeliumColumns::blocks(w_), [&](const Value& block) {
      const Value channel = ir_.mul(block, kChannels);
      const Value channels = w_.in_c % kChannels == 0
                                 ? Value(kChannels)
                                 : ir_.clamp(ir_.sub(w_.in_c, channel), 0, kChannels);
      Values of_block;
      for (const Value& input : inputs) of_block.push_back(ir_.at(input, channel));
      columns_.stage(of_block, distances, target, channels, ir_);
      columns_.write(staged_,
                     ir_.at(ir_.at(argument("weights"), HeliumColumns::kTableBytes), channel,
                            columns_.channel_bytes()),
                     ir_.at(output, channel), channels, ir_);
    });
  }

  const Workload& w_;
  const Plan& plan_;
  const HeliumColumns& columns_;
  const bool needs_zeros_;
  IrText ir_;
  const Value zeros_ = argument("scratch"), staged_ = ir_.at(zeros_, plan_.staged_at(w_));
};

}  // namespace

const KernelTemplate kHeliumDepthwise = {
    .name = kName,
    .constants = {"weights"},
    .supports = supports,
    .space = space,
    .default_schedule = default_schedule,
    .describe = describe,
    .pack = pack,
    .may_pack = permitted,
    .scratch_bytes = scratch_of<Plan>,
    .lower = lower_as_text<Plan, Writer>,
};

}  // namespace tinytune
