/* Xtensa LX106 with the call0 ABI on QEMU's machine "sim". Every callee-saved register gets a known
 * value before a call and is checked after it; own vectors catch exceptions. Xtensa ISA Reference
 * Manual, "Exception Option" and "CALL0 Register Usage and Stack Layout". */
#include "board.h"
#include "wire.h"

#define SAVED 4u

int core_enter(uint32_t function, const uint32_t *words, uint32_t count, uint32_t stack_top);

/* Written by the assembly below. */
uint32_t core_runner_sp, core_kernel_sp, core_start_ticks, core_end_ticks;
uint32_t core_saved[SAVED + 1]; /* a12 to a15, then sp, after the call */
uint32_t core_cause, core_trap_pc;

/* CCOUNT is read as close to the call as possible; the remaining overhead is measured with an empty
 * function and subtracted. */
static uint32_t overhead;

/* QEMU 7.2 counts CCOUNT at 40 MHz of virtual time; with -icount an instruction takes
 * 2^ICOUNT_SHIFT ns. A tick is less than half an instruction, so rounding to the nearest number of
 * instructions is exact. */
#define TICK_NS 25u
_Static_assert((1u << ICOUNT_SHIFT) > 2 * TICK_NS, "ticks must be finer than instructions");

static uint32_t instructions(uint32_t ticks) {
  return (uint32_t)(((uint64_t)ticks * TICK_NS + (1u << ICOUNT_SHIFT) / 2) >> ICOUNT_SHIFT);
}

__asm__(
    ".section .text.core,\"ax\",@progbits\n"
    /* Target of VECBASE: kernel, user and double exceptions at their offsets. */
    ".balign 256\n"
    ".globl core_vectors\n"
    "core_vectors:\n"
    ".org core_vectors + 0x30\n  j core_trap\n"
    ".org core_vectors + 0x50\n  j core_trap\n"
    ".org core_vectors + 0x70\n  j core_trap\n"
    ".org core_vectors + 0x80\n"
    ".literal_position\n"
    ".balign 4\n"
    "core_trap:\n"
    "  movi a2, core_cause\n  rsr.exccause a3\n  s32i a3, a2, 0\n"
    "  movi a2, core_trap_pc\n  rsr.epc1 a3\n  s32i a3, a2, 0\n"
    "  movi a3, 0\n  wsr.ps a3\n  rsync\n"
    "  movi a2, 1\n"
    "  j core_leave\n"
    ".balign 4\n"
    ".globl core_enter\n"
    "core_enter:\n"
    "  addi a1, a1, -32\n"
    "  s32i a0, a1, 0\n  s32i a12, a1, 4\n  s32i a13, a1, 8\n  s32i a14, a1, 12\n"
    "  s32i a15, a1, 16\n"
    "  movi a6, core_runner_sp\n  s32i a1, a6, 0\n"
    "  addi a7, a4, -6\n  blti a7, 1, 2f\n" /* arguments beyond a7 */
    "  slli a8, a7, 2\n  sub a5, a5, a8\n  movi a8, -16\n  and a5, a5, a8\n"
    "  addi a9, a3, 24\n  mov a10, a5\n"
    "1: l32i a8, a9, 0\n  s32i a8, a10, 0\n  addi a9, a9, 4\n  addi a10, a10, 4\n"
    "  addi a7, a7, -1\n  bnez a7, 1b\n"
    "2: movi a6, core_kernel_sp\n  s32i a5, a6, 0\n"
    "  mov a1, a5\n  mov a8, a2\n  mov a9, a3\n"
    "  movi a12, 1\n  movi a13, 2\n  movi a14, 3\n  movi a15, 4\n"
    "  l32i a2, a9, 0\n  l32i a3, a9, 4\n  l32i a4, a9, 8\n  l32i a5, a9, 12\n"
    "  l32i a6, a9, 16\n  l32i a7, a9, 20\n"
    "  movi a11, core_start_ticks\n"
    "  rsr.ccount a10\n  s32i a10, a11, 0\n"
    "  callx0 a8\n"
    "  rsr.ccount a10\n"
    "  movi a11, core_end_ticks\n  s32i a10, a11, 0\n"
    "  movi a11, core_saved\n"
    "  s32i a12, a11, 0\n  s32i a13, a11, 4\n  s32i a14, a11, 8\n  s32i a15, a11, 12\n"
    "  s32i a1, a11, 16\n"
    "  movi a2, 0\n"
    "core_leave:\n" /* a2: result; all other registers are undefined */
    "  movi a6, core_runner_sp\n  l32i a1, a6, 0\n"
    "  l32i a0, a1, 0\n  l32i a12, a1, 4\n  l32i a13, a1, 8\n  l32i a14, a1, 12\n"
    "  l32i a15, a1, 16\n"
    "  addi a1, a1, 32\n"
    "  ret\n"
    ".balign 4\n"
    ".globl core_empty\n"
    "core_empty:\n"
    "  ret\n"
    ".text\n");

/* The reset vector: sets up a stack and vectors, starts the runner. The machine's memory is
 * initially zero. */
__asm__(
    ".section .start,\"ax\",@progbits\n"
    ".globl _start\n"
    "_start:\n"
    "  j 1f\n"
    ".literal_position\n"
    "1: movi a1, runner_stack_top\n"
    "  movi a2, core_vectors\n  wsr.vecbase a2\n"
    "  movi a2, 0\n  wsr.intenable a2\n  wsr.ps a2\n  rsync\n"
    "  movi a2, runner_main\n  jx a2\n"
    ".text\n");

extern char core_empty[];
extern uint32_t runner_stack_top[];

void core_call(const struct call *call, struct outcome *outcome) {
  const int trapped = core_enter(call->function, call->words, call->count, call->stack_top);
  outcome->cause = outcome->pc = 0;
  outcome->restored = 1;
  outcome->cycles = 0;
  outcome->end = WIRE_RETURNED;
  if (trapped) {
    outcome->end = WIRE_FAULT;
    outcome->cause = core_cause;
    outcome->pc = core_trap_pc;
    return;
  }
  outcome->cycles = instructions(core_end_ticks - core_start_ticks) - overhead;
  for (uint32_t i = 0; i < SAVED; ++i)
    if (core_saved[i] != i + 1) outcome->restored = 0;
  if (core_saved[SAVED] != core_kernel_sp) outcome->restored = 0;
}

uint32_t core_flags(void) { return 0; }

void core_rest(void) {} /* reading the host's pipe blocks */

void core_start(void) {
  static struct call nothing;
  static struct outcome done;
  nothing.function = (uint32_t)(uintptr_t)core_empty;
  nothing.stack_top = (uint32_t)(uintptr_t)runner_stack_top - 2048u;
  core_call(&nothing, &done);
  overhead = (uint32_t)done.cycles - 1; /* 1: the return belongs to the callee */
}
