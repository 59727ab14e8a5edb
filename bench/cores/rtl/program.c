/* Runs a generated library layer by layer on two cores (or one), and prints the cycles of each.
 *
 * Its own code, data and registers are outside the banks, so that only the library's accesses
 * conflict there. Core 0 shares layers as the library's own invoke does; core 1 runs the library's
 * worker. With WHOLE, invoke itself runs, as one step.
 * Prints lines in hex: cycles of an empty call; cycles of each step; a sum over the output. */
#include "steps.h"

#define PRINT_WORD (*(volatile uint32_t *)0x80000004u)
#define END (*(volatile uint32_t *)0x80000008u)

void (*volatile core1_starts)(void *);

__asm__(
    ".section .start,\"ax\"\n"
    ".globl _start\n"
    "_start:\n"
    "  lui a0, 0x80000\n"
    "  lw a0, 12(a0)\n"
    "  la sp, stack_of_core_0\n"
    "  beqz a0, 1f\n"
    "  la sp, stack_of_core_1\n"
    "1:csrwi mcountinhibit, 0\n"
    "  beqz a0, 2f\n"
    "  call core1_main\n"
    "2:call main\n"
    ".text\n");

static inline uint32_t now(void) {
  uint32_t cycles;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycles) : : "memory");
  return cycles;
}

static inline void wait(void) { __asm__ volatile("slt x0, x0, x0" ::: "memory"); }
static inline void wake(void) { __asm__ volatile("slt x0, x0, x1" ::: "memory"); }

void core1_main(void) {
  while (core1_starts == 0) wait();
  core1_starts(arena);
  for (;;) wait();
}

static void nothing(unsigned char *memory) { (void)memory; }

/* The nop makes the other core's first fetch of its half come as much later as with the library's
 * own invoke, 6 or 7 cycles: that decides how two cores in the same code interleave. */
__attribute__((noinline)) static uint32_t time_of(void (*run)(unsigned char *),
                                                  void (*other)(unsigned char *)) {
  uintptr_t *const job = (uintptr_t *)(void *)(arena + WORDS_OFFSET);
  const uint32_t before = now();
  if (other != 0) {
    __atomic_store_n(job, (uintptr_t)other, __ATOMIC_RELEASE);
    wake();
    __asm__ volatile("nop");
  }
  run(arena);
  if (other != 0)
    while (__atomic_load_n(job, __ATOMIC_ACQUIRE) != 0u) wait();
  return now() - before;
}

static int launch(void (*task)(void *), void *argument, void *context) {
  (void)argument, (void)context;
  core1_starts = task;
  wake();
  return 1;
}

static void whole(unsigned char *memory) { (void)INVOKE(memory); }

static uint32_t cycles_of[STEPS];

int main(void) {
  for (uint32_t i = 0; i < sizeof input; ++i) arena[INPUT_OFFSET + i] = input[i];
#if SHARES && WHOLE
  ATTACH(launch, 0);
#elif SHARES
  (void)launch(WORKER, arena, 0);
  for (volatile int i = 0; i < 100; ++i) continue;
#endif
  (void)time_of(nothing, 0);
  const uint32_t empty = time_of(nothing, 0);
  for (int i = 0; i < STEPS; ++i)
    cycles_of[i] = WHOLE ? time_of(whole, 0) : time_of(steps[i].run, steps[i].other);
  PRINT_WORD = empty;
  for (int i = 0; i < STEPS; ++i) PRINT_WORD = cycles_of[i];
  uint32_t sum = 0;
  for (uint32_t i = 0; i < OUTPUT_BYTES; ++i) sum = sum * 31u + arena[OUTPUT_OFFSET + i];
  PRINT_WORD = sum;
  END = 0;
  for (;;) wait();
}
