#include "codegen/networks/layer_printer.h"

#include "base/check.h"
#include "codegen/operators/operator_emitter.h"
#include "codegen/operators/run_transposition_text.h"

namespace tinytune {
namespace {

CType array_type(ElementType type) {
  switch (type) {
    case ElementType::kInt8:
    case ElementType::kInt4:
      return CType::kInt8;
    case ElementType::kUint8:
    case ElementType::kBool:
      return CType::kUint8;
    case ElementType::kInt16:
      return CType::kInt16;
    case ElementType::kInt32:
      return CType::kInt32;
    case ElementType::kInt64:
      return CType::kInt64;
    case ElementType::kFloat32:
      break;
  }
  return CType::kFloat;
}

// Hides an address from compilers. If loads cannot reach it from the arena's start, they would keep
// a pointer for each element of an unrolled loop, and increment each of them.
const SharedFunction kPlace = {
    "place",
    "/* Returns `at`, which compilers then take as one pointer instead of many offsets. */",
    "void *@_place(unsigned char *at)",
    R"(
#if defined(__GNUC__)
  __asm__("" : "+r"(at));
#endif
  return at;
)",
    {}};

}  // namespace

const ArenaPlace& LayerPrinter::place_of(int tensor) const {
  const auto& place = places_.at(static_cast<size_t>(tensor));
  TT_CHECK(place.has_value(), "tensor " + std::to_string(tensor) + " is not in the arena");
  return *place;
}

std::vector<ArenaPlace> LayerPrinter::places_of(const std::vector<int>& tensors) const {
  std::vector<ArenaPlace> places(tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i] >= 0 && !graph_.tensor(tensors[i]).is_constant) places[i] = place_of(tensors[i]);
  return places;
}

// The address of an operand's first element as a C expression.
std::string LayerPrinter::operand(FunctionBody& body, int tensor, const ArenaPlace& place,
                                  const std::string& through) {
  const Tensor& t = graph_.tensor(tensor);
  if (!t.is_constant) return body.read_from(place, c_type_of(t.type), through);
  return body.constant(
      constants_.add(network_ + "_tensor_" + std::to_string(tensor), array_type(t.type), t.data));
}

void LayerPrinter::call_kernel(FunctionBody& body, const LayerSite& site, const KernelCall& call,
                               const Operands& operands) {
  std::vector<std::string> arguments = {operand(body, site.op.inputs[0], operands.inputs.at(0))};
  for (size_t i = 0; i < call.constants.size(); ++i) {
    const std::optional<IndexedArgument>& indexed = call.indexed[i];
    if (!indexed) {
      arguments.push_back(body.constant(call.constants[i]));
      continue;
    }
    const ArenaPlace place{operands.scratch->offset + indexed->offset, indexed->bytes};
    arguments.push_back(decode_argument(body, *indexed, place, network_, shared_));
  }
  if (call.takes_scratch) arguments.push_back(body.scratch(*operands.scratch));
  arguments.push_back(body.written_to(operands.output, "int8_t"));
  body.call_kernel(call.symbol, arguments);
}

LayerFunction LayerPrinter::kernel_layer(const LayerSite& site, const KernelOp& op,
                                         const KernelCall& call,
                                         const std::optional<ArenaPlace>& scratch) {
  FunctionBody body;
  const ArenaPlace& output = place_of(site.op.outputs[0]);
  call_kernel(body, site, call, {places_of(site.op.inputs), output, scratch});
  if (op.transposes) {
    const RunCycles cycles(*op.transposes);
    print_run_transposition(
        body.writer(), *op.transposes, cycles,
        body.constant(constants_.add(site.symbol + "_cycles", cycles.type, cycles.bytes)),
        body.updated_in(output, "void"));
  }
  return std::move(body).finish(site.symbol, site.comment);
}

void LayerPrinter::print_operator(FunctionBody& body, const LayerSite& site, const IntegerOp& form,
                                  const std::vector<ArenaPlace>& inputs,
                                  const std::vector<ArenaPlace>& outputs) {
  EmitContext::Site names{network_, site.symbol, {}, core_};
  for (const int id : site.op.inputs)
    names.input_is_constant.push_back(id < 0 || graph_.tensor(id).is_constant);
  EmitContext context(std::move(names), constants_, shared_);
  const std::string statements = emit_operator(form, context);
  if (core_.is_rv32) shared_.need(kPlace);
  const std::string through = core_.is_rv32 ? symbol_of(kPlace, network_) : "";
  for (size_t i = 0; i < site.op.inputs.size(); ++i) {
    if (!context.inputs_used()[i]) continue;  // folded into the text
    const int id = site.op.inputs[i];
    if (graph_.tensor(id).is_variable) {  // read and written
      const std::string type = c_type_of(graph_.tensor(id).type);
      body.writer().line(type + " *" + context.input(i) + " = " +
                         body.updated_in(inputs[i], type, through) + ";");
      continue;
    }
    const std::string address = operand(body, id, inputs[i], through);
    body.writer().line(std::string("const ") + c_type_of(graph_.tensor(id).type) + " *" +
                       context.input(i) + " = " + address + ";");
  }
  for (size_t i = 0; i < site.op.outputs.size(); ++i) {
    const std::string type = c_type_of(graph_.tensor(site.op.outputs[i]).type);
    const std::string address = body.written_to(outputs[i], type, through);
    body.writer().line(type + " *" + context.output(i) + " = " + address + ";");
  }
  body.append(statements, context.uses());
}

void LayerPrinter::emit(FunctionBody& body, const LayerSite& site, const IntegerOp& form,
                        const Operands& operands) {
  body.writer().open("");
  print_operator(body, site, form, operands.inputs, {operands.output});
  body.writer().close();
}

LayerFunction LayerPrinter::placed_layer(const LayerSite& site, const IntegerOp& form,
                                         const std::optional<KernelCall>& call,
                                         const Operands& operands) {
  FunctionBody body;
  if (call)
    call_kernel(body, site, *call, operands);
  else
    print_operator(body, site, form, operands.inputs, {operands.output});
  return std::move(body).finish(site.symbol, site.comment);
}

LayerFunction LayerPrinter::emitted_layer(const LayerSite& site, const IntegerOp& form) {
  FunctionBody body;
  print_operator(body, site, form, places_of(site.op.inputs), places_of(site.op.outputs));
  return std::move(body).finish(site.symbol, site.comment);
}

}  // namespace tinytune
