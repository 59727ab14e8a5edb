// bench/<name>_bench.c: every layer called by itself and timed, some rounds of all of them.
#include <string>

#include "codegen/networks/layout.h"
#include "codegen/operators/outside_text.h"
#include "codegen/packages/library_digest.h"
#include "codegen/packages/package_parts.h"
#include "codegen/packages/times_text.h"

namespace tinytune {
namespace {

constexpr int kRounds = 5;

// An I-type instruction by its fields: assemblers differ in whether rv32imc has CSRs by name.
std::string csr_instruction(int function, const std::string& destination, const std::string& source,
                            uint32_t csr) {
  const int field = csr < 0x800 ? static_cast<int>(csr) : static_cast<int>(csr) - 0x1000;
  return ".insn i 0x73, " + std::to_string(function) + ", " + destination + ", " + source + ", " +
         std::to_string(field);
}

// `function`: 1 writes the register, 3 clears the value's bits.
std::string change_csr(int function, uint32_t csr, uint32_t value) {
  return "  __asm__ volatile(\"" + csr_instruction(function, "x0", "%0", csr) + "\" : : \"r\"(" +
         std::to_string(value) + "u));\n";
}

// Prints bench_setup() and bench_now(), which reads a free-running counter of 32 bits.
std::string csr_counter(const CycleReading& reading) {
  std::string out = "static void bench_setup(void) {\n";
  for (const auto& [csr, value] : reading.setup) out += change_csr(1, csr, value);
  if (reading.inhibit_csr != 0)
    out += change_csr(3, reading.inhibit_csr, uint32_t{1} << reading.inhibit_bit);
  return out + "}\n\nstatic uint32_t bench_now(void) {\n  uint32_t now;\n  __asm__ volatile(\"" +
         csr_instruction(2, "%0", "x0", reading.csr) +
         "\" : \"=r\"(now) : : \"memory\");\n  return now;\n}\n";
}

// Registers: Arm DDI 0403, C1.8.
const char* const kDwtCounter =
    "#define BENCH_WORD(address) (*(volatile uint32_t *)(address))\n\n"
    "static void bench_setup(void) {\n"
    "  BENCH_WORD(0xE000EDFCu) |= 1u << 24;  /* DEMCR: trace is on */\n"
    "  BENCH_WORD(0xE0001FB0u) = 0xC5ACCE55u; /* the lock that a Cortex-M7 has */\n"
    "  BENCH_WORD(0xE0001000u) |= 1u;        /* DWT_CTRL: CYCCNT counts */\n"
    "}\n\n"
    "static uint32_t bench_now(void) { return BENCH_WORD(0xE0001004u); }\n";

const char* const kElapsed =
    "\nstatic uint32_t bench_start;\n"
    "static void bench_begin(void) { bench_start = bench_now(); }\n"
    "static uint32_t bench_elapsed(void) { return bench_now() - bench_start; }\n";

// A 24-bit down counter; COUNTFLAG says that 24 bits were too few. Registers: Arm DDI 0419, B3.3.
const char* const kSysTick =
    "#if defined(ARDUINO) || defined(__ZEPHYR__) || defined(USE_HAL_DRIVER)\n"
    "#error \"SysTick is the system's here: name another counter of cycles\"\n"
    "#endif\n"
    "#define BENCH_WORD(address) (*(volatile uint32_t *)(address))\n\n"
    "static void bench_setup(void) {\n"
    "  BENCH_WORD(0xE000E014u) = 0xFFFFFFu;\n"
    "  BENCH_WORD(0xE000E010u) = 5u; /* the core's clock, no interrupt */\n"
    "}\n"
    "static void bench_begin(void) {\n"
    "  BENCH_WORD(0xE000E018u) = 0u; /* it begins anew, and COUNTFLAG is clear */\n"
    "  while (BENCH_WORD(0xE000E018u) == 0u) {\n"
    "  }\n"
    "}\n"
    "static uint32_t bench_elapsed(void) {\n"
    "  const uint32_t left = BENCH_WORD(0xE000E018u);\n"
    "  return BENCH_WORD(0xE000E010u) & 1u << 16 ? BENCH_TOO_LONG : 0xFFFFFFu - left;\n"
    "}\n";

std::string counter(const std::string& upper, const CycleReading& reading) {
  const std::string name = upper + "_BENCH_CYCLES";
  std::string out = "#define BENCH_TOO_LONG 0xFFFFFFFFu\n\n#if defined(" + name + ")\nuint32_t " +
                    name +
                    "(void);\nstatic void bench_setup(void) {}\n"
                    "static uint32_t bench_now(void) { return " +
                    name + "(); }\n" + kElapsed + "#else\n";
  switch (reading.counter) {
    case CycleCounter::kCsr:
      out += csr_counter(reading) + kElapsed;
      break;
    case CycleCounter::kDwt:
      out += std::string(kDwtCounter) + kElapsed;
      break;
    case CycleCounter::kSysTick:
      out += kSysTick;
      break;
    case CycleCounter::kRunner:
      out += "#error \"how this core counts cycles is not known: -D" + name +
             "=f names a function uint32_t f(void)\"\n";
  }
  return out + "#endif\n\n";
}

// Semihosting's SYS_WRITE0: Arm, Semihosting for AArch32 and AArch64; RISC-V has the same.
const char* const kSemihosting =
    "#define BENCH_PRINT bench_write0\n"
    "static void bench_write0(const char *text) {\n"
    "#if defined(__riscv)\n"
    "  register uint32_t operation __asm__(\"a0\") = 4u;\n"
    "  register const char *parameter __asm__(\"a1\") = text;\n"
    "  __asm__ volatile(\n"
    "      \".balign 16\\n .option push\\n .option norvc\\n slli x0, x0, 0x1f\\n ebreak\\n\"\n"
    "      \" srai x0, x0, 7\\n .option pop\\n\"\n"
    "      : \"+r\"(operation) : \"r\"(parameter) : \"memory\");\n"
    "#elif defined(__arm__)\n"
    "  register uint32_t operation __asm__(\"r0\") = 4u;\n"
    "  register const char *parameter __asm__(\"r1\") = text;\n"
    "  __asm__ volatile(\"bkpt 0xab\" : \"+r\"(operation) : \"r\"(parameter) : \"memory\");\n"
    "#else\n"
    "#error \"nothing here prints: -D<NAME>_BENCH_PRINT=f names a void f(const char *text)\"\n"
    "#endif\n"
    "}\n";

std::string printing(const std::string& name) {
  const std::string own = c_upper(name) + "_BENCH_PRINT";
  return "#if defined(" + own + ")\n#define BENCH_PRINT " + own +
         "\nvoid BENCH_PRINT(const char *text);\n#elif defined(ARDUINO)\n#define BENCH_PRINT " +
         name +
         "_bench_print\nvoid BENCH_PRINT(const char *text);\n#elif defined(__ZEPHYR__)\n"
         "#include <zephyr/sys/printk.h>\n#define BENCH_PRINT(text) printk(\"%s\", (text))\n"
         "#elif __STDC_HOSTED__\n#include <stdio.h>\n"
         "#define BENCH_PRINT(text) (void)fputs((text), stdout)\n#else\n" +
         kSemihosting + "#endif\n\n";
}

// Prints functions that write lines of times_text.h piece by piece, so that no buffer is needed.
std::string line_writer() {
  return "static unsigned bench_first, bench_second, bench_lines;\n\n"
         "static void bench_say(const char *text) {\n"
         "  for (const char *c = text; *c != '\\0'; ++c) {\n"
         "    bench_first += (unsigned char)*c;\n"
         "    if (bench_first >= 255u) bench_first -= 255u;\n"
         "    bench_second += bench_first;\n"
         "    if (bench_second >= 255u) bench_second -= 255u;\n"
         "  }\n"
         "  BENCH_PRINT(text);\n"
         "}\n\n"
         "static void bench_say_number(uint32_t number) {\n"
         "  char digits[11];\n"
         "  unsigned at = 10u;\n"
         "  digits[at] = '\\0';\n"
         "  do {\n"
         "    digits[--at] = (char)('0' + number % 10u);\n"
         "    number /= 10u;\n"
         "  } while (number != 0u);\n"
         "  bench_say(digits + at);\n"
         "}\n\n"
         "static void bench_open(const char *what) {\n"
         "  bench_first = bench_second = 0u;\n"
         "  bench_say(\"" +
         std::string(kTimesMark) +
         "\");\n"
         "  bench_say(what);\n"
         "}\n\n"
         "static void bench_close(void) {\n"
         "  const unsigned sum = bench_second << 8 | bench_first;\n"
         "  char digits[] = \" *0000\\r\\n\";\n"
         "  for (unsigned i = 0; i < 4u; ++i)\n"
         "    digits[2u + i] = \"0123456789abcdef\"[sum >> (12u - 4u * i) & 15u];\n"
         "  BENCH_PRINT(digits);\n"
         "  ++bench_lines;\n"
         "}\n\n"
         "static void bench_say_cycles(const char *what, const uint32_t *cycles) {\n"
         "  bench_open(what);\n"
         "  for (unsigned round = 0; round < BENCH_ROUNDS; ++round) {\n"
         "    bench_say(\" \");\n"
         "    if (cycles[round] == BENCH_TOO_LONG)\n"
         "      bench_say(\"-\");\n"
         "    else\n"
         "      bench_say_number(cycles[round] > bench_overhead ? cycles[round] - bench_overhead : "
         "0u);\n"
         "  }\n"
         "  bench_close();\n"
         "}\n\n";
}

struct Steps {
  std::string table;  ///< initialisers
  int count = 0;
};

Steps steps_of(const GeneratedNetwork& network) {
  Steps steps;
  for (size_t i = 0; i < network.layers.size(); ++i) {
    const GeneratedLayer& layer = network.layers[i];
    if (layer.symbol.empty()) continue;
    const std::string what = layer.index == kTransformIndex
                                 ? "transform " + std::to_string(i)
                                 : "layer " + std::to_string(layer.index) + " " + layer.op;
    for (const std::string& function : layer.functions()) {
      const char* part = function == layer.before_symbol  ? ", weights"
                         : function == layer.other_symbol ? ", other half"
                                                          : "";
      steps.table += "    {\"" + in_c_string(what) + part + "\", " + function + "},\n";
      ++steps.count;
    }
  }
  return steps;
}

// Measures the overhead of a call first, then layers by themselves, then whole inferences, which
// also show the cost of the calls between layers.
std::string bench_function(const PackageParts& parts) {
  const GeneratedNetwork& network = parts.network;
  const std::string &name = network.name, upper = c_upper(name);
  const auto invoke = [&](const std::string& symbol) {
    return symbol + "(arena) != " + upper + "_OK";
  };
  CWriter w;
  w.open("int " + name + "_bench(void)");
  w.line("int failure = 0;").line("bench_setup();");
  w.open("for (unsigned round = 0; round < BENCH_ROUNDS; ++round)");
  w.line("const uint32_t cycles = bench_time(bench_nothing);");
  w.line("if (round == 0 || cycles < bench_overhead) bench_overhead = cycles;").close();
  const auto begin_round = [&] {
    w.open("for (unsigned round = 0; round < BENCH_ROUNDS; ++round)");
    if (!network.reset_symbol.empty())
      w.line("if (" + invoke(network.reset_symbol) + ") return 1;");
    print_fill(w, network);
  };
  begin_round();
  w.line("for (unsigned step = 0; step < BENCH_STEPS; ++step)");
  w.line("  bench_cycles[step][round] = bench_time(bench_steps[step].run);").close();
  print_comparison(w, network, "failure = 2;");
  begin_round();
  w.line("bench_begin();").line("if (" + invoke(network.invoke_symbol) + ") return 1;");
  w.line("bench_cycles[BENCH_STEPS][round] = bench_elapsed();").close();
  print_comparison(w, network, "failure = 2;");
  w.line("bench_open(\"network " + name + " " + in_c_string(parts.device.name) + " " +
         to_text(library_digest(network)) + "\");");
  w.line("bench_close();");
  w.line("for (unsigned step = 0; step < BENCH_STEPS; ++step)");
  w.line("  bench_say_cycles(bench_steps[step].what, bench_cycles[step]);");
  w.line("bench_say_cycles(\"inference\", bench_cycles[BENCH_STEPS]);");
  w.line("bench_open(\"exact \");").line("bench_say_number((uint32_t)failure);");
  w.line("bench_close();");
  w.line("bench_open(\"end \");").line("bench_say_number(bench_lines);").line("bench_close();");
  w.line("return failure;").close();
  return w.text();
}

}  // namespace

std::string print_bench(const PackageParts& parts, const SmokeTest& smoke,
                        const CycleReading& reading) {
  const std::string &name = parts.network.name, upper = c_upper(name);
  const Steps steps = steps_of(parts.network);
  const std::string function = name + "_bench";
  return "/* " + name +
         ": cycles by layer, by the core's own counter, as text for `tune import-times`; generated "
         "by\n * tinytune. Do not edit.\n *\n * It prints through a C library, or a debugger's "
         "semihosting where there is none; -D" +
         upper + "_BENCH_PRINT=f\n * names a function void f(const char *text) instead. -D" +
         upper +
         "_BENCH_CYCLES=f names a\n * uint32_t f(void) that reads cycles where they should come "
         "from somewhere else. */\n#include \"" +
         name + ".h\"\n#include \"" + name +
         "_internal.h\"\n\n#if defined(LIB_PICO_STDIO)\n#include \"pico/stdlib.h\"\n#endif\n" +
         printing(name) + counter(upper, reading) + "#define BENCH_ROUNDS " +
         std::to_string(kRounds) + "u\n#define BENCH_STEPS " + std::to_string(steps.count) +
         "u\n\n" + print_example_data(parts.network, smoke) +
         "static const struct {\n  const char *what;\n  void (*run)(unsigned char *arena);\n} "
         "bench_steps[BENCH_STEPS] = {\n" +
         steps.table +
         "};\n\nstatic uint32_t bench_overhead;\n"
         "static uint32_t bench_cycles[BENCH_STEPS + 1u][BENCH_ROUNDS]; /* last: inferences */\n\n"
         "static void bench_nothing(unsigned char *memory) { (void)memory; }\n\n"
         "static uint32_t bench_time(void (*run)(unsigned char *)) {\n"
         "  void (*volatile callee)(unsigned char *) = run; /* never a part of this function */\n"
         "  bench_begin();\n  callee(arena);\n  return bench_elapsed();\n}\n\n" +
         line_writer() +
         "/* 0: every byte is right. 1: a call was refused. 2: a byte differs. */\nint " +
         function + "(void);\n\n" + bench_function(parts) + "\n#if !defined(ARDUINO) && !defined(" +
         upper + "_WITHOUT_MAIN)\n#if defined(ESP_PLATFORM)\nvoid app_main(void) { (void)" +
         function + "(); }\n#else\nint main(void) {\n" + print_unit_start(parts.device) +
         "#if defined(LIB_PICO_STDIO)\n  (void)stdio_init_all();\n#endif\n  return " + function +
         "();\n}\n#endif\n#endif\n";
}

}  // namespace tinytune
