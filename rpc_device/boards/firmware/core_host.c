/* This machine: the runner is a separate process, and kernels are in memory that it maps at the
 * device file's addresses. A cycle is a nanosecond of processor time, so other programs are not
 * counted. A fault is a signal; its handler only jumps back to core_call(). */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

#include "board.h"
#include "wire.h"

#define STACK_BYTES 65536u

static sigjmp_buf way_back;
static volatile sig_atomic_t calling;
static volatile uintptr_t fault_address;
static uint64_t overhead;

static void on_signal(int signal, siginfo_t *info, void *context) {
  (void)context;
  if (!calling) _Exit(1); /* the runner's own fault */
  fault_address = (uintptr_t)info->si_addr;
  siglongjmp(way_back, signal);
}

/* Sets a time limit, in steps of the system's clock tick, which is far below usual limits. */
static void limit(uint64_t nanoseconds) {
  struct itimerval timer = {{0, 0}, {0, 0}};
  timer.it_value.tv_sec = (time_t)(nanoseconds / 1000000000u);
  timer.it_value.tv_usec = (suseconds_t)(nanoseconds / 1000u % 1000000u);
  if (nanoseconds != 0 && nanoseconds < 1000u) timer.it_value.tv_usec = 1;
  setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

#define POINTER(i) ((void *)(uintptr_t)call->words[i])

/* Calls a function; kernels and networks have one to nine pointer arguments. */
static void enter(const struct call *call) {
  const uintptr_t function = call->function;
  switch (call->count) {
    case 0:
      ((void (*)(void))function)();
      return;
    case 1:
      ((void (*)(void *))function)(POINTER(0));
      return;
    case 2:
      ((void (*)(void *, void *))function)(POINTER(0), POINTER(1));
      return;
    case 3:
      ((void (*)(void *, void *, void *))function)(POINTER(0), POINTER(1), POINTER(2));
      return;
    case 4:
      ((void (*)(void *, void *, void *, void *))function)(POINTER(0), POINTER(1), POINTER(2),
                                                           POINTER(3));
      return;
    case 5:
      ((void (*)(void *, void *, void *, void *, void *))function)(POINTER(0), POINTER(1),
                                                                   POINTER(2), POINTER(3),
                                                                   POINTER(4));
      return;
    case 6:
      ((void (*)(void *, void *, void *, void *, void *, void *))function)(
          POINTER(0), POINTER(1), POINTER(2), POINTER(3), POINTER(4), POINTER(5));
      return;
    case 7:
      ((void (*)(void *, void *, void *, void *, void *, void *, void *))function)(
          POINTER(0), POINTER(1), POINTER(2), POINTER(3), POINTER(4), POINTER(5), POINTER(6));
      return;
    case 8:
      ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *))function)(
          POINTER(0), POINTER(1), POINTER(2), POINTER(3), POINTER(4), POINTER(5), POINTER(6),
          POINTER(7));
      return;
    case 9:
      ((void (*)(void *, void *, void *, void *, void *, void *, void *, void *, void *))function)(
          POINTER(0), POINTER(1), POINTER(2), POINTER(3), POINTER(4), POINTER(5), POINTER(6),
          POINTER(7), POINTER(8));
      return;
    default:
      abort(); /* reported as a fault */
  }
}

void core_call(const struct call *call, struct outcome *outcome) {
  memset(outcome, 0, sizeof *outcome);
  outcome->restored = 1; /* not checked: WIRE_FLAG_TRUSTS_REGISTERS */
  const int signal = sigsetjmp(way_back, 1);
  if (signal != 0) {
    calling = 0;
    limit(0);
    outcome->end = signal == SIGVTALRM ? WIRE_CYCLE_LIMIT : WIRE_FAULT;
    outcome->cause = (uint32_t)signal;
    outcome->pc = (uint32_t)fault_address;
    return;
  }
  limit(call->cycle_limit);
  calling = 1;
  const uint64_t start = now();
  enter(call);
  const uint64_t taken = now() - start;
  calling = 0;
  limit(0);
  outcome->end = WIRE_RETURNED;
  outcome->cycles = taken > overhead ? taken - overhead : 1;
}

uint32_t core_flags(void) {
  return WIRE_FLAG_LIMITS_CYCLES | WIRE_FLAG_SHARES_ITS_CORE | WIRE_FLAG_TRUSTS_REGISTERS;
}

void core_rest(void) {} /* reading a pipe blocks */

/* Keeps kernels from writing files, dumping core and starting processes. */
static void limit_process(void) {
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_FSIZE, &none);
  setrlimit(RLIMIT_NPROC, &none);
}

static void empty(void) {}

void core_start(void) {
  static const struct { uint32_t address, size; } windows[] = {WINDOWS};
  for (size_t i = 0; i < sizeof windows / sizeof windows[0]; ++i)
    if (mmap((void *)(uintptr_t)windows[i].address, windows[i].size,
             PROT_READ | PROT_WRITE | PROT_EXEC,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED)
      _Exit(2);
  static _Alignas(16) unsigned char stack[STACK_BYTES]; /* for signals on stack overflow */
  const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
  sigaltstack(&own, NULL);
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
  action.sa_sigaction = on_signal;
  const int caught[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGVTALRM};
  for (size_t i = 0; i < sizeof caught / sizeof caught[0]; ++i) sigaction(caught[i], &action, NULL);
  limit_process();
  uint64_t least = UINT64_MAX;
  for (int i = 0; i < 100; ++i) { /* measures the clock's own overhead */
    const uint64_t start = now();
    empty();
    const uint64_t taken = now() - start;
    least = taken < least ? taken : least;
  }
  overhead = least;
}

void runner_main(void);
int main(void) { runner_main(); }
