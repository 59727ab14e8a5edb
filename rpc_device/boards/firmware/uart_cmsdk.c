/* The UART of Arm's Cortex-M System Design Kit: TRM DDI 0479, chapter 4. The MPS2 boards. */
#include "board.h"

#define UART ((volatile uint32_t *)UART_ADDRESS)
#define DATA 0
#define STATE 1
#define CONTROL 2
#define DIVIDER 4
#define LEAST_DIVIDER 16u

void uart_start(void) {
  const uint32_t divider = UART_CLOCK_HZ / UART_BAUD;
  UART[DIVIDER] = divider < LEAST_DIVIDER ? LEAST_DIVIDER : divider;
  UART[CONTROL] = 3; /* transmit, receive, no interrupts */
}

int uart_read(void) { return UART[STATE] & 2 ? (int)(UART[DATA] & 0xFF) : -1; }

void uart_write(uint8_t byte) {
  while (UART[STATE] & 1) {
  }
  UART[DATA] = byte;
}
