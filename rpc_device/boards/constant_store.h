// Constants that a board holds, by digest.
//
// Which ones a kernel needs is known when it is loaded. So what the last load() named, and what was
// kept since, always stays; of the rest, what was named the longest ago goes when room is short.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/digest.h"
#include "measure/board.h"
#include "tinytune/result.h"

namespace tinytune {

class ConstantStore {
 public:
  explicit ConstantStore(uint64_t room_bytes) : room_bytes_(room_bytes) {}

  void keep(const Digest& digest, std::span<const uint8_t> bytes);
  /// A load names its constants: begin once, then name each. Null: it is lacking.
  void begin_load() { ++load_; }
  const std::vector<uint8_t>* name(const Digest& digest);
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  struct Kept {
    std::vector<uint8_t> bytes;
    uint64_t load = 0;  ///< the last that named it
  };
  void make_room();

  uint64_t room_bytes_, size_bytes_ = 0, load_ = 0;
  std::map<Digest, Kept> kept_;
};

/// The constants among a kernel's arguments.
struct NamedConstants {
  std::vector<std::vector<uint8_t>> contents;  ///< by argument; empty for what is no constant
  std::vector<Digest> lacking;                 ///< each once
};

/// Begins a load that names them. kInvalidInput: one is of another size than its argument.
Result<NamedConstants> name_constants(ConstantStore& store, std::span<const Argument> arguments);

}  // namespace tinytune
