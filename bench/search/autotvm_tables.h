// AutoTVM's exhaustively measured spaces, as landscapes to replay a strategy on.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "tests/search/landscapes.h"
#include "tinytune/result.h"

namespace tinytune::bench {

/// Trials that AutoTVM's tuners needed on the same table; read from replay.csv.
struct Published {
  double to_5_percent = 0, to_2_percent = 0;
};

struct Table {
  landscapes::Landscape landscape;
  std::optional<Published> xgb, random;
};

/// kNotFound: no such directory.
Result<std::vector<Table>> read_autotvm_tables(const std::filesystem::path& directory);

}  // namespace tinytune::bench
