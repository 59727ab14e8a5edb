#include "codegen/networks/layer_function.h"

#include <utility>

namespace tinytune {

std::string FunctionBody::address(const ArenaPlace& place, const std::string& type,
                                  BufferAccess access, const std::string& through) {
  const uint32_t moves = place.step * (place.turns - 1);
  uses_.buffers.push_back({place.offset, place.bytes + moves, access});
  std::string at = place.offset == 0 ? "" : " + " + std::to_string(place.offset);
  if (moves > 0) at += " + " + std::string(kTurn) + " * " + std::to_string(place.step);
  const bool is_plain = at.empty() && through.empty();
  return "(" + type + " *)" + (is_plain ? "arena" : through + "(arena" + at + ")");
}

std::string FunctionBody::read_from(const ArenaPlace& place, const std::string& type,
                                    const std::string& through) {
  return address(place, "const " + type, BufferAccess::kRead, through);
}

std::string FunctionBody::written_to(const ArenaPlace& place, const std::string& type,
                                     const std::string& through) {
  return address(place, type, BufferAccess::kWrite, through);
}

std::string FunctionBody::updated_in(const ArenaPlace& place, const std::string& type,
                                     const std::string& through) {
  return address(place, type, BufferAccess::kReadWrite, through);
}

std::string FunctionBody::scratch(const ArenaPlace& place) {
  return address(place, "void", BufferAccess::kReadWrite);
}

const std::string& FunctionBody::constant(const std::string& symbol) {
  add_once(uses_.constants, symbol);
  return symbol;
}

void FunctionBody::call_kernel(const std::string& kernel,
                               const std::vector<std::string>& arguments) {
  add_once(uses_.kernels, kernel);
  std::string list;
  for (const std::string& argument : arguments) list += (list.empty() ? "" : ", ") + argument;
  writer_.line(kernel + "(" + list + ");");
}

void FunctionBody::append(const std::string& statements, const Uses& uses) {
  writer_.raw(statements);
  for (const std::string& symbol : uses.kernels) add_once(uses_.kernels, symbol);
  for (const std::string& symbol : uses.constants) add_once(uses_.constants, symbol);
  for (const std::string& symbol : uses.helpers) add_once(uses_.helpers, symbol);
  uses_.buffers.insert(uses_.buffers.end(), uses.buffers.begin(), uses.buffers.end());
}

LayerFunction FunctionBody::finish(std::string symbol, std::string comment) && {
  return {std::move(symbol), std::move(comment), writer_.text(), std::move(uses_)};
}

}  // namespace tinytune
