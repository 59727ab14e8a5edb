#!/usr/bin/env python3
"""Whether ra8d1_probe.c, which counts constants of an RA8D1 on a board, tells those of the simulated chip.

  bench/fidelity/ra8d1_probe.py [--device FILE] [--compiler clang-14] [--cpu cortex-m55]

Prints what the device file says beside what the probe counts in the simulator. Exits 1 where they differ.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile
import tomllib

from semihosting import ASK_HOST

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FLASH = 0x02000000

MAIN = r"""
#include <stdint.h>
""" + ASK_HOST + r"""static void put(uint32_t number) {
  char text[12], *at = text + 11;
  *at = 0;
  do *--at = (char)('0' + number % 10); while (number /= 10);
  ask_host(4, at);
}
static void print(const char *what, uint32_t of, uint32_t hundredths) {
  ask_host(4, what), ask_host(4, " "), put(of), ask_host(4, " "), put(hundredths), ask_host(4, "\n");
}
void ra8d1_probe(uintptr_t flash, void (*print)(const char *, uint32_t, uint32_t));
extern uint32_t stack_end;
void start(void);
__attribute__((section(".vectors"), used)) void *const vectors[] = {&stack_end, start};
void start(void) {
  ra8d1_probe(FLASH, print);
  ask_host(0x18, (void *)0x20026);
  for (;;) {}
}
"""

LAYOUT = f"""ENTRY(start)
SECTIONS {{
  . = {FLASH};
  .text : {{ KEEP(*(.vectors)) *(.text*) *(.rodata*) }}
  . = 0x22000000;
  .data : {{ *(.data*) *(.bss*) }}
  /DISCARD/ : {{ *(.ARM.*) *(.comment) *(.note*) }}
}}
stack_end = 0x22010000;
"""


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")
    return done.stdout


def counted(options, work):
    """Cycles by name and by what they are of."""
    (work / "main.c").write_text(MAIN)
    (work / "probe.ld").write_text(LAYOUT)
    made = []
    for source in (work / "main.c", HERE / "ra8d1_probe.c"):
        made.append(work / f"{source.stem}.o")
        run(options.compiler, "--target=arm-none-eabi", f"-mcpu={options.cpu}", "-mthumb", "-mfloat-abi=hard", "-O2",
            "-ffreestanding", "-Wall", "-Wextra", "-Werror", f"-DFLASH={FLASH}", "-c", source, "-o", made[-1])
    run(options.linker, "-T", work / "probe.ld", *made, "-o", work / "probe.elf")
    found = {}
    for line in run(options.tune, "simulate", "--device", options.device, work / "probe.elf").splitlines():
        words = line.split()
        if len(words) != 3 or not words[1].isdigit():
            break  # the profile follows
        found.setdefault(words[0], {})[int(words[1])] = int(words[2]) / 100
    return found


def last_without_waits(counts):
    """The last one before waits begin, one cycle being noise."""
    free = 0
    for of, cycles in sorted(counts.items()):
        if cycles > 1:
            break
        free = of
    return free


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default=str(ROOT / "devices" / "ra8d1.toml"),
                        help="a file that has all constants itself")
    parser.add_argument("--compiler", default="clang-14")
    parser.add_argument("--linker", default="ld.lld-14")
    parser.add_argument("--cpu", default="cortex-m55")
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()

    device = tomllib.loads(pathlib.Path(options.device).read_text())
    cycles = {key: value["cycles"] for key, value in device["timing"]["cycles"].items()}
    cache = next(cache for cache in device["cache"] if cache["name"] == "flash_cache")
    fill = next(memory["fill_cycles"] for memory in device["memory"] if memory["name"] == "flash")
    with tempfile.TemporaryDirectory() as folder:
        found = counted(options, pathlib.Path(folder))
    rows = [("fill_cycles", fill, found["fill"][0]),
            ("fill_rest", cycles["fill_rest"], found["fill"][0] - found["fill_behind"][0]),
            ("half of a line", fill / 2, found["fill_half"][0]),
            ("flash cache, KiB", cache["size_bytes"] // 1024, last_without_waits(found["again"])),
            ("ways", cache["ways"], last_without_waits(found["lines"])),
            ("mispredict", cycles["mispredict"], found["mispredict"][0]),
            ("mispredict, flags made earlier", cycles["mispredict"], found["mispredict_early"][0]),
            ("branch_taken + jump_indirect", cycles["branch_taken"] + cycles["jump_indirect"], found["call_return"][0])]
    print("| constant | device file | counted |\n|---|--:|--:|")
    for name, expected, counts in rows:
        print(f"| {name} | {expected} | {counts:.2f} |")
    return 0 if all(abs(expected - counts) < 1 for _, expected, counts in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
