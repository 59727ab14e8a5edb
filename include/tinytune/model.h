// A model: loaded, checked, and split into tuning tasks.
//
// Loading rewrites the network (graph passes) and makes every check that can refuse a model, so
// that later calls fail only for reasons of their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// An input or output tensor of an operator or of the model.
struct TensorInfo {
  int id = 0;              ///< index in the model file
  std::string name;        ///< as in the file
  std::string type;        ///< "int8", "float32", …
  std::vector<int> shape;  ///< NHWC, outermost first; empty for a scalar
  int64_t bytes = 0;       ///< of the whole tensor
};

/// One operator of the model file.
struct OperatorInfo {
  int index = 0;                            ///< in the model file
  std::string op;                           ///< TFLite's name: "CONV_2D"
  std::vector<TensorInfo> inputs, outputs;  ///< without constants
  int64_t macs = 0;                         ///< multiply-accumulates, those on padding included
  int64_t macs_executed = 0;                ///< after graph passes
  std::optional<int> task;                  ///< index of its task; absent: no template takes it
};

/// Layers that share a workload, and therefore records and a kernel.
struct TaskInfo {
  int index = 0;            ///< for `--tasks` and TuneOptions::tasks
  std::string name;         ///< for people
  std::string workload;     ///< one line: everything that decides which kernels are legal
  std::vector<int> layers;  ///< operators of the task
  int64_t macs = 0;         ///< of one layer
};

/// A model's operators, inputs, outputs and tuning tasks.
struct ModelInfo {
  std::string name;                         ///< a C identifier derived from the file's stem
  std::vector<OperatorInfo> operators;      ///< in execution order
  std::vector<TensorInfo> inputs, outputs;  ///< in the file's order
  std::vector<TaskInfo> tasks;              ///< by index
  int64_t macs = 0, macs_executed = 0;      ///< sums over the operators
  int64_t arena_lower_bound = 0;  ///< largest sum of bytes of tensors alive in one step, all NHWC
};

/// A reason why a well-formed model is not supported.
struct UnsupportedInfo {
  int index = -1;      ///< the operator at fault; -1 for the model as a whole
  std::string op;      ///< TFLite's name
  std::string reason;  ///< in a few words, for people
};

/// A tensor of the model file, whether or not an operator reads it.
struct TensorDetails {
  TensorInfo info;           ///< 0 bytes if its type or shape is not supported
  bool is_constant = false;  ///< the file holds its value
  /// The real value of q is scale * (q - zero point). One scale and zero point per tensor, or one
  /// per index of `axis`; empty if the tensor is not quantised.
  std::vector<float> scales;
  std::vector<int32_t> zero_points;  ///< as many as scales
  int axis = 0;                      ///< axis of per-channel scales
};

/// Contents of a model file, supported or not.
struct Inspection {
  ModelInfo info;                            ///< without tasks if something is unsupported
  std::vector<TensorDetails> tensors;        ///< by id, constants included
  std::vector<UnsupportedInfo> unsupported;  ///< empty: Model::load() accepts the file
  std::string refusal;                       ///< message of Model::load() if it refuses the file
};

/// A rewrite of the network that changes no bit of its outputs.
struct PassInfo {
  std::string name, description;  ///< for `disabled_passes`, and for people
};

/// The graph passes of this version, in the order they run.
std::vector<PassInfo> known_passes();

/// How a model is read and rewritten when it is loaded.
struct LoadOptions {
  /// Names of known_passes() to skip; "all" skips every pass. Passes change tasks and workloads, so
  /// a log made with other passes may not match.
  std::vector<std::string> disabled_passes;
  /// Operators implemented by the caller's C functions: "CUSTOM:softsign=dsp/softsign.h". The
  /// header declares softsign(); dsp/softsign.c, if it exists, defines it. Without it run_model()
  /// fails, and a library's smoke test contains a stub.
  std::vector<std::string> externals;
  /// For an .onnx network of plain integers that are declared float32: types of inputs that cannot
  /// be inferred, "name=uint8", int8 or int32.
  std::vector<std::string> input_types;
  /// For an .onnx network: outputs fed back as inputs of the next inference, "input=output". Both
  /// become state in the arena (zero after NAME_reset()) instead of inputs and outputs of the
  /// network. With equal shapes the output replaces the input. They may differ along one axis: a
  /// longer output is the input followed by new elements, of which the last are kept; a shorter one
  /// holds only the new elements, which are appended to the rest of the input.
  std::vector<std::string> states;
};

/// Reads all information of a model file, supported or not. kNotFound, kInvalidInput: as
/// Model::load().
Result<Inspection> inspect_model(const std::string& path, const LoadOptions& options = {});

/// A loaded model. Cheap to copy; copies share one immutable model. Thread-safe.
class Model {
 public:
  /// Reads a .tflite file, C source that holds one in an array, or a quantised .onnx file.
  /// kNotFound: no such file. kInvalidInput: another format, or damaged; an unknown pass; or an
  /// operator in `externals` that the model does not have. kUnsupported: operators or types that
  /// this version does not support; the message lists all of them.
  static Result<Model> load(const std::string& path, const LoadOptions& options = {});

  const std::string& path() const;  ///< path it was loaded from
  const ModelInfo& info() const;    ///< lives as long as any copy of the model

  struct State;  ///< internal to the library
  const State& state() const { return *state_; }

 private:
  friend class Layer;  // the network of one layer (layer.h)
  explicit Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace tinytune
