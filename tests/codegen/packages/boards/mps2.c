/* Start-up for QEMU's mps2 and mps3 boards: vectors, the FPU where the ABI has one, main(), a word on the
 * UART, and a semihosting call that ends QEMU with an exit code. QEMU's RAM is zero at reset. */
#include <stdint.h>

int main(void);
void start(void);
void fault(void);
float halved(float value);
extern char stack_top[];

#if !defined(UART)
#define UART 0x40004000u
#endif
#define UART_DATA (*(volatile uint32_t *)UART)
#define UART_CONTROL (*(volatile uint32_t *)(UART + 0x8u))
#define UART_DIVIDER (*(volatile uint32_t *)(UART + 0x10u))
#define COPROCESSOR_ACCESS (*(volatile uint32_t *)0xE000ED88u)

struct vectors {
  void *stack;
  void (*handlers[15])(void);
};
__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    stack_top, {start, fault, fault, fault, fault, fault}};

static void print(const char *text) {
  UART_DIVIDER = 16u;
  UART_CONTROL = 1u;
  while (*text != '\0') UART_DATA = (uint8_t)*text++;
}

static void leave(uint32_t code) {
  const uint32_t block[2] = {0x20026u, code}; /* the application's own exit */
  register uint32_t operation __asm__("r0") = 0x20u;
  register const uint32_t *parameters __asm__("r1") = block;
  __asm__ volatile("bkpt 0xab" : "+r"(operation) : "r"(parameters) : "memory");
  for (;;) {
  }
}

void fault(void) {
  print("FAULT\n");
  leave(3u);
}

/* Takes and returns a float, so that the two float ABIs cannot be mixed unnoticed. */
__attribute__((noinline)) float halved(float value) { return value / 2.0f; }

void start(void) {
#if defined(__ARM_FP)
  COPROCESSOR_ACCESS |= 0xFu << 20;
  __asm__ volatile("dsb\n isb" ::: "memory");
#endif
  volatile float three = 3.0f;
  if (halved(three) != 1.5f) leave(4u);
  const int failure = main();
  print(failure == 0 ? "PASS\n" : "FAIL\n");
  leave((uint32_t)failure);
}
