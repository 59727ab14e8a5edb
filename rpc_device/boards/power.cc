#include "rpc_device/boards/power.h"

#include <chrono>

#include "base/subprocess.h"

namespace tinytune {

Status switch_off_and_on(const std::string& command) {
  const auto failed = [&](const std::string& why) {
    return Error(ErrorCode::kDeviceLost,
                 "the board does not answer, and its power switch '" + command + "' " + why);
  };
  const auto done = run_process({"/bin/sh", "-c", command}, std::chrono::seconds(60));
  if (!done) return failed("cannot be used: " + done.error().message());
  if (done->exit_code == 0) return ok_status();
  return failed("ends with " + std::to_string(done->exit_code) + ": " +
                done->err.substr(0, done->err.find('\n')));
}

}  // namespace tinytune
