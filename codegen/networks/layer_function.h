// The C function of one layer: its text, and a record of what the text refers to.
//
// Printers get the names of addresses, kernels and constants from a FunctionBody, which records
// each use. A body may call any number of kernels, in loops of its own.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/operators/c_writer.h"
#include "codegen/operators/uses.h"

namespace tinytune {

struct LayerFunction {
  std::string symbol;
  std::string comment;  ///< what it computes, one line
  std::string body;     ///< statements
  Uses uses;
};

/// A range of the arena. In a loop of `turns` iterations it may advance by `step` bytes in each.
struct ArenaPlace {
  uint32_t offset = 0, bytes = 0;
  uint32_t step = 0, turns = 1;

  bool operator==(const ArenaPlace&) const = default;
};

/// The variable of a loop that advances places.
inline constexpr const char* kTurn = "turn";

class FunctionBody {
 public:
  /// Returns "(const int8_t *)(arena + 64)" for a C element type; with `through`, that C function's
  /// result for the address.
  std::string read_from(const ArenaPlace& place, const std::string& type,
                        const std::string& through = "");
  std::string written_to(const ArenaPlace& place, const std::string& type,
                         const std::string& through = "");
  std::string updated_in(const ArenaPlace& place, const std::string& type,
                         const std::string& through = "");
  /// Returns the address of the function's scratch memory: "(void *)(arena + 64)".
  std::string scratch(const ArenaPlace& place);
  /// Records the use of an array; returns its symbol.
  const std::string& constant(const std::string& symbol);
  void call_kernel(const std::string& kernel, const std::vector<std::string>& arguments);
  /// Appends statements of other printers and what they use.
  void append(const std::string& statements, const Uses& uses);

  /// For declarations and loops; symbols must come from the functions above.
  CWriter& writer() { return writer_; }

  LayerFunction finish(std::string symbol, std::string comment) &&;

 private:
  std::string address(const ArenaPlace& place, const std::string& type, BufferAccess access,
                      const std::string& through = "");

  CWriter writer_{1};
  Uses uses_;
};

}  // namespace tinytune
