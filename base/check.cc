#include "base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "tinytune/result.h"

namespace tinytune {
namespace {

void print_and_abort(const char* file, int line, const char* message) {
  std::fprintf(stderr, "tinytune: internal error at %s:%d: %s\n", file, line, message);
  std::abort();
}

std::atomic<CheckHandler> handler{&print_and_abort};

}  // namespace

CheckHandler set_check_handler(CheckHandler replacement) {
  return handler.exchange(replacement == nullptr ? &print_and_abort : replacement);
}

namespace internal {

void check_failed(const char* file, int line, const std::string& message) {
  handler.load()(file, line, message.c_str());
  std::abort();  // a handler that returns has broken its contract
}

void result_misused(const char* what, const char* detail) {
  check_failed("tinytune/result.h", 0, std::string(what) + (*detail ? ": " : "") + detail);
}

}  // namespace internal
}  // namespace tinytune
