#include "cli/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "cli/sparkline.h"
#include "cli/units.h"

namespace tinytune {

namespace {

constexpr size_t kBars = 12;

/// "task 2 conv2d 1x1 64->64: 52 trials, best 1.26 M cycles, -10 %".
std::string task_text(const TaskProgress& task) {
  std::string text = fmt::format("task {} {}: {} trials", task.index, task.name, task.trials);
  if (!task.best_cycles) return text;
  const auto best = static_cast<double>(*task.best_cycles);
  text += best < 1e6 ? fmt::format(", best {:.1f} k cycles", best / 1e3)
                     : fmt::format(", best {:.2f} M cycles", best / 1e6);
  if (task.default_cycles && *task.default_cycles > 0) {
    const double gain = 100 * (best / static_cast<double>(*task.default_cycles) - 1);
    text += std::abs(gain) < 0.5 ? ", as the default" : fmt::format(", {:+.0f} %", gain);
  }
  return text;
}

/// Returns the width of stderr's terminal in characters; 0: unknown.
size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

std::string progress_text(const TuneProgress& p) {
  std::string text = fmt::format("{}/{} trials  best {}", p.trials, p.trials_total,
                                 p.best_cycles ? latency_text(*p.best_cycles, p.clock_hz) : "-");
  if (p.measured > 0) text += fmt::format("  {:.1f} trials/s", p.trials_per_second);
  if (p.trials > 0) {
    // Rounded down: 100% means that none was invalid.
    text += fmt::format("  {}% valid", p.valid * 100 / p.trials);
  }
  if (p.seconds_left) text += "  ETA " + clock_text(*p.seconds_left);
  return p.task ? text + "  " + task_text(*p.task) : text;
}

std::string cut_to_width(const std::string& text, size_t width) {
  if (width == 0) return text;
  size_t characters = 0, end = 0;  // UTF-8: bytes 10xxxxxx continue a character
  for (; end < text.size(); ++end)
    if ((static_cast<unsigned char>(text[end]) & 0xC0) != 0x80 && ++characters == width) break;
  return text.substr(0, end);
}

ProgressLine::ProgressLine() : live_(isatty(STDERR_FILENO) == 1) {}

void ProgressLine::show(const TuneProgress& progress) {
  if (progress.best_cycles) best_.push_back(static_cast<double>(*progress.best_cycles));
  const auto now = std::chrono::steady_clock::now();
  if (last_ && now - *last_ < (live_ ? kLiveInterval : kPlainInterval)) {
    unshown_ = progress;
    return;
  }
  last_ = now;
  print(progress);
}

void ProgressLine::print(const TuneProgress& progress) {
  const std::string bars = sparkline(best_, kBars);
  const std::string text = progress_text(progress) + (bars.empty() ? "" : "  " + bars);
  if (live_) {
    std::fprintf(stderr, "\r%s\x1b[K", cut_to_width(text, terminal_width()).c_str());
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
