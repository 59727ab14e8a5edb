// A folder with a small model and the `tune` program in it, as a user would have them.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/subprocess.h"
#include "records/log.h"

namespace tinytune::test {

class TuneProgram : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// Runs `tune` in the folder. A hang fails the test.
  ProcessResult tune(std::vector<std::string> arguments) const;

  /// What it prints on stdout, a JSON object.
  std::string json_of(const std::vector<std::string>& arguments, int exit_code = 0) const;

  /// The arguments with the small model and a device appended, and two workers where they matter.
  std::vector<std::string> with_model(std::vector<std::string> arguments) const;

  /// The log's measurements as "workload | schedule | outcome cycles", in order.
  std::vector<std::string> trials(const std::string& log_name) const;

  std::filesystem::path folder_;
};

/// Lines of stderr that say why a command failed; what it noticed on the way is none.
int reasons_in(const std::string& err);

/// `tune` under way, its output going to a file.
class RunningTune {
 public:
  /// On a terminal of its own if `terminal`, so that it shows the live line and hears Ctrl-C.
  RunningTune(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
              bool terminal);
  ~RunningTune();

  void send(int signal) const;
  void press_control_c() const;
  /// Exit code; 128 + signal where one ended it. Fails the test and kills after a minute.
  int wait();
  /// What it has written so far.
  const std::string& output();
  /// Until `text` is in the output, at most a minute.
  bool wait_for(const std::string& text);

 private:
  void drain(std::chrono::milliseconds timeout);
  pid_t pid_ = -1;
  int output_ = -1;
  std::string text_;
};

}  // namespace tinytune::test
