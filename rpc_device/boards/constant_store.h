// Constants that a board holds, by digest.
//
// A kernel names its constants when it is loaded. Constants named by the last load(), or added
// since, always stay; of the others, those named longest ago are dropped when room is short.
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
  /// For a load, begin_load() once, then name() each constant. Null: the store lacks it.
  void begin_load() { ++load_; }
  const std::vector<uint8_t>* name(const Digest& digest);
  uint64_t size_bytes() const { return size_bytes_; }

 private:
  struct Kept {
    std::vector<uint8_t> bytes;
    uint64_t load = 0;  ///< number of the last load that named it
  };
  void make_room();

  uint64_t room_bytes_, size_bytes_ = 0, load_ = 0;
  std::map<Digest, Kept> kept_;
};

/// The constants among a kernel's arguments.
struct NamedConstants {
  std::vector<std::vector<uint8_t>> contents;  ///< by argument; empty if it is not a constant
  std::vector<Digest> lacking;                 ///< missing constants, each once
};

/// Begins a load and names its constants. kInvalidInput: the size of one differs from its
/// argument's.
Result<NamedConstants> name_constants(ConstantStore& store, std::span<const Argument> arguments);

}  // namespace tinytune
