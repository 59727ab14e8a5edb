// The C function of one layer: its text, and as data what it refers to.
//
// Addresses, kernels and constants are asked of a FunctionBody, which records them as it hands out
// their names. A body may call any number of kernels, in loops of its own.
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

/// Where something lives in the arena. In a loop it may move: by `step` bytes with each of `turns`.
struct ArenaPlace {
  uint32_t offset = 0, bytes = 0;
  uint32_t step = 0, turns = 1;

  bool operator==(const ArenaPlace&) const = default;
};

/// The variable of a loop that moves places.
inline constexpr const char* kTurn = "turn";

class FunctionBody {
 public:
  /// "(const int8_t *)(arena + 64)", for an element type of C; or what C function `through` makes
  /// of that address.
  std::string read_from(const ArenaPlace& place, const std::string& type,
                        const std::string& through = "");
  std::string written_to(const ArenaPlace& place, const std::string& type,
                         const std::string& through = "");
  std::string updated_in(const ArenaPlace& place, const std::string& type,
                         const std::string& through = "");
  /// Memory that is only the function's own while it runs: "(void *)(arena + 64)".
  std::string scratch(const ArenaPlace& place);
  /// The array's symbol.
  const std::string& constant(const std::string& symbol);
  void call_kernel(const std::string& kernel, const std::vector<std::string>& arguments);
  /// What other printers made: statements and what they use.
  void append(const std::string& statements, const Uses& uses);

  /// For declarations and loops; names that are symbols come from the functions above.
  CWriter& writer() { return writer_; }

  LayerFunction finish(std::string symbol, std::string comment) &&;

 private:
  std::string address(const ArenaPlace& place, const std::string& type, BufferAccess access,
                      const std::string& through = "");

  CWriter writer_{1};
  Uses uses_;
};

}  // namespace tinytune
