// Networks with made-up weights, layer by layer: drawn, quantised as TFLite's converter would, and
// calibrated, so that activations use their range and outputs tell inputs apart.
//
// Each layer draws real weights, quantises them, runs calibration inputs through itself in real
// numbers, and chooses its output's scale from the values seen, so that nothing saturates. The last
// layer is centred and spread, since an untrained one barely tells inputs apart.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/rng.h"
#include "models/graph.h"
#include "models/quantise.h"

namespace tinytune {

/// A convolution to add. Linear ones have results of both signs.
struct DrawnConvolution {
  int channels = 0, kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1;
  bool depthwise = false, linear = false;
  Padding padding = Padding::kSame;
};

/// The same graph for the same calls on every machine: only IEEE additions, multiplications,
/// divisions and square roots are used to make it.
class UntrainedNetwork {
 public:
  /// `input` is NHWC with one batch; `samples` inputs calibrate it, half of them random walks as
  /// spectrograms and images are.
  UntrainedNetwork(std::string name, std::vector<int> input, uint64_t seed, int samples);

  void convolution(const DrawnConvolution& layer);
  /// The sum of the last layer's result and `earlier`, which current() returned behind a
  /// convolution or a sum.
  void add_to(int earlier, Activation activation = Activation::kNone);
  /// Layers from here on read `earlier`, as above, instead of the last layer's result.
  void continue_from(int earlier);
  /// The maxima of windows; the last ones reach over the border.
  void max_pool(int filter, int stride);
  /// Zeros behind the channels, until there are so many.
  void pad_channels(int channels);
  void reshape();  ///< to one row
  void classify(int classes);
  /// Of the mean of each channel over the picture.
  void classify_picture(int classes);
  void softmax();
  void logistic();
  /// A step of UNIDIRECTIONAL_SEQUENCE_LSTM on an input of [1, 1, features]; calibration takes its
  /// samples as steps that follow on each other.
  void lstm(int units);
  /// x / (1 + |x|) as a custom operator "SoftSign", which TFLite does not have.
  void softsign();

  int current() const { return current_; }  ///< the tensor that the last layer wrote
  /// The network has this output, and those that are named later; of one without, it is the last
  /// layer's result.
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
  /// [rows, columns] of one scale, in real numbers in `real`.
  int draw_matrix(const std::string& name, int rows, int columns, double spread, Reals& real);
  Gate draw_gate(const std::string& name, int units, double middle);
  int draw_bias(const std::string& name, int weights, Reals& real);

  Rng rng_;
  Graph graph_;
  int current_ = 0;
  std::vector<Reals> samples_;                    // what calibration inputs became
  std::map<int, std::vector<Reals>> samples_of_;  // the same of earlier tensors
};

}  // namespace tinytune
