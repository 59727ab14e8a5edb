/* UART0 of the ESP32-C3: esp-idf, soc/esp32c3 uart_reg.h. The ROM's loader has set the rate. */
#include "board.h"

#define UART ((volatile uint32_t *)UART_ADDRESS)
#define FIFO 0
#define STATE (0x1C / 4)
#define RECEIVED(state) ((state)&0x3FFu)
#define WAITING(state) ((state) >> 16 & 0x3FFu)
#define MOST_WAITING 126u

void uart_start(void) {}

int uart_read(void) { return RECEIVED(UART[STATE]) > 0 ? (int)(UART[FIFO] & 0xFFu) : -1; }

void uart_write(uint8_t byte) {
  while (WAITING(UART[STATE]) >= MOST_WAITING) {
  }
  UART[FIFO] = byte;
}
