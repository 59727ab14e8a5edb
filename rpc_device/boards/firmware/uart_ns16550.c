/* The 16550: PC16550D data sheet. QEMU's machine virt, and many others with one byte a register. */
#include "board.h"

#define UART ((volatile uint8_t *)UART_ADDRESS)

void uart_start(void) {
  UART[1] = 0;    /* no interrupts */
  UART[3] = 3;    /* 8N1; the rate is as it was found */
  UART[2] = 0xC7; /* FIFOs on and empty, full at 14 of 16 bytes */
}

/* An emulator fills the FIFO between two reads of it, and each turn costs it as much for one byte
 * as for fourteen. So an empty FIFO is left alone for a while: a fifth of what a real one takes to
 * fill at 921,600 baud, if the core runs at 100 MHz. */
#define PAUSE 700u

int uart_read(void) {
  if (UART[5] & 1) return UART[0];
  for (volatile uint32_t i = 0; i < PAUSE; ++i) {
  }
  return -1;
}

void uart_write(uint8_t byte) {
  while ((UART[5] & 0x20) == 0) {
  }
  UART[0] = byte;
}
