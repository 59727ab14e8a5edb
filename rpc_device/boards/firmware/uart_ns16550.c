/* The 16550: PC16550D data sheet. QEMU's machine virt, and many others with one byte a register. */
#include "board.h"

#define UART ((volatile uint8_t *)UART_ADDRESS)

void uart_start(void) {
  UART[1] = 0;    /* no interrupts */
  UART[3] = 3;    /* 8N1; the rate is as it was found */
  UART[2] = 0xC7; /* FIFOs on and empty, full at 14 of 16 bytes */
}

int uart_read(void) { return UART[5] & 1 ? UART[0] : -1; }

void uart_write(uint8_t byte) {
  while ((UART[5] & 0x20) == 0) {
  }
  UART[0] = byte;
}
