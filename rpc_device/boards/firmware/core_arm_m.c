/* Cortex-M, Armv6-M and later: calls on the process stack with a known value in every callee-saved
 * register. Faults are exceptions on the main stack, whatever the state of the process stack, and
 * return to the runner instead of the kernel. SysTick ends a call that takes too long, and counts
 * cycles if the core has no DWT. Source: Arm DDI 0403 and DDI 0419, section B1.5; AAPCS32. */
#include "board.h"
#include "wire.h"

#define SAVED 8u /* r4 to r11 */

#define STRING_(x) #x
#define STRING(x) STRING_(x)

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define SYSTICK_CONTROL REGISTER(0xE000E010u)
#define SYSTICK_RELOAD REGISTER(0xE000E014u)
#define SYSTICK_VALUE REGISTER(0xE000E018u)
#define INTERRUPT_STATE REGISTER(0xE000ED04u)
#define VECTOR_TABLE REGISTER(0xE000ED08u)
#define RESET_CONTROL REGISTER(0xE000ED0Cu)
#define FAULT_STATUS REGISTER(0xE000ED28u)
#define COPROCESSORS REGISTER(0xE000ED88u)
#define FLOAT_CONTEXT REGISTER(0xE000EF34u)
#define TRACE_CONTROL REGISTER(0xE000EDFCu)
#define DWT_CONTROL REGISTER(0xE0001000u)
#define DWT_LOCK REGISTER(0xE0001FB0u)
#define TICKING 5u /* on, with the core's clock; 7: and with interrupt */
#define TICK_PENDING (1u << 26)
#define CLEAR_TICK (1u << 25)
#define SYSTICK_EXCEPTION 15u
#define STACKING_FAILED 0x1010u /* MSTKERR, STKERR: no valid frame */

#ifdef COUNTER_DWT
#define COUNTER 0xE0001004
#else
#define COUNTER 0xE000E018
#endif

int core_enter(uint32_t function, const uint32_t *words, uint32_t count, uint32_t stack_top);
uint32_t core_caught(const uint32_t *frame, uint32_t exception);

/* Written by the assembly below. */
uint32_t core_kernel_sp, core_start_count, core_end_count;
uint32_t core_saved[SAVED + 1]; /* r4 to r11, then sp, after the call */

static volatile uint32_t in_call, ticks_over, period;
static volatile uint64_t cycle_limit;
static uint32_t cause, trap_pc, overhead;

/* Uses only instructions of Armv6-M, which all these cores have. */
__asm__(
    ".syntax unified\n"
    ".section .vectors,\"a\",%progbits\n"
    "core_vectors:\n"
    ".word runner_stack_top, _start\n"
    ".rept 14\n .word core_trap\n .endr\n"
    ".section .text.core_enter,\"ax\",%progbits\n"
    ".globl core_enter\n .thumb_func\n"
    "core_enter:\n"
    "  push {r3-r7, lr}\n"
    "  mov r4, r8\n  mov r5, r9\n  mov r6, r10\n  mov r7, r11\n  push {r4-r7}\n"
    "  mov r12, r0\n  mov r5, r3\n"
    "  subs r2, #4\n  bls 2f\n" /* arguments beyond r3 */
    "  lsls r2, r2, #2\n  subs r5, r5, r2\n  lsrs r5, r5, #3\n  lsls r5, r5, #3\n"
    "  mov r3, r5\n  mov r7, r1\n  adds r7, #16\n"
    "1: ldr r4, [r7]\n  str r4, [r3]\n  adds r7, #4\n  adds r3, #4\n  subs r2, #4\n  bne 1b\n"
    "2: ldr r4, =core_kernel_sp\n  str r5, [r4]\n"
    "  msr psp, r5\n  movs r4, #2\n  msr control, r4\n  isb\n"
    "  movs r0, #8\n  mov r8, r0\n  movs r0, #9\n  mov r9, r0\n"
    "  movs r0, #10\n  mov r10, r0\n  movs r0, #11\n  mov r11, r0\n"
    "  movs r6, #6\n  movs r7, #7\n"
    "  ldr r0, [r1]\n  ldr r2, [r1, #8]\n  ldr r3, [r1, #12]\n  ldr r1, [r1, #4]\n"
    "  ldr r5, =core_start_count\n  ldr r4, =" STRING(COUNTER) "\n"
    "  ldr r4, [r4]\n  str r4, [r5]\n"
    "  movs r4, #4\n  movs r5, #5\n"
    "  blx r12\n"
    "  ldr r0, =" STRING(COUNTER) "\n  ldr r0, [r0]\n"
    "  cpsid i\n"
    "  ldr r1, =core_end_count\n  str r0, [r1]\n"
    "  ldr r1, =core_saved\n"
    "  str r4, [r1]\n  str r5, [r1, #4]\n  str r6, [r1, #8]\n  str r7, [r1, #12]\n"
    "  mov r2, r8\n  str r2, [r1, #16]\n  mov r2, r9\n  str r2, [r1, #20]\n"
    "  mov r2, r10\n  str r2, [r1, #24]\n  mov r2, r11\n  str r2, [r1, #28]\n"
    "  mov r2, sp\n  str r2, [r1, #32]\n"
    "  movs r0, #0\n"
    "core_leave:\n" /* r0: result; all other registers are undefined */
    "  cpsid i\n"
    "  movs r1, #0\n  msr control, r1\n  isb\n"
    "  pop {r4-r7}\n  mov r8, r4\n  mov r9, r5\n  mov r10, r6\n  mov r11, r7\n"
    "  pop {r3-r7, pc}\n"
    ".ltorg\n"
    ".thumb_func\n"
    "core_trap:\n"
    "  mrs r0, psp\n  mrs r1, ipsr\n"
    "  push {r4, lr}\n"
    "  bl core_caught\n"
    "  cmp r0, #0\n  bne 1f\n"
    "  pop {r4, pc}\n"
    "1: pop {r4}\n  pop {r1}\n" /* back to the main stack, at core_leave */
    "  movs r2, #4\n  bics r1, r2\n"
    "  sub sp, #32\n  str r0, [sp]\n"
    "  ldr r2, =core_leave\n  str r2, [sp, #24]\n"
    "  movs r2, #1\n  lsls r2, r2, #24\n  str r2, [sp, #28]\n"
    "  bx r1\n"
    ".thumb_func\n"
    "core_empty:\n"
    "  bx lr\n"
    ".ltorg\n"
    /* Entered from a reset, a loader or a debugger, so no state is assumed. */
    ".section .start,\"ax\",%progbits\n"
    ".globl _start\n .type _start, %function\n .thumb_func\n"
    "_start:\n"
    "  cpsid i\n"
    "  movs r0, #0\n  msr control, r0\n  isb\n"
    "  ldr r0, =runner_stack_top\n  mov sp, r0\n"
    "  ldr r0, =runner_bss\n  ldr r1, =runner_bss_end\n  movs r2, #0\n"
    "1: cmp r0, r1\n  bhs 2f\n  str r2, [r0]\n  adds r0, #4\n  b 1b\n"
    "2: ldr r0, =runner_main\n  bx r0\n"
    ".ltorg\n"
    ".text\n");

extern char core_vectors[], core_empty[];
extern uint32_t runner_stack_top[];

/* Handles an exception; returns 0 to continue, otherwise 1 + the call's end. */
uint32_t core_caught(const uint32_t *frame, uint32_t exception) {
  if (exception == SYSTICK_EXCEPTION) {
    ++ticks_over;
    if (cycle_limit == 0 || (uint64_t)ticks_over * period < cycle_limit) return 0;
    return 1 + WIRE_CYCLE_LIMIT;
  }
  if (!in_call)
    for (;;) RESET_CONTROL = 0x05FA0004u; /* a fault of the runner: resets the chip */
  uint32_t status = 0;
#if __ARM_ARCH >= 7
  status = FAULT_STATUS;
  FAULT_STATUS = status;
#endif
  cause = exception | status << 8;
  trap_pc = (status & STACKING_FAILED) == 0 && memory_allowed((uint32_t)(uintptr_t)frame, 32)
                ? frame[6]
                : 0;
  return 1 + WIRE_FAULT;
}

/* Returns the ticks between two values of the counter. */
static uint64_t counted(uint32_t start, uint32_t end) {
#ifdef COUNTER_DWT
  return end - start;
#else
  uint32_t over = ticks_over;
  /* It wrapped after `end` was read, and the interrupt counted that before interrupts were off. */
  if (SYSTICK_VALUE > end && !(INTERRUPT_STATE & TICK_PENDING) && over > 0) --over;
  return (uint64_t)over * period + start - end;
#endif
}

void core_call(const struct call *call, struct outcome *outcome) {
  const uint64_t limit = call->cycle_limit;
  period = limit == 0 || limit > 0x00FFFFFFu ? 0x01000000u : (uint32_t)limit + 1;
  if (period < 1024) period = 1024;
  ticks_over = 0;
  cycle_limit = limit;
  SYSTICK_RELOAD = period - 1;
  SYSTICK_VALUE = 0; /* any write restarts it */
  SYSTICK_CONTROL = TICKING | 2u;
  while (SYSTICK_VALUE == 0) {
  }
  in_call = 1;
  __asm__ volatile("cpsie i");
  const int ended = core_enter(call->function | 1u, call->words, call->count, call->stack_top);
  in_call = 0;
  outcome->cycles = 0;
  outcome->restored = 1;
  outcome->cause = outcome->pc = 0;
  outcome->end = ended == 0 ? WIRE_RETURNED : (uint32_t)ended - 1;
  if (ended == 0) outcome->cycles = counted(core_start_count, core_end_count);
  SYSTICK_CONTROL = TICKING;
  INTERRUPT_STATE = CLEAR_TICK;
  if (outcome->end == WIRE_FAULT) {
    outcome->cause = cause;
    outcome->pc = trap_pc;
  }
  if (ended != 0) return;
  outcome->cycles = outcome->cycles > overhead ? outcome->cycles - overhead : 1;
  for (uint32_t i = 0; i < SAVED; ++i)
    if (core_saved[i] != i + 4) outcome->restored = 0;
  if (core_saved[SAVED] != core_kernel_sp) outcome->restored = 0;
}

uint32_t core_flags(void) { return WIRE_FLAG_LIMITS_CYCLES; }

/* In cycles of the core's clock. At 25 MHz 4 us, less than half of a byte's time at 921,600 baud: a
 * UART may hold only one byte. */
#define REST_CYCLES 100u

void core_rest(void) {
  SYSTICK_RELOAD = REST_CYCLES;
  SYSTICK_VALUE = 0;
  SYSTICK_CONTROL = TICKING | 2u;
  __asm__ volatile("wfi"); /* interrupts are off: the tick ends the wait without an exception */
  SYSTICK_CONTROL = TICKING;
  INTERRUPT_STATE = CLEAR_TICK;
}

void core_start(void) {
  VECTOR_TABLE = (uint32_t)(uintptr_t)core_vectors;
#ifdef COUNTER_DWT
  TRACE_CONTROL |= 1u << 24;
  DWT_LOCK = 0xC5ACCE55u;
  DWT_CONTROL |= 1u;
#endif
#ifdef HAS_FPU
  /* For networks with float32 tensors. Exceptions save no FPU registers, so that frames keep their
   * size; no handler here uses the FPU. */
  COPROCESSORS |= 0xFu << 20;
  FLOAT_CONTEXT &= ~(3u << 30);
  __asm__ volatile("dsb\n\tisb" ::: "memory");
#endif
  static struct call nothing;
  static struct outcome done;
  nothing.function = (uint32_t)(uintptr_t)core_empty;
  nothing.stack_top = (uint32_t)(uintptr_t)runner_stack_top - 2048u;
  core_call(&nothing, &done);
  overhead = (uint32_t)done.cycles - 1; /* 1: the return belongs to the callee */
}

#if __ARM_ARCH < 7
/* Armv6-M has only the lower half of a product; compilers call __aeabi_lmul for 64 bits. Operands
 * are split into 16-bit halves, so that no sum exceeds 32 bits. */
static uint64_t product(uint32_t a, uint32_t b) {
  const uint32_t low = (a & 0xFFFFu) * (b & 0xFFFFu);
  const uint32_t middle = (a >> 16) * (b & 0xFFFFu) + (low >> 16);
  const uint32_t other = (a & 0xFFFFu) * (b >> 16) + (middle & 0xFFFFu);
  const uint32_t high = (a >> 16) * (b >> 16) + (middle >> 16) + (other >> 16);
  return (uint64_t)high << 32 | (other << 16 | (low & 0xFFFFu));
}

uint64_t __aeabi_lmul(uint64_t a, uint64_t b);
uint64_t __aeabi_lmul(uint64_t a, uint64_t b) {
  const uint32_t cross = (uint32_t)(a >> 32) * (uint32_t)b + (uint32_t)a * (uint32_t)(b >> 32);
  return product((uint32_t)a, (uint32_t)b) + ((uint64_t)cross << 32);
}
#endif
