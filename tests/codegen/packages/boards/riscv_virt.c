/* Start-up for QEMU's riscv32 "virt": a stack, main(), a word on the UART, and the test device's
 * register, which ends QEMU with an exit code. QEMU's RAM is zero at reset. */
#include <stdint.h>

int main(void);
void start(void);

#define UART (*(volatile uint8_t *)0x10000000u)
#define TEST_DEVICE (*(volatile uint32_t *)0x00100000u)

__asm__(".section .start,\"ax\",@progbits\n"
        ".globl _start\n"
        "_start: la sp, stack_top\n"
        "  j start\n"
        ".text\n");

static void print(const char *text) {
  while (*text != '\0') UART = (uint8_t)*text++;
}

void start(void) {
  const int failure = main();
  print(failure == 0 ? "PASS\n" : "FAIL\n");
  TEST_DEVICE = failure == 0 ? 0x5555u : ((uint32_t)failure << 16) | 0x3333u;
  for (;;) {
  }
}
