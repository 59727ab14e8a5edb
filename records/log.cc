#include "records/log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "records/log_line.h"

namespace tinytune {
namespace {

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  int release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

Error io_error(const std::string& path, const char* doing) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kFailed;
  return Error(code, path + ": cannot " + doing + ": " + std::strerror(errno));
}

Result<std::string> read_all(int file, const std::string& path) {
  struct stat status {};
  if (fstat(file, &status) != 0) return io_error(path, "read");
  if (!S_ISREG(status.st_mode)) {
    return Error(ErrorCode::kInvalidInput, path + ": not a regular file, so not a tuning log");
  }
  std::string bytes(static_cast<size_t>(status.st_size), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path, "read");
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  bytes.resize(done);
  return bytes;
}

bool looks_like_ours(std::string_view line) {
  const size_t common = std::min(line.size(), kLogLineStart.size());
  return line.substr(0, common) == kLogLineStart.substr(0, common);
}

/// The bytes that stay when a torn tail is cut off.
size_t whole_lines(std::string_view bytes) {
  const size_t newline = bytes.rfind('\n');
  return newline == std::string_view::npos ? 0 : newline + 1;
}

Status make_durable(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const File directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || fsync(directory.get()) != 0) return io_error(path, "sync its folder");
  return ok_status();
}

/// Makes the file end in a newline: cuts off a torn tail, completes a whole one.
Status mend_tail(int file, const std::string& bytes, const std::string& path) {
  const size_t kept = whole_lines(bytes);
  if (kept == bytes.size()) return ok_status();
  if (parse_log_line(std::string_view(bytes).substr(kept))) {
    if (write(file, "\n", 1) != 1) return io_error(path, "write");
  } else if (ftruncate(file, static_cast<off_t>(kept)) != 0) {
    return io_error(path, "cut off its torn last line");
  }
  if (fsync(file) != 0) return io_error(path, "sync");
  return ok_status();
}

}  // namespace

Result<LogContents> parse_log(std::string_view bytes, const std::string& origin) {
  LogContents contents;
  bool ours = bytes.empty();
  size_t number = 0;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = std::min(bytes.find('\n', begin), bytes.size());
    const std::string_view line = bytes.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    Result<Measurement> measurement = parse_log_line(line);
    if (measurement) {
      contents.measurements.push_back(std::move(measurement).value());
      ours = true;
      continue;
    }
    ours = ours || looks_like_ours(line);
    if (contents.skipped_lines++ == 0)
      contents.first_skipped =
          "line " + std::to_string(number) + ": " + measurement.error().message();
  }
  if (!ours && contents.skipped_lines > 0) {
    return Error(ErrorCode::kInvalidInput, origin + ": not a tuning log (" +
                                               contents.first_skipped +
                                               "); name a log that `tune` wrote, or a new file");
  }
  return contents;
}

Result<LogContents> read_log(const std::string& path) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return io_error(path, "open");
  TT_TRY_ASSIGN(const std::string bytes, read_all(file.get(), path));
  return parse_log(bytes, path);
}

LogWriter::LogWriter(int file, std::string path, LogContents contents)
    : file_(file), path_(std::move(path)), contents_(std::move(contents)) {}

LogWriter::LogWriter(LogWriter&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      contents_(std::move(other.contents_)) {}

LogWriter& LogWriter::operator=(LogWriter&& other) noexcept {
  if (this != &other) {
    if (file_ >= 0) close(file_);
    file_ = std::exchange(other.file_, -1);
    path_ = std::move(other.path_);
    contents_ = std::move(other.contents_);
  }
  return *this;
}

LogWriter::~LogWriter() {
  if (file_ >= 0) close(file_);
}

Result<LogWriter> LogWriter::open(const std::string& path) {
  // O_CLOEXEC matters beyond tidiness: a worker that inherited the file would keep the lock of a
  // tuner that is gone.
  File file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0) return io_error(path, "open for writing").within("log");
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return io_error(path, "lock");
    return Error(ErrorCode::kFailed,
                 path + ": locked by another run of tune; wait for it, or name another --records");
  }
  TT_TRY_ASSIGN(const std::string bytes, read_all(file.get(), path));
  TT_TRY_ASSIGN(LogContents contents, parse_log(bytes, path));
  TT_TRY(mend_tail(file.get(), bytes, path));
  if (bytes.empty()) TT_TRY(make_durable(path));
  return LogWriter(file.release(), path, std::move(contents));
}

Status LogWriter::append(const Measurement& measurement) {
  const std::string line = to_log_line(measurement) + "\n";
  const off_t before = lseek(file_, 0, SEEK_END);
  if (before < 0) return io_error(path_, "write");
  ssize_t written;
  do {
    written = write(file_, line.data(), line.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(line.size())) {
    if (fsync(file_) != 0) return io_error(path_, "sync");
    return ok_status();
  }
  if (written >= 0) errno = ENOSPC;  // the only reason for a short write to a regular file
  const Error error = io_error(path_, "write");
  if (ftruncate(file_, before) != 0) return io_error(path_, "undo a partial write");
  return error;
}

}  // namespace tinytune
