// Output that nobody reads, and files that cannot grow.
#include <gtest/gtest.h>

#include "tests/cli/tune_program.h"
#include "tests/tuner/small_model.h"

namespace tinytune::test {
namespace {

class Output : public TuneProgram {
 protected:
  /// Runs a command line through a shell, for its redirections.
  ProcessResult shell(const std::string& line) const {
    const auto result =
        run_process({"env", "-C", folder_.string(), "TMPDIR=" + folder_.string(),
                     "PATH=" TINYTUNE_BINARY_DIR ":/usr/bin:/bin", "sh", "-c", line},
                    std::chrono::seconds(100));
    EXPECT_TRUE(result) << result.error().message();
    return result ? *result : ProcessResult{-1, "", ""};
  }
};

TEST_F(Output, FullStdout_ExitsWith1AndALine) {
  const std::string on = " --model small.tflite --device esp32c3 ";
  for (const std::string& command :
       {std::string("tune --help"), std::string("tune --version"), std::string("tune devices"),
        std::string("tune inspect small.tflite --json"), "tune run --json" + on,
        "tune compile -o out" + on, "tune --quiet --trials 2" + on}) {
    const ProcessResult full = shell(command + " >/dev/full");
    EXPECT_EQ(full.exit_code, 1) << command;
    EXPECT_TRUE(full.err.ends_with("tune: cannot write to stdout: No space left on device\n"))
        << full.err;
    EXPECT_EQ(reasons_in(full.err), 1) << command;
  }
  EXPECT_EQ(shell("tune devices >&-").exit_code, 1);
}

TEST_F(Output, ReaderThatIsGone_GetsNoReproach) {
  const ProcessResult gone = shell("(sleep 0.3; tune devices) | :");
  EXPECT_EQ(gone.err, "");
}

TEST_F(Output, FailureOnAFullStdout_KeepsItsExitCode) {
  const ProcessResult full = shell("tune inspect missing.tflite --json >/dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_NE(full.err.find("missing.tflite"), std::string::npos) << full.err;
}

TEST_F(Output, LimitOnFileSizes_IsNotCalledAFullDisk) {
  const ProcessResult limited =
      shell("ulimit -f 1; tune compile -o out --model small.tflite --device esp32c3");
  EXPECT_EQ(limited.exit_code, 1);
  EXPECT_NE(limited.err.find("limit on the size of files"), std::string::npos) << limited.err;
  EXPECT_EQ(reasons_in(limited.err), 1) << limited.err;
}

}  // namespace
}  // namespace tinytune::test
