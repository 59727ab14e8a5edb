#include "codegen/networks/arrival_text.h"

#include "codegen/networks/marked_text.h"
#include "codegen/networks/placed_text.h"
#include "codegen/operators/outside_text.h"

namespace tinytune {
namespace {

// Only with_names() replaces %U and %L here.
constexpr const char* kApi = R"(
/* Weights come out of flash while the core computes. What brings them is the application's: on RP2040
 * and RP2350 a DMA channel and the streaming FIFO, on ESP32-C3 the cache's preload. A call of
 * %L_invoke asks for it once, and gives it back before it returns. Returns the number of a channel
 * that is free, any number where there are none, or -1: then the core copies, and results are the
 * same. The library has both of these functions, weak: they name channel 11 and do nothing. Define
 * both where the application uses the unit itself. */
)";

constexpr const char* kLockingApi = R"(
/* Weights come out of flash while the core computes, in bursts of its interface, which a DMA channel
 * takes. A call of %L_invoke asks for it once, and gives it back before it returns. In between nothing
 * else may be read or run from flash: handlers of interrupts and what the other core runs are in RAM,
 * or wait. Returns the number of a channel that is free, or -1: then the core copies, and results are
 * the same. The library has both of these functions, weak: they name channel 11 and do nothing. Define
 * both where the application uses DMA itself, or where handlers in flash have to be kept off. */
)";

constexpr const char* kApiCalls = R"(int %L_claim_channel(void);
void %L_release_channel(int channel);
)";

constexpr const char* kWords = R"(
/* Weights that arrive. In the arena: a channel that this call has claimed, marked so that a layer
 * which is called by itself finds none; and what it brings, or null. */
#define %U_CLAIMED 0x61727200u
typedef struct {
  uint32_t channel;
  const uint32_t *coming;
} %L_arrivals;

%Pstatic inline %L_arrivals *%L_arriving(unsigned char *arena) {
  return (%L_arrivals *)(void *)(arena + %O);
}

%Pstatic inline int %L_has_channel(const %L_arrivals *state) {
  return (state->channel & ~0xffu) == %U_CLAIMED;
}
)";

constexpr const char* kHooks = R"(
#if defined(__GNUC__)
__attribute__((weak)) int %L_claim_channel(void) { return 11; }
__attribute__((weak)) void %L_release_channel(int channel) { (void)channel; }
#endif
)";

// %X: XIP unit; %F: port of its FIFO; %C: bits of the channel's control word beside enable, word
// size and ascending addresses; %B: its busy bit.
constexpr const char* kStream = R"(
#define %U_XIP ((volatile uint32_t *)%Xu) /* status 2, stream's address 5, words 6, FIFO 7 */
#define %U_DMA ((volatile uint32_t *)0x50000000u) /* 16 words a channel */

%Pstatic void %L_start(uint32_t channel, uint32_t *to, const uint32_t *from, uint32_t words) {
  volatile uint32_t *const dma = %U_DMA + 16u * channel;
  while ((%U_XIP[2] & 2u) == 0u) (void)%U_XIP[7]; /* words that nobody took */
  %U_XIP[5] = (uint32_t)(uintptr_t)from;
  %U_XIP[6] = words;
  dma[0] = %Fu; /* the FIFO */
  dma[1] = (uint32_t)(uintptr_t)to;
  dma[2] = words;
  dma[3] = 1u | 2u << 2 | %C;
}

static inline int %L_is_busy(uint32_t channel) {
  return (%U_DMA[16u * channel + 3u] & 1u << %B) != 0u;
}

/* Only flash behind the XIP window can be streamed. */
static inline int %L_can_fetch(const uint32_t *from) {
  return (uint32_t)(uintptr_t)from >> 24 == 0x10u;
}
)";

// One transfer of the flash interface, whose words are big-endian. Its length can be set only while
// it is disabled. Its format register shows whether flash is read as boot2_w25q080 sets it up, and
// which mode bits keep it so.
constexpr const char* kBurst = R"(
#define %U_SSI ((volatile uint32_t *)0x18000000u) /* words - 1: 1, enable 2, DMA 19, data 24, format 61 */
#define %U_DMA ((volatile uint32_t *)0x50000000u) /* 16 words a channel */

/* A burst has the flash for itself. From %L_start to %L_stop nothing may be read or run from flash,
 * by this core, the other one or an interrupt: what is called in between is in RAM. */
%Pstatic void %L_interface(uint32_t words, uint32_t dma) {
  %U_SSI[2] = 0u;
  %U_SSI[1] = words - 1u;
  %U_SSI[19] = dma;
  %U_SSI[2] = 1u;
}

%Pstatic void %L_start(uint32_t channel, uint32_t *to, const uint32_t *from, uint32_t words) {
  volatile uint32_t *const dma = %U_DMA + 16u * channel;
  const uint32_t mode = %U_SSI[61] >> 24;
  %L_interface(words, 3u);
  dma[0] = 0x18000060u; /* data */
  dma[1] = (uint32_t)(uintptr_t)to;
  dma[2] = words;
  dma[3] = 1u | 2u << 2 | 1u << 5 | channel << 11 | 39u << 15 | 1u << 21 | 1u << 22;
  %U_SSI[24] = (uint32_t)(uintptr_t)from << 8 | mode;
}

%Pstatic void %L_stop(void) { %L_interface(1u, 0u); }

%Pstatic int %L_is_busy(uint32_t channel) {
  return (%U_DMA[16u * channel + 3u] & 1u << 24) != 0u;
}

/* Flash behind the XIP window, read without a command and with 32 bits of address and mode, by code
 * that the linker has put elsewhere. */
%Pstatic int %L_can_fetch(const uint32_t *from) {
  return (uint32_t)(uintptr_t)from >> 24 == 0x10u && (%U_SSI[61] & 0x33cu) == 0x20u &&
         (uint32_t)(uintptr_t)&%L_start >> 24 != 0x10u;
}
)";

constexpr const char* kPreload = R"(
#define %U_CACHE ((volatile uint32_t *)0x600c4000u) /* preload: control 13, address 14, bytes 15 */

/* Lines into the cache, no more than half of it: what the core reads meanwhile stays there too. Where
 * they follow others, the line in which they begin has come with those. */
%Pstatic void %L_start(int follows, const uint32_t *from, uint32_t words) {
  const uint32_t first = ((uint32_t)(uintptr_t)from + (follows ? 31u : 0u)) & ~31u;
  const uint32_t bytes = (((uint32_t)(uintptr_t)(from + words) + 31u) & ~31u) - first;
  if (bytes == 0u) return;
  %U_CACHE[14] = first;
  %U_CACHE[15] = bytes < 8192u ? bytes : 8192u;
  %U_CACHE[13] = 1u;
}

static inline int %L_is_busy(uint32_t channel) {
  (void)channel;
  return (%U_CACHE[13] & 2u) == 0u;
}

static inline int %L_can_fetch(const uint32_t *from) {
  return (uint32_t)(uintptr_t)from >> 24 == 0x3cu;
}
)";

// %S: statements that start the unit; %N: statements after the wait for it.
constexpr const char* kFetch = R"(
%Pstatic void %L_fetch(unsigned char *arena, unsigned char *to, const uint32_t *from, uint32_t words) {
  %L_arrivals *const state = %L_arriving(arena);
  if (!%L_has_channel(state) || !%L_can_fetch(from)) return;
%S}

/* Whether these were fetched, and now are there. */
%Pstatic int %L_have_come(unsigned char *arena, const uint32_t *from) {
  %L_arrivals *const state = %L_arriving(arena);
  if (!%L_has_channel(state) || state->coming != from) return 0;
  while (%L_is_busy(state->channel & 0xffu)) {
  }
%N  __asm__ volatile("" ::: "memory"); /* what follows reads what has come */
  return 1;
}

#if defined(__GNUC__)
__attribute__((unused))
#endif
%U_LAYER static void %L_copy(unsigned char *to, const uint32_t *from, uint32_t words) {
  uint32_t *const copy = (uint32_t *)(void *)to;
  for (uint32_t i = 0; i < words; ++i) copy[i] = from[i];
}
)";

constexpr const char* kStreamStart = R"(  state->coming = from;
  %L_start(state->channel & 0xffu, (uint32_t *)(void *)to, from, words);
)";
// Keeps the address of the last block: a block directly behind it shares its last cache line.
constexpr const char* kPreloadStart = R"(  (void)to;
  %L_start(state->coming != NULL && state->coming + words == from, from, words);
  state->coming = from;
)";

// Copies a block larger than one preload, in pieces, and preloads the next piece meanwhile.
constexpr const char* kCopyAll = R"(
#if defined(__GNUC__)
__attribute__((unused))
#endif
%U_LAYER static void %L_copy_all(unsigned char *arena, unsigned char *to, const uint32_t *from,
                         uint32_t words) {
  const %L_arrivals *const state = %L_arriving(arena);
  const int fetches = %L_has_channel(state) && state->coming == from;
  for (uint32_t at = 0u, come = 2048u; at < words; at += 512u) {
    const uint32_t coming = come >= words ? 0u : words - come < 512u ? words - come : 512u;
    if (fetches && coming > 0u) %L_start(1, from + come, coming);
    %L_copy(to + 4u * at, from + at, words - at < 512u ? words - at : 512u);
    while (fetches && coming > 0u && %L_is_busy(0u)) {
    }
    come += coming;
  }
}
)";

/// The driver of DMA channels that read the FIFO.
std::string stream_driver(const char* xip, const char* fifo, const char* control, int busy_bit) {
  std::string text = with(with(kStream, "%X", xip), "%F", fifo);
  return with(with(text, "%C", control), "%B", std::to_string(busy_bit));
}

std::string driver_of(const std::string& engine) {
  if (engine == "rp2040_stream")
    return stream_driver("0x14000000", "0x50400000",
                         "1u << 5 | channel << 11 | 37u << 15 | 1u << 21", 24);
  if (engine == "rp2350_stream")
    return stream_driver("0x400c8000", "0x50500000",
                         "1u << 6 | channel << 13 | 49u << 17 | 1u << 23", 26);
  if (engine == "rp2040_burst") return kBurst;
  return kPreload;
}

/// Statements after the wait for a transfer (%N).
std::string arrived_text(const ArrivalWay& way) {
  if (fills_cache(way)) return "";
  return std::string("  state->coming = NULL;\n") + (way.locks_flash ? "  %L_stop();\n" : "");
}

}  // namespace

bool fills_cache(const ArrivalWay& way) { return way.engine == "esp32c3_preload"; }

std::string print_arrival_api(const std::string& name, const ArrivalWay& way) {
  return with_names(
      way.locks_flash ? std::string(kLockingApi) + kApiCalls : std::string(kApi) + kApiCalls, name);
}

std::string print_arrival_driver(const NetworkParts& parts) {
  if (!parts.arrival_way) return "";
  std::string text = with(kWords, "%O", std::to_string(parts.arrival_words));
  text += kHooks + driver_of(parts.arrival_way->engine);
  const bool preloads = fills_cache(*parts.arrival_way);
  text += with(with(kFetch, "%S", preloads ? kPreloadStart : kStreamStart), "%N",
               arrived_text(*parts.arrival_way));
  if (preloads) text += kCopyAll;
  return with_names(with(text, "%P", placed_code(parts)), parts.name);
}

void print_arrival_start(CWriter& w, const NetworkParts& parts) {
  if (!parts.arrival_way) return;
  w.line(parts.name + "_arrivals *const arrivals = " + parts.name + "_arriving(base);");
  w.line("const int channel = " + parts.name + "_claim_channel();");
  w.line("arrivals->channel = channel < 0 ? 0u : " + c_upper(parts.name) +
         "_CLAIMED | (uint32_t)channel;");
  w.line("arrivals->coming = NULL;");
}

void print_arrival_end(CWriter& w, const NetworkParts& parts) {
  if (!parts.arrival_way) return;
  w.line("if (channel >= 0) " + parts.name + "_release_channel(channel);");
  w.line("arrivals->channel = 0u;");
}

}  // namespace tinytune
