#include "simulator/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

namespace tinytune {

Memory::~Memory() {
  for (const Region& region : regions_) munmap(region.host, region.size_bytes);
}

Status Memory::add(Region region) {
  const uint64_t end = uint64_t{region.address} + region.size_bytes;
  for (const Region& other : regions_) {
    if (region.address < uint64_t{other.address} + other.size_bytes && other.address < end) {
      return Error(ErrorCode::kInvalidInput,
                   fmt::format("{} bytes at {:#010x} overlap memory already mapped at {:#010x}",
                               region.size_bytes, region.address, other.address));
    }
  }
  void* host = mmap(nullptr, region.size_bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (host == MAP_FAILED) {
    return Error(ErrorCode::kFailed, fmt::format("no memory for {} bytes at {:#010x}",
                                                 region.size_bytes, region.address));
  }
  region.host = static_cast<uint8_t*>(host);
  regions_.push_back(region);
  return ok_status();
}

void Memory::remove_extra() {
  std::erase_if(regions_, [](const Region& region) {
    if (region.extra) munmap(region.host, region.size_bytes);
    return region.extra;
  });
}

const Memory::Region* Memory::region(uint32_t address) const {
  for (const Region& region : regions_) {
    if (region.contains(address, 1)) return &region;
  }
  return nullptr;
}

std::span<uint8_t> Memory::at(uint32_t address, uint64_t size_bytes) const {
  for (const Region& region : regions_) {
    if (region.contains(address, size_bytes)) {
      return {region.host + (address - region.address), static_cast<size_t>(size_bytes)};
    }
  }
  return {};
}

uint32_t Memory::code_at(uint32_t address) const {
  uint32_t code = 0;
  std::span<const uint8_t> bytes = at(address, 4);
  if (bytes.empty()) bytes = at(address, 2);
  if (!bytes.empty()) std::memcpy(&code, bytes.data(), bytes.size());
  return code;
}

void Memory::clear() {
  for (const Region& region : regions_) {
    if (madvise(region.host, region.size_bytes, MADV_DONTNEED) != 0) {
      std::memset(region.host, 0, region.size_bytes);
    }
  }
}

}  // namespace tinytune
