/* RISC-V in machine mode: calls with a known value in every callee-saved register, trap handling,
 * and a timer that ends a call which takes too long. Volume II of the ISA manual; psABI ilp32. */
#include "board.h"
#include "wire.h"

#define SAVED 12u

int core_enter(uint32_t function, const uint32_t *words, uint32_t count, uint32_t stack_top);

/* Written by the assembly below. */
uint32_t core_runner_sp, core_kernel_sp, core_start_cycles, core_end_cycles;
uint32_t core_saved[SAVED + 1]; /* s0 to s11, then sp, after the call */
uint32_t core_cause, core_trap_pc;

/* The counter is read as close to the call as possible; the remaining overhead is measured with an
 * empty function and subtracted. */
static uint32_t overhead;

#define STRING_(x) #x
#define STRING(x) STRING_(x)
#define COUNTER STRING(COUNTER_CSR)

__asm__(
    ".option norvc\n"
    ".section .text.traps,\"ax\",@progbits\n"
    ".balign 256\n"
    "core_traps:\n"
    ".rept 32\n j core_trap\n .endr\n"
    ".option rvc\n"
    "core_trap:\n"
    "  csrr t0, mcause\n  la t1, core_cause\n  sw t0, 0(t1)\n"
    "  csrr t0, mepc\n  la t1, core_trap_pc\n  sw t0, 0(t1)\n"
    "  li a0, 1\n"
    "  j core_leave\n"
    ".section .text.core_enter,\"ax\",@progbits\n"
    ".globl core_enter\n"
    "core_enter:\n"
    "  addi sp, sp, -64\n"
    "  sw ra, 0(sp)\n  sw s0, 4(sp)\n  sw s1, 8(sp)\n  sw s2, 12(sp)\n  sw s3, 16(sp)\n"
    "  sw s4, 20(sp)\n  sw s5, 24(sp)\n  sw s6, 28(sp)\n  sw s7, 32(sp)\n  sw s8, 36(sp)\n"
    "  sw s9, 40(sp)\n  sw s10, 44(sp)\n  sw s11, 48(sp)\n"
    "  la t0, core_runner_sp\n  sw sp, 0(t0)\n"
    "  addi t1, a2, -8\n  blez t1, 2f\n" /* arguments beyond a7 */
    "  slli t2, t1, 2\n  sub a3, a3, t2\n  andi a3, a3, -16\n"
    "  addi t3, a1, 32\n  mv t4, a3\n"
    "1: lw t5, 0(t3)\n  sw t5, 0(t4)\n  addi t3, t3, 4\n  addi t4, t4, 4\n"
    "  addi t1, t1, -1\n  bnez t1, 1b\n"
    "2: la t0, core_kernel_sp\n  sw a3, 0(t0)\n"
    "  mv sp, a3\n  mv t0, a0\n  mv t6, a1\n"
    "  li s0, 1\n  li s1, 2\n  li s2, 3\n  li s3, 4\n  li s4, 5\n  li s5, 6\n"
    "  li s6, 7\n  li s7, 8\n  li s8, 9\n  li s9, 10\n  li s10, 11\n  li s11, 12\n"
    "  lw a0, 0(t6)\n  lw a1, 4(t6)\n  lw a2, 8(t6)\n  lw a3, 12(t6)\n"
    "  lw a4, 16(t6)\n  lw a5, 20(t6)\n  lw a6, 24(t6)\n  lw a7, 28(t6)\n"
    "  la t2, core_start_cycles\n"
    "  csrr t1, " COUNTER "\n  sw t1, 0(t2)\n"
    "  jalr t0\n"
    "  csrr t1, " COUNTER "\n"
    "  csrci mstatus, 8\n"
    "  la t2, core_end_cycles\n  sw t1, 0(t2)\n"
    "  la t2, core_saved\n"
    "  sw s0, 0(t2)\n  sw s1, 4(t2)\n  sw s2, 8(t2)\n  sw s3, 12(t2)\n  sw s4, 16(t2)\n"
    "  sw s5, 20(t2)\n  sw s6, 24(t2)\n  sw s7, 28(t2)\n  sw s8, 32(t2)\n  sw s9, 36(t2)\n"
    "  sw s10, 40(t2)\n  sw s11, 44(t2)\n  sw sp, 48(t2)\n"
    "  li a0, 0\n"
    "core_leave:\n" /* a0: result; all other registers are undefined */
    "  la t0, core_runner_sp\n  lw sp, 0(t0)\n"
    "  lw ra, 0(sp)\n  lw s0, 4(sp)\n  lw s1, 8(sp)\n  lw s2, 12(sp)\n  lw s3, 16(sp)\n"
    "  lw s4, 20(sp)\n  lw s5, 24(sp)\n  lw s6, 28(sp)\n  lw s7, 32(sp)\n  lw s8, 36(sp)\n"
    "  lw s9, 40(sp)\n  lw s10, 44(sp)\n  lw s11, 48(sp)\n"
    "  addi sp, sp, 64\n"
    "  ret\n"
    "core_empty:\n"
    "  ret\n"
    ".text\n");

/* The board's start-up code: sets up a stack, clears .bss, starts the runner. */
__asm__(
    ".section .start,\"ax\",@progbits\n"
    ".globl _start\n"
    "_start:\n"
    "  csrci mstatus, 8\n"
    "  la sp, runner_stack_top\n"
    "  la t0, runner_bss\n  la t1, runner_bss_end\n"
    "1: bgeu t0, t1, 2f\n  sw zero, 0(t0)\n  addi t0, t0, 4\n  j 1b\n"
    "2: j runner_main\n"
    ".text\n");

extern char core_traps[], core_empty[];
extern uint32_t runner_stack_top[];

/* A core without interrupts may not have the register mie. */
#if defined(TIMER_NOW) || defined(PLIC_ADDRESS)
#define NO_INTERRUPTS __asm__ volatile("csrw mie, zero")
#else
#define NO_INTERRUPTS (void)0
#endif

static void limit(uint64_t cycles) {
#ifdef TIMER_NOW
  volatile uint32_t *const now = (volatile uint32_t *)TIMER_NOW;
  volatile uint32_t *const compare = (volatile uint32_t *)TIMER_COMPARE;
  uint32_t high = now[1], low = now[0];
  if (now[1] != high) high = now[1], low = 0;
  const uint64_t at = ((uint64_t)high << 32 | low) + (cycles >> TIMER_SHIFT) + 1;
  compare[1] = 0xFFFFFFFFu; /* prevents an interrupt between the two writes */
  compare[0] = (uint32_t)at;
  compare[1] = (uint32_t)(at >> 32);
  __asm__ volatile("csrw mie, %0\n csrsi mstatus, 8" ::"r"(1u << 7));
#else
  (void)cycles;
#endif
}

#ifdef PLIC_ADDRESS
#define PLIC(offset) (*(volatile uint32_t *)(PLIC_ADDRESS + (offset)))
#define PLIC_PRIORITY PLIC(4u * UART_INTERRUPT)
#define PLIC_ENABLE PLIC(0x2000u) /* context 0: this core in machine mode */
#define PLIC_THRESHOLD PLIC(0x200000u)
#define PLIC_CLAIM PLIC(0x200004u)
#define EXTERNAL (1u << 11)
#endif

#define REST_STEPS 400u /* 40 us on a timer of 10 MHz: three bytes at 921,600 baud */

void core_rest(void) {
#ifdef PLIC_ADDRESS
  /* Interrupts are off: a received byte ends the wait without an exception. */
  __asm__ volatile("csrw mie, %0\n wfi\n csrw mie, zero" ::"r"(EXTERNAL));
  PLIC_CLAIM = PLIC_CLAIM;
#elif defined(TIMER_NOW)
  volatile uint32_t *const now = (volatile uint32_t *)TIMER_NOW;
  volatile uint32_t *const compare = (volatile uint32_t *)TIMER_COMPARE;
  const uint32_t high = now[1];
  const uint64_t at = ((uint64_t)high << 32 | now[0]) + REST_STEPS;
  compare[1] = 0xFFFFFFFFu;
  compare[0] = (uint32_t)at;
  compare[1] = (uint32_t)(at >> 32);
  /* Interrupts are off: the timer's ends the wait without an exception. */
  __asm__ volatile("csrw mie, %0\n wfi\n csrw mie, zero" ::"r"(1u << 7));
#endif
}

static void no_limit(void) {
  __asm__ volatile("csrci mstatus, 8");
  NO_INTERRUPTS;
}

void core_call(const struct call *call, struct outcome *outcome) {
  if (call->cycle_limit != 0) limit(call->cycle_limit);
  const int trapped = core_enter(call->function, call->words, call->count, call->stack_top);
  no_limit();
  outcome->cause = outcome->pc = 0;
  outcome->restored = 1;
  outcome->cycles = 0;
  outcome->end = WIRE_RETURNED;
  if (trapped) {
    outcome->end = core_cause >> 31 ? WIRE_CYCLE_LIMIT : WIRE_FAULT;
    outcome->cause = core_cause;
    outcome->pc = core_trap_pc;
    return;
  }
  outcome->cycles = core_end_cycles - core_start_cycles - overhead;
  for (uint32_t i = 0; i < SAVED; ++i)
    if (core_saved[i] != i + 1) outcome->restored = 0;
  if (core_saved[SAVED] != core_kernel_sp) outcome->restored = 0;
}

uint32_t core_flags(void) {
#ifdef TIMER_NOW
  return WIRE_FLAG_LIMITS_CYCLES;
#else
  return 0;
#endif
}

void core_start(void) {
  NO_INTERRUPTS;
  __asm__ volatile("csrw mtvec, %0" ::"r"((uintptr_t)core_traps | 1u));
#ifdef COUNTER_INHIBIT_CSR
  __asm__ volatile("csrc " STRING(COUNTER_INHIBIT_CSR) ", %0" ::"r"(1u << COUNTER_INHIBIT_BIT));
#endif
#ifdef PLIC_ADDRESS
  PLIC_PRIORITY = 1;
  PLIC_ENABLE = 1u << UART_INTERRUPT;
  PLIC_THRESHOLD = 0;
#endif
  static struct call nothing;
  static struct outcome done;
  nothing.function = (uint32_t)(uintptr_t)core_empty;
  nothing.stack_top = (uint32_t)(uintptr_t)runner_stack_top - 2048u;
  core_call(&nothing, &done);
  overhead = (uint32_t)done.cycles - 1; /* 1: the return belongs to the callee */
}
