#include "models/external_operator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/check.h"
#include "base/files.h"
#include "models/operators/operator_view.h"

namespace tinytune {
namespace {

constexpr uint64_t kMostSourceBytes = 1 << 20;

Error invalid(const std::string& option, const std::string& why) {
  return Error(ErrorCode::kInvalidInput, fmt::format("--external {}: {}", option, why));
}

// Returns whether `name` is a C name that cannot clash with the caller's operands or our own types.
bool is_function_name(std::string_view name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0 || name[0] == '_')
    return false;
  for (const std::string_view ours : {"tinytune", "input", "output", "arena"})
    if (name.starts_with(ours)) return false;
  return std::all_of(name.begin(), name.end(), is_word);
}

Result<std::string> read_text(const std::string& path) {
  TT_TRY_ASSIGN(const std::vector<uint8_t> bytes, read_file(path, kMostSourceBytes));
  return std::string(text_of(bytes));
}

Result<ExternalDeclaration> read_external(const std::string& option) {
  const size_t equals = option.rfind('=');
  if (equals == std::string::npos || equals == 0 || !option.ends_with(".h"))
    return invalid(option, "write OPERATOR=function.h, as in CUSTOM:softsign=softsign.h");
  ExternalDeclaration declaration;
  declaration.op = option.substr(0, equals);
  if (declaration.op.starts_with("CUSTOM:")) declaration.op[6] = ' ';
  const std::filesystem::path header = option.substr(equals + 1);
  ExternalFunction& function = declaration.function;
  function.name = header.stem();
  if (!is_function_name(function.name))
    return invalid(option, "the header's name is the function's, and " + function.name +
                               " is none for it; call it as in softsign.h");
  auto text = read_text(header);
  if (!text) return text.error().within("--external " + option);
  function.header = std::move(text).value();
  const std::filesystem::path source = std::filesystem::path(header).replace_extension(".c");
  if (!std::filesystem::exists(source)) return declaration;
  text = read_text(source);
  if (!text) return text.error().within("--external " + option);
  function.source = std::move(text).value();
  return declaration;
}

ExternalOp::Operand operand_of(const Tensor& tensor) {
  ExternalOp::Operand operand{false, tensor.type, tensor.shape, tensor.quantization,
                              tensor.bytes()};
  operand.quantization.zero_points.resize(operand.quantization.scales.size());
  return operand;
}

}  // namespace

Result<std::vector<ExternalDeclaration>> read_externals(std::span<const std::string> options) {
  std::vector<ExternalDeclaration> declarations;
  for (const std::string& option : options) {
    TT_TRY_ASSIGN(ExternalDeclaration read, read_external(option));
    for (const ExternalDeclaration& other : declarations) {
      if (other.op == read.op) return invalid(option, "this operator has a function already");
      if (other.function.name == read.function.name &&
          other.function.header != read.function.header)
        return invalid(option, "another header is called that, and so is its function");
    }
    declarations.push_back(std::move(read));
  }
  return declarations;
}

const ExternalFunction& function_of(const Graph& graph, const ExternalOp& op) {
  const auto found = std::find_if(graph.externals.begin(), graph.externals.end(),
                                  [&](const ExternalFunction& f) { return f.name == op.function; });
  TT_CHECK(found != graph.externals.end(), "import lists the functions of its operators");
  return *found;
}

Result<IntegerOp> prepare_external(const OperatorView& view) {
  const auto& attributes = std::get<ExternalAttributes>(view.op().attributes);
  ExternalOp op{attributes.function, {}, {}, attributes.options};
  bool computed = false;
  for (size_t i = 0; i < view.inputs(); ++i) {
    op.inputs.emplace_back().is_absent = true;
    if (!view.has_input(i)) continue;
    const Tensor& tensor = view.input(i);
    if (tensor.is_variable)
      return view.unsupported(describe(tensor) + " is state, which no function of yours may keep");
    computed = computed || !tensor.is_constant;
    op.inputs.back() = operand_of(tensor);
  }
  if (!computed) return view.unsupported("all it reads is constant");
  for (size_t i = 0; i < view.outputs(); ++i) op.outputs.push_back(operand_of(view.output(i)));
  return IntegerOp(std::move(op));
}

}  // namespace tinytune
