/* The host's pipes, as standard input and output. The end of input ends the runner. */
#include <stdlib.h>
#include <unistd.h>

#include "board.h"

static uint8_t received[4096], sent[4096];
static size_t at, count, waiting;

static void send_waiting(void) {
  for (size_t done = 0; done < waiting;) {
    const ssize_t written = write(STDOUT_FILENO, sent + done, waiting - done);
    if (written <= 0) _Exit(0);
    done += (size_t)written;
  }
  waiting = 0;
}

void uart_start(void) {}

/* The runner reads only after it has written a whole reply, so this flushes the output. */
int uart_read(void) {
  if (at == count) {
    send_waiting();
    const ssize_t got = read(STDIN_FILENO, received, sizeof received);
    if (got <= 0) _Exit(0);
    at = 0;
    count = (size_t)got;
  }
  return received[at++];
}

void uart_write(uint8_t byte) {
  if (waiting == sizeof sent) send_waiting();
  sent[waiting++] = byte;
}
