#include "cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "cli/units.h"

namespace tinytune {

std::string progress_text(const TuneProgress& p) {
  std::string text = fmt::format("{}/{} trials  best {}", p.trials, p.trials_total,
                                 p.best_cycles ? latency_text(*p.best_cycles, p.clock_hz) : "-");
  if (p.measured > 0) text += fmt::format("  {:.1f} trials/s", p.trials_per_second);
  if (p.trials > 0) {
    // Rounded down: 100% means that not one was invalid.
    text += fmt::format("  {}% valid", p.valid * 100 / p.trials);
  }
  if (p.seconds_left) text += "  ETA " + clock_text(*p.seconds_left);
  return text;
}

ProgressLine::ProgressLine() : live_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const TuneProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (last_ && now - *last_ < (live_ ? kLiveInterval : kPlainInterval)) {
    unshown_ = progress;
    return;
  }
  last_ = now;
  print(progress);
}

void ProgressLine::print(const TuneProgress& progress) {
  const std::string text = progress_text(progress);
  if (live_) {
    std::fprintf(stderr, "\r%s\x1b[K", text.c_str());
    open_ = true;
  } else {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  std::fflush(stderr);
  unshown_.reset();
}

void ProgressLine::finish() {
  if (unshown_) print(*unshown_);
  if (open_) std::fputc('\n', stderr);
  open_ = false;
}

}  // namespace tinytune
