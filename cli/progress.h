// The progress of a run as lines: one that rewrites itself on a terminal, plain ones elsewhere.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tinytune/tuning.h"

namespace tinytune {

/// "128/256 trials  best 12.34 ms  9.8 trials/s  100% valid  ETA 0:13".
std::string progress_text(const TuneProgress& progress);

/// The first characters of UTF-8 `text`, one fewer than `width`: in the last column some terminals
/// begin a new line. 0: all of it.
std::string cut_to_width(const std::string& text, size_t width);

/// Writes to stderr. Counts only reported measurements, so whatever was printed is in the log.
class ProgressLine {
 public:
  /// Plain lines come at most this often.
  static constexpr std::chrono::milliseconds kPlainInterval{2000};
  static constexpr std::chrono::milliseconds kLiveInterval{100};

  ProgressLine();
  void show(const TuneProgress& progress);
  /// Ends the live line, so that messages start on a line of their own. Shows the last state if it
  /// was never shown.
  void finish();

 private:
  void print(const TuneProgress& progress);
  bool live_;
  bool open_ = false;  ///< a live line is on the screen
  std::optional<std::chrono::steady_clock::time_point> last_;
  std::optional<TuneProgress> unshown_;
  std::vector<double> best_;  ///< cycles of the network, by measurement
};

}  // namespace tinytune
