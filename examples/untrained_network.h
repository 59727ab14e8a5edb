// Networks with made-up weights, layer by layer: drawn, quantised as TFLite's converter would, and
// calibrated, so that activations use their range and outputs distinguish inputs.
//
// Each layer draws real weights, quantises them, runs calibration inputs through itself in real
// numbers, and chooses its output's scale from the values seen, so that nothing saturates. The last
// layer is centred and scaled, because an untrained one hardly distinguishes inputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "models/graph.h"
#include "models/quantise.h"

namespace tinytune {

/// A convolution to add. `linear`: no activation, so results have both signs.
struct DrawnConvolution {
  int channels = 0, kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  bool depthwise = false, linear = false;
  Padding padding = Padding::kSame;
};

/// Gives the same graph for the same calls on every machine, because it uses only IEEE additions,
/// multiplications, divisions and square roots.
class UntrainedNetwork {
 public:
  /// `input`: NHWC shape with one batch; `samples`: number of calibration inputs, half of them
  /// random walks, like spectrograms and images.
  UntrainedNetwork(std::string name, std::vector<int> input, uint64_t seed, int samples);

  void convolution(const DrawnConvolution& layer);
  /// Adds the last layer's result and `earlier`, which current() returned after a convolution or a
  /// sum.
  void add_to(int earlier, Activation activation = Activation::kNone);
  /// Following layers read `earlier`, as above, instead of the last layer's result.
  void continue_from(int earlier);
  /// Maxima of windows with Padding::kSame: the last ones reach over the border.
  void max_pool(int filter, int stride);
  /// Appends channels of zeros up to `channels`.
  void pad_channels(int channels);
  void reshape();  ///< to one row
  void classify(int classes);
  /// Classifies by the mean of each channel over the picture.
  void classify_picture(int classes);
  void softmax();
  void logistic();
  /// A step of UNIDIRECTIONAL_SEQUENCE_LSTM for an input of [1, 1, features]; calibration treats
  /// its samples as consecutive steps.
  void lstm(int units);
  /// x / (1 + |x|) as a custom operator "SoftSign", which TFLite does not have.
  void softsign();

  int current() const { return current_; }  ///< the tensor that the last layer wrote
  /// Makes the current tensor an output of the network; without any call, the last layer's result
  /// is the output.
  void output();
  Graph finish() &&;

 private:
  using Reals = std::vector<double>;

  struct Gate;

  void pool();
  double bell();
  static std::vector<uint8_t> bytes_of(const std::vector<int32_t>& values);
  int add(Tensor tensor, float scale, int zero_point);
  int add(Tensor tensor);
  void append(OperatorKind kind, std::vector<int> inputs, Attributes attributes);
  int add_calibrated(Tensor tensor);
  const Tensor& tensor() const { return graph_.tensor(current_); }
  double current_scale() const { return tensor().quantization.scales[0]; }
  Reals calibration_input(bool walk);
  template <typename Stored>
  int draw_weights(const std::string& name, std::vector<int> shape, int axis, int channels,
                   int taps, Stored stored, std::vector<Reals>& real);
  /// Draws [rows, columns] weights with one scale; `real` gets their real values.
  int draw_matrix(const std::string& name, int rows, int columns, double spread, Reals& real);
  Gate draw_gate(const std::string& name, int units, double middle);
  int draw_bias(const std::string& name, int weights, Reals& real);

  Rng rng_;
  Graph graph_;
  int current_ = 0;
  std::vector<Reals> samples_;                    // calibration inputs after the layers so far
  std::map<int, std::vector<Reals>> samples_of_;  // the same for earlier tensors
};

}  // namespace tinytune
