// Serialises numbers and byte strings for messages between processes of one program.
//
// Host byte order and no version, because both ends are the same executable, one forked from the
// other. Messages over a network have a schema instead (rpc_device/). A process may still die in
// the middle of a message, so the reader never reads past the end; complete() reports truncation.
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

  /// Reads the next value; a number stays unchanged if the message is too short.
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

  /// Returns whether every get() succeeded and no bytes are left.
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
