// An append-only file of measurements, one JSON line each, that survives being killed at any byte.
//
// Every append is one write(2) and an fsync, so a measurement that append() returned from is on
// disk. A run killed in between leaves a torn last line: readers skip it, and the next writer cuts
// it off before it appends, or two halves would make one bad line. While a writer lives the file is
// locked (flock): two runs would measure the same schedules twice. Line format: log_line.h.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "records/measurement.h"
#include "tinytune/result.h"

namespace tinytune {

/// More is refused, before any of it is read.
inline constexpr uint64_t kMostLogBytes = uint64_t{4} << 30;

struct LogContents {
  std::vector<Measurement> measurements;  ///< in the file's order
  size_t skipped_lines = 0;               ///< torn, or with a bad checksum, or of another version
  std::string first_skipped;              ///< "line 12: checksum differs"; empty if none
};

/// Logs may be concatenated, split and merged by any tool that keeps lines whole.
/// kNotFound: no such file. kInvalidInput: not a log at all (text or binary of another kind).
/// kFailed: cannot be read.
Result<LogContents> read_log(const std::string& path);

/// The same, of a file's bytes; `origin` names it in messages.
Result<LogContents> parse_log(std::string_view bytes, const std::string& origin);

/// The only way to add to a log. Holds the lock until destroyed, or until its process dies. Not
/// thread-safe; one writer belongs to one thread.
class LogWriter {
 public:
  /// Creates the file where there is none. kFailed: locked by another run, or cannot be written.
  /// kInvalidInput: the file is not a log; it is left as it was.
  static Result<LogWriter> open(const std::string& path);

  /// What the file held when it was opened. Once: it may be large.
  LogContents take_contents() { return std::move(contents_); }

  /// On disk when it returns. kInvalidInput: as check_cycles() of log_line.h. kFailed (disk full, a
  /// limit on file sizes, I/O): the file is as it was before. kFailed too when the file lost its
  /// name: a removed one is put back, without this measurement.
  Status append(const Measurement& measurement);

 private:
  LogWriter(Descriptor file, std::string path, LogContents contents);
  Status check_home() const;

  Descriptor file_;
  std::string path_;
  LogContents contents_;
};

}  // namespace tinytune
