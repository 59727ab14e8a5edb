// Layer by layer: draw real weights, quantise them, run calibration inputs through the layer in
// real numbers, and choose the output's scale from the largest value seen, so that nothing
// saturates. The last layer is centred and spread, since an untrained one barely tells inputs
// apart.
#include "examples/ds_cnn.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/rng.h"
#include "models/operator_kind.h"
#include "models/quantise.h"

namespace tinytune {
namespace {

using Reals = std::vector<double>;

// Sum of twelve uniforms: a bell curve without a libm whose last bit could differ.
double bell(Rng& rng) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng.uniform();
  return sum;
}

std::vector<uint8_t> bytes_of(const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

class DsCnn {
 public:
  explicit DsCnn(uint64_t seed) : rng_(seed) {
    graph_.name = "ds_cnn";
    current_ = add({.name = "input", .shape = {1, 49, 10, 1}}, kInputScale, kInputZeroPoint);
    graph_.inputs = {current_};
    for (int i = 0; i < kCalibrationInputs; ++i) samples_.push_back(calibration_input(i % 2 == 1));
  }

  Graph build() {
    convolution(64, 10, 4, 2, false);
    for (int block = 0; block < 4; ++block) {
      convolution(64, 3, 3, 1, true);
      convolution(64, 1, 1, 1, false);
    }
    pool();
    reshape();
    classify(12);
    softmax();
    graph_.outputs = {current_};
    return std::move(graph_);
  }

 private:
  static constexpr int kCalibrationInputs = 8;
  static constexpr float kInputScale = 0.58F;
  static constexpr int kInputZeroPoint = 83;

  int add(Tensor tensor, float scale, int zero_point) {
    if (scale > 0) tensor.quantization = {{scale}, {zero_point}, 0};
    return add(std::move(tensor));
  }
  int add(Tensor tensor) {
    tensor.id = static_cast<int>(graph_.tensors.size());
    graph_.tensors.push_back(std::move(tensor));
    return graph_.tensors.back().id;
  }
  void append(OperatorKind kind, std::vector<int> inputs, Attributes attributes) {
    graph_.operators.push_back({static_cast<int>(graph_.operators.size()),
                                kind,
                                std::move(inputs),
                                {current_},
                                std::move(attributes)});
  }
  const Tensor& current() const { return graph_.tensor(current_); }
  double current_scale() const { return current().quantization.scales[0]; }

  // Uniform noise, or a random walk as spectrograms are: neighbours are alike.
  Reals calibration_input(bool walk) {
    Reals input(49 * 10);
    int value = 0;
    for (double& x : input) {
      if (walk)
        value = std::clamp(value + static_cast<int>(rng_.below(17)) - 8, -128, 127);
      else
        value = static_cast<int>(rng_.below(256)) - 128;
      x = double{kInputScale} * (value - kInputZeroPoint);
    }
    return input;
  }

  // Draws `channels` filters of `taps` weights, one scale each, and keeps what quantisation left.
  // `stored(channel, tap)` is where a weight lives in the tensor.
  template <typename Stored>
  int draw_weights(const std::string& name, std::vector<int> shape, int axis, int channels,
                   int taps, Stored stored, std::vector<Reals>& real) {
    Tensor tensor{.name = name, .shape = std::move(shape), .is_constant = true};
    tensor.data.resize(static_cast<size_t>(channels) * static_cast<size_t>(taps));
    tensor.quantization.axis = axis;
    real.assign(static_cast<size_t>(channels), Reals(static_cast<size_t>(taps)));
    for (int c = 0; c < channels; ++c) {
      Reals& filter = real[static_cast<size_t>(c)];
      const double spread = std::sqrt(2.0 / taps) * (0.5 + rng_.uniform());
      double largest = 0;
      for (double& w : filter) largest = std::max(largest, std::abs(w = spread * bell(rng_)));
      const auto scale = static_cast<float>(largest / 127);
      tensor.quantization.scales.push_back(scale);
      tensor.quantization.zero_points.push_back(0);
      for (int t = 0; t < taps; ++t) {
        double& w = filter[static_cast<size_t>(t)];
        const double q = std::clamp(std::round(w / double{scale}), -127.0, 127.0);
        tensor.data[static_cast<size_t>(stored(c, t))] =
            static_cast<uint8_t>(static_cast<int8_t>(q));
        w = q * double{scale};
      }
    }
    return add(std::move(tensor));
  }

  // Biases of a tenth of the inputs' scale of things, in units of input scale * weight scale.
  int draw_bias(const std::string& name, int weights, Reals& real) {
    const std::vector<float> scales = graph_.tensor(weights).quantization.scales;
    std::vector<int32_t> values;
    real.clear();
    for (float scale : scales) {
      const double unit = current_scale() * double{scale};
      values.push_back(static_cast<int32_t>(std::round(0.1 * bell(rng_) / unit)));
      real.push_back(values.back() * unit);
    }
    return add({.name = name,
                .type = ElementType::kInt32,
                .shape = {static_cast<int>(values.size())},
                .is_constant = true,
                .data = bytes_of(values)});
  }

  void convolution(int out_c, int kh, int kw, int stride, bool depthwise) {
    const std::vector<int> in = current().shape;
    const int in_c = in[3], taps = kh * kw * (depthwise ? 1 : in_c);
    const std::string name = "layer_" + std::to_string(graph_.operators.size());
    std::vector<Reals> filters;
    Reals bias;
    const int weights = depthwise ? draw_weights(
                                        name + "/weights", {1, kh, kw, out_c}, 3, out_c, taps,
                                        [&](int c, int t) { return t * out_c + c; }, filters)
                                  : draw_weights(
                                        name + "/weights", {out_c, kh, kw, in_c}, 0, out_c, taps,
                                        [&](int c, int t) { return c * taps + t; }, filters);
    const int bias_id = draw_bias(name + "/bias", weights, bias);
    const Window rows = window_of(Padding::kSame, in[1], kh, stride, 1);
    const Window columns = window_of(Padding::kSame, in[2], kw, stride, 1);

    double largest = 0;
    for (Reals& sample : samples_) {
      Reals output;
      for (int oh = 0; oh < rows.extent; ++oh)
        for (int ow = 0; ow < columns.extent; ++ow)
          for (int c = 0; c < out_c; ++c) {
            double sum = bias[static_cast<size_t>(c)];
            for (int t = 0; t < taps; ++t) {
              const int channels = depthwise ? 1 : in_c;
              const int y = oh * stride - rows.pad + t / channels / kw;
              const int x = ow * stride - columns.pad + t / channels % kw;
              const int i = depthwise ? c : t % channels;
              if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
              sum += sample[static_cast<size_t>((y * in[2] + x) * in_c + i)] *
                     filters[static_cast<size_t>(c)][static_cast<size_t>(t)];
            }
            output.push_back(std::max(sum, 0.0));
          }
      largest = std::max(largest, *std::max_element(output.begin(), output.end()));
      sample = std::move(output);
    }
    const int input = current_;
    current_ = add({.name = name, .shape = {1, rows.extent, columns.extent, out_c}},
                   static_cast<float>(largest * 1.02 / 255), -128);
    ConvAttributes attributes{.activation = Activation::kRelu,
                              .stride_h = stride,
                              .stride_w = stride,
                              .depth_multiplier = depthwise ? 1 : 0};
    append(depthwise ? OperatorKind::kDepthwiseConv2d : OperatorKind::kConv2d,
           {input, weights, bias_id}, attributes);
  }

  void pool() {
    const int input = current_, h = current().shape[1], w = current().shape[2],
              channels = current().shape[3];
    for (Reals& sample : samples_) {
      Reals mean(static_cast<size_t>(channels), 0);
      for (size_t i = 0; i < sample.size(); ++i)
        mean[i % static_cast<size_t>(channels)] += sample[i] / (h * w);
      sample = std::move(mean);
    }
    current_ =
        add({.name = "pool", .shape = {1, 1, 1, channels}, .quantization = current().quantization});
    append(OperatorKind::kAveragePool2d, {input},
           PoolAttributes{.stride_h = h, .stride_w = w, .filter_h = h, .filter_w = w});
  }

  void reshape() {
    const int input = current_, channels = current().shape[3];
    const int shape = add({.name = "shape",
                           .type = ElementType::kInt32,
                           .shape = {2},
                           .is_constant = true,
                           .data = bytes_of({-1, channels})});
    current_ = add({.name = "features",
                    .shape = {1, channels},
                    .quantization = graph_.tensor(input).quantization});
    append(OperatorKind::kReshape, {input, shape}, {});
  }

  // One weight scale for the whole layer, as converters write it.
  void classify(int classes) {
    const int input = current_, features = current().shape[1];
    Tensor weights{.name = "classes/weights", .shape = {classes, features}, .is_constant = true};
    std::vector<Reals> logits(samples_.size(), Reals(static_cast<size_t>(classes), 0));
    Reals mean(static_cast<size_t>(classes), 0);
    for (int c = 0; c < classes; ++c)
      for (int i = 0; i < features; ++i) {
        const double w = std::clamp(std::round(40 * bell(rng_)), -127.0, 127.0);
        weights.data.push_back(static_cast<uint8_t>(static_cast<int8_t>(w)));
        for (size_t s = 0; s < samples_.size(); ++s)
          logits[s][static_cast<size_t>(c)] += w * samples_[s][static_cast<size_t>(i)];
      }
    for (const Reals& sample : logits)
      for (size_t c = 0; c < mean.size(); ++c)
        mean[c] += sample[c] / static_cast<double>(logits.size());
    double variance = 0, largest = 0;
    for (Reals& sample : logits)
      for (size_t c = 0; c < mean.size(); ++c) {
        sample[c] -= mean[c];
        variance += sample[c] * sample[c] / static_cast<double>(logits.size() * mean.size());
        largest = std::max(largest, std::abs(sample[c]));
      }
    // Logits get a standard deviation of 2; the bias takes their mean away.
    const auto weight_scale = static_cast<float>(2 / std::sqrt(variance));
    weights.quantization = {{weight_scale}, {0}, 0};
    std::vector<int32_t> bias;
    for (double m : mean) bias.push_back(static_cast<int32_t>(-std::round(m / current_scale())));
    const int weights_id = add(std::move(weights));
    const int bias_id = add({.name = "classes/bias",
                             .type = ElementType::kInt32,
                             .shape = {classes},
                             .is_constant = true,
                             .data = bytes_of(bias)});
    current_ = add({.name = "logits", .shape = {1, classes}},
                   static_cast<float>(largest * double{weight_scale} * 1.2 / 127), 0);
    append(OperatorKind::kFullyConnected, {input, weights_id, bias_id}, ActivationAttributes{});
  }

  void softmax() {
    const int input = current_;
    current_ = add({.name = "probabilities", .shape = current().shape}, 1.0F / 256, -128);
    append(OperatorKind::kSoftmax, {input}, SoftmaxAttributes{});
  }

  Rng rng_;
  Graph graph_;
  int current_ = 0;
  std::vector<Reals> samples_;
};

}  // namespace

Graph make_ds_cnn(uint64_t seed) { return DsCnn(seed).build(); }

}  // namespace tinytune
