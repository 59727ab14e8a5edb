// One operator without a network: the unit that another compiler hands over to be tuned.
//
//   auto layer = tinytune::Layer::describe("conv2d 1x1 64->64 in25x5 relu", {.constants = mine});
//   auto report = tinytune::tune_workload(*layer, "esp32c3", {.records = "ops.jsonl"});
//   auto kernel = tinytune::compile_workload(*layer, "esp32c3", {.records = "ops.jsonl"});
//
// A layer is a workload (shape, zero points, clamp, and proved facts about its weights) and its
// constants. Two layers with one workload share records and kernels; each has its own packed
// constants. A description is text, so that it is the same in C, C++, Python, a shell and a log.
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

/// Constants of an int8 layer in TFLite's arithmetic:
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

/// A real scale as `multiplier` * 2^(shift - 31), as TFLite's QuantizeMultiplier rounds it.
struct FixedPoint {
  int32_t multiplier = 0;  ///< Q31; 0 for a scale of 0
  int32_t shift = 0;       ///< left if positive, by at most 31
};
/// Converts a real scale (input scale * weight scale / output scale). kInvalidInput: negative, not
/// finite, or above 2^29.
Result<FixedPoint> fixed_point(double scale);

/// Constants of a layer, given or generated.
struct LayerOptions {
  /// Absent: generated from `seed`, the same on every machine. Kernels depend on constants only
  /// through the facts proved about them. Kernels of generated constants therefore serve your
  /// layer if its description states the facts proved about your constants ("lane2 fused").
  std::optional<LayerConstants> constants;
  uint64_t seed = 1;  ///< of generated constants
};

/// A layer to tune or compile. Cheap to copy; copies share one immutable layer. Thread-safe.
class Layer {
 public:
  /// Parses a description: an operator, then words in any order:
  ///
  ///   conv2d | depthwise | dense
  ///   3x3          window [1x1]            16->32      channels, in and out
  ///   in24x24      input height x width    @12x12      output's; one of the two, but for dense
  ///   s2, s2x1     strides [1]             d2          dilations [1]
  ///   same, valid, p1,1 (top, left) [same] n1, g2      batch, groups [1]
  ///   nhwc, nchw   layout [nhwc]           zp-128,-128 zero points, in and out [-128]
  ///   act-128,127  clamp [none]            relu        clamps at the output's zero point
  ///   lane2 fused  facts proved about the constants [proved from them]
  ///
  /// or a workload as written in logs and by `tune inspect`. kInvalidInput: not a description, or
  /// the constants have other sizes or contradict a stated fact. kUnsupported: no generated
  /// constants satisfy the facts.
  static Result<Layer> describe(std::string_view description, const LayerOptions& options = {});

  const std::string& name() const;      ///< "conv2d 1x1 64->64 @25x5"
  const std::string& workload() const;  ///< canonical line, as in records

  /// Network of this layer alone, with NHWC input and output, for run_model() and compile_model()
  /// to verify or package one operator. Its real scales are unknown; documents state them as 1.
  const Model& model() const { return model_; }

 private:
  Layer(Model model, std::string workload)
      : model_(std::move(model)), workload_(std::move(workload)) {}
  Model model_;
  std::string workload_;
};

/// Tunes one layer: options, log, errors, progress and cancel are those of tune_model(). `layout`
/// and `tasks` are ignored, as the layer decides them. One log may serve many layers; `trials`
/// counts those of this workload. By default scratch is at most 4 KiB, or 25 % of the tensors:
/// `limits.arena_bytes` (input, output and scratch) allows more. Default of `trials`: 64.
Result<TuneReport> tune_workload(const Layer& layer, const std::string& device,
                                 TuneOptions options);

}  // namespace tinytune
