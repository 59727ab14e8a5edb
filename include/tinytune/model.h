// A model as tinytune sees it: loaded, checked, and cut into tuning tasks.
//
// Loading rewrites the network (graph passes) and does everything that can be refused about a
// model, so that later calls fail only for what they themselves do.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// A tensor at an operator's or the model's border.
struct TensorInfo {
  int id = 0;              ///< index in the model file
  std::string name;        ///< the file's, as it stands there
  std::string type;        ///< "int8", "float32", …
  std::vector<int> shape;  ///< NHWC, outermost first; empty for a scalar
  int64_t bytes = 0;       ///< of the whole tensor
};

/// One operator of the model file.
struct OperatorInfo {
  int index = 0;                            ///< in the model file
  std::string op;                           ///< TFLite's name: "CONV_2D"
  std::vector<TensorInfo> inputs, outputs;  ///< constants left out
  int64_t macs = 0;                         ///< multiply-accumulates, those on padding included
  int64_t macs_executed = 0;                ///< after graph passes
  std::optional<int> task;                  ///< where templates make kernels for it
};

/// Layers that share a workload, and so records and a kernel.
struct TaskInfo {
  int index = 0;            ///< what `--tasks` and TuneOptions::tasks take
  std::string name;         ///< for people
  std::string workload;     ///< one line: everything that decides which kernels are legal
  std::vector<int> layers;  ///< operators that share it
  int64_t macs = 0;         ///< of one layer
};

/// A model's operators, borders and tuning tasks.
struct ModelInfo {
  std::string name;                         ///< a C identifier derived from the file's stem
  std::vector<OperatorInfo> operators;      ///< in execution order
  std::vector<TensorInfo> inputs, outputs;  ///< in the file's order
  std::vector<TaskInfo> tasks;              ///< by index
  int64_t macs = 0, macs_executed = 0;      ///< sums over the operators
  int64_t arena_lower_bound = 0;  ///< the most bytes of tensors alive in one step, all NHWC
};

/// Something that makes a well-formed model unusable here.
struct UnsupportedInfo {
  int index = -1;      ///< the operator at fault; -1 for the model as a whole
  std::string op;      ///< TFLite's name
  std::string reason;  ///< in a few words, for people
};

/// A tensor of the model file, whether or not an operator reads it.
struct TensorDetails {
  TensorInfo info;           ///< with 0 bytes where its type or shape is not supported
  bool is_constant = false;  ///< the file has its value
  /// The value of q is scale * (q - zero point). One of each for the whole tensor, or one for each
  /// index of `axis`; empty where it is not quantised.
  std::vector<float> scales;
  std::vector<int32_t> zero_points;  ///< as many as scales
  int axis = 0;                      ///< that scales go along, where there are several
};

/// All there is to say of a model file.
struct Inspection {
  ModelInfo info;                            ///< without tasks while something is unsupported
  std::vector<TensorDetails> tensors;        ///< by id, constants too
  std::vector<UnsupportedInfo> unsupported;  ///< empty: Model::load() takes the file
  std::string refusal;                       ///< otherwise the message of Model::load()
};

/// A rewrite of the network that changes no bit of its outputs.
struct PassInfo {
  std::string name, description;  ///< for `disabled_passes`, and for people
};

/// The graph passes of this version, in the order they run.
std::vector<PassInfo> known_passes();

/// How a model is rewritten when it is loaded.
struct LoadOptions {
  /// Names of known_passes() to leave out; "all" leaves out every one. Tasks and their workloads
  /// follow from it, so a log made with other passes may not fit.
  std::vector<std::string> disabled_passes;
  /// Operators that are left to C functions of the caller's: "CUSTOM:softsign=dsp/softsign.h". The
  /// header declares softsign(), and dsp/softsign.c is its code where there is one: without it
  /// run_model() refuses, and libraries have a stub in their smoke test.
  std::vector<std::string> externals;
  /// Of an .onnx network of plain integers that are declared float32: the types of inputs that
  /// nothing else says, "name=uint8", int8 or int32.
  std::vector<std::string> input_types;
  /// Of an .onnx network: outputs that are inputs of the next inference, "input=output". Both leave
  /// the network's border and become state in the arena, zero after NAME_reset(). Of equal shapes
  /// the output replaces the input. Along one axis they may differ: a longer output is the input
  /// with new elements behind it, of which the last stay; a shorter one is the new elements alone,
  /// which go behind what is left of the input.
  std::vector<std::string> states;
};

/// Everything about a model file at once, supported or not. kNotFound, kInvalidInput: as
/// Model::load().
Result<Inspection> inspect_model(const std::string& path, const LoadOptions& options = {});

/// Cheap to copy; copies share one immutable model. Thread-safe.
class Model {
 public:
  /// Reads a .tflite file, C source with one in an array, or a quantised .onnx file. kNotFound: no
  /// such file. kInvalidInput: not one, or damaged; or an unknown pass; or an operator in
  /// `externals` that it does not have. kUnsupported: operators or types outside what this version
  /// does; the message lists every one.
  static Result<Model> load(const std::string& path, const LoadOptions& options = {});

  const std::string& path() const;  ///< as it was loaded from
  const ModelInfo& info() const;    ///< lives as long as any copy of the model

  struct State;  ///< the library's own
  const State& state() const { return *state_; }

 private:
  friend class Layer;  // the network of one layer (layer.h)
  explicit Model(std::shared_ptr<const State> state) : state_(std::move(state)) {}
  std::shared_ptr<const State> state_;
};

}  // namespace tinytune
