// Prints the functions of a network's layers once every decision is made: which kernel, which
// schedule, which place in the arena.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/networks/kernel_set.h"
#include "codegen/networks/layer_function.h"
#include "codegen/operators/constant_pool.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/shared_functions.h"
#include "models/graph.h"
#include "models/integer_op.h"

namespace tinytune {

/// A layer as the printer needs to know it.
struct LayerSite {
  std::string symbol;  ///< of its function
  std::string comment;
  const Operator& op;
};

class LayerPrinter {
 public:
  /// All references outlive the printer. `places` by tensor id; nothing for constants.
  LayerPrinter(std::string network, const Graph& graph,
               std::vector<std::optional<ArenaPlace>> places, ConstantPool& constants,
               SharedFunctions& shared, CoreFacts core)
      : network_(std::move(network)),
        graph_(graph),
        places_(std::move(places)),
        constants_(constants),
        shared_(shared),
        core_(core) {}

  /// One call of the kernel of `op`, and the transposition of its output, if any.
  LayerFunction kernel_layer(const LayerSite& site, const KernelOp& op, const KernelCall& call,
                             const std::optional<ArenaPlace>& scratch);
  /// What an emitter of codegen/operators prints.
  LayerFunction emitted_layer(const LayerSite& site, const IntegerOp& form);

  // The same with given places of operands, e.g. inside a function of several operators.

  struct Operands {
    std::vector<ArenaPlace> inputs;  ///< by input of the operator; ignored for constants
    ArenaPlace output;
    std::optional<ArenaPlace> scratch = {};
  };
  void call_kernel(FunctionBody& body, const LayerSite& site, const KernelCall& call,
                   const Operands& operands);
  /// A separate function: of a kernel or, without `call`, of an emitter.
  LayerFunction placed_layer(const LayerSite& site, const IntegerOp& form,
                             const std::optional<KernelCall>& call, const Operands& operands);
  /// An emitter's statements in a scope of their own.
  void emit(FunctionBody& body, const LayerSite& site, const IntegerOp& form,
            const Operands& operands);

 private:
  const ArenaPlace& place_of(int tensor) const;
  std::string operand(FunctionBody& body, int tensor, const ArenaPlace& place,
                      const std::string& through = "");
  std::vector<ArenaPlace> places_of(const std::vector<int>& tensors) const;
  void print_operator(FunctionBody& body, const LayerSite& site, const IntegerOp& form,
                      const std::vector<ArenaPlace>& inputs,
                      const std::vector<ArenaPlace>& outputs);

  std::string network_;
  const Graph& graph_;
  std::vector<std::optional<ArenaPlace>> places_;
  ConstantPool& constants_;
  SharedFunctions& shared_;
  CoreFacts core_;
};

}  // namespace tinytune
