#include "codegen/operators/shared_functions.h"

#include <algorithm>

namespace tinytune {
namespace {

std::string named(std::string text, const std::string& network) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at))
    text.replace(at, 1, network);
  return text;
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
                         const std::string& attributes) {
  return named(function.comment, network) + "\nstatic " + attributes +
         named(function.declarator, network) + " {" + named(function.body, network) + "}\n";
}

}  // namespace tinytune
