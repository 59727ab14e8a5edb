// What a serial line may bring: bytes in pieces of any size, of which whole frames are taken.
#include <algorithm>

#include "rpc_device/boards/serial/frame.h"
#include "tests/fuzz/fuzz.h"

using namespace tinytune;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const uint8_t> bytes(data, size);
  serial::FrameReader reader;
  while (!bytes.empty()) {
    const size_t piece = std::min<size_t>(bytes.size(), 1 + bytes.front() % 64);
    reader.feed(bytes.first(piece));
    bytes = bytes.subspan(piece);
    while (const auto frame = reader.next()) {
      serial::FrameReader other;
      other.feed(serial::encode(*frame));
      fuzz::require(other.next() == frame);
    }
  }
  // As the payload of a frame that arrives.
  serial::Frame frame{1, 2, 3, 0, {data, data + std::min<size_t>(size, 2048)}};
  reader.clear();
  reader.feed(serial::encode(frame));
  fuzz::require(reader.next() == frame);
  return 0;
}
