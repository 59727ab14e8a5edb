#include "simulator/semihosting.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace tinytune {
namespace {

enum Operation : uint32_t {
  kOpen = 0x01,
  kClose = 0x02,
  kWriteCharacter = 0x03,
  kWriteString = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kIsError = 0x08,
  kIsTerminal = 0x09,
  kFileLength = 0x0C,
  kClock = 0x10,
  kTime = 0x11,
  kErrno = 0x13,
  kCommandLine = 0x15,
  kHeapInfo = 0x16,
  kExit = 0x18,
  kExitExtended = 0x20,
  kElapsed = 0x30,
  kTickFrequency = 0x31,
};

constexpr uint32_t kFailed = 0xFFFFFFFF;
constexpr uint32_t kApplicationExit = 0x20026;            // ADP_Stopped_ApplicationExit
constexpr uint32_t kInput = 1, kOutput = 2, kErrors = 3;  // handles of ":tt"
constexpr uint32_t kNoSuchFunction = 38;                  // ENOSYS

}  // namespace

uint32_t Semihosting::word(uint32_t address) const {
  uint32_t value = 0;
  const auto bytes = memory_.at(address, 4);
  if (!bytes.empty()) std::memcpy(&value, bytes.data(), 4);
  return value;
}

bool Semihosting::store(uint32_t address, uint32_t word) const {
  const auto bytes = memory_.at(address, 4);
  if (bytes.empty()) return false;
  std::memcpy(bytes.data(), &word, 4);
  return true;
}

uint32_t Semihosting::open(uint32_t block) const {
  const auto name = memory_.at(word(block), 3);
  if (word(block + 8) != 3 || name.empty() || std::memcmp(name.data(), ":tt", 3) != 0)
    return kFailed;
  const uint32_t mode = word(block + 4);
  return mode < 4 ? kInput : mode < 8 ? kOutput : kErrors;
}

uint32_t Semihosting::write(uint32_t block) const {
  const uint32_t handle = word(block), size = word(block + 8);
  const auto bytes = memory_.at(word(block + 4), size);
  if (handle < kInput || handle > kErrors || (bytes.empty() && size > 0)) return size;
  print_({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return 0;  // bytes that were not written
}

void Semihosting::write_string(uint32_t address) const {
  const Memory::Region* region = memory_.region(address);
  if (region == nullptr) return;
  const auto bytes = memory_.at(address, uint64_t{region->address} + region->size_bytes - address);
  const auto end = std::find(bytes.begin(), bytes.end(), 0);
  print_({reinterpret_cast<const char*>(bytes.data()), static_cast<size_t>(end - bytes.begin())});
}

uint32_t Semihosting::call(uint32_t operation, uint32_t parameter, uint64_t cycles) {
  switch (operation) {
    case kOpen:
      return open(parameter);
    case kClose:
      return 0;
    case kWriteCharacter: {
      const auto byte = memory_.at(parameter, 1);
      if (!byte.empty()) print_({reinterpret_cast<const char*>(byte.data()), 1});
      return 0;
    }
    case kWriteString:
      write_string(parameter);
      return 0;
    case kWrite:
      return write(parameter);
    case kRead:
      return word(parameter + 8);  // number of bytes not read: all, as the input has ended
    case kIsError:
      return word(parameter) >> 31;
    case kIsTerminal:
      return word(parameter) >= kInput && word(parameter) <= kErrors ? 1 : 0;
    case kFileLength:
      return 0;
    case kClock:
      return static_cast<uint32_t>(cycles / std::max<uint64_t>(clock_hz_ / 100, 1));
    case kTime:
      return static_cast<uint32_t>(cycles / std::max<uint64_t>(clock_hz_, 1));
    case kErrno:
      return kNoSuchFunction;
    case kCommandLine: {
      const auto text = memory_.at(word(parameter), 1);
      if (text.empty() || !store(parameter + 4, 0)) return kFailed;
      text[0] = 0;
      return 0;
    }
    case kHeapInfo: {
      const uint32_t block = word(parameter);
      const uint32_t words[] = {heap_.base, heap_.limit, heap_.stack_top, heap_.limit};
      for (uint32_t i = 0; i < 4; ++i) store(block + 4 * i, words[i]);
      return 0;
    }
    case kExit:  // in 32 bits the parameter is the reason itself
      exit_status_ = parameter == kApplicationExit ? 0 : 1;
      return 0;
    case kExitExtended:
      exit_status_ =
          word(parameter) == kApplicationExit ? static_cast<int>(word(parameter + 4)) : 1;
      return 0;
    case kElapsed:
      return store(parameter, static_cast<uint32_t>(cycles)) &&
                     store(parameter + 4, static_cast<uint32_t>(cycles >> 32))
                 ? 0
                 : kFailed;
    case kTickFrequency:
      return static_cast<uint32_t>(clock_hz_);
    default:
      return kFailed;
  }
}

}  // namespace tinytune
