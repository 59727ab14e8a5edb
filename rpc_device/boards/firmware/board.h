/* The interface between the runner and a board: bytes in and out, cycles, and a call that returns
 * whatever the callee does. A UART is one .c file, a core another, and the numbers are from the
 * device file. */
#ifndef TINYTUNE_BOARD_H
#define TINYTUNE_BOARD_H

#include <stdint.h>

/* The UART: 8N1 at the device file's rate. */
void uart_start(void);
int uart_read(void); /* a byte, or -1 */
void uart_write(uint8_t byte);

/* The core. */
void core_start(void);
uint32_t core_flags(void);

struct call {
  uint32_t function, stack_top;
  uint64_t cycle_limit; /* 0: none */
  uint32_t count;
  uint32_t words[64]; /* arguments */
};

struct outcome {
  uint32_t end; /* WIRE_RETURNED, ... */
  uint32_t restored;
  uint64_t cycles;
  uint32_t cause, pc;
};

/* Pauses after no byte has come, for much less time than a FIFO takes to fill. An emulator needs
 * the pause to deliver bytes; a core that polls its UART without pause would prevent that. */
void core_rest(void);

/* Calls a function by the C calling convention on the given stack; a trap or the limit ends it. */
void core_call(const struct call *call, struct outcome *outcome);

/* Defined by the runner: returns whether kernels may use these bytes. */
int memory_allowed(uint32_t address, uint32_t size);

#endif
