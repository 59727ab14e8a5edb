// Times of layers on a chip, parsed from the output of a package's bench program (times_text.h)
// within any other console output.
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
    std::vector<uint64_t> cycles;  ///< by round, as far as counted; the first has cold caches
  };

  std::string network, device;      ///< names
  Digest library;                   ///< library_digest() of the library that ran
  std::vector<Layer> layers;        ///< in execution order
  std::vector<uint64_t> inference;  ///< cycles of whole inferences
  std::optional<bool> exact;        ///< absent if that line is missing
  std::string lines;                ///< the bench program's lines as printed
};

/// Returns the last run in `text` that has a layer. Damaged or missing lines and inexact outputs
/// are reported to `sink`, which may be empty, with the line of `origin`. kInvalidInput: no such
/// run.
Result<BoardTimes> read_board_times(std::string_view text, const std::string& origin,
                                    const MessageSink& sink);

/// Reads the times from a file. Errors: also those of reading it.
Result<BoardTimes> load_board_times(const std::string& path, const MessageSink& sink);

}  // namespace tinytune
