// Whole files, read and written in one call.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

/// Replaces the file as a whole: after a failure, or a kill at any moment, it holds either all of
/// `contents` or what it held before. Makes the folders above it too; keeps its permissions; writes
/// to the file that a link stands for; writes into pipes and devices as they are. kFailed names the
/// path and the reason.
Status write_file(const std::string& path, std::string_view contents);

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
/// At most `limit_bytes`, so that what calls itself a small file cannot take all memory.
/// kNotFound: no such file. kInvalidInput: no regular file (a pipe would block, a device might
/// never end), one that may not be read, or one over the limit. kFailed: reading broke off. All
/// name the path.
Result<std::vector<uint8_t>> read_file(const std::string& path, uint64_t limit_bytes = kNoLimit);

/// What errno says after a write that failed, in words: a limit on the size of files is not a full
/// disk.
std::string why_not_written(int error);

inline std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tinytune
