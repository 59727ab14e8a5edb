// Operators that tinytune lacks, left to a C function of the user.
//
//   --external CUSTOM:softsign=dsp/softsign.h
//
// The header's stem is the function's name. dsp/softsign.c, if it exists, is its code: it becomes
// part of the library, and its results when built for this machine are the reference. Without it
// the firmware must supply the function; until then a stub that writes zeros replaces it (ADR 77).
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

/// Parses "CUSTOM:name=path/function.h", or a builtin's name before the '='; reads the header and
/// the .c file beside it. kInvalidInput: another form, a stem that cannot name a C function, an
/// operator declared twice. kNotFound: no such header.
Result<std::vector<ExternalDeclaration>> read_externals(std::span<const std::string> options);

/// Returns the function that computes `op`, an operator of this graph.
const ExternalFunction& function_of(const Graph& graph, const ExternalOp& op);

// C texts (external_text.cc).

/// `tinytune_external.h`, which every such function's header includes.
inline constexpr const char* kExternalHeader = "tinytune_external.h";
const char* external_header();
/// Returns C that defines `static const tinytune_operator tinytune_op` and the arrays it points to.
std::string describe_in_c(const ExternalOp& op);
/// Returns a C function of this name that writes zeros to every output.
std::string external_stub(const std::string& function);

/// Runs the function's code on this machine; without code, writes zeros. `inputs` by operand, empty
/// if absent. kNotFound: no C compiler. kFailed: it does not build, exits with an error or writes
/// too few bytes.
Status run_external(const ExternalFunction& function, const ExternalOp& op,
                    std::span<const std::span<const uint8_t>> inputs,
                    std::span<const std::span<uint8_t>> outputs);

}  // namespace tinytune
