// Numbers and byte strings one after another, for messages between processes of one program.
//
// Host byte order and no version: both ends are the same executable, one forked from the other.
// What crosses a wire has a schema (rpc_device/).
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace tinytune {

class ByteWriter {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> ByteWriter& add(T value) {
    const auto* at = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), at, at + sizeof value);
    return *this;
  }
  template <typename Bytes>
  requires(sizeof(typename Bytes::value_type) == 1) ByteWriter& add(const Bytes& bytes) {
    add(static_cast<uint64_t>(bytes.size()));
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return *this;
  }
  std::vector<uint8_t> take() { return std::move(bytes_); }

 private:
  std::vector<uint8_t> bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::span<const uint8_t> bytes) : left_(bytes) {}

  template <typename T>
  void get(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      std::memcpy(&value, take(sizeof value).data(), sizeof value);
    } else {
      uint64_t size = 0;
      get(size);
      const auto bytes = take(size);
      value.assign(bytes.begin(), bytes.end());
    }
  }

 private:
  std::span<const uint8_t> take(uint64_t size) {
    TT_CHECK(size <= left_.size(), "a message between our own processes is cut short");
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  std::span<const uint8_t> left_;
};

}  // namespace tinytune
