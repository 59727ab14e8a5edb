// One scan of a .tflite file gives both its contents and its unsupported parts, so that the two
// cannot disagree: import succeeds exactly when the summary's list of refusals is empty.
//
// Operators are read in execution order, those of other subgraphs at their call. So a graph has one
// list of tensors and one of operators; ids begin with subgraph 0's.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/external_operator.h"
#include "models/graph.h"
#include "models/limits.h"
#include "models/summary.h"
#include "models/tflite/variables.h"
#include "tinytune/result.h"

namespace tinytune {

namespace schema {
struct Model;
struct Operator;
struct SubGraph;
}  // namespace schema

class TfliteScan {
 public:
  /// Keeps references to the model and the declarations.
  TfliteScan(const schema::Model& model, const std::string& name,
             std::span<const ExternalDeclaration> externals);

  /// kInvalidInput: a malformed file. Unsupported parts are listed in the summary.
  Status run();

  Graph graph;
  ModelSummary summary;

 private:
  /// A subgraph being read, once for each call of it.
  struct Frame {
    int subgraph = 0;
    const schema::SubGraph* from = nullptr;
    const Frame* caller = nullptr;
    std::vector<int> ids = {};          ///< ids in the graph, by the subgraph's own
    bool initialises = false;           ///< of a CALL_ONCE
    std::vector<int> initialised = {};  ///< the variables that it assigns
  };
  struct Code {
    int number = 0;
    std::string name;
    std::string custom = {};  ///< a custom operator's own name
  };

  void refuse(int index, std::string name, std::string reason);
  Status note(const Error& error, int index, const std::string& name);
  void refuse_border(const char* which, int id);
  /// Refuses an operator that has a refused tensor, for the same reason.
  bool refuse_tensors_of(const Operator& op, const std::string& name);

  Result<Frame> open(int subgraph);
  Result<int> id_of(const Frame& frame, int id, const std::string& user) const;
  Result<std::vector<int>> ids_of(const Frame& frame, std::vector<int> ids,
                                  const std::string& user) const;
  Status read_inputs(const Frame& main);
  Status read_outputs(const Frame& main);
  Status read_operators(Frame& frame);
  Status read_operator(Frame& frame, const schema::Operator& from);

  // state.cc
  Status place_variables(const Frame& main);
  bool is_resource(int id) const;
  /// Checks that READ_VARIABLE takes handles only, and other operators none. kInvalidInput: not so.
  Status check_handles(const Operator& op, const std::string& label) const;
  Status read_handle(Frame& frame, const schema::Operator& from, Operator op);
  Status read_assignment(Frame& frame, const schema::Operator& from, Operator op);
  Status read_call_once(const Frame& frame, const schema::Operator& from, Operator op);

  // control.cc
  Status read_if(Frame& frame, const schema::Operator& from, const Operator& op);
  Status read_while(Frame& frame, const schema::Operator& from, const Operator& op);
  /// Returns the ids of the results of `op` that a call will compute.
  Result<std::vector<int>> results_of(const Frame& frame, const schema::Operator& from,
                                      const Operator& op) const;
  /// Reads the operators of a subgraph on these inputs; returns its outputs.
  Result<std::vector<int>> call(const Frame& caller, const Operator& op, int subgraph,
                                const std::vector<int>& inputs);
  Status hand_in(Frame& called, int local, int from);
  Status check_condition(const Operator& op, int condition) const;
  Status branch(const Frame& frame, const Operator& op, int subgraph,
                const std::vector<int>& inputs, const std::vector<int>& results);
  Status next_round(const Operator& op, std::vector<int> computed, const std::vector<int>& carried);
  Status copy(int from, int to);
  void mark(OperatorKind kind, std::vector<int> reads);

  Result<Code> code_of(const schema::Operator& from, int index) const;
  const ExternalFunction* external_of(const std::string& name);
  Status check_externals() const;
  Status link(const Frame& frame, const schema::Operator& from, const std::string& label,
              bool is_known, Operator& op);
  Status count_activation(int id);
  Status prepare_operator(const Operator& op);
  /// Adds the operator to the summary.
  void list(const Operator& op, const std::string& name);
  /// Adds the operator listed last to the graph, unless it is unsupported.
  Status take(Operator op, const std::string& name);
  void clear_empty_shapes();
  void describe_tensors();
  void add_tensor(Tensor tensor, TensorSummary summary, std::string unsupported = {},
                  std::optional<Error> malformed = {});

  const schema::Model& model_;
  std::span<const ExternalDeclaration> externals_;
  std::vector<bool> external_is_used_;
  ModelSize size_;
  std::vector<FileVariable> variables_;
  std::vector<bool> was_called_;                 // by subgraph
  std::vector<std::string> refused_;             // by tensor id: why it is unsupported, or empty
  std::vector<std::optional<Error>> malformed_;  // by tensor id
  std::vector<bool> ready_;                      // by tensor id: constant, input or computed so far
  std::vector<bool> is_output_;                  // by tensor id: of the network
  std::vector<bool> is_used_;                    // by tensor id: some operator reads or writes it
};

}  // namespace tinytune
