#include "codegen/operators/shared_functions.h"

#include <algorithm>

namespace tinytune {
namespace {

std::string named(std::string text, const std::string& network) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, network);
  return text;
}

/// A function's head, its parameters below each other.
std::string head_of(const std::string& specifiers, const std::string& declarator) {
  const size_t column = specifiers.size() + declarator.find('(') + 1;
  std::string head = specifiers;
  for (size_t at = 0; at < declarator.size();) {
    const size_t end = std::min(declarator.find('\n', at), declarator.size());
    head += (at == 0 ? "" : "\n" + std::string(column, ' ')) + declarator.substr(at, end - at);
    at = std::min(declarator.find_first_not_of(" \n", end), declarator.size());
  }
  return head;
}

}  // namespace

void SharedFunctions::need(const SharedFunction& function) {
  if (std::find(functions_.begin(), functions_.end(), &function) != functions_.end()) return;
  for (const SharedFunction* callee : function.calls) need(*callee);
  functions_.push_back(&function);
}

std::string symbol_of(const SharedFunction& function, const std::string& network) {
  return network + "_" + function.name;
}

std::string print_shared(const SharedFunction& function, const std::string& network,
                         const std::string& attributes, const std::string& apart) {
  return named(function.comment, network) + "\n" +
         head_of("static " + (function.stays_apart ? apart : attributes),
                 named(function.declarator, network)) +
         " {" + named(function.body, network) + "}\n";
}

}  // namespace tinytune
