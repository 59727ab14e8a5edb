#include "rpc_device/boards/serial/frame.h"

#include "rpc_device/boards/firmware/wire.h"
#include "rpc_device/boards/serial/slip.h"

namespace tinytune::serial {
namespace {

void put16(std::vector<uint8_t>& bytes, uint32_t value) {
  bytes.push_back(static_cast<uint8_t>(value));
  bytes.push_back(static_cast<uint8_t>(value >> 8));
}

uint16_t get16(std::span<const uint8_t> bytes, size_t at) {
  return static_cast<uint16_t>(bytes[at] | bytes[at + 1] << 8);
}

std::optional<Frame> frame_in(std::span<const uint8_t> body) {
  if (body.size() < WIRE_HEADER_BYTES + WIRE_CRC_BYTES) return std::nullopt;
  const auto told = body.last(WIRE_CRC_BYTES);
  const auto checked = body.first(body.size() - WIRE_CRC_BYTES);
  const uint32_t crc = get16(told, 0) | static_cast<uint32_t>(get16(told, 2)) << 16;
  if (crc != crc32(checked) || get16(checked, 0) != checked.size() - WIRE_HEADER_BYTES)
    return std::nullopt;
  const auto payload = checked.subspan(WIRE_HEADER_BYTES);
  return Frame{get16(checked, 2),
               get16(checked, 4),
               checked[6],
               checked[7],
               {payload.begin(), payload.end()}};
}

}  // namespace

uint32_t crc32(std::span<const uint8_t> bytes) {
  uint32_t crc = 0xFFFFFFFFu;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

std::vector<uint8_t> encode(const Frame& frame) {
  std::vector<uint8_t> body;
  put16(body, static_cast<uint32_t>(frame.payload.size()));
  put16(body, frame.session);
  put16(body, frame.sequence);
  body.push_back(frame.kind);
  body.push_back(frame.status);
  body.insert(body.end(), frame.payload.begin(), frame.payload.end());
  const uint32_t crc = crc32(body);
  put16(body, crc);
  put16(body, crc >> 16);
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
