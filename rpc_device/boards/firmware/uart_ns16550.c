/* The 16550: PC16550D data sheet. QEMU's machine virt, and many others with one byte per register.
 * Status is read as rarely as the FIFOs allow, because each register read makes an emulator stop:
 * the trigger level means 14 received bytes, and an empty transmit FIFO takes 16. */
#include "board.h"

#define UART ((volatile uint8_t *)UART_ADDRESS)
#define DATA 0
#define INTERRUPTS 1
#define CAUSE 2 /* to be written: the FIFOs */
#define FORMAT 3
#define STATE 5

#define CAUSE_MASK 0x0Fu
#define TRIGGER_REACHED 0x04u
#define TRIGGER_BYTES 14u
#define FIFO_BYTES 16u

static uint8_t to_read, to_write;

void uart_start(void) {
  UART[INTERRUPTS] = 1; /* for received bytes; core_rest() may wait for it */
  UART[FORMAT] = 3;     /* 8N1; the rate is unchanged */
  UART[CAUSE] = 0xC7;   /* FIFOs on and empty, full at 14 of 16 bytes */
}

int uart_read(void) {
  if (to_read == 0) {
    if ((UART[CAUSE] & CAUSE_MASK) == TRIGGER_REACHED)
      to_read = TRIGGER_BYTES;
    else if (UART[STATE] & 1)
      to_read = 1;
    else
      return -1;
  }
  --to_read;
  return UART[DATA];
}

void uart_write(uint8_t byte) {
  if (to_write == 0) {
    while ((UART[STATE] & 0x20) == 0) {
    }
    to_write = FIFO_BYTES;
  }
  --to_write;
  UART[DATA] = byte;
}
