// Numbers and byte strings one after another, for messages between processes of one program.
//
// Host byte order and no version: both ends are the same executable, one forked from the other.
// What crosses a wire has a schema (rpc_device/). Still a process may die in the middle of a
// message, so a reader never reads past the end: it says afterwards whether everything was there.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

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

  /// Leaves `value` as it is where the message has ended.
  template <typename T>
  void get(T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      if (const auto bytes = take(sizeof value); !bytes.empty())
        std::memcpy(&value, bytes.data(), sizeof value);
    } else {
      uint64_t size = 0;
      get(size);
      const auto bytes = take(size);
      value.assign(bytes.begin(), bytes.end());
    }
  }

  /// Everything asked for was there, and nothing else.
  bool complete() const { return !short_ && left_.empty(); }

 private:
  std::span<const uint8_t> take(uint64_t size) {
    if (size > left_.size()) {
      short_ = true;
      left_ = {};
      return {};
    }
    const auto taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  std::span<const uint8_t> left_;
  bool short_ = false;
};

}  // namespace tinytune
