#include "cli/command.h"

namespace tinytune {

std::string default_of(const Option& option) {
  if (option.required) return "required";
  return std::holds_alternative<bool Arguments::*>(option.field) ? "off" : option.otherwise;
}

}  // namespace tinytune
