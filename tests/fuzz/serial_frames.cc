// Input from a serial line: bytes in pieces of any size, from which whole frames are extracted.
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
  // The same bytes as the payload of a valid frame.
  serial::Frame frame{1, 2, 3, 0, {data, data + std::min<size_t>(size, 2048)}};
  reader.clear();
  reader.feed(serial::encode(frame));
  fuzz::require(reader.next() == frame);
  return 0;
}
