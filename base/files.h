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

/// Replaces the file atomically: after a failure, or a kill at any moment, it holds either all of
/// `contents` or its old contents. Creates missing folders; keeps the file's permissions; follows a
/// symbolic link; writes directly into pipes and devices. kFailed names the path and the reason.
Status write_file(const std::string& path, std::string_view contents);

constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();
/// Reads a file of at most `limit_bytes`, so that an unexpectedly large one cannot take all memory.
/// kNotFound: no such file. kInvalidInput: not a regular file (a pipe would block, a device might
/// never end), no permission to read it, or over the limit. kFailed: a read failed. All name the
/// path.
Result<std::vector<uint8_t>> read_file(const std::string& path, uint64_t limit_bytes = kNoLimit);

/// Describes the errno of a failed write; for EFBIG it names the limit on file sizes.
std::string why_not_written(int error);

inline std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tinytune
