// Queries the records of a log, without tuning.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/result.h"
#include "tinytune/tuning.h"

namespace tinytune {

/// One measurement. doc/records.md has every key of a log's line.
struct LogRecord {
  std::string device, workload, schedule;  ///< in text forms (doc/naming.md)
  std::string outcome;                     ///< "ok", "wrong_output", …
  std::optional<uint64_t> cycles;          ///< median of the repeats; only with "ok"
  uint64_t instructions = 0;               ///< of one call; 0 unless "ok"
  uint64_t code_bytes = 0, ram_bytes = 0;  ///< of the image; of scratch and stack
  std::string fidelity;                    ///< "build", "simulate", "board"
  std::string tuner, tool, time, detail;   ///< as doc/records.md has them
  double seconds = 0;                      ///< a worker's time for it; 0: not recorded
};

/// Which records of a log to return.
struct LogQuery {
  /// A known device or a device file: only records that this build would use for it. Empty: all.
  std::string device;
  std::string workload;    ///< a canonical line (Layer::workload(), TaskInfo::workload); empty: all
  bool best_only = false;  ///< only the record of fewest cycles per workload and device
  MessageSink on_message;  ///< reports damaged lines and ignored records
};

/// Returns the matching records, in the log's order. kNotFound, kInvalidInput: the log or device is
/// missing or malformed.
Result<std::vector<LogRecord>> query_log(const std::string& path, const LogQuery& query = {});

}  // namespace tinytune
