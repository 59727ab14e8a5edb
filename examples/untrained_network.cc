#include "examples/untrained_network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "models/operator_kind.h"

namespace tinytune {
namespace {

constexpr float kInputScale = 0.58F;
constexpr int kInputZeroPoint = 83;

}  // namespace

// Sum of twelve uniforms: a bell curve without libm, whose last bit may differ between machines.
double UntrainedNetwork::bell() {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += rng_.uniform();
  return sum;
}

std::vector<uint8_t> UntrainedNetwork::bytes_of(const std::vector<int32_t>& values) {
  std::vector<uint8_t> bytes(values.size() * sizeof(int32_t));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

UntrainedNetwork::UntrainedNetwork(std::string name, std::vector<int> input, uint64_t seed,
                                   int samples)
    : rng_(seed) {
  graph_.name = std::move(name);
  current_ = add({.name = "input", .shape = std::move(input)}, kInputScale, kInputZeroPoint);
  graph_.inputs = {current_};
  for (int i = 0; i < samples; ++i) samples_.push_back(calibration_input(i % 2 == 1));
}

void UntrainedNetwork::output() { graph_.outputs.push_back(current_); }

Graph UntrainedNetwork::finish() && {
  if (graph_.outputs.empty()) output();
  return std::move(graph_);
}

int UntrainedNetwork::add(Tensor tensor, float scale, int zero_point) {
  if (scale > 0) tensor.quantization = {{scale}, {zero_point}, 0};
  return add(std::move(tensor));
}

int UntrainedNetwork::add(Tensor tensor) {
  tensor.id = static_cast<int>(graph_.tensors.size());
  graph_.tensors.push_back(std::move(tensor));
  return graph_.tensors.back().id;
}

void UntrainedNetwork::append(OperatorKind kind, std::vector<int> inputs, Attributes attributes) {
  graph_.operators.push_back({static_cast<int>(graph_.operators.size()),
                              kind,
                              std::move(inputs),
                              {current_},
                              std::move(attributes)});
}

// Returns uniform noise, or a random walk like a spectrogram, whose neighbours are alike.
UntrainedNetwork::Reals UntrainedNetwork::calibration_input(bool walk) {
  Reals input(static_cast<size_t>(tensor().elements()));
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

// Draws `channels` filters of `taps` weights with one scale each; `real` gets the weights as
// quantised. `stored(channel, tap)`: the weight's index in the tensor.
template <typename Stored>
int UntrainedNetwork::draw_weights(const std::string& name, std::vector<int> shape, int axis,
                                   int channels, int taps, Stored stored,
                                   std::vector<Reals>& real) {
  Tensor tensor{.name = name, .shape = std::move(shape), .is_constant = true};
  tensor.data.resize(static_cast<size_t>(channels) * static_cast<size_t>(taps));
  tensor.quantization.axis = axis;
  real.assign(static_cast<size_t>(channels), Reals(static_cast<size_t>(taps)));
  for (int c = 0; c < channels; ++c) {
    Reals& filter = real[static_cast<size_t>(c)];
    const double spread = std::sqrt(2.0 / taps) * (0.5 + rng_.uniform());
    double largest = 0;
    for (double& w : filter) largest = std::max(largest, std::abs(w = spread * bell()));
    const auto scale = static_cast<float>(largest / 127);
    tensor.quantization.scales.push_back(scale);
    tensor.quantization.zero_points.push_back(0);
    for (int t = 0; t < taps; ++t) {
      double& w = filter[static_cast<size_t>(t)];
      const double q = std::clamp(std::round(w / double{scale}), -127.0, 127.0);
      tensor.data[static_cast<size_t>(stored(c, t))] = static_cast<uint8_t>(static_cast<int8_t>(q));
      w = q * double{scale};
    }
  }
  return add(std::move(tensor));
}

// Draws biases of standard deviation 0.1, in units of input scale * weight scale.
int UntrainedNetwork::draw_bias(const std::string& name, int weights, Reals& real) {
  const std::vector<float> scales = graph_.tensor(weights).quantization.scales;
  std::vector<int32_t> values;
  Quantization units;
  real.clear();
  for (float scale : scales) {
    const double unit = current_scale() * double{scale};
    units.scales.push_back(static_cast<float>(unit));
    units.zero_points.push_back(0);
    values.push_back(static_cast<int32_t>(std::round(0.1 * bell() / unit)));
    real.push_back(values.back() * unit);
  }
  return add({.name = name,
              .type = ElementType::kInt32,
              .shape = {static_cast<int>(values.size())},
              .quantization = std::move(units),
              .is_constant = true,
              .data = bytes_of(values)});
}

void UntrainedNetwork::convolution(const DrawnConvolution& layer) {
  const std::vector<int> in = tensor().shape;
  const int out_c = layer.channels, kh = layer.kernel_h, kw = layer.kernel_w;
  const int in_c = in[3], taps = kh * kw * (layer.depthwise ? 1 : in_c);
  const std::string name = "layer_" + std::to_string(graph_.operators.size());
  std::vector<Reals> filters;
  Reals bias;
  const int weights = layer.depthwise
                          ? draw_weights(
                                name + "/weights", {1, kh, kw, out_c}, 3, out_c, taps,
                                [&](int c, int t) { return t * out_c + c; }, filters)
                          : draw_weights(
                                name + "/weights", {out_c, kh, kw, in_c}, 0, out_c, taps,
                                [&](int c, int t) { return c * taps + t; }, filters);
  const int bias_id = draw_bias(name + "/bias", weights, bias);
  const Window rows = window_of(layer.padding, in[1], kh, layer.stride_h, 1);
  const Window columns = window_of(layer.padding, in[2], kw, layer.stride_w, 1);

  for (Reals& sample : samples_) {
    Reals output;
    for (int oh = 0; oh < rows.extent; ++oh)
      for (int ow = 0; ow < columns.extent; ++ow)
        for (int c = 0; c < out_c; ++c) {
          double sum = bias[static_cast<size_t>(c)];
          for (int t = 0; t < taps; ++t) {
            const int channels = layer.depthwise ? 1 : in_c;
            const int y = oh * layer.stride_h - rows.pad + t / channels / kw;
            const int x = ow * layer.stride_w - columns.pad + t / channels % kw;
            const int i = layer.depthwise ? c : t % channels;
            if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;
            sum += sample[static_cast<size_t>((y * in[2] + x) * in_c + i)] *
                   filters[static_cast<size_t>(c)][static_cast<size_t>(t)];
          }
          output.push_back(layer.linear ? sum : std::max(sum, 0.0));
        }
    sample = std::move(output);
  }
  const int input = current_;
  current_ = add_calibrated({.name = name, .shape = {1, rows.extent, columns.extent, out_c}});
  ConvAttributes attributes{.padding = layer.padding,
                            .activation = layer.linear ? Activation::kNone : Activation::kRelu,
                            .stride_h = layer.stride_h,
                            .stride_w = layer.stride_w,
                            .depth_multiplier = layer.depthwise ? 1 : 0};
  append(layer.depthwise ? OperatorKind::kDepthwiseConv2d : OperatorKind::kConv2d,
         {input, weights, bias_id}, attributes);
}

void UntrainedNetwork::add_to(int earlier, Activation activation) {
  const int input = current_;
  const std::vector<Reals>& others = samples_of_.at(earlier);
  for (size_t s = 0; s < samples_.size(); ++s)
    for (size_t i = 0; i < samples_[s].size(); ++i) {
      samples_[s][i] += others[s][i];
      if (activation == Activation::kRelu) samples_[s][i] = std::max(samples_[s][i], 0.0);
    }
  const std::string name = "sum_" + std::to_string(graph_.operators.size());
  current_ = add_calibrated({.name = name, .shape = tensor().shape});
  append(OperatorKind::kAdd, {earlier, input}, ActivationAttributes{activation});
}

void UntrainedNetwork::continue_from(int earlier) {
  samples_ = samples_of_.at(earlier);
  current_ = earlier;
}

// The range includes zero, because padding needs its exact value.
int UntrainedNetwork::add_calibrated(Tensor tensor) {
  double smallest = 0, largest = 0;
  for (const Reals& sample : samples_) {
    smallest = std::min(smallest, *std::min_element(sample.begin(), sample.end()));
    largest = std::max(largest, *std::max_element(sample.begin(), sample.end()));
  }
  const auto scale = static_cast<float>((largest - smallest) * 1.02 / 255);
  const int id = add(std::move(tensor), scale,
                     static_cast<int>(std::round(-128 - smallest * 1.02 / double{scale})));
  samples_of_[id] = samples_;
  return id;
}

void UntrainedNetwork::pool() {
  const int input = current_, h = tensor().shape[1], w = tensor().shape[2],
            channels = tensor().shape[3];
  for (Reals& sample : samples_) {
    Reals mean(static_cast<size_t>(channels), 0);
    for (size_t i = 0; i < sample.size(); ++i)
      mean[i % static_cast<size_t>(channels)] += sample[i] / (h * w);
    sample = std::move(mean);
  }
  current_ =
      add({.name = "pool", .shape = {1, 1, 1, channels}, .quantization = tensor().quantization});
  append(OperatorKind::kAveragePool2d, {input},
         PoolAttributes{.stride_h = h, .stride_w = w, .filter_h = h, .filter_w = w});
}

void UntrainedNetwork::max_pool(int filter, int stride) {
  const int input = current_, h = tensor().shape[1], w = tensor().shape[2],
            channels = tensor().shape[3];
  const int out_h = (h + stride - 1) / stride, out_w = (w + stride - 1) / stride;
  const auto before = [&](int out, int extent) {  // as in Padding::kSame
    return std::max(0, (out - 1) * stride + filter - extent) / 2;
  };
  const int top = before(out_h, h), left = before(out_w, w);
  for (Reals& sample : samples_) {
    Reals most(static_cast<size_t>(out_h * out_w * channels));
    for (int y = 0; y < out_h; ++y)
      for (int x = 0; x < out_w; ++x)
        for (int c = 0; c < channels; ++c) {
          double& value = most[static_cast<size_t>((y * out_w + x) * channels + c)];
          value = -std::numeric_limits<double>::infinity();
          for (int v = std::max(0, y * stride - top); v < std::min(h, y * stride - top + filter);
               ++v)
            for (int u = std::max(0, x * stride - left);
                 u < std::min(w, x * stride - left + filter); ++u)
              value = std::max(value, sample[static_cast<size_t>((v * w + u) * channels + c)]);
        }
    sample = std::move(most);
  }
  current_ = add({.name = "max_pool",
                  .shape = {1, out_h, out_w, channels},
                  .quantization = tensor().quantization});
  append(OperatorKind::kMaxPool2d, {input},
         PoolAttributes{.padding = Padding::kSame,
                        .stride_h = stride,
                        .stride_w = stride,
                        .filter_h = filter,
                        .filter_w = filter});
}

// PAD writes the input's zero point, so the scale is the input's too.
void UntrainedNetwork::pad_channels(int channels) {
  const int input = current_;
  std::vector<int> shape = tensor().shape;
  const auto had = static_cast<size_t>(shape[3]), has = static_cast<size_t>(channels);
  for (Reals& sample : samples_) {
    Reals wider(sample.size() / had * has, 0);
    for (size_t i = 0; i < sample.size(); ++i) wider[i / had * has + i % had] = sample[i];
    sample = std::move(wider);
  }
  const int pads = add({.name = "paddings",
                        .type = ElementType::kInt32,
                        .shape = {4, 2},
                        .is_constant = true,
                        .data = bytes_of({0, 0, 0, 0, 0, 0, 0, channels - shape[3]})});
  shape[3] = channels;
  current_ = add({.name = "padded",
                  .shape = std::move(shape),
                  .quantization = graph_.tensor(input).quantization});
  append(OperatorKind::kPad, {input, pads}, {});
}

void UntrainedNetwork::reshape() {
  const int input = current_, channels = static_cast<int>(tensor().elements());
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

// The whole layer has one weight scale, as converters write it.
void UntrainedNetwork::classify(int classes) {
  const int input = current_, features = tensor().shape[1];
  Tensor weights{.name = "classes/weights", .shape = {classes, features}, .is_constant = true};
  std::vector<Reals> logits(samples_.size(), Reals(static_cast<size_t>(classes), 0));
  Reals mean(static_cast<size_t>(classes), 0);
  for (int c = 0; c < classes; ++c)
    for (int i = 0; i < features; ++i) {
      const double w = std::clamp(std::round(40 * bell()), -127.0, 127.0);
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
  // Scales logits to a standard deviation of 2; the bias subtracts their mean.
  const auto weight_scale = static_cast<float>(2 / std::sqrt(variance));
  weights.quantization = {{weight_scale}, {0}, 0};
  std::vector<int32_t> bias;
  for (double m : mean) bias.push_back(static_cast<int32_t>(-std::round(m / current_scale())));
  const int weights_id = add(std::move(weights));
  const int bias_id =
      add({.name = "classes/bias",
           .type = ElementType::kInt32,
           .shape = {classes},
           .quantization = {{static_cast<float>(current_scale()) * weight_scale}, {0}, 0},
           .is_constant = true,
           .data = bytes_of(bias)});
  current_ = add({.name = "logits", .shape = {1, classes}},
                 static_cast<float>(largest * double{weight_scale} * 1.2 / 127), 0);
  append(OperatorKind::kFullyConnected, {input, weights_id, bias_id}, ActivationAttributes{});
}

void UntrainedNetwork::softsign() {
  const int input = current_;
  for (Reals& sample : samples_)
    for (double& x : sample) x /= 1 + std::abs(x);
  current_ = add_calibrated({.name = "softsign", .shape = tensor().shape});
  append(OperatorKind::kExternal, {input}, ExternalAttributes{.op = "CUSTOM SoftSign"});
}

void UntrainedNetwork::classify_picture(int classes) {
  pool();
  reshape();
  classify(classes);
}

void UntrainedNetwork::softmax() {
  const int input = current_;
  current_ = add({.name = "probabilities", .shape = tensor().shape}, 1.0F / 256, -128);
  append(OperatorKind::kSoftmax, {input}, SoftmaxAttributes{});
}

}  // namespace tinytune
