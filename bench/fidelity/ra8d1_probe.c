// Measures on an RA8D1 the undocumented figures of its flash and branches, for devices/ra8d1.toml.
//
// Call ra8d1_probe() once from an application in flash that has set the published clocks and
// switched flash cache and I-cache on and D-cache off, as Renesas' package leaves them. It calls
// print(what, of, hundredths) for each figure, in hundredths of a cycle. It only reads: 768 KiB of
// flash from `flash` on, whatever their contents. ra8d1_probe.py runs it in the simulator.
//
//   fill            32 bytes of flash right after others: fill_cycles
//   fill_half       16 bytes right after others: the same if lines have 16 bytes, half if 32
//   fill_behind     the wait for 32 bytes long after others: fill_cycles - fill_rest
//   again KIB       the wait for 32 bytes when so much flash is read a second time: none while the
//                   flash cache holds all; a slow rise beyond its size: random replacement
//   lines N         the wait for one of N lines of a set, read in turn: begins beyond `ways`
//   mispredict      of a branch whose flags are set right before it
//   mispredict_early  the same with six instructions between them
//   call_return     a call and its return: branch_taken + jump_indirect
#include <stdint.h>

typedef void Print(const char* what, uint32_t of, uint32_t hundredths);

#define CYCLES (*(volatile uint32_t*)0xE0001004)
#define APART __attribute__((noinline))

// Returns the cycles of `count` loads, a multiple of 16, each `bytes` after the one before.
#define LOADS(name, bytes)                                           \
  static APART uint32_t name(uintptr_t from, uint32_t count) {       \
    const uint32_t start = CYCLES;                                   \
    uint32_t word;                                                   \
    __asm__ volatile(                                                \
        ".balign 16\n"                                               \
        "1:\n"                                                       \
        ".set offset, 0\n"                                           \
        ".rept 16\n"                                                 \
        "ldr.w %[word], [%[from], #offset]\n"                        \
        ".set offset, offset + " #bytes                              \
        "\n"                                                         \
        ".endr\n"                                                    \
        "add.w %[from], %[from], #16 * " #bytes                      \
        "\n"                                                         \
        "subs %[count], #16\n"                                       \
        "bne 1b\n"                                                   \
        : [from] "+r"(from), [count] "+r"(count), [word] "=&r"(word) \
        :                                                            \
        : "cc", "memory");                                           \
    return CYCLES - start;                                           \
  }

LOADS(loads_32, 32)
LOADS(loads_16, 16)

// Returns the cycles of `count` loads, `stride` bytes apart; each address depends on the last load.
#define WALKS(name, between)                                                              \
  static APART uint32_t name(uintptr_t from, uint32_t count, uint32_t stride) {           \
    const uint32_t start = CYCLES;                                                        \
    uint32_t word, work = 0;                                                              \
    __asm__ volatile(                                                                     \
        ".balign 16\n"                                                                    \
        "1: ldr %[word], [%[from]]\n"                                                     \
        "and.w %[word], %[word], #0\n"                                                    \
        "add.w %[from], %[from], %[word]\n"                                               \
        "add.w %[from], %[from], %[stride]\n" between                                     \
        "subs %[count], #1\n"                                                             \
        "bne 1b\n"                                                                        \
        : [from] "+r"(from), [count] "+r"(count), [word] "=&r"(word), [work] "+r"(work)   \
        : [stride] "r"(stride)                                                            \
        : "cc", "memory");                                                                \
    return CYCLES - start;                                                                \
  }

WALKS(walk, "")
// The work between two loads takes longer than the arrival of a line.
WALKS(stroll, ".rept 128\nadd.w %[work], %[work], %[count]\n.endr\n")

// Branches are taken if a random number, masked, is `wanted`.
#define BRANCHES(name, between)                                                           \
  static APART uint32_t name(uint32_t count, uint32_t mask, uint32_t wanted) {            \
    const uint32_t start = CYCLES;                                                        \
    uint32_t random = 0x2545F491, low, work = 0;                                          \
    __asm__ volatile(                                                                     \
        ".balign 16\n"                                                                    \
        "1: and.w %[low], %[random], #1\n"                                                \
        "rsb.w %[low], %[low], #0\n"                                                      \
        "and.w %[low], %[low], %[poly]\n"                                                 \
        "eor.w %[random], %[low], %[random], lsr #1\n"                                    \
        "and.w %[low], %[random], %[mask]\n"                                              \
        "nop\nnop\nnop\nnop\n"                                                            \
        "cmp.w %[low], %[wanted]\n" between                                               \
        "beq.w 2f\n"                                                                      \
        "add.w %[work], %[work], #1\n"                                                    \
        "add.w %[work], %[work], #1\n"                                                    \
        ".balign 16\n"                                                                    \
        "2: subs %[count], #1\n"                                                          \
        "bne 1b\n"                                                                        \
        : [count] "+r"(count), [random] "+r"(random), [low] "=&r"(low), [work] "+r"(work) \
        : [mask] "r"(mask), [wanted] "r"(wanted), [poly] "r"(0xA3000000)                  \
        : "cc");                                                                          \
    return CYCLES - start;                                                                \
  }

BRANCHES(branches, "")
BRANCHES(early_branches,
         "add.w %[work], %[work], %[mask]\nadd.w %[work], %[work], %[mask]\n"
         "add.w %[work], %[work], %[mask]\nadd.w %[work], %[work], %[mask]\n"
         "add.w %[work], %[work], %[mask]\nadd.w %[work], %[work], %[mask]\n")

// Returns the cycles of `count` turns of a loop, with or without a call in each.
static APART uint32_t calls(uint32_t count, uint32_t with) {
  const uint32_t start = CYCLES;
  __asm__ volatile(
      "cbnz %[with], 3f\n"
      ".balign 16\n"
      "1: subs %[count], #1\n"
      "bne 1b\n"
      "b 4f\n"
      ".balign 16\n"
      "2: bx lr\n"
      ".balign 16\n"
      "3: bl 2b\n"
      "subs %[count], #1\n"
      "bne 3b\n"
      "4:\n"
      : [count] "+r"(count)
      : [with] "r"(with)
      : "cc", "lr");
  return CYCLES - start;
}

static uint32_t hundredths(uint32_t more, uint32_t less, uint32_t count) {
  return more < less ? 0 : 100 * (more - less) / count;
}

void ra8d1_probe(uintptr_t flash, Print* print) {
  enum { kLine = 32, kApart = 0x10000, kLines = 4096, kTurns = 4096 };
  *(volatile uint32_t*)0xE000EDFC |= 1u << 24;  // DEMCR: lets the counter run
  *(volatile uint32_t*)0xE0001000 |= 1;         // DWT_CTRL: starts it

  walk(flash, 2, 0), stroll(flash, 2, 0);  // loads their code into the I-cache
  loads_32(flash, 16), loads_16(flash, 16);
  print("fill", 0, hundredths(loads_32(flash + 16 * kLine, kLines), 0, kLines));
  print("fill_half", 0, hundredths(loads_16(flash, 2 * kLines), 0, 2 * kLines));
  const uint32_t alone = stroll(flash, kLines, kLine);
  print("fill_behind", 0, hundredths(alone, stroll(flash, kLines, 0), kLines));

  for (uint32_t kib = 1; kib <= 128; kib *= 2) {
    const uint32_t lines = kib * 1024 / kLine;
    walk(flash, lines, kLine);
    const uint32_t again = walk(flash, lines, kLine);
    print("again", kib, hundredths(again, walk(flash, lines, 0), lines));
  }
  for (uint32_t lines = 1; lines <= 12; ++lines) {
    uint32_t turns = 0, hits = 0;
    walk(flash, lines, kApart);
    for (int i = 0; i < 64; ++i) turns += walk(flash, lines, kApart), hits += walk(flash, lines, 0);
    print("lines", lines, hundredths(turns, hits, 64 * lines));
  }

  const uint32_t foreseen = branches(kTurns, 0, 0) + branches(kTurns, 0, 1);
  print("mispredict", 0, hundredths(2 * branches(kTurns, 1, 0), foreseen, kTurns));
  const uint32_t early = early_branches(kTurns, 0, 0) + early_branches(kTurns, 0, 1);
  print("mispredict_early", 0, hundredths(2 * early_branches(kTurns, 1, 0), early, kTurns));
  const uint32_t bare = calls(kTurns, 0);
  print("call_return", 0, hundredths(calls(kTurns, 1), bare, kTurns));
}
