#include "records/log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/rng.h"
#include "records/log_line.h"
#include "tests/records/sample.h"

namespace tinytune {
namespace {

namespace fs = std::filesystem;

class Log : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "tinytune-log-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = (folder_ / "a.jsonl").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string bytes() const {
    std::ifstream file(path_, std::ios::binary);
    std::stringstream all;
    all << file.rdbuf();
    return all.str();
  }
  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  void append(int from, int to) const {
    auto writer = LogWriter::open(path_);
    ASSERT_TRUE(writer) << writer.error().message();
    for (int i = from; i < to; ++i) ASSERT_TRUE(writer->append(sample(i)));
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(Log, AppendedMeasurements_ComeBackInOrder) {
  append(0, 5);
  append(5, 9);
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->skipped_lines, 0u);
  ASSERT_EQ(read->measurements.size(), 9u);
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(to_log_line(read->measurements[static_cast<size_t>(i)]), to_log_line(sample(i)));
}

TEST_F(Log, CutAtEveryByte_LosesOnlyTheTornLineAndGoesOn) {
  append(0, 3);
  const std::string whole = bytes();
  for (size_t length = 0; length <= whole.size(); ++length) {
    if (length > 0 && length < kLogLineStart.size()) continue;  // too short to be known as ours
    put(whole.substr(0, length));
    const size_t lines = static_cast<size_t>(
        std::count(whole.begin(), whole.begin() + static_cast<long>(length), '\n'));
    // A last line that lacks only its newline is complete.
    const bool complete_tail = length < whole.size() && whole[length] == '\n';
    append(7, 8);
    const auto read = read_log(path_);
    ASSERT_TRUE(read) << "cut at " << length << ": " << read.error().message();
    EXPECT_EQ(read->skipped_lines, 0u) << "cut at " << length;
    ASSERT_EQ(read->measurements.size(), lines + (complete_tail ? 1 : 0) + 1) << length;
    EXPECT_EQ(to_log_line(read->measurements.back()), to_log_line(sample(7)));
  }
}

TEST_F(Log, TornLastLine_IsSkippedWithACount) {
  append(0, 2);
  put(bytes() + to_log_line(sample(2)).substr(0, 40));
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->measurements.size(), 2u);
  EXPECT_EQ(read->skipped_lines, 1u);
  EXPECT_NE(read->first_skipped.find("line 3"), std::string::npos) << read->first_skipped;
}

TEST_F(Log, BadChecksumInTheMiddle_SkipsOneLineAndKeepsTheFile) {
  append(0, 3);
  std::string damaged = bytes();
  damaged[damaged.find("esp32c3")] = 'E';
  put(damaged);
  append(3, 4);
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->measurements.size(), 3u);
  EXPECT_EQ(read->skipped_lines, 1u);
  EXPECT_EQ(bytes().substr(0, damaged.size()), damaged);
}

// Enough lines for several cores, which read one part each.
TEST_F(Log, ThousandsOfLines_KeepTheirOrderAndTheirNumbers) {
  constexpr int kLines = 20'000, kDamaged = 12'345;
  std::string all;
  for (int i = 1; i <= kLines; ++i) {
    std::string line = to_log_line(sample(i));
    if (i == kDamaged) line.resize(line.size() / 2);
    if (i == 7) line = "  ";
    all += line + "\n";
  }
  put(all);
  ASSERT_GT(all.size(), size_t{5} << 20);
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->skipped_lines, 1u);
  EXPECT_TRUE(read->first_skipped.starts_with("line 12345: ")) << read->first_skipped;
  ASSERT_EQ(read->measurements.size(), kLines - 2u);
  for (int i = 1, at = 0; i <= kLines; ++i) {
    if (i == 7 || i == kDamaged) continue;
    EXPECT_EQ(read->measurements[static_cast<size_t>(at++)].schedule, sample(i).schedule);
  }
}

TEST_F(Log, ConcatenatedLogs_AreALog) {
  append(0, 2);
  const std::string first = bytes();
  put(first + "\n\r\n" + first);
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->measurements.size(), 4u);
  EXPECT_EQ(read->skipped_lines, 0u);
}

TEST_F(Log, OtherKindsOfFile_AreRefusedAndLeftAlone) {
  const std::string others[] = {std::string("\x1c\0\0\0TFL3 and more", 17), "hello\n", "{}\n",
                                "{\"input\": [\"llvm\"], \"config\": {}}\n", "[1,2]",
                                // Texts that begin like a record but are none.
                                "{", "{\"v\"", "{\"v\":1,\"devices\"", "{\n  \"v\": 2\n}",
                                "{\"v\":1}"};
  for (const std::string& other : others) {
    put(other);
    const auto read = read_log(path_);
    ASSERT_FALSE(read) << other;
    EXPECT_EQ(read.error().code(), ErrorCode::kInvalidInput);
    EXPECT_EQ(read.error().message().find('\n'), std::string::npos);
    const auto writer = LogWriter::open(path_);
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().code(), ErrorCode::kInvalidInput);
    EXPECT_EQ(bytes(), other);
  }
  EXPECT_EQ(read_log(folder_.string()).error().code(), ErrorCode::kInvalidInput);
}

TEST_F(Log, MissingFile_IsNotFoundToReadersAndCreatedByWriters) {
  EXPECT_EQ(read_log(path_).error().code(), ErrorCode::kNotFound);
  { ASSERT_TRUE(LogWriter::open(path_)); }
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->measurements.empty());
}

TEST_F(Log, SecondWriter_IsRefusedUntilTheFirstIsGone) {
  {
    auto first = LogWriter::open(path_);
    ASSERT_TRUE(first);
    const auto second = LogWriter::open(path_);
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code(), ErrorCode::kFailed);
    EXPECT_NE(second.error().message().find("locked"), std::string::npos);
  }
  EXPECT_TRUE(LogWriter::open(path_));
}

TEST_F(Log, FullDisk_LeavesTheLogAsItWas) {
  append(0, 2);
  const std::string before = bytes();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A file size limit makes write(2) stop in the middle of a line, as a full disk does.
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{before.size() + 20, before.size() + 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    auto writer = LogWriter::open(path_);
    if (!writer) _exit(3);
    _exit(writer->append(sample(2)) ? 4 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(bytes(), before);
}

TEST_F(Log, LastLineOfSomebodyElse_IsSkippedAndNotCutOff) {
  append(0, 2);
  const std::string noted = bytes() + "left off here";
  put(noted);
  append(2, 3);
  EXPECT_EQ(bytes().substr(0, noted.size()), noted);
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->measurements.size(), 3u);
  EXPECT_EQ(read->skipped_lines, 1u);
}

TEST_F(Log, LimitOnFileSizes_IsNamedAndEndsNoProcess) {
  append(0, 2);
  const std::string before = bytes();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const rlimit limit{before.size() + 20, before.size() + 20};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(2);
    auto writer = LogWriter::open(path_);
    if (!writer) _exit(3);
    const Status appended = writer->append(sample(2));
    if (appended) _exit(4);
    _exit(appended.error().message().find("limit on file sizes") != std::string::npos ? 0 : 5);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(bytes(), before);
}

TEST_F(Log, RemovedDuringARun_IsPutBackWhole) {
  auto writer = LogWriter::open(path_);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(sample(0)));
  ASSERT_TRUE(fs::remove(path_));
  const Status appended = writer->append(sample(1));
  ASSERT_FALSE(appended);
  EXPECT_EQ(appended.error().code(), ErrorCode::kFailed);
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->measurements.size(), 1u);
  EXPECT_EQ(to_log_line(read->measurements[0]), to_log_line(sample(0)));
}

TEST_F(Log, ReplacedDuringARun_EndsWithALineAndTouchesNeitherFile) {
  auto writer = LogWriter::open(path_);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append(sample(0)));
  fs::rename(path_, path_ + ".old");
  put("a new file");
  const Status appended = writer->append(sample(1));
  ASSERT_FALSE(appended);
  EXPECT_EQ(bytes(), "a new file");
  EXPECT_EQ(read_log(path_ + ".old")->measurements.size(), 1u);
}

TEST_F(Log, MeasurementThatReadersWouldSkip_IsRefusedBeforeItIsReported) {
  auto writer = LogWriter::open(path_);
  ASSERT_TRUE(writer);
  Measurement m = sample();
  m.cycles = {0};
  EXPECT_EQ(writer->append(m).error().code(), ErrorCode::kInvalidInput);
  m.cycles = {};
  EXPECT_EQ(writer->append(m).error().code(), ErrorCode::kInvalidInput);
  EXPECT_EQ(bytes(), "");
}

TEST_F(Log, PipeInItsPlace_IsRefusedAtOnce) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(read_log(path_).error().code(), ErrorCode::kInvalidInput);
  const auto writer = LogWriter::open(path_);
  ASSERT_FALSE(writer);
}

TEST_F(Log, DeepOrEndlessLines_AreSkippedAsDamaged) {
  append(0, 1);
  std::string deep = std::string(kLogLineStart) + "x\",\"cycles\":" + std::string(100'000, '[');
  std::string wide = std::string(kLogLineStart) + "x\",\"cycles\":[1";
  for (int i = 0; i < 1'000'000; ++i) wide += ",1";
  put(bytes() + deep + "\n" + wide + "]}\n");
  const auto read = read_log(path_);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->measurements.size(), 1u);
  EXPECT_EQ(read->skipped_lines, 2u);
  EXPECT_NE(read->first_skipped.find("nests deeper"), std::string::npos) << read->first_skipped;
}

TEST_F(Log, RandomBytesBetweenLines_NeverCrashAndNeverHideGoodLines) {
  constexpr uint64_t kSeed = 7;
  Rng rng(kSeed);
  for (int round = 0; round < 300; ++round) {
    std::string all;
    size_t good = 0;
    for (uint64_t n = 1 + rng.below(6); n > 0; --n) {
      if (rng.below(2) == 0) {
        all += to_log_line(sample(static_cast<int>(rng.below(50)))) + "\n";
        ++good;
        continue;
      }
      for (uint64_t noise = rng.below(60); noise > 0; --noise)
        all += static_cast<char>(rng.below(256));
      all += '\n';
    }
    const auto parsed = parse_log(all, "noise");
    if (good == 0 && !parsed) continue;
    ASSERT_TRUE(parsed) << "seed " << kSeed << " round " << round;
    EXPECT_EQ(parsed->measurements.size(), good) << "seed " << kSeed << " round " << round;
  }
}

}  // namespace
}  // namespace tinytune
