/* The words between a host and the runner on a board; C11 and C++, shared by both sides.
 *
 * A frame is a header, a payload and a CRC-32 (IEEE 802.3, over both), all little-endian, between
 * SLIP's END bytes: a frame that is damaged ends where the next one begins, whatever was lost.
 *
 * A request is a list of commands, done in their order, so that filling buffers, calling a kernel
 * and digesting what it wrote is one exchange: on a serial line the wait for an answer costs more
 * than the bytes. The reply is what the commands say, one after the other.
 *
 * Requests carry a sequence number that the reply repeats. The runner does a request once: a number
 * that it has just answered is answered again from memory. So the host repeats what gets no answer,
 * and nothing is done twice. A session begins with HELLO; a runner that was reset in between knows
 * none and says so, because its memory cannot be trusted to be what the host thinks it is. */
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
 * A request has no status; a reply repeats the attempt that it answers, so that the host learns how
 * long replies take from those that it asked for twice as well. */
#define WIRE_HEADER_BYTES 8u
#define WIRE_STATUS_BITS 2u
#define WIRE_STATUS_MASK 3u
#define WIRE_CRC_BYTES 4u
#define WIRE_MOST_PAYLOAD 2048u

/* What is asked; a reply has the same kind. */
#define WIRE_HELLO 1u /* -> struct below, as bytes */
#define WIRE_COMMANDS                                                         \
  2u /* commands -> what each says; after one that is refused nothing is done \
      */

/* A command: u8 which, u16 size, then so many bytes. */
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

/* A digest is of XXH3's long form only; shorter buffers are read. */
#define WIRE_LEAST_DIGEST 233u

/* Status of a reply. */
#define WIRE_OK 0u
#define WIRE_NO_SESSION 1u
#define WIRE_REFUSED 2u /* outside the memory that may be used, or no such command */

/* HELLO's reply: u16 protocol, u16 most payload, u32 clock in Hz or 0, u32 flags,
 * u8 length of the unique id, then that id. */
#define WIRE_FLAG_LIMITS_CYCLES 1u
#define WIRE_FLAG_SHARES_ITS_CORE 2u  /* other programs run beside kernels */
#define WIRE_FLAG_TRUSTS_REGISTERS 4u /* nobody looks whether a call restores them */

/* CALL's reply: u8 end, u8 registers restored, u16 zero, u64 cycles, u32 cause, u32 pc. */
#define WIRE_RETURNED 0u
#define WIRE_CYCLE_LIMIT 1u
#define WIRE_FAULT 2u

#endif
