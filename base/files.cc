#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/descriptor.h"

namespace tinytune {

namespace fs = std::filesystem;

namespace {

Error not_written(const std::string& path, int error) {
  return Error(ErrorCode::kFailed, path + ": cannot be written: " + why_not_written(error));
}

// Writes into a file that is not regular: a pipe, a terminal, /dev/null.
Status write_in_place(const std::string& path, std::string_view contents) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return not_written(path, errno);
  if (!write_fully(file.get(), contents.data(), contents.size())) return not_written(path, errno);
  return ok_status();
}

// Resolves a symbolic link, so that a rename replaces the file and not the link.
fs::path target_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_symlink(path, error)) return path;
  fs::path target = fs::weakly_canonical(path, error);
  return error ? fs::path(path) : target;
}

// Returns a name that no other process or thread uses.
std::string staging_name(const fs::path& target) {
  static std::atomic<unsigned> count{0};
  const std::string name = "." + target.filename().string().substr(0, 200) + ".tune-" +
                           std::to_string(::getpid()) + "-" + std::to_string(count++);
  return (target.parent_path() / name).string();
}

}  // namespace

// Writes a file beside the target and renames it, so that a full disk or a kill leaves the old one.
Status write_file(const std::string& path, std::string_view contents) {
  std::error_code ignored;  // opening the file reports it
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty()) fs::create_directories(folder, ignored);
  const fs::path target = target_of(path);
  const fs::file_status earlier = fs::status(target, ignored);
  const bool replaces = fs::exists(earlier);
  if (replaces && !fs::is_regular_file(earlier)) return write_in_place(path, contents);
  // A rename would also replace a write-protected file.
  if (replaces && ::access(target.c_str(), W_OK) != 0) return not_written(path, errno);
  const std::string staged = staging_name(target);
  const mode_t mode = replaces ? 0600 : 0666;  // a new file: restricted by the umask
  Descriptor file(::open(staged.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.get() < 0) return not_written(path, errno);
  const auto permissions = static_cast<mode_t>(earlier.permissions() & fs::perms::mask);
  const bool written = write_fully(file.get(), contents.data(), contents.size()) &&
                       (!replaces || ::fchmod(file.get(), permissions) == 0) &&
                       ::rename(staged.c_str(), target.c_str()) == 0;
  if (written) return ok_status();
  const int error = errno;
  ::unlink(staged.c_str());
  return not_written(path, error);
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
  // Does not rely on the reported size: the file may grow, and files in /proc report 0.
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
