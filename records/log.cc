#include "records/log.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <utility>

#include "base/descriptor.h"
#include "records/log_line.h"

namespace tinytune {
namespace {

Error io_error(const std::string& path, const char* doing) {
  const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kFailed;
  return Error(code, path + ": cannot " + doing + ": " + std::strerror(errno));
}

/// Opens a regular file. O_NONBLOCK, so that a pipe in its place is refused at once.
Result<Descriptor> open_regular(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0666));
  if (file.get() < 0) return io_error(path, flags == O_RDONLY ? "open" : "open for writing");
  struct stat status {};
  if (fstat(file.get(), &status) != 0) return io_error(path, "read");
  if (!S_ISREG(status.st_mode))
    return Error(ErrorCode::kInvalidInput, path + ": not a regular file, so not a tuning log");
  if (static_cast<uint64_t>(status.st_size) > kMostLogBytes)
    return Error(ErrorCode::kInvalidInput, path + ": larger than " +
                                               std::to_string(kMostLogBytes >> 30) +
                                               " GiB; split it (every line stands alone)");
  return file;
}

/// Passes the file's bytes to `take` from the start, in chunks.
Status for_each_part(int file, const std::string& path,
                     const std::function<Status(std::string_view)>& take) {
  std::vector<char> part(size_t{1} << 20);
  for (off_t done = 0;;) {
    const ssize_t got = pread(file, part.data(), part.size(), done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return io_error(path, "read");
    if (got == 0) return ok_status();
    TT_TRY(take({part.data(), static_cast<size_t>(got)}));
    done += got;
  }
}

/// Blocks SIGXFSZ, by which a write past the file-size limit would end the (host) process. The
/// signal goes to the writing thread only, so it is consumed here before that thread unblocks it.
class FileSizeSignalBlocked {
 public:
  FileSizeSignalBlocked() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~FileSizeSignalBlocked() {
    const int error = errno;
    const timespec at_once{};
    while (sigtimedwait(&signal_, nullptr, &at_once) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }

 private:
  sigset_t signal_, before_;
};

/// Writes all bytes; on failure returns false and sets errno.
bool write_all(int file, std::string_view bytes) {
  const FileSizeSignalBlocked blocked;
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

Status make_durable(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() < 0 || fsync(directory.get()) != 0) return io_error(path, "sync its folder");
  return ok_status();
}

/// Makes the file end in a newline. Truncates a last line that this program left unfinished; any
/// other last line stays, as it may be a user's. Readers skip it if it does not parse.
Status mend_tail(int file, std::string_view tail, const std::string& path) {
  if (tail.empty()) return ok_status();
  if (parse_log_line(tail) || !begins_like_ours(tail)) {
    if (!write_all(file, "\n")) return io_error(path, "write");
  } else if (const off_t end = lseek(file, 0, SEEK_END);
             end < 0 || ftruncate(file, end - static_cast<off_t>(tail.size())) != 0) {
    return io_error(path, "cut off its torn last line");
  }
  if (fsync(file) != 0) return io_error(path, "sync");
  return ok_status();
}

/// Checks whether `path` still names the open file, by device and inode.
enum class Home { kSame, kRemoved, kReplaced };
Home home_of(int file, const std::string& path) {
  struct stat open {
  }, named{};
  if (fstat(file, &open) != 0) return Home::kSame;
  if (stat(path.c_str(), &named) != 0) return errno == ENOENT ? Home::kRemoved : Home::kSame;
  return open.st_dev == named.st_dev && open.st_ino == named.st_ino ? Home::kSame : Home::kReplaced;
}

/// Restores a removed log with all its contents. The copy gets the log's name only when complete.
Status restore(int file, const std::string& path) {
  const std::string partial = path + ".restored";
  const Descriptor copy(::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (copy.get() < 0) return io_error(path, "put it back");
  TT_TRY(for_each_part(file, path, [&](std::string_view bytes) -> Status {
    if (!write_all(copy.get(), bytes)) return io_error(path, "put it back");
    return ok_status();
  }));
  if (fsync(copy.get()) != 0 || link(partial.c_str(), path.c_str()) != 0)
    return io_error(path, "put it back");
  unlink(partial.c_str());
  return make_durable(path);
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

/// Parses a log from chunks of any size. All cores parse the lines of a chunk: a million lines take
/// seconds, most of it for checksums (bench/records).
class LogReader {
 public:
  void take(std::string_view bytes) {
    std::vector<std::string_view> lines;
    std::string first;
    for (size_t end; (end = bytes.find('\n')) != std::string_view::npos;) {
      std::string_view line = bytes.substr(0, end);
      if (!tail_.empty()) {
        first = std::exchange(tail_, {}).append(line);
        line = first;
      }
      lines.push_back(line);
      bytes.remove_prefix(end + 1);
    }
    take_lines(lines);
    tail_.append(bytes);
  }

  /// The last line if it is not terminated by a newline.
  const std::string& tail() const { return tail_; }

  /// Parses an unterminated last line and returns the contents.
  Result<LogContents> finish(const std::string& origin) {
    if (!tail_.empty()) take_lines({std::string_view(tail_)});
    if (!ours_ && contents_.skipped_lines > 0) {
      return Error(ErrorCode::kInvalidInput, origin + ": not a tuning log (" +
                                                 contents_.first_skipped +
                                                 "); name a log that `tune` wrote, or a new file");
    }
    return std::move(contents_);
  }

 private:
  void take_lines(const std::vector<std::string_view>& lines) {
    constexpr size_t kLinesAtOnce = 256;  // about 0.5 ms
    std::vector<std::optional<Result<Measurement>>> read(lines.size());
    tbb::parallel_for(tbb::blocked_range<size_t>(0, lines.size(), kLinesAtOnce),
                      [&](const tbb::blocked_range<size_t>& some) {
                        TextPool& texts = texts_.local();
                        for (size_t i = some.begin(); i < some.end(); ++i)
                          if (!is_blank(lines[i])) read[i] = parse_log_line(lines[i], texts);
                      });
    for (size_t i = 0; i < lines.size(); ++i) {
      ++number_;
      if (read[i]) keep(lines[i], std::move(*read[i]));
    }
  }

  void keep(std::string_view line, Result<Measurement> measurement) {
    ours_ = ours_ || measurement || line.starts_with(kLogLineStart);
    if (measurement) {
      contents_.measurements.push_back(std::move(measurement).value());
    } else if (contents_.skipped_lines++ == 0) {
      contents_.first_skipped =
          "line " + std::to_string(number_) + ": " + measurement.error().message();
    }
  }

  LogContents contents_;
  tbb::enumerable_thread_specific<TextPool> texts_;
  std::string tail_;
  size_t number_ = 0;
  bool ours_ = false;
};

Result<LogReader> read_lines(int file, const std::string& path) {
  LogReader reader;
  TT_TRY(for_each_part(file, path, [&](std::string_view bytes) {
    reader.take(bytes);
    return ok_status();
  }));
  return reader;
}

}  // namespace

Result<LogContents> parse_log(std::string_view bytes, const std::string& origin) {
  LogReader reader;
  reader.take(bytes);
  return reader.finish(origin);
}

Result<LogContents> read_log(const std::string& path) {
  TT_TRY_ASSIGN(const Descriptor file, open_regular(path, O_RDONLY));
  TT_TRY_ASSIGN(LogReader reader, read_lines(file.get(), path));
  return reader.finish(path);
}

LogWriter::LogWriter(Descriptor file, std::string path, LogContents contents)
    : file_(std::move(file)), path_(std::move(path)), contents_(std::move(contents)) {}

Result<LogWriter> LogWriter::open(const std::string& path) {
  // open_regular() sets O_CLOEXEC: a worker that inherited the file would keep the lock after the
  // tuner has ended.
  auto opened = open_regular(path, O_RDWR | O_CREAT | O_APPEND);
  if (!opened) return opened.error().within("log");
  Descriptor file = std::move(opened).value();
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return io_error(path, "lock");
    return Error(ErrorCode::kFailed,
                 path + ": locked by another run of tune; wait for it, or name another --records");
  }
  TT_TRY_ASSIGN(LogReader reader, read_lines(file.get(), path));
  const std::string tail = reader.tail();
  TT_TRY_ASSIGN(LogContents contents, reader.finish(path));
  TT_TRY(mend_tail(file.get(), tail, path));
  if (contents.measurements.empty()) TT_TRY(make_durable(path));
  return LogWriter(std::move(file), path, std::move(contents));
}

Status LogWriter::append(const Measurement& measurement) {
  TT_TRY(check_cycles(measurement));  // readers would skip a line that fails this
  TT_TRY(check_home());
  const std::string line = to_log_line(measurement) + "\n";
  const off_t before = lseek(file_.get(), 0, SEEK_END);
  if (before < 0) return io_error(path_, "write");
  const bool written = write_all(file_.get(), line);
  if (written && fsync(file_.get()) == 0) return ok_status();
  const Error error =
      errno == EFBIG ? Error(ErrorCode::kFailed, path_ + ": cannot write: it would pass this " +
                                                     "process's limit on file sizes (ulimit -f)")
                     : io_error(path_, written ? "sync" : "write");
  if (ftruncate(file_.get(), before) != 0) return io_error(path_, "undo a partial write");
  return error;
}

Status LogWriter::check_home() const {
  switch (home_of(file_.get(), path_)) {
    case Home::kSame:
      return ok_status();
    case Home::kReplaced:
      return Error(ErrorCode::kFailed, path_ +
                                           ": another file took its place during the run; what "
                                           "was measured until then is where it was moved to");
    case Home::kRemoved:
      break;
  }
  TT_TRY(restore(file_.get(), path_));
  return Error(ErrorCode::kFailed, path_ +
                                       ": removed during the run; it is back with all that was "
                                       "reported, run the same command again to go on");
}

}  // namespace tinytune
