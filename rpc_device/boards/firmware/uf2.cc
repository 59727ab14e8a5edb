#include "rpc_device/boards/firmware/uf2.h"

#include <array>
#include <map>

#include "base/little_endian.h"

namespace tinytune {
namespace {

constexpr uint32_t kBegin = 0x0A324655, kBeginToo = 0x9E5D5157, kEnd = 0x0AB16F30;
constexpr uint32_t kNamesItsFamily = 0x2000;
constexpr uint32_t kPayloadBytes = 256;
constexpr size_t kBlockBytes = 512;

using Page = std::array<uint8_t, kPayloadBytes>;

}  // namespace

std::vector<uint8_t> uf2_of(std::span<const ImageSegment> segments, uint32_t family) {
  std::map<uint32_t, Page> pages;
  for (const ImageSegment& segment : segments)
    for (size_t i = 0; i < segment.bytes.size(); ++i) {
      const uint32_t address = segment.address + static_cast<uint32_t>(i);
      pages[address / kPayloadBytes * kPayloadBytes][address % kPayloadBytes] = segment.bytes[i];
    }
  std::vector<uint8_t> file;
  uint32_t number = 0;
  for (const auto& [address, page] : pages) {
    for (const uint32_t word : {kBegin, kBeginToo, kNamesItsFamily, address, kPayloadBytes,
                                number++, static_cast<uint32_t>(pages.size()), family})
      append_little_endian(file, word);
    file.insert(file.end(), page.begin(), page.end());
    file.resize(number * kBlockBytes - sizeof kEnd);
    append_little_endian(file, kEnd);
  }
  return file;
}

}  // namespace tinytune
