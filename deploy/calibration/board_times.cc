#include "deploy/calibration/board_times.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/files.h"
#include "base/printable.h"
#include "codegen/packages/times_text.h"

namespace tinytune {
namespace {

constexpr uint64_t kLargestLog = 64 << 20;

constexpr size_t kMostLines = 100'000, kMostWords = 64;

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty() && words.size() < kMostWords) {
    const size_t end = std::min(text.find(' '), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

template <typename T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Returns the bytes that the checksum covers; nothing if the checksum differs.
std::optional<std::string_view> checked(std::string_view line) {
  const size_t star = line.rfind(" *");
  if (star == std::string_view::npos) return std::nullopt;
  const auto sum = number<uint16_t>(line.substr(star + 2), 16);
  if (!sum || *sum != times_checksum(line.substr(0, star))) return std::nullopt;
  return line.substr(0, star);
}

class TimesReader {
 public:
  TimesReader(const std::string& origin, const MessageSink& sink) : origin_(origin), sink_(sink) {}

  void line(std::string_view text, size_t number);
  Result<BoardTimes> take();

 private:
  bool understand(const std::vector<std::string_view>& words);
  bool add_cycles(std::span<const std::string_view> words, std::vector<uint64_t>& cycles);
  void finish();
  void say(const std::string& what) const {
    if (sink_) sink_(MessageKind::kWarning, origin_ + ": " + what);
  }

  const std::string& origin_;
  const MessageSink& sink_;
  BoardTimes run_;
  size_t lines_ = 0, expected_ = 0, too_long_ = 0;  ///< of run_
  std::optional<BoardTimes> complete_;
};

void TimesReader::line(std::string_view text, size_t number) {
  const size_t mark = text.find(kTimesMark);
  if (mark == std::string_view::npos) return;
  text.remove_prefix(mark);
  while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
  const auto body = checked(text);
  if (body && body->starts_with(std::string(kTimesMark) + "network ")) finish();
  if (!body || !understand(words_of(body->substr(kTimesMark.size()))))
    return say("line " + std::to_string(number) +
               " is damaged and left out: " + printable(text, 80));
  run_.lines += std::string(text) + "\n";
}

// Appends the cycles of rounds; "-" marks a round that overflowed the counter and is left out.
bool TimesReader::add_cycles(std::span<const std::string_view> words,
                             std::vector<uint64_t>& cycles) {
  for (const std::string_view word : words) {
    if (word == "-") {
      ++too_long_;
      continue;
    }
    const auto value = number<uint64_t>(word);
    if (!value) return false;
    cycles.push_back(*value);
  }
  return true;
}

bool TimesReader::understand(const std::vector<std::string_view>& words) {
  if (words.empty()) return false;
  const std::string_view what = words[0];
  const auto rest = std::span(words).subspan(1);
  if (what == "end") {
    const auto count = rest.size() == 1 ? number<size_t>(rest[0]) : std::nullopt;
    if (!count) return false;
    expected_ = *count;
    return true;
  }
  ++lines_;
  if (what == "network") {
    const auto digest = rest.size() == 3 ? parse_digest(rest[2]) : std::nullopt;
    if (!digest) return false;
    run_.network = rest[0];
    run_.device = rest[1];
    run_.library = *digest;
    return true;
  }
  if (what == "layer") {
    const auto index = rest.size() >= 2 ? number<int>(rest[0]) : std::nullopt;
    BoardTimes::Layer layer;
    if (!index || *index < 0 || !add_cycles(rest.subspan(2), layer.cycles)) return false;
    layer.index = *index;
    layer.op = rest[1];
    run_.layers.push_back(std::move(layer));
    return true;
  }
  if (what == "inference") return add_cycles(rest, run_.inference);
  if (what == "exact" && rest.size() == 1) {
    run_.exact = rest[0] == "0";
    return true;
  }
  return what == "transform";
}

// Completes the run read so far. A console that was opened late begins with the end of a run.
void TimesReader::finish() {
  if (!run_.network.empty() && !run_.layers.empty()) {
    if (expected_ != lines_)
      say(expected_ == 0 ? "the run of " + run_.network + " does not end"
                         : std::to_string(expected_) + " lines were printed and " +
                               std::to_string(lines_) + " are here");
    if (run_.exact == false)
      say("the network computed wrong bytes on the chip; its times are of something else");
    if (too_long_ > 0)
      say(std::to_string(too_long_) +
          " figures were too long for the chip's counter: name a longer one with "
          "<NAME>_BENCH_CYCLES");
    complete_ = std::move(run_);
  }
  run_ = {};
  lines_ = expected_ = too_long_ = 0;
}

Result<BoardTimes> TimesReader::take() {
  finish();
  if (complete_) return std::move(*complete_);
  return Error(ErrorCode::kInvalidInput,
               origin_ +
                   ": no times of a network: its bench program prints lines that begin with '" +
                   std::string(kTimesMark) + "'");
}

}  // namespace

Result<BoardTimes> read_board_times(std::string_view text, const std::string& origin,
                                    const MessageSink& sink) {
  TimesReader reader(origin, sink);
  for (size_t number = 1; !text.empty() && number <= kMostLines; ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    reader.line(text.substr(0, end), number);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return reader.take();
}

Result<BoardTimes> load_board_times(const std::string& path, const MessageSink& sink) {
  TT_TRY_ASSIGN(const auto bytes, read_file(path, kLargestLog));
  return read_board_times(text_of(bytes), path, sink);
}

}  // namespace tinytune
