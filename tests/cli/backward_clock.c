/* A clock that runs backwards; LD_PRELOAD makes it replace the C library's. */
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t backwards(void) {
  struct timespec now;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return INT64_C(2000000000000000000) - (now.tv_sec * INT64_C(1000000000) + now.tv_nsec);
}

int clock_gettime(clockid_t clock, struct timespec *to) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
    return (int)syscall(SYS_clock_gettime, clock, to);
  const int64_t now = backwards();
  to->tv_sec = now / 1000000000;
  to->tv_nsec = now % 1000000000;
  return 0;
}

time_t time(time_t *to) {
  const time_t now = backwards() / 1000000000;
  if (to) *to = now;
  return now;
}
