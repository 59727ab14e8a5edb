/* Measures on an RP2040 what its device file derives from documents: the cost of fork and join on
 * two cores, contention in banks of SRAM by the bus fabric's counters, and the speed of each way to
 * read flash. Replaces the runner and prints its lines once; doc/calibration.md explains them.
 *
 * The program is entirely in SRAM, so that flash can be read in any mode. Datasheet, chapters 2.1,
 * 2.3, 2.5, 2.6, 2.8 and 4.10; pico-sdk hardware/regs. */
#include "board.h"

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define TICKS REGISTER(0xE000E018u) /* SysTick, which counts down */
#define TICK_MASK 0x00FFFFFFu
#define VECTOR_TABLE REGISTER(0xE000ED08u)

#define RESETS 0x4000C000u
#define RESET_DONE REGISTER(RESETS + 8)
#define CLEAR 0x3000u
#define BUS_CONTROL (1u << 1)
#define DMA_UNIT (1u << 2)
#define FLASH_PINS (1u << 6 | 1u << 9)

#define FIFO_STATUS REGISTER(0xD0000050u) /* FIFO between the cores, for starting core 1 */
#define FIFO_WRITE REGISTER(0xD0000054u)
#define FIFO_READ REGISTER(0xD0000058u)
#define FIFO_HAS_WORD 1u
#define FIFO_HAS_ROOM 2u

#define CONTESTED(n) REGISTER(0x40030008u + 8u * (n)) /* any write clears */
#define EVENT(n) REGISTER(0x4003000Cu + 8u * (n))
#define SRAM_CONTESTED(bank) (0xEu - 2u * (bank))

#define XIP ((volatile uint32_t *)0x14000000u) /* status 2, stream's address 5, words 6, FIFO 7 */
#define DMA ((volatile uint32_t *)0x50000000u)
#define SSI ((volatile uint32_t *)0x18000000u)
#define UNCACHED_FLASH ((const volatile uint32_t *)0x13000000u)

#define ROUNDS 256u

/* No kernel is called here. */
int memory_allowed(uint32_t address, uint32_t size) {
  (void)address;
  (void)size;
  return 0;
}

static void say(const char *text) {
  for (; *text != 0; ++text) uart_write((uint8_t)*text);
}

/* Prints a number without division, which the core does not have. */
static void say_number(uint32_t number) {
  int begun = 0;
  for (uint32_t unit = 1000000000u; unit != 0u;) {
    uint32_t digit = 0;
    for (; number >= unit; number -= unit) ++digit;
    begun |= digit != 0u || unit == 1u;
    if (begun) uart_write((uint8_t)('0' + digit));
    uint32_t smaller = 0; /* unit / 10: the largest number with smaller * 10 <= unit */
    for (uint32_t bit = 1u << 27; bit != 0u; bit >>= 1)
      if ((smaller | bit) * 10u <= unit) smaller |= bit;
    unit = smaller;
  }
}

static void say_line(const char *name, uint32_t cycles, uint32_t count, const char *of) {
  say(name);
  say(" ");
  say_number(cycles);
  say(" cycles, ");
  say_number(count);
  say(of);
  say("\r\n");
}

/* Two cores. A job is a function; the synchronisation is that of generated libraries. */

static void *volatile job;
static uint32_t other_stack[64];

static void wake(void) { __asm__ volatile("dsb\n\tsev" ::: "memory"); }

static void fork_job(void (*wanted)(void)) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  job = (void *)(uintptr_t)wanted;
  wake();
}

static void join_job(void) {
  while (job != 0) __asm__ volatile("wfe" ::: "memory");
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static void other_core(void) {
  for (;;) {
    while (job == 0) __asm__ volatile("wfe" ::: "memory");
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    ((void (*)(void))(uintptr_t)job)();
    __atomic_thread_fence(__ATOMIC_RELEASE);
    job = 0;
    wake();
  }
}

/* Starts core 1 by the ROM's protocol: it echoes each word; on a mismatch the sequence restarts.
 * Returns 0 if core 1 does not answer. */
static int start_other_core(void) {
  const uint32_t words[6] = {0,
                             0,
                             1,
                             VECTOR_TABLE,
                             (uint32_t)(uintptr_t)(other_stack + 64),
                             (uint32_t)(uintptr_t)other_core | 1u};
  uint32_t patience = 1u << 20;
  for (uint32_t i = 0; i < 6u;) {
    if (words[i] == 0u) {
      while (FIFO_STATUS & FIFO_HAS_WORD) (void)FIFO_READ;
      wake();
    }
    while (!(FIFO_STATUS & FIFO_HAS_ROOM)) {
    }
    FIFO_WRITE = words[i];
    wake();
    while (!(FIFO_STATUS & FIFO_HAS_WORD))
      if (--patience == 0u) return 0;
    i = FIFO_READ == words[i] ? i + 1u : 0u;
  }
  return 1;
}

__attribute__((noinline)) static void nothing(void) { __asm__ volatile(""); }

static void count_meetings(void) {
  uint32_t begin = TICKS;
  for (uint32_t i = 0; i < ROUNDS; ++i) {
    fork_job(nothing);
    join_job();
  }
  say_line("fork_join", (begin - TICKS) & TICK_MASK, ROUNDS, " rounds");
}

/* Each iteration loads from all four banks. One loop is longer than the other, so that their phases
 * drift; the simulator runs the same code (bench/fidelity). */
static uint32_t banks[4];

#define LOADS "ldr r1, [%1]\n\tldr r2, [%1, #4]\n\tldr r3, [%1, #8]\n\tldr r4, [%1, #12]\n\t"
#define LOOP_OF_LOADS(more)                                                                   \
  uint32_t turns = 4096u;                                                                     \
  __asm__ volatile(".p2align 2\n1:\n\t" LOADS more "subs %0, #1\n\tbne 1b"                    \
                   : "+l"(turns)                                                              \
                   : "l"(banks)                                                               \
                   : "r1", "r2", "r3", "r4", "cc", "memory")

__attribute__((noinline)) static void short_loop(void) { LOOP_OF_LOADS(""); }
__attribute__((noinline)) static void long_loop(void) { LOOP_OF_LOADS("nop\n\tnop\n\t"); }

static void count_banks(const char *name, int together) {
  for (uint32_t bank = 0; bank < 4u; ++bank) {
    EVENT(bank) = SRAM_CONTESTED(bank);
    CONTESTED(bank) = 0;
  }
  if (together) fork_job(long_loop);
  const uint32_t begin = TICKS;
  short_loop();
  const uint32_t cycles = (begin - TICKS) & TICK_MASK;
  uint32_t contested = 0;
  for (uint32_t bank = 0; bank < 4u; ++bank) contested += CONTESTED(bank);
  if (together) join_job();
  say_line(name, cycles, contested, " contested");
}

/* Flash. */

static void set_format(uint32_t control, uint32_t format) {
  SSI[2] = 0;
  SSI[0] = control;
  SSI[1] = 0;
  SSI[61] = format;
  SSI[2] = 1;
}

static void wait_for_interface(void) {
  while ((SSI[10] & 5u) != 4u) { /* all sent, not busy */
  }
}

/* Configures flash like boot2_w25q080.S of pico-sdk, with divider 2. Returns 0 if quad mode was
 * never enabled in the flash. */
static int start_flash(void) {
  SSI[2] = 0;
  SSI[4] = 1; /* the one flash */
  SSI[5] = 2;
  SSI[60] = 1;
  set_format(7u << 16, 0);
  SSI[24] = 0x35; /* read the second status register */
  SSI[24] = 0;
  wait_for_interface();
  (void)SSI[24];
  if ((SSI[24] & 2u) == 0u) return 0;
  const uint32_t quad_read = 2u << 21 | 31u << 16 | 3u << 8;
  set_format(quad_read, 4u << 11 | 2u << 8 | 8u << 2 | 1u);
  SSI[24] = 0xEB;
  SSI[24] = 0xA0; /* address 0, and no command from now on */
  wait_for_interface();
  (void)SSI[24];
  set_format(quad_read, 0xA0u << 24 | 4u << 11 | 8u << 2 | 2u);
  return 1;
}

/* Calls the ROM's function of that two-letter name, found in the ROM's table. */
static void call_rom(char first, char second) {
  typedef void *(*lookup)(uint16_t *table, uint32_t code);
  const lookup find = (lookup)(uintptr_t) * (volatile uint16_t *)0x18u;
  uint16_t *const table = (uint16_t *)(uintptr_t) * (volatile uint16_t *)0x14u;
  ((void (*)(void))find(table, (uint32_t)(uint8_t)first | (uint32_t)(uint8_t)second << 8))();
}

/* Both copy words and return when all have arrived. */
void stream_words(uint32_t *to, uint32_t from, uint32_t words);
void burst_words(uint32_t *to, uint32_t from, uint32_t words);

void stream_words(uint32_t *to, uint32_t from, uint32_t words) {
  while ((XIP[2] & 2u) == 0u) (void)XIP[7];
  XIP[5] = from;
  XIP[6] = words;
  DMA[0] = 0x50400000u;
  DMA[1] = (uint32_t)(uintptr_t)to;
  DMA[2] = words;
  DMA[3] = 1u | 2u << 2 | 1u << 5 | 37u << 15 | 1u << 21;
  while (DMA[3] & 1u << 24) {
  }
}

static void set_frames(uint32_t words, uint32_t dma) {
  SSI[2] = 0;
  SSI[1] = words - 1u;
  SSI[19] = dma;
  SSI[2] = 1;
}

void burst_words(uint32_t *to, uint32_t from, uint32_t words) {
  set_frames(words, 3);
  DMA[0] = 0x18000060u;
  DMA[1] = (uint32_t)(uintptr_t)to;
  DMA[2] = words;
  DMA[3] = 1u | 2u << 2 | 1u << 5 | 39u << 15 | 1u << 21 | 1u << 22;
  SSI[24] = from << 8 | 0xA0u;
  while (DMA[3] & 1u << 24) {
  }
  set_frames(1, 0);
}

static uint32_t words_of_flash[1024];

typedef void (*way)(uint32_t *to, uint32_t from, uint32_t words);

/* Measures two lengths, so that the cost of a start can be separated from that of a word. */
static void count_way(const char *name, way move) {
  for (uint32_t words = 256; words <= 1024u; words += 768u) {
    const uint32_t begin = TICKS;
    move(words_of_flash, 0x10000000u, words);
    say_line(name, (begin - TICKS) & TICK_MASK, words, " words");
  }
}

static void count_misses(void) {
  const uint32_t begin = TICKS;
  for (uint32_t i = 0; i < ROUNDS; ++i) (void)UNCACHED_FLASH[2u * i];
  say_line("fill", (begin - TICKS) & TICK_MASK, ROUNDS, " loads");
}

static int all_is_flash(void) {
  for (uint32_t i = 0; i < 1024u; ++i)
    if (words_of_flash[i] != UNCACHED_FLASH[i]) return 0;
  return 1;
}

void runner_main(void);
void runner_main(void) {
  uart_start();
  core_start();
  const uint32_t wanted = BUS_CONTROL | DMA_UNIT | FLASH_PINS;
  REGISTER(RESETS + CLEAR) = wanted;
  while ((RESET_DONE & wanted) != wanted) {
  }
  REGISTER(0xE000E014u) = TICK_MASK;
  TICKS = 0;
  say("tinytune counters rp2040\r\n");
  count_banks("banks_alone", 0);
  if (start_other_core()) {
    count_meetings();
    count_banks("banks_together", 1);
  } else {
    say("the other core does not start\r\n");
  }
  call_rom('I', 'F'); /* connects the flash's pins; the next call leaves the command-free mode */
  call_rom('E', 'X');
  if (start_flash()) {
    count_misses();
    count_way("stream", stream_words);
    count_way("burst", burst_words);
    say(all_is_flash() ? "words are right\r\n" : "words are WRONG\r\n");
  } else {
    say("flash: its four wires were never enabled; load any program of pico-sdk once\r\n");
  }
  say("end\r\n");
  for (;;) core_rest();
}
