/* The USART of STM32 chips that have a data register for each direction (F0, F3, F7, G0, G4, H7,
 * L0, L4, U5), and their LPUART, whose divider has eight bits of fraction. The device file sets the
 * pins and the clock's gate. RM0385, chapter 31; stm32l4xx-hal-driver, ll_lpuart.h. */
#include "board.h"

#define UART ((volatile uint32_t *)UART_ADDRESS)
#define CONTROL_1 0
#define CONTROL_3 2
#define DIVIDER 3
#define STATE 7
#define RECEIVED 9
#define TRANSMIT 10
#define ON 0x0Du           /* transmits, receives, enabled; 8N1 */
#define NO_OVERRUN 0x1000u /* a byte not read in time is overwritten by the next one */
#define CAME (1u << 5)
#define ROOM (1u << 7)
#define CLOCK ((uint64_t)UART_CLOCK_HZ << UART_FRACTION_BITS)

void uart_start(void) {
  UART[CONTROL_1] = 0; /* the other registers can be set only while it is off */
  UART[CONTROL_3] = NO_OVERRUN;
  UART[DIVIDER] = (uint32_t)((CLOCK + UART_BAUD / 2) / UART_BAUD);
  UART[CONTROL_1] = ON;
}

int uart_read(void) { return UART[STATE] & CAME ? (int)(UART[RECEIVED] & 0xFF) : -1; }

void uart_write(uint8_t byte) {
  while (!(UART[STATE] & ROOM)) {
  }
  UART[TRANSMIT] = byte;
}
