/* The runner: receives frames, executes their commands, answers. Contains no chip-specific code. */
#include "board.h"
#include "digest.h"
#include "wire.h"

#define FRAME_BYTES (WIRE_HEADER_BYTES + WIRE_MOST_PAYLOAD + WIRE_CRC_BYTES)

static uint8_t request[FRAME_BYTES];
static uint8_t reply[FRAME_BYTES]; /* the last one, kept for a repeated request */
static uint32_t reply_size;
static uint16_t session, answered;
static uint8_t in_session;

static uint16_t get16(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }
static uint32_t get32(const uint8_t *at) { return get16(at) | (uint32_t)get16(at + 2) << 16; }
static uint64_t get64(const uint8_t *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }
static void put16(uint8_t *at, uint32_t value) {
  at[0] = (uint8_t)value;
  at[1] = (uint8_t)(value >> 8);
}
static void put32(uint8_t *at, uint32_t value) {
  put16(at, value);
  put16(at + 2, value >> 16);
}
static void put64(uint8_t *at, uint64_t value) {
  put32(at, (uint32_t)value);
  put32(at + 4, (uint32_t)(value >> 32));
}

/* Processes nibbles: the table has 64 bytes instead of a kilobyte. */
static uint32_t crc32(const uint8_t *bytes, uint32_t size) {
  static const uint32_t nibbles[16] = {0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC,
                                       0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
                                       0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
                                       0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C};
  uint32_t crc = 0xFFFFFFFFu;
  for (uint32_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    crc = crc >> 4 ^ nibbles[crc & 15];
    crc = crc >> 4 ^ nibbles[crc & 15];
  }
  return ~crc;
}

/* Receives a frame between two ENDs; returns its size, 0 if it is too long or broken. */
static uint32_t receive(void) {
  uint32_t size = 0, escaped = 0, broken = 0;
  for (;;) {
    const int byte = uart_read();
    if (byte < 0) {
      core_rest();
      continue;
    }
    uint32_t value = (uint32_t)byte;
    if (value == WIRE_END) {
      if (size > 0 || broken) return broken ? 0 : size;
      continue;
    }
    if (escaped) {
      escaped = 0;
      if (value != WIRE_ESCAPED_END && value != WIRE_ESCAPED_ESCAPE) broken = 1;
      value = value == WIRE_ESCAPED_END ? WIRE_END : WIRE_ESCAPE;
    } else if (value == WIRE_ESCAPE) {
      escaped = 1;
      continue;
    }
    if (size == FRAME_BYTES) broken = 1;
    if (!broken) request[size++] = (uint8_t)value;
  }
}

static void send(void) {
  uart_write(WIRE_END);
  for (uint32_t i = 0; i < reply_size; ++i) {
    const uint8_t byte = reply[i];
    if (byte != WIRE_END && byte != WIRE_ESCAPE) {
      uart_write(byte);
      continue;
    }
    uart_write(WIRE_ESCAPE);
    uart_write(byte == WIRE_END ? WIRE_ESCAPED_END : WIRE_ESCAPED_ESCAPE);
  }
  uart_write(WIRE_END);
}

/* Memory for kernels; never the runner's own. */
static const struct { uint32_t address, size; } windows[] = {WINDOWS};

int memory_allowed(uint32_t address, uint32_t size) {
  for (uint32_t i = 0; i < sizeof windows / sizeof windows[0]; ++i) {
    const uint32_t offset = address - windows[i].address;
    if (offset <= windows[i].size && size <= windows[i].size - offset) return 1;
  }
  return 0;
}

typedef uint32_t __attribute__((may_alias)) word;

/* Copies from the lowest byte on, by words if both pointers are aligned. */
static void copy(uint8_t *to, const uint8_t *from, uint32_t size) {
  uint32_t i = 0;
  if ((((uintptr_t)to | (uintptr_t)from) & 3) == 0)
    for (; i + 4 <= size; i += 4) *(word *)(to + i) = *(const word *)(from + i);
  for (; i < size; ++i) to[i] = from[i];
}

/* Returns a pointer for byte accesses: the data bus's address of memory on the code bus. */
static uint8_t *memory_at(uint32_t address) {
#ifdef BUS_BYTES
  if (address - CODE_BUS < BUS_BYTES) address = address - CODE_BUS + DATA_BUS;
#endif
  return (uint8_t *)(uintptr_t)address;
}

static void fill(uint8_t *to, uint32_t size, uint8_t byte) {
  const uint32_t first = size < 4 ? size : 4;
  for (uint32_t i = 0; i < first; ++i) to[i] = byte;
  copy(to + first, to, size - first); /* copies bytes that it has just written */
}

/* SplitMix64: Steele, Lea, Flood 2014. */
static void fill_from_seed(uint8_t *to, uint32_t size, uint64_t value) {
  for (uint32_t i = 0; i < size; ++i) {
    uint64_t z = value += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    to[i] = (uint8_t)(z ^ z >> 31);
  }
}

static uint32_t hello(uint8_t *out) {
  static const uint8_t id[] = {UNIQUE_ID_BYTES};
  put16(out, WIRE_PROTOCOL);
  put16(out + 2, WIRE_MOST_PAYLOAD);
  put32(out + 4, CLOCK_HZ);
  put32(out + 8, core_flags());
  uint32_t size = 0;
  if (UNIQUE_ID_SIZE > 0) {
    for (; size != UNIQUE_ID_SIZE; ++size)
      out[13 + size] = ((const volatile uint8_t *)UNIQUE_ID_ADDRESS)[size];
  } else {
    for (; size + 1 < sizeof id; ++size) out[13 + size] = id[size];
  }
  out[12] = (uint8_t)size;
  return 13 + size;
}

static uint32_t call(const uint8_t *in, uint32_t size, uint8_t *out) {
  static struct call wanted;
  static struct outcome done;
  wanted.function = get32(in);
  wanted.stack_top = get32(in + 4);
  wanted.cycle_limit = get64(in + 8);
  wanted.count = (size - 16) / 4;
  for (uint32_t i = 0; i < wanted.count; ++i) wanted.words[i] = get32(in + 16 + 4 * i);
  core_call(&wanted, &done);
  out[0] = (uint8_t)done.end;
  out[1] = (uint8_t)done.restored;
  put16(out + 2, 0);
  put64(out + 4, done.cycles);
  put32(out + 12, done.cause);
  put32(out + 16, done.pc);
  return 20;
}

#define REFUSED 0xFFFFFFFFu

/* Executes a command; returns the bytes of its answer, at most `room`, or REFUSED. */
static uint32_t do_command(uint32_t kind, const uint8_t *in, uint32_t size, uint8_t *out,
                           uint32_t room) {
  const uint32_t address = size >= 8 ? get32(in) : 0, bytes = size >= 8 ? get32(in + 4) : 0;
  uint8_t *const memory = memory_at(address);
  if (kind == WIRE_WRITE && size >= 4 && memory_allowed(get32(in), size - 4)) {
    copy(memory_at(get32(in)), in + 4, size - 4);
    return 0;
  }
  if (kind == WIRE_READ && size == 8 && bytes <= room && memory_allowed(address, bytes)) {
    copy(out, memory, bytes);
    return bytes;
  }
  if (kind == WIRE_FILL && size == 17 && memory_allowed(address, bytes)) {
    if (in[8] == WIRE_FILL_SEED)
      fill_from_seed(memory, bytes, get64(in + 9));
    else
      fill(memory, bytes, in[9]);
    return 0;
  }
  if (kind == WIRE_CHOOSE && size >= 10 && bytes <= 8 * (size - 10) &&
      memory_allowed(address, bytes)) {
    for (uint32_t i = 0; i < bytes; ++i) memory[i] = in[8 + (in[10 + i / 8] >> i % 8 & 1)];
    return 0;
  }
  if (kind == WIRE_COPY && size == 12 && memory_allowed(address, get32(in + 8)) &&
      memory_allowed(bytes, get32(in + 8))) { /* `bytes` is the second word: the target */
    copy(memory_at(bytes), memory, get32(in + 8));
    return 0;
  }
  if (kind == WIRE_DIGEST && size == 8 && bytes >= WIRE_LEAST_DIGEST && room >= 16 &&
      memory_allowed(address, bytes)) {
    uint64_t digest[2];
    digest_of_buffer(memory, bytes, digest);
    put64(out, digest[0]);
    put64(out + 8, digest[1]);
    return 16;
  }
  if (kind == WIRE_CALL && size >= 16 && size <= 16 + 64 * 4 && room >= 20 &&
      memory_allowed(address, 2))
    return call(in, size, out);
  return REFUSED;
}

/* Executes all commands; returns the size of the reply's payload and sets `status`. */
static uint32_t do_commands(const uint8_t *in, uint32_t size, uint8_t *out, uint8_t *status) {
  uint32_t said = 0;
  *status = WIRE_OK;
  while (size > 0) {
    const uint32_t bytes = size >= WIRE_COMMAND_BYTES ? get16(in + 1) : REFUSED;
    const uint32_t more = bytes <= size - WIRE_COMMAND_BYTES && size >= WIRE_COMMAND_BYTES
                              ? do_command(in[0], in + WIRE_COMMAND_BYTES, bytes, out + said,
                                           WIRE_MOST_PAYLOAD - said)
                              : REFUSED;
    if (more == REFUSED) {
      *status = WIRE_REFUSED;
      return 0;
    }
    said += more;
    in += WIRE_COMMAND_BYTES + bytes;
    size -= WIRE_COMMAND_BYTES + bytes;
  }
  return said;
}

/* Sends the reply as the answer to this attempt of the request. */
static void send_reply(uint32_t attempt) {
  const uint32_t body = reply_size - WIRE_CRC_BYTES;
  reply[7] = (uint8_t)(attempt | (reply[7] & WIRE_STATUS_MASK));
  put32(reply + body, crc32(reply, body));
  send();
}

static void answer(uint32_t size) {
  const uint32_t kind = request[6], attempt = request[7] & ~WIRE_STATUS_MASK;
  const uint16_t asked_session = get16(request + 2), sequence = get16(request + 4);
  const int begins = kind == WIRE_HELLO && (!in_session || asked_session != session);
  if (in_session && !begins && asked_session == session && sequence == answered) {
    send_reply(attempt);
    return;
  }
  if (begins) {
    in_session = 1;
    session = asked_session;
  }
  uint8_t status = WIRE_NO_SESSION;
  uint32_t payload = 0;
  if (in_session && asked_session == session) {
    uint8_t *const out = reply + WIRE_HEADER_BYTES;
    status = kind == WIRE_HELLO || kind == WIRE_COMMANDS ? WIRE_OK : WIRE_REFUSED;
    if (kind == WIRE_HELLO) payload = hello(out);
    if (kind == WIRE_COMMANDS)
      payload = do_commands(request + WIRE_HEADER_BYTES, size, out, &status);
    answered = sequence;
  }
  put16(reply, payload);
  put16(reply + 2, asked_session);
  put16(reply + 4, sequence);
  reply[6] = (uint8_t)kind;
  reply[7] = status;
  reply_size = WIRE_HEADER_BYTES + payload + WIRE_CRC_BYTES;
  send_reply(attempt);
}

void runner_main(void);
void runner_main(void) {
  BOARD_SETUP; /* register writes from the device file: watchdogs, counters */
  core_start();
  uart_start();
  for (;;) {
    const uint32_t size = receive();
    if (size < WIRE_HEADER_BYTES + WIRE_CRC_BYTES) continue;
    const uint32_t body = size - WIRE_CRC_BYTES;
    if (get16(request) != body - WIRE_HEADER_BYTES || get32(request + body) != crc32(request, body))
      continue; /* the host will repeat it */
    answer(body - WIRE_HEADER_BYTES);
  }
}
