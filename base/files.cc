#include "base/files.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tinytune {

namespace fs = std::filesystem;

Status write_file(const std::string& path, std::string_view contents) {
  std::error_code ignored;  // opening the file tells
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, ignored);
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << contents;
  out.close();
  if (out) return ok_status();
  return Error(ErrorCode::kFailed, path + ": cannot be written: " + why_not_written(errno));
}

std::string why_not_written(int error) {
  if (error == EFBIG) return "the limit on the size of files is reached (see `ulimit -f`)";
  return error != 0 ? std::strerror(error) : "unknown reason";
}

Result<std::vector<uint8_t>> read_file(const std::string& path, uint64_t limit_bytes) {
  std::error_code error;
  if (!fs::exists(path, error)) return Error(ErrorCode::kNotFound, path + ": no such file");
  if (!fs::is_regular_file(path, error))
    return Error(ErrorCode::kInvalidInput, path + ": not a regular file");
  std::ifstream in(path, std::ios::binary);
  if (!in) return Error(ErrorCode::kInvalidInput, path + ": cannot be read");
  // Not by the size that the file system tells: it may grow, and some (in /proc) tell none.
  std::vector<uint8_t> bytes;
  std::array<char, 1 << 16> piece;
  while (in.read(piece.data(), piece.size()) || in.gcount() > 0) {
    if (static_cast<uint64_t>(in.gcount()) > limit_bytes - bytes.size())
      return Error(ErrorCode::kInvalidInput,
                   path + ": larger than " + std::to_string(limit_bytes) + " bytes");
    bytes.insert(bytes.end(), piece.data(), piece.data() + in.gcount());
  }
  if (in.bad()) return Error(ErrorCode::kFailed, path + ": reading failed");
  return bytes;
}

}  // namespace tinytune
