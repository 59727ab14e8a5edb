// A task's schedules with the measured cost of each, stored so that strategies can replay them in
// milliseconds where a real run compiles for minutes.
//
// A table is a text file: what was measured, the default of every family, then a line per point in
// the order of the space. The file contains the space as well, so that a table stays valid when a
// template's lists of values change. Only features come from the templates of this build, so a
// table of another version of a template is refused.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "records/measurement.h"
#include "schedules/config_space.h"
#include "schedules/workload.h"
#include "tinytune/result.h"

namespace tinytune::bench {

/// Strategies' constants are chosen on the tuning half; claimed figures come from the test half.
enum class Half { kTuning, kTest };
std::string_view name_of(Half half);

struct SpaceTable {
  std::string task;  ///< "kws-2": a model and its task's number
  std::string device;
  Half half = Half::kTuning;
  Workload workload;
  int layers = 1;           ///< layers of the model that share the workload
  size_t whole_points = 0;  ///< points of the task's whole space; `space` may be a part
  ConfigSpace space;
  std::vector<size_t> defaults;  ///< one per family, the untuned layer's first
  struct Row {
    Outcome outcome = Outcome::kLost;
    uint64_t cycles = 0;  ///< 0 unless kOk
    uint64_t code_bytes = 0;
  };
  std::map<size_t, Row> rows;  ///< by point

  bool complete() const { return rows.size() == space.size(); }
  /// The fewest cycles of any point; nullopt if none ran.
  std::optional<uint64_t> best() const;
};

/// Rows may be missing. kInvalidInput: not a table. kNotFound: no such file, or this build has
/// another version of one of its templates.
Result<SpaceTable> read_table(const std::filesystem::path& path);

struct SpaceTables {
  std::vector<SpaceTable> complete;   ///< sorted by file name
  std::vector<std::string> left_out;  ///< a line for each: file and reason
};
/// Reads every table of a folder. kNotFound: no such folder. kInvalidInput: a file is not a table.
Result<SpaceTables> read_tables(const std::filesystem::path& folder);

/// Formats the file without its rows; and one row.
std::string head_of(const SpaceTable& table);
std::string line_of(const SpaceTable& table, size_t point, const SpaceTable::Row& row);

}  // namespace tinytune::bench
