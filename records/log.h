// An append-only file of measurements, one JSON line each, that stays readable if its writer is
// killed at any byte.
//
// Every append is one write(2) and an fsync, so when append() returns the measurement is on disk. A
// run killed in between leaves a torn last line: readers skip it, and the next writer truncates it
// before appending, or the two would form one bad line. The file is locked (flock) while a writer
// exists, because two runs would measure the same schedules twice. Line format: log_line.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "records/measurement.h"
#include "tinytune/result.h"

namespace tinytune {

/// Largest accepted file; a larger one is refused before anything is read.
inline constexpr uint64_t kMostLogBytes = uint64_t{4} << 30;

struct LogContents {
  std::vector<Measurement> measurements;  ///< in the file's order
  size_t skipped_lines = 0;               ///< torn, with a bad checksum, or of another version
  std::string first_skipped;              ///< "line 12: checksum differs"; empty if none
};

/// Reads a log. Logs may be concatenated, split and merged by any tool that keeps lines whole.
/// kNotFound: no such file. kInvalidInput: not a log (text or binary of another kind). kFailed:
/// cannot be read.
Result<LogContents> read_log(const std::string& path);

/// Parses the bytes of a log; `origin` names it in messages.
Result<LogContents> parse_log(std::string_view bytes, const std::string& origin);

/// The only way to add to a log. Holds the lock until destroyed, or until its process dies. Not
/// thread-safe; one writer belongs to one thread.
class LogWriter {
 public:
  /// Opens a log, or creates it. kFailed: locked by another run, or cannot be written.
  /// kInvalidInput: the file is not a log; it is left unchanged.
  static Result<LogWriter> open(const std::string& path);

  /// Moves out the contents that the file had when it was opened. Call it once only.
  LogContents take_contents() { return std::move(contents_); }

  /// Appends a measurement, which is on disk on return. kInvalidInput: as for check_cycles() of
  /// log_line.h. kFailed (disk full, file-size limit, I/O): the file is unchanged. Also kFailed if
  /// the file was removed or replaced: a removed one is restored, without this measurement.
  Status append(const Measurement& measurement);

 private:
  LogWriter(Descriptor file, std::string path, LogContents contents);
  Status check_home() const;

  Descriptor file_;
  std::string path_;
  LogContents contents_;
};

}  // namespace tinytune
