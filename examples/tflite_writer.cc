#include "examples/tflite_writer.h"

#include <set>

#include "examples/tflite_options.h"
#include "models/operator_kind.h"
#include "models/schema/tflite_subset_generated.h"

namespace tinytune {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

schema::TensorType type_of(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
      return schema::TensorType::INT8;
    case ElementType::kUint8:
      return schema::TensorType::UINT8;
    case ElementType::kInt32:
      return schema::TensorType::INT32;
    case ElementType::kInt16:
      return schema::TensorType::INT16;
    case ElementType::kInt64:
      return schema::TensorType::INT64;
    case ElementType::kFloat32:
      return schema::TensorType::FLOAT32;
    case ElementType::kBool:
      return schema::TensorType::BOOL;
    case ElementType::kInt4:
      return schema::TensorType::INT4;
  }
  return schema::TensorType::STRING;
}

constexpr int kCustom = 32;  // TFLite's code for custom operators

int code_of(OperatorKind kind) {
  switch (kind) {
#define OPERATOR(kind, name, code, ...) \
  case OperatorKind::k##kind:           \
    return code;
#include "models/operators.inc"
#undef OPERATOR
    case OperatorKind::kExternal:
      return kCustom;
    default:
      return -1;
  }
}

// Returns the data as TFLite stores them: int4 as two per byte, the low half first.
std::vector<uint8_t> stored(const Tensor& tensor) {
  if (tensor.type != ElementType::kInt4) return tensor.data;
  std::vector<uint8_t> packed((tensor.data.size() + 1) / 2);
  for (size_t i = 0; i < tensor.data.size(); ++i)
    packed[i / 2] |= static_cast<uint8_t>((tensor.data[i] & 15) << (i % 2 * 4));
  return packed;
}

Options no_options() { return {}; }

// Tensors of a subgraph, buffers and operators as they are added to a model.
class ModelWriter {
 public:
  explicit ModelWriter(const Graph& graph) : graph_(graph), buffer_(graph.tensors.size(), 0) {
    for (const Operator& op : graph.operators)
      if (op.kind == OperatorKind::kVarHandle)
        handles_.insert(op.outputs.begin(), op.outputs.end());
  }

  std::vector<uint8_t> write() &&;

 private:
  Offset<schema::Tensor> write_tensor(const Tensor& tensor);
  /// A variable's tensor is a handle, which has neither type nor shape.
  Offset<schema::Tensor> write_handle(const Tensor& variable);
  /// `options` writes the options, after the operator's code.
  template <typename WriteOptions>
  Offset<schema::Operator> write_operator(OperatorKind kind, const std::vector<int>& inputs,
                                          const std::vector<int>& outputs, WriteOptions options,
                                          const ExternalAttributes* custom = nullptr);
  Offset<schema::Operator> write_operator(const Operator& op);
  Options name_of_variable(int variable);
  /// Adds the subgraph that sets the variables' first values; returns its index.
  int write_initialisation(const std::vector<int>& variables);

  // Operators between marks (models/control_flow.h) become subgraphs of their own, in which tensors
  // have the ids that they have in the graph.
  struct Steps {
    size_t begin = 0, end = 0;
  };
  Offset<schema::SubGraph> write_subgraph(const std::string& name, Steps steps,
                                          const std::vector<int>& inputs,
                                          const std::vector<int>& outputs);
  int add_subgraph(const std::string& name, Steps steps, const std::vector<int>& inputs,
                   const std::vector<int>& outputs);
  std::vector<Offset<schema::Operator>> write_operators(Steps steps);
  Offset<schema::Operator> write_if(Steps steps);
  Offset<schema::Operator> write_while(Steps steps);
  const Operator& op(size_t step) const { return graph_.operators[step]; }
  /// The first mark of this kind after `step` that belongs to the same IF or WHILE.
  size_t mark_behind(size_t step, OperatorKind kind) const;
  /// The steps without the COPYs at their end.
  Steps before_copies(Steps steps) const;
  std::vector<int> read_from_outside(Steps steps) const;
  /// Tensor ids as the operators name them: there may be no such tensor.
  std::set<int> used_in(Steps steps) const;

  const Graph& graph_;
  std::set<int> handles_;         // tensor ids
  std::vector<uint32_t> buffer_;  // by tensor id; 0: none yet
  FlatBufferBuilder b_;
  std::vector<Offset<schema::Buffer>> buffers_ = {schema::CreateBuffer(b_)};
  std::vector<Offset<schema::OperatorCode>> codes_;
  std::vector<Offset<schema::SubGraph>> called_;
};

Offset<schema::Tensor> ModelWriter::write_tensor(const Tensor& tensor) {
  uint32_t& buffer = buffer_[static_cast<size_t>(tensor.id)];
  if (tensor.is_constant && buffer == 0) {
    buffer = static_cast<uint32_t>(buffers_.size());
    const std::vector<uint8_t> data = stored(tensor);
    b_.ForceVectorAlignment(data.size(), 1, 16);
    buffers_.push_back(schema::CreateBuffer(b_, b_.CreateVector(data)));
  }
  Offset<schema::Quantization> quantization;
  if (!tensor.quantization.scales.empty()) {
    const auto& q = tensor.quantization;
    const std::vector<int64_t> zero_points(q.zero_points.begin(), q.zero_points.end());
    const auto scales = b_.CreateVector(q.scales);
    quantization = schema::CreateQuantization(b_, scales, b_.CreateVector(zero_points), 0, q.axis);
  }
  const auto name = b_.CreateString(tensor.name);
  return schema::CreateTensor(b_, b_.CreateVector(tensor.shape), type_of(tensor.type),
                              tensor.is_constant ? buffer : 0, name, quantization,
                              tensor.is_variable);
}

Offset<schema::Tensor> ModelWriter::write_handle(const Tensor& variable) {
  const auto name = b_.CreateString(variable.name);
  return schema::CreateTensor(b_, b_.CreateVector(std::vector<int>()), schema::TensorType::RESOURCE,
                              0, name);
}

template <typename WriteOptions>
Offset<schema::Operator> ModelWriter::write_operator(OperatorKind kind,
                                                     const std::vector<int>& inputs,
                                                     const std::vector<int>& outputs,
                                                     WriteOptions options,
                                                     const ExternalAttributes* custom) {
  const int code = code_of(kind);
  const std::string name =
      custom != nullptr ? custom->op.substr(custom->op.find(' ') + 1) : std::string(name_of(kind));
  codes_.push_back(schema::CreateOperatorCode(
      b_, static_cast<int8_t>(code), code == kCustom ? b_.CreateString(name) : 0, 1, code));
  const Options written = options();
  const auto input_vector = b_.CreateVector(inputs), output_vector = b_.CreateVector(outputs);
  return schema::CreateOperator(b_, static_cast<uint32_t>(codes_.size() - 1), input_vector,
                                output_vector, written.type, written.table,
                                custom == nullptr ? 0 : b_.CreateVector(custom->options));
}

Options ModelWriter::name_of_variable(int variable) {
  const auto container = b_.CreateString(""), name = b_.CreateString(graph_.tensor(variable).name);
  return {schema::BuiltinOptions::VarHandleOptions,
          schema::CreateVarHandleOptions(b_, container, name).Union()};
}

int ModelWriter::write_initialisation(const std::vector<int>& variables) {
  std::vector<Offset<schema::Tensor>> tensors;
  std::vector<Offset<schema::Operator>> operators;
  for (const int id : variables) {
    Tensor value = graph_.tensor(id);
    value.is_variable = false;
    value.is_constant = true;
    const int handle = static_cast<int>(tensors.size());
    tensors.push_back(write_handle(value));
    tensors.push_back(write_tensor(value));
    operators.push_back(write_operator(OperatorKind::kVarHandle, {}, {handle},
                                       [&] { return name_of_variable(id); }));
    operators.push_back(
        write_operator(OperatorKind::kAssignVariable, {handle, handle + 1}, {}, no_options));
  }
  const auto none = b_.CreateVector(std::vector<int>());
  const auto tensor_vector = b_.CreateVector(tensors);
  called_.push_back(schema::CreateSubGraph(b_, tensor_vector, none, none,
                                           b_.CreateVector(operators), b_.CreateString("init")));
  return static_cast<int>(called_.size());
}

Offset<schema::Operator> ModelWriter::write_operator(const Operator& op) {
  switch (op.kind) {
    case OperatorKind::kVarHandle:
      return write_operator(op.kind, {}, op.outputs,
                            [&] { return name_of_variable(op.outputs[0]); });
    case OperatorKind::kAssignVariable:  // in the file the variable is an input
      return write_operator(op.kind, {op.outputs[0], op.inputs[0]}, {}, no_options);
    case OperatorKind::kCallOnce: {
      const int subgraph = write_initialisation(op.outputs);
      return write_operator(op.kind, {}, {}, [&] {
        return Options{schema::BuiltinOptions::CallOnceOptions,
                       schema::CreateCallOnceOptions(b_, subgraph).Union()};
      });
    }
    default:
      return write_operator(
          op.kind, op.inputs, op.outputs, [&] { return write_options(b_, op.kind, op.attributes); },
          std::get_if<ExternalAttributes>(&op.attributes));
  }
}

size_t ModelWriter::mark_behind(size_t step, OperatorKind kind) const {
  for (int depth = 0; ++step < graph_.operators.size();) {
    const OperatorKind here = op(step).kind;
    if (depth == 0 && here == kind) return step;
    if (here == OperatorKind::kIf || here == OperatorKind::kWhile) ++depth;
    if (here == OperatorKind::kEndIf || here == OperatorKind::kEndWhile) --depth;
  }
  return step;
}

ModelWriter::Steps ModelWriter::before_copies(Steps steps) const {
  while (steps.end > steps.begin && op(steps.end - 1).kind == OperatorKind::kCopy) --steps.end;
  return steps;
}

std::vector<int> ModelWriter::read_from_outside(Steps steps) const {
  std::vector<bool> known(graph_.tensors.size(), false);
  std::vector<int> ids;
  for (size_t step = steps.begin; step < steps.end; ++step) {
    for (const int id : op(step).inputs) {
      if (id < 0 || known[static_cast<size_t>(id)]) continue;
      known[static_cast<size_t>(id)] = true;
      const Tensor& t = graph_.tensor(id);
      if (!t.is_constant && !t.is_variable) ids.push_back(id);
    }
    for (const int id : op(step).outputs) known[static_cast<size_t>(id)] = true;
  }
  return ids;
}

std::set<int> ModelWriter::used_in(Steps steps) const {
  std::set<int> used;
  for (size_t step = steps.begin; step < steps.end; ++step)
    for (const auto* ids : {&op(step).inputs, &op(step).outputs})
      used.insert(ids->begin(), ids->end());
  return used;
}

Offset<schema::Operator> ModelWriter::write_if(Steps steps) {
  const Steps then{steps.begin + 1, mark_behind(steps.begin, OperatorKind::kElse)};
  const Steps otherwise{then.end + 1, steps.end};
  std::vector<int> inputs = read_from_outside({then.begin, steps.end});
  // A constant result is not passed in: it belongs to the branch's subgraph.
  const auto side = [&](const std::string& name, Steps all) {
    const Steps own = before_copies(all);
    std::vector<int> outputs;
    for (size_t step = own.end; step < all.end; ++step) outputs.push_back(op(step).inputs[0]);
    return add_subgraph(name, own, inputs, outputs);
  };
  const int then_index = side("then", then), else_index = side("else", otherwise);
  std::vector<int> results;
  for (size_t step = before_copies(then).end; step < then.end; ++step)
    results.push_back(op(step).outputs[0]);
  inputs.insert(inputs.begin(), op(steps.begin).inputs[0]);
  return write_operator(OperatorKind::kIf, inputs, results, [&] {
    return Options{schema::BuiltinOptions::IfOptions,
                   schema::CreateIfOptions(b_, then_index, else_index).Union()};
  });
}

// `steps` begin with the COPYs before the WHILE.
Offset<schema::Operator> ModelWriter::write_while(Steps steps) {
  std::vector<int> inputs, carried;
  size_t begin = steps.begin;
  for (; op(begin).kind == OperatorKind::kCopy; ++begin) {
    inputs.push_back(op(begin).inputs[0]);
    carried.push_back(op(begin).outputs[0]);
  }
  const size_t turn = mark_behind(begin, OperatorKind::kDo);
  const Steps body{turn + 1, steps.end}, own = before_copies(body);
  std::vector<int> computed = carried;
  for (size_t step = own.end; step < body.end; ++step)
    for (size_t i = 0; i < carried.size(); ++i)
      if (carried[i] == op(step).outputs[0]) computed[i] = op(step).inputs[0];
  const int condition_index =
      add_subgraph("condition", {begin + 1, turn}, carried, {op(turn).inputs[0]});
  const int body_index = add_subgraph("body", own, carried, computed);
  return write_operator(OperatorKind::kWhile, inputs, carried, [&] {
    return Options{schema::BuiltinOptions::WhileOptions,
                   schema::CreateWhileOptions(b_, condition_index, body_index).Union()};
  });
}

std::vector<Offset<schema::Operator>> ModelWriter::write_operators(Steps steps) {
  std::vector<Offset<schema::Operator>> operators;
  for (size_t step = steps.begin; step < steps.end; ++step) {
    if (op(step).kind == OperatorKind::kIf) {
      const size_t end = mark_behind(step, OperatorKind::kEndIf);
      operators.push_back(write_if({step, end}));
      step = end;
    } else if (op(step).kind == OperatorKind::kCopy) {
      size_t loop = step;
      while (op(loop).kind == OperatorKind::kCopy) ++loop;
      const size_t end = mark_behind(loop, OperatorKind::kEndWhile);
      operators.push_back(write_while({step, end}));
      step = end;
    } else {
      operators.push_back(write_operator(op(step)));
    }
  }
  return operators;
}

Offset<schema::SubGraph> ModelWriter::write_subgraph(const std::string& name, Steps steps,
                                                     const std::vector<int>& inputs,
                                                     const std::vector<int>& outputs) {
  std::set<int> used = used_in(steps);
  used.insert(outputs.begin(), outputs.end());
  const bool is_all = steps.begin == 0 && steps.end == graph_.operators.size();
  std::vector<Offset<schema::Tensor>> tensors;
  for (Tensor tensor : graph_.tensors) {
    if (handles_.contains(tensor.id)) {
      tensors.push_back(write_handle(tensor));
      continue;
    }
    if (!used.contains(tensor.id) && !is_all) tensor.is_constant = tensor.is_variable = false;
    tensors.push_back(write_tensor(tensor));
  }
  const auto operators = write_operators(steps);
  const auto input_vector = b_.CreateVector(inputs), output_vector = b_.CreateVector(outputs);
  const auto tensor_vector = b_.CreateVector(tensors);
  return schema::CreateSubGraph(b_, tensor_vector, input_vector, output_vector,
                                b_.CreateVector(operators), b_.CreateString(name));
}

int ModelWriter::add_subgraph(const std::string& name, Steps steps, const std::vector<int>& inputs,
                              const std::vector<int>& outputs) {
  const auto subgraph = write_subgraph(name, steps, inputs, outputs);
  called_.push_back(subgraph);
  return static_cast<int>(called_.size());
}

std::vector<uint8_t> ModelWriter::write() && {
  const auto main =
      write_subgraph("main", {0, graph_.operators.size()}, graph_.inputs, graph_.outputs);
  const auto code_vector = b_.CreateVector(codes_);
  called_.insert(called_.begin(), main);
  const auto subgraphs = b_.CreateVector(called_);
  const auto description = b_.CreateString("made by tinytune's examples");
  schema::FinishModelBuffer(b_, schema::CreateModel(b_, 3, code_vector, subgraphs, description,
                                                    b_.CreateVector(buffers_)));
  return {b_.GetBufferPointer(), b_.GetBufferPointer() + b_.GetSize()};
}

}  // namespace

std::vector<uint8_t> write_tflite(const Graph& graph) { return ModelWriter(graph).write(); }

}  // namespace tinytune
