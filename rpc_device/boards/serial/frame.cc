#include "rpc_device/boards/serial/frame.h"

#include <array>

#include "base/little_endian.h"
#include "rpc_device/boards/firmware/wire.h"
#include "rpc_device/boards/serial/slip.h"

namespace tinytune::serial {
namespace {

uint16_t get16(std::span<const uint8_t> bytes, size_t at) {
  return little_endian_at<uint16_t>(bytes, at);
}

constexpr std::array<uint32_t, 256> crcs_of_bytes() {
  std::array<uint32_t, 256> crcs{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    crcs[byte] = crc;
  }
  return crcs;
}

std::optional<Frame> frame_in(std::span<const uint8_t> body) {
  if (body.size() < WIRE_HEADER_BYTES + WIRE_CRC_BYTES) return std::nullopt;
  const auto told = body.last(WIRE_CRC_BYTES);
  const auto checked = body.first(body.size() - WIRE_CRC_BYTES);
  if (little_endian_at<uint32_t>(told, 0) != crc32(checked) ||
      get16(checked, 0) != checked.size() - WIRE_HEADER_BYTES)
    return std::nullopt;
  const auto payload = checked.subspan(WIRE_HEADER_BYTES);
  return Frame{get16(checked, 2),
               get16(checked, 4),
               checked[6],
               static_cast<uint8_t>(checked[7] & WIRE_STATUS_MASK),
               {payload.begin(), payload.end()},
               static_cast<uint8_t>(checked[7] >> WIRE_STATUS_BITS)};
}

}  // namespace

uint32_t crc32(std::span<const uint8_t> bytes) {
  static constexpr std::array<uint32_t, 256> kOfByte = crcs_of_bytes();
  uint32_t crc = 0xFFFFFFFFu;
  for (const uint8_t byte : bytes) crc = crc >> 8 ^ kOfByte[(crc ^ byte) & 0xFF];
  return ~crc;
}

std::vector<uint8_t> encode(const Frame& frame) {
  std::vector<uint8_t> body;
  append_little_endian(body, static_cast<uint16_t>(frame.payload.size()));
  append_little_endian(body, frame.session);
  append_little_endian(body, frame.sequence);
  body.push_back(frame.kind);
  body.push_back(static_cast<uint8_t>(frame.attempt << WIRE_STATUS_BITS | frame.status));
  body.insert(body.end(), frame.payload.begin(), frame.payload.end());
  append_little_endian(body, crc32(body));
  return slip_encoded(body);
}

void FrameReader::feed(std::span<const uint8_t> bytes) { slip_.feed(bytes); }

std::optional<Frame> FrameReader::next() {
  while (const auto body = slip_.next())
    if (auto frame = frame_in(*body)) return frame;
  return std::nullopt;
}

void FrameReader::clear() { slip_.clear(); }

}  // namespace tinytune::serial
