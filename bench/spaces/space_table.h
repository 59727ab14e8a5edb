// A task's schedules with what each costs, measured once and kept: strategies replay them in
// milliseconds where a real run compiles for minutes.
//
// A table is a text file: what was measured, the default of every family, then a line per point in
// the order of the space. The space stands in the file as well, so that a table stays what it was
// when a template's lists of values change; only features come from the templates of this build,
// and a table of another version of a template is refused.
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

/// Strategies' constants are chosen on one half; the figures that are claimed are the other's.
enum class Half { kTuning, kTest };
std::string_view name_of(Half half);

struct SpaceTable {
  std::string task;  ///< "kws-2": a model and its task's number
  std::string device;
  Half half = Half::kTuning;
  Workload workload;
  int layers = 1;           ///< of the model that share the workload
  size_t whole_points = 0;  ///< of the task's space, of which this one may be a part
  ConfigSpace space;
  std::vector<size_t> defaults;  ///< of every family, the untuned layer's first
  struct Row {
    Outcome outcome = Outcome::kLost;
    uint64_t cycles = 0;  ///< only of kOk
    uint64_t code_bytes = 0;
  };
  std::map<size_t, Row> rows;  ///< by point

  bool complete() const { return rows.size() == space.size(); }
  /// The fewest cycles of any point; nothing when none ran.
  std::optional<uint64_t> best() const;
};

/// Rows may be missing. kInvalidInput: no table. kNotFound: no such file, or this build has another
/// version of one of its templates.
Result<SpaceTable> read_table(const std::filesystem::path& path);

struct SpaceTables {
  std::vector<SpaceTable> complete;   ///< sorted by file name
  std::vector<std::string> left_out;  ///< and why, a line each
};
/// Every table of a folder. kNotFound: no such folder. kInvalidInput: one is no table.
Result<SpaceTables> read_tables(const std::filesystem::path& folder);

/// The file without its rows, and one row.
std::string head_of(const SpaceTable& table);
std::string line_of(const SpaceTable& table, size_t point, const SpaceTable::Row& row);

}  // namespace tinytune::bench
