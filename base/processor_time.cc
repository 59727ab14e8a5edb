#include "base/processor_time.h"

#include <sys/resource.h>
#include <time.h>

namespace tinytune {
namespace {

double milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
}

}  // namespace

double ProcessorWatch::now_ms() {
  timespec thread{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &thread);
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  return static_cast<double>(thread.tv_sec) * 1e3 + static_cast<double>(thread.tv_nsec) * 1e-6 +
         milliseconds(children.ru_utime) + milliseconds(children.ru_stime);
}

}  // namespace tinytune
