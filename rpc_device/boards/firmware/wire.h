/* The protocol between a host and the runner on a board; C11 and C++, shared by both sides.
 *
 * A frame is a header, a payload and a CRC-32 (IEEE 802.3, over both), all little-endian, between
 * SLIP's END bytes: a damaged frame ends where the next one begins, whatever was lost.
 *
 * A request is a list of commands, executed in order, so that filling buffers, calling a kernel and
 * digesting its output is one exchange: on a serial line the wait for an answer costs more than the
 * bytes. The reply contains the commands' answers, one after the other.
 *
 * Requests have a sequence number, which the reply repeats. The runner executes a request once: if
 * it receives the number that it has just answered, it sends the stored reply again. So the host
 * repeats unanswered requests, and nothing is executed twice. A session begins with HELLO; a runner
 * that was reset since then reports that it has no session, because its memory may have changed. */
#ifndef TINYTUNE_WIRE_H
#define TINYTUNE_WIRE_H

#include <stdint.h>

#define WIRE_PROTOCOL 4u

/* SLIP, RFC 1055. */
#define WIRE_END 0xC0u
#define WIRE_ESCAPE 0xDBu
#define WIRE_ESCAPED_END 0xDCu
#define WIRE_ESCAPED_ESCAPE 0xDDu

/* The header: u16 length of the payload, u16 session, u16 sequence, u8 kind, u8 attempt * 4 + status.
 * A request has no status; a reply repeats the attempt that it answers, so that the host can also
 * measure the reply time of repeated requests. */
#define WIRE_HEADER_BYTES 8u
#define WIRE_STATUS_BITS 2u
#define WIRE_STATUS_MASK 3u
#define WIRE_CRC_BYTES 4u
#define WIRE_MOST_PAYLOAD 2048u

/* Kind of a request; its reply has the same. */
#define WIRE_HELLO 1u /* -> struct below, as bytes */
#define WIRE_COMMANDS                                                         \
  2u /* commands -> their answers; a refused command ends the list            \
      */

/* A command: u8 which, u16 size, then `size` bytes. */
#define WIRE_COMMAND_BYTES 3u
#define WIRE_WRITE 2u  /* u32 address, bytes */
#define WIRE_READ 3u   /* u32 address, u32 size -> bytes */
#define WIRE_FILL 4u   /* u32 address, u32 size, u8 how, u64 value */
#define WIRE_DIGEST 5u /* u32 address, u32 size -> u64 high, u64 low */
#define WIRE_CALL 6u   /* u32 function, u32 stack top, u64 cycle limit or 0, u32 words... */
#define WIRE_CHOOSE \
  7u /* u32 address, u32 size, u8 if 0, u8 if 1, a bit for each byte, lowest first */
#define WIRE_COPY 8u /* u32 from, u32 to, u32 size */

#define WIRE_FILL_BYTE 0u /* every byte is the value's lowest */
#define WIRE_FILL_SEED 1u /* byte i is the low byte of output i of SplitMix64 from the value */

/* Only XXH3's long form is implemented; shorter buffers are read instead. */
#define WIRE_LEAST_DIGEST 233u

/* Status of a reply. */
#define WIRE_OK 0u
#define WIRE_NO_SESSION 1u
#define WIRE_REFUSED 2u /* outside the memory for kernels, or no such command */

/* HELLO's reply: u16 protocol, u16 most payload, u32 clock in Hz or 0, u32 flags,
 * u8 length of the unique id, then that id. */
#define WIRE_FLAG_LIMITS_CYCLES 1u
#define WIRE_FLAG_SHARES_ITS_CORE 2u  /* other programs run beside kernels */
#define WIRE_FLAG_TRUSTS_REGISTERS 4u /* callee-saved registers are not checked after a call */

/* CALL's reply: u8 end, u8 registers restored, u16 zero, u64 cycles, u32 cause, u32 pc. */
#define WIRE_RETURNED 0u
#define WIRE_CYCLE_LIMIT 1u
#define WIRE_FAULT 2u

#endif
