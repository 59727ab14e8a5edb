#!/usr/bin/env python3
"""CoreMark on simulated chips, beside the scores that others have published for the real ones.

  bench/fidelity/coremark.py SOURCE [--compiler GCC]... [--only TEXT]

SOURCE is a folder with CoreMark's core_*.c and coremark.h, unchanged; the port to the simulator is written here. GCC is
a compiler for Arm or RISC-V, a name or a path [arm-none-eabi-gcc, riscv64-unknown-elf-gcc]. An iteration's cycles are
those of a run of three less those of a run of one, halved. Compilers differ by more than the model's error: a row is
compiled with the published release (its first two numbers, or what coremark_rows.py says gives the same score); where
none is there, every compiler of the family is tried, marked so, and the row does not count. Exits 1 where a row that
counts is off by more than its limit, or where CoreMark's own checks of its results fail.
"""
import argparse
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile

from coremark_rows import ROWS
from semihosting import ASK_HOST

ROOT = pathlib.Path(__file__).resolve().parents[2]

PORT_HEADER = """#include <stddef.h>
typedef signed short ee_s16;
typedef unsigned short ee_u16;
typedef int ee_s32;
typedef double ee_f32;
typedef unsigned char ee_u8;
typedef unsigned int ee_u32;
typedef ee_u32 ee_ptr_int;
typedef size_t ee_size_t;
typedef ee_u32 CORE_TICKS;
typedef struct { ee_u8 unused; } core_portable;
#define align_mem(x) (void *)(4 + (((ee_ptr_int)(x) - 1) & ~3))
#define HAS_FLOAT 0
#define HAS_STDIO 0
#define HAS_PRINTF 0
#define COMPILER_VERSION ""
#define COMPILER_FLAGS ""
#define MEM_LOCATION ""
#define SEED_METHOD SEED_VOLATILE
#define MULTITHREAD 1
#define MAIN_HAS_NOARGC 1
#define MAIN_HAS_NORETURN 0
extern ee_u32 default_num_contexts;
void portable_init(core_portable *p, int *argc, char *argv[]);
void portable_fini(core_portable *p);
int ee_printf(const char *format, ...);
"""

# Passes on CoreMark's format strings without arguments: which of them it prints says whether its results are right.
PORT = r"""
#include "coremark.h"
#if __riscv
__asm__(".globl reset\n.section .text.reset\nreset: la sp, stack_end\nj start");
static int ask_host(int operation, const void *argument) {
  register int a0 __asm__("a0") = operation;
  register const void *a1 __asm__("a1") = argument;
  __asm__ volatile(".balign 16\n.option push\n.option norvc\nslli x0,x0,31\nebreak\nsrai x0,x0,7\n.option pop"
                   : "+r"(a0) : "r"(a1) : "memory");
  return a0;
}
#else
""" + ASK_HOST + r"""extern ee_u32 stack_end;
void start(void);
__attribute__((section(".vectors"), used)) void *const vectors[] = {&stack_end, start};
#endif
int main(void);
void start(void) {
  main();
  ask_host(0x18, (void *)0x20026);
  for (;;) {}
}
volatile ee_s32 seed1_volatile = 0, seed2_volatile = 0, seed3_volatile = 0x66;
volatile ee_s32 seed4_volatile = ITERATIONS, seed5_volatile = 0;
ee_u32 default_num_contexts = 1;
void portable_init(core_portable *p, int *argc, char *argv[]) { (void)p, (void)argc, (void)argv; }
void portable_fini(core_portable *p) { (void)p; }
void start_time(void) {}
void stop_time(void) {}
CORE_TICKS get_time(void) { return 10; }
secs_ret time_in_secs(CORE_TICKS ticks) { return ticks; }
int ee_printf(const char *format, ...) { return ask_host(4, format); }
"""

LAYOUT = """ENTRY({entry})
MEMORY {{
  code (rx) : ORIGIN = {code}, LENGTH = 256K
  constants (r) : ORIGIN = {constants}, LENGTH = 16K
  data (rw) : ORIGIN = {data}, LENGTH = 16K
}}
SECTIONS {{
  .text : {{ KEEP(*(.vectors)) . = ALIGN(64); *(.text.reset) *(.text*) . = ALIGN(4); {constants_in_code} }} > code
  .rodata : {{ *(.rodata*) *(.srodata*) }} > constants
  .data : {{ *(.data*) *(.sdata*) . = ALIGN(4); }} > data
  .bss (NOLOAD) : {{ *(.sbss*) *(.bss*) *(COMMON) }} > data
  /DISCARD/ : {{ *(.eh_frame*) *(.ARM.*) *(.comment) *(.note*) }}
}}
stack_end = {stack};
"""


@dataclasses.dataclass
class Compiler:
    command: str
    family: str
    version: str


def compiler(command):
    """What COMMAND compiles for, and its release."""
    def ask(what):
        try:
            return subprocess.run([command, what], capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            sys.exit(f"{command}: cannot run it, or not GCC")
    return Compiler(command, ask("-dumpmachine").split("-")[0].rstrip("0123456789"), ask("-dumpfullversion"))


def counts(row, tool):
    """Whether TOOL makes what the published program was made of."""
    releases = {".".join(version.split(".")[:2]) for version in (row.version, *row.alike)}
    return ".".join(tool.version.split(".")[:2]) in releases


def shown(row):
    return row.flags if len(row.flags) < 40 else row.flags.split()[0] + " …"


def cycles_of(row, tool, iterations, options, work):
    """Cycles of a program of ITERATIONS, and what CoreMark says of its results."""
    sources = sorted(options.source.glob("core_*.c"))
    placed = dataclasses.asdict(row.placement)
    placed["constants_in_code"] = "*(.rodata*) *(.srodata*)" if row.placement.constants is None else ""
    placed["constants"] = row.placement.constants or row.placement.data
    placed["entry"] = "reset" if tool.family == "riscv" else "start"
    (work / "layout.ld").write_text(LAYOUT.format(**placed))
    (work / "device.toml").write_text(row.placement.device)
    program = work / "program.elf"
    built = subprocess.run(
        [tool.command, *row.machine.split(), *row.flags.split(), "-ffreestanding", "-nostartfiles", "-w",
         f"-DITERATIONS={iterations}", "-DTOTAL_DATA_SIZE=2000", "-DPERFORMANCE_RUN=1", f"-DMEM_METHOD={row.memory}",
         f"-I{work}", f"-I{options.source}", "-T", work / "layout.ld", work / "port.c", *sources, "-nostdlib", "-lgcc",
         "-o", program])
    if built.returncode:
        sys.exit(1)
    ran = subprocess.run([options.tune, "simulate", "--json", "--device", work / "device.toml", program],
                         capture_output=True, text=True)
    if ran.returncode:
        sys.exit(ran.stderr)
    report = json.loads(ran.stdout)
    return report["cycles"], "Correct operation validated" in report["stdout"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--compiler", action="append", default=[])
    parser.add_argument("--only", default="", help="rows whose first columns contain this")
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()
    options.source = options.source.resolve()
    if not (options.source / "core_main.c").exists():
        sys.exit(f"{options.source}: no core_main.c in it")
    tools = [compiler(command) for command in options.compiler or ("arm-none-eabi-gcc", "riscv64-unknown-elf-gcc")]

    print("| device | placement | published compiler, flags | here | cycles an iteration | CoreMark/MHz | published | "
          "error |\n|---|---|---|---|--:|--:|--:|--:|", flush=True)
    holds = True
    rows = [row for row in ROWS if options.only in f"{row.device} {row.placement.name}"]
    for row in rows:
        family = [tool for tool in tools if tool.family == row.family]
        for tool in [tool for tool in family if counts(row, tool)] or family:
            with tempfile.TemporaryDirectory() as name:
                work = pathlib.Path(name)
                (work / "core_portme.h").write_text(PORT_HEADER)
                (work / "port.c").write_text(PORT)
                once, right = cycles_of(row, tool, 1, options, work)
                thrice, right_again = cycles_of(row, tool, 3, options, work)
            cycles = (thrice - once) / 2
            score = 1e6 / cycles
            error = 100 * (score / row.published - 1)
            right = right and right_again
            holds &= right and (not counts(row, tool) or abs(error) <= row.within)
            here = tool.version + ("" if counts(row, tool) else ", another")
            print(f"| {row.device} | {row.placement.name} | {row.version} {shown(row)} | {here} | {cycles:,.0f} "
                  f"| {score:.3f} | {row.published:.3f} | {error:+.1f} %{'' if right else ', wrong results'} |",
                  flush=True)
    for row in rows:
        print(f"{row.device}, {row.placement.name}, {row.version}: within {row.within:g} %; {row.source}; "
              f"{row.machine} {row.flags}")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
