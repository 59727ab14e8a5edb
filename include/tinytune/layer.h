// One operator of somebody's network, without a network: what a compiler hands over to be tuned.
//
//   auto layer = tinytune::Layer::describe("conv2d 1x1 64->64 in25x5 relu", {.constants = mine});
//   auto report = tinytune::tune_workload(*layer, "esp32c3", {.records = "ops.jsonl"});
//   auto kernel = tinytune::compile_workload(*layer, "esp32c3", {.records = "ops.jsonl"});
//
// A layer is a workload (shape, zero points, clamp, and what is proved of its weights) and its
// constants. Two layers with one workload share records and kernels; packed constants are each
// layer's own. A description is text, so that it is the same in C, C++, Python, a shell and a log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/model.h"
#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// What TFLite's arithmetic of an int8 layer reads:
///   out = clamp(output zero point + scaled(bias + sum of (x - input zero point) * weight))
/// where scaled() is MultiplyByQuantizedMultiplier with double rounding.
struct LayerConstants {
  /// conv2d: [out_c][kernel_h][kernel_w][in_c / groups]; depthwise: [kernel_h][kernel_w][out_c];
  /// dense: [out_c][in_c].
  std::vector<int8_t> weights;
  std::vector<int32_t> bias;        ///< one per output channel; empty: zeros
  std::vector<int32_t> multiplier;  ///< one per output channel: 0, or in [2^30, 2^31)
  std::vector<int32_t> shift;       ///< one per output channel: positive shifts left
};

/// `multiplier` * 2^(shift - 31), nearest to a real scale (input scale * weight scale / output
/// scale), as TFLite's QuantizeMultiplier has it.
struct FixedPoint {
  int32_t multiplier = 0;  ///< Q31; 0 for a scale of 0
  int32_t shift = 0;       ///< left if positive, by at most 31
};
/// kInvalidInput: negative, not finite, or above 2^29.
Result<FixedPoint> fixed_point(double scale);

/// What is known of a layer beside its description.
struct LayerOptions {
  /// Left out: generated from `seed`, the same on every machine. Kernels depend on constants only
  /// through what is proved of them, so such a layer's kernels serve yours if you state what is
  /// proved of yours in the description ("lane2 fused").
  std::optional<LayerConstants> constants;
  uint64_t seed = 1;  ///< of what is generated
};

/// Cheap to copy; copies share one immutable layer. Thread-safe.
class Layer {
 public:
  /// Reads words in any order behind the operator:
  ///
  ///   conv2d | depthwise | dense
  ///   3x3          window [1x1]            16->32      channels, in and out
  ///   in24x24      input height x width    @12x12      output's; one of the two, but for dense
  ///   s2, s2x1     strides [1]             d2          dilations [1]
  ///   same, valid, p1,1 (top, left) [same] n1, g2      batch, groups [1]
  ///   nhwc, nchw   layout [nhwc]           zp-128,-128 zero points, in and out [-128]
  ///   act-128,127  clamp [none]            relu        clamps at the output's zero point
  ///   lane2 fused  what is proved of the constants [proved from them]
  ///
  /// or a workload as logs and `tune inspect` have it. kInvalidInput: not a description, or
  /// constants of other sizes, or of which a stated fact does not hold. kUnsupported: no generated
  /// constants have the facts.
  static Result<Layer> describe(std::string_view description, const LayerOptions& options = {});

  const std::string& name() const;      ///< "conv2d 1x1 64->64 @25x5"
  const std::string& workload() const;  ///< the canonical line that records have

  /// The network of this layer alone, NHWC outside: what run_model() and compile_model() take to
  /// verify or package one operator. Its real scales are unknown, and 1 in documents.
  const Model& model() const { return model_; }

 private:
  Layer(Model model, std::string workload)
      : model_(std::move(model)), workload_(std::move(workload)) {}
  Model model_;
  std::string workload_;
};

/// tune_model() of one layer: the same options, log, errors, progress and cancel. `layout` and
/// `tasks` are the layer's to say. One log may serve many layers; `trials` counts those of this
/// workload. By default scratch is at most 4 KiB, or 25 % of the tensors: `limits.arena_bytes`
/// (input, output and scratch) allows more. Default of `trials`: 64.
Result<TuneReport> tune_workload(const Layer& layer, const std::string& device,
                                 TuneOptions options);

}  // namespace tinytune
