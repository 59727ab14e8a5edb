#include "cli/console.h"

#include <cerrno>
#include <cstdio>

#include "base/files.h"
#include "base/printable.h"
#include "cli/report_json.h"

namespace tinytune {

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidInput:
    case ErrorCode::kUnsupported:
    case ErrorCode::kNotFound:
      return kExitWrongInput;
    case ErrorCode::kInterrupted:
      return kExitInterrupted;
    case ErrorCode::kFailed:
    case ErrorCode::kDeviceLost:
      break;
  }
  return kExitFailed;
}

void Console::message(MessageKind kind, const std::string& line) const {
  if (kind == MessageKind::kWarning) {
    std::fprintf(stderr, "tune: warning: %s\n", without_controls(line).c_str());
  } else if (!quiet_) {
    std::fprintf(stderr, "%s\n", without_controls(line).c_str());
  }
}

MessageSink Console::sink() const {
  return
      [console = *this](MessageKind kind, const std::string& line) { console.message(kind, line); };
}

int Console::result(const std::string& text) const {
  errno = 0;
  std::fputs(without_controls(text).c_str(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return 0;
  // No message: a reader that closed the pipe (`| head`) has what it wanted.
  if (errno == EPIPE) return kExitFailed;
  std::fprintf(stderr, "tune: cannot write to stdout: %s\n", why_not_written(errno).c_str());
  return kExitFailed;
}

int Console::fail(const Error& error) const {
  return fail(exit_code_of(error.code()), error.message());
}

int Console::fail(int exit_code, const std::string& message) const {
  std::fprintf(stderr, "tune: %s\n", without_controls(message).c_str());
  if (json_) (void)result(error_json(message));
  return exit_code;
}

}  // namespace tinytune
