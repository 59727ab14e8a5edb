// Operators that we lack, left to a C function of the user's.
//
//   --external CUSTOM:softsign=dsp/softsign.h
//
// The header's stem is the function's name. dsp/softsign.c, where there is one, is its code: it
// becomes part of the library, and its meaning is what it computes when it is built for this
// machine. Without it the function is the firmware's to bring; until then a stub of zeros stands in
// (ADR 77).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/graph.h"
#include "models/integer_op.h"
#include "tinytune/result.h"

namespace tinytune {

struct ExternalDeclaration {
  std::string op;  ///< as operators are named in messages: "CUSTOM softsign", "EXP"
  ExternalFunction function;
};

/// "CUSTOM:name=path/function.h", or a builtin's name before the '='. Reads the header, and the C
/// beside it. kInvalidInput: not of that form, a stem that is no name for a C function, an operator
/// declared twice. kNotFound: no such header.
Result<std::vector<ExternalDeclaration>> read_externals(std::span<const std::string> options);

/// The function of an operator of this graph.
const ExternalFunction& function_of(const Graph& graph, const ExternalOp& op);

// C texts (external_text.cc).

/// `tinytune_external.h`, which every such function's header includes.
inline constexpr const char* kExternalHeader = "tinytune_external.h";
const char* external_header();
/// Lines that define `static const tinytune_operator tinytune_op`, and what it points to.
std::string describe_in_c(const ExternalOp& op);
/// A function of this name that leaves zeros in every output.
std::string external_stub(const std::string& function);

/// Runs the function's code on this machine; a stub where there is none. `inputs` by operand,
/// empty where absent. kNotFound: no C compiler. kFailed: it does not build, or ends badly.
Status run_external(const ExternalFunction& function, const ExternalOp& op,
                    std::span<const std::span<const uint8_t>> inputs,
                    std::span<const std::span<uint8_t>> outputs);

}  // namespace tinytune
