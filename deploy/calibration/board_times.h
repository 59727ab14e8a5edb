// How long each layer took on a chip: what a package's bench program printed (times_text.h), read
// out of whatever a console showed around it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/digest.h"
#include "tinytune/deploy.h"
#include "tinytune/result.h"

namespace tinytune {

struct BoardTimes {
  struct Layer {
    int index = 0;                 ///< of the model's operator
    std::string op;                ///< TFLite's name
    std::vector<uint64_t> cycles;  ///< by round, caches cold in the first, as far as counted
  };

  std::string network, device;      ///< names
  Digest library;                   ///< library_digest() of what ran
  std::vector<Layer> layers;        ///< in execution order
  std::vector<uint64_t> inference;  ///< cycles of whole inferences
  std::optional<bool> exact;        ///< absent where that line is missing
  std::string lines;                ///< as they were printed, without what was around them
};

/// The last run in `text` that has a layer. What is damaged, missing or not exact is told to
/// `sink`, which may be empty, by the line of `origin`. kInvalidInput: no such run.
Result<BoardTimes> read_board_times(std::string_view text, const std::string& origin,
                                    const MessageSink& sink);

/// The same of a file. Errors of reading it too.
Result<BoardTimes> load_board_times(const std::string& path, const MessageSink& sink);

}  // namespace tinytune
