#include "codegen/networks/core_text.h"

#include "codegen/networks/marked_text.h"
#include "codegen/networks/placed_text.h"
#include "codegen/operators/outside_text.h"

namespace tinytune {
namespace {

// Only with_names() replaces %U and %L here.
constexpr const char* kApi =
    R"(/* Help of another core, which is the application's: it says how to start a task there. */

/* Has task(argument) run on another core, soon, and returns another number than 0. Returns 0 where
 * none is free. The task ends before %L_invoke does. */
typedef int (*%L_launch)(void (*task)(void *argument), void *argument, void *context);

/* From now on every call of %L_invoke asks `launch` for another core, once, and shares its layers
 * with it; without one, as with a null pointer here, the call computes all of them itself. Results
 * are the same. Not while a call runs. */
void %L_attach(%L_launch launch, void *context);

/* The task: what another core does during a call on this arena. The second argument of `launch`. */
void %L_worker(void *arena);
)";

// For cores without atomic instructions, compilers call library functions for atomic loads;
// instead, words are accessed as wholes and fences keep the order. A waiting core sleeps if it can
// be woken: polling would take memory cycles from the core that computes.
constexpr const char* kMeeting = R"(
/* How cores meet: ordered loads and stores of words, and a way to wait for one. Both may be defined
 * outside: on an operating system, %U_WAIT() had better yield. */
#if defined(__GCC_ATOMIC_POINTER_LOCK_FREE) && __GCC_ATOMIC_POINTER_LOCK_FREE == 2
static inline uintptr_t %L_load(const uintptr_t *word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}
static inline void %L_store(uintptr_t *word, uintptr_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELEASE);
}
#elif defined(__GNUC__)
static inline uintptr_t %L_load(const uintptr_t *word) {
  const uintptr_t value = *(const volatile uintptr_t *)word;
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  return value;
}
static inline void %L_store(uintptr_t *word, uintptr_t value) {
  __atomic_thread_fence(__ATOMIC_RELEASE);
  *(volatile uintptr_t *)word = value;
}
#else
#error "two cores need a compiler that knows GCC's __atomic_thread_fence; compile with --cores 1"
#endif

#ifndef %U_WAIT
#if defined(__arm__) && defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
#define %U_WAIT() __asm__ volatile("wfe" ::: "memory")
#define %U_WAKE() __asm__ volatile("dsb\n\tsev" ::: "memory")
#elif defined(__riscv) /* Hazard3's block and unblock, which do nothing on other cores */
#define %U_WAIT() __asm__ volatile("slt x0, x0, x0" ::: "memory")
#define %U_WAKE() __asm__ volatile("slt x0, x0, x1" ::: "memory")
#else
#define %U_WAIT() ((void)0)
#endif
#endif
#ifndef %U_WAKE
#define %U_WAKE() ((void)0)
#endif

/* The words: what the other core is to do, 0 when it is done; and whether there is one. */
#define %U_JOB 0
#define %U_OTHER 1
#define %U_LEAVE ((uintptr_t)1) /* no function's address */

static inline uintptr_t *%L_words(unsigned char *arena) {
  return (uintptr_t *)(void *)(arena + %O);
}

%Pstatic void %L_fork(unsigned char *arena, void (*job)(unsigned char *)) {
  uintptr_t *const words = %L_words(arena);
  if (words[%U_OTHER] == 0u) return;
  %L_store(&words[%U_JOB], (uintptr_t)job);
  %U_WAKE();
}

%Pstatic void %L_join(unsigned char *arena, void (*job)(unsigned char *)) {
  uintptr_t *const words = %L_words(arena);
  if (words[%U_OTHER] == 0u) {
    job(arena);
    return;
  }
  while (%L_load(&words[%U_JOB]) != 0u) %U_WAIT();
}

static %L_launch %L_launcher;
static void *%L_context;
)";

constexpr const char* kFunctions = R"(
void %L_attach(%L_launch launch, void *context) {
  %L_launcher = launch;
  %L_context = context;
}

%Pvoid %L_worker(void *arena) {
  unsigned char *const base = (unsigned char *)arena;
  uintptr_t *const words = %L_words(base);
  for (;;) {
    uintptr_t job;
    while ((job = %L_load(&words[%U_JOB])) == 0u) %U_WAIT();
    if (job != %U_LEAVE) ((void (*)(unsigned char *))job)(base);
    %L_store(&words[%U_JOB], 0u);
    %U_WAKE();
    if (job == %U_LEAVE) return;
  }
}
)";

// For networks in which no layer is shared: the API stays, and does nothing.
constexpr const char* kNothingToShare = R"(
void %L_attach(%L_launch launch, void *context) {
  (void)launch; /* no layer is shared: one core alone is as fast */
  (void)context;
}

void %L_worker(void *arena) { (void)arena; }
)";

}  // namespace

std::string print_core_api(const std::string& name, int cores) {
  return cores > 1 ? "\n" + with_names(kApi, name) : "";
}

std::string print_core_meeting(const NetworkParts& parts) {
  if (!parts.core_words) return "";
  const std::string text = with(kMeeting, "%O", std::to_string(*parts.core_words));
  return with_names(with(text, "%P", placed_code(parts)), parts.name);
}

std::string print_core_functions(const NetworkParts& parts) {
  if (parts.cores < 2) return "";
  const std::string text = parts.core_words ? kFunctions : kNothingToShare;
  return with_names(with(text, "%P", placed_code(parts)), parts.name);
}

void print_core_start(CWriter& w, const NetworkParts& parts) {
  if (!parts.core_words) return;
  const std::string& name = parts.name;
  const std::string upper = c_upper(name);
  w.line("uintptr_t *const words = " + name + "_words(base);");
  w.line("words[" + upper + "_JOB] = 0u;");
  w.line("words[" + upper + "_OTHER] = " + name + "_launcher != NULL && " + name + "_launcher(" +
         name + "_worker, arena, " + name + "_context) != 0;");
}

void print_shared_layer(CWriter& w, const NetworkParts& parts, const InvokeStep& step) {
  if (!step.before.empty()) w.line(step.before + "(base);");
  w.line(parts.name + "_fork(base, " + step.other + ");");
  w.line(step.symbol + "(base);");
  w.line(parts.name + "_join(base, " + step.other + ");");
}

void print_core_end(CWriter& w, const NetworkParts& parts) {
  if (!parts.core_words) return;
  const std::string upper = c_upper(parts.name);
  w.open("if (words[" + upper + "_OTHER] != 0u)");
  w.line(parts.name + "_store(&words[" + upper + "_JOB], " + upper + "_LEAVE);");
  w.line(upper + "_WAKE();");
  w.line("while (" + parts.name + "_load(&words[" + upper + "_JOB]) != 0u) " + upper + "_WAIT();");
  w.close();
}

}  // namespace tinytune
