// Prints the progress of a run: one line that is rewritten on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/tuning.h"

namespace tinytune {

/// "128/256 trials  best 12.34 ms  9.8 trials/s  100% valid  ETA 0:13".
std::string progress_text(const TuneProgress& progress);

/// Returns the first width - 1 characters of UTF-8 `text`, because some terminals begin a new line
/// after the last column. `width` 0: all of it.
std::string cut_to_width(const std::string& text, size_t width);

/// Writes to stderr. Counts only reported measurements, so everything printed is in the log.
class ProgressLine {
 public:
  /// Shortest interval between plain lines.
  static constexpr std::chrono::milliseconds kPlainInterval{2000};
  static constexpr std::chrono::milliseconds kLiveInterval{100};

  ProgressLine();
  void show(const TuneProgress& progress);
  /// Ends the live line, so that messages start on a new line. Shows the last state if it was not
  /// shown yet.
  void finish();

 private:
  void print(const TuneProgress& progress);
  bool live_;
  bool open_ = false;  ///< a live line is on the screen
  std::optional<std::chrono::steady_clock::time_point> last_;
  std::optional<TuneProgress> unshown_;
  std::vector<double> best_;  ///< best cycles of the network after each measurement
};

}  // namespace tinytune
