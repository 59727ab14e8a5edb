/* The USART of older STM32 chips, with one data register for both directions: F1, F2, F4, L1. The
 * device file sets the pins and the clock's gate. RM0090, chapter 30. */
#include "board.h"

#define UART ((volatile uint32_t *)UART_ADDRESS)
#define STATE 0
#define DATA 1
#define DIVIDER 2
#define CONTROL_1 3
#define ON 0x200Cu /* transmits, receives, enabled; 8N1 */
#define LOST (1u << 3)
#define CAME (1u << 5)
#define ROOM (1u << 7)

void uart_start(void) {
  UART[DIVIDER] = (UART_CLOCK_HZ + UART_BAUD / 2) / UART_BAUD;
  UART[CONTROL_1] = ON;
}

/* Reading the data also clears an overrun, which blocks reception. */
int uart_read(void) { return UART[STATE] & (CAME | LOST) ? (int)(UART[DATA] & 0xFF) : -1; }

void uart_write(uint8_t byte) {
  while (!(UART[STATE] & ROOM)) {
  }
  UART[DATA] = byte;
}
