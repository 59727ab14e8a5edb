// A directory of its own that is gone when its owner is. Readable by this user only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tinytune/result.h"

namespace tinytune {

class TemporaryDirectory {
 public:
  /// `purpose` becomes part of the name: "tinytune-link-XXXXXX". kFailed: no place for it.
  static Result<TemporaryDirectory> create(const std::string& purpose);

  TemporaryDirectory(TemporaryDirectory&& other) noexcept { path_.swap(other.path_); }
  TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept {
    path_.swap(other.path_);
    return *this;
  }
  ~TemporaryDirectory();

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  TemporaryDirectory() = default;
  std::string path_;
};

/// Makes the folders above it too. kFailed names the path.
Status write_file(const std::string& path, std::string_view contents);
/// kFailed names the path.
Result<std::vector<uint8_t>> read_file(const std::string& path);

inline std::string_view text_of(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace tinytune
