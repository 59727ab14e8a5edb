#!/usr/bin/env python3
"""A signature scheme of pqm4 on the simulated STM32L4R5, beside the cycles that pqm4 publishes for it.

  bench/fidelity/pqm4.py --published KEYGEN,SIGN,VERIFY FOLDER...

The folders hold the scheme's sources and those it shares with others, as pqm4 has them (crypto_sign/SCHEME/IMPL with
its links followed, common without its hal and randombytes, mupq/common): every .c and .S in them is compiled with
pqm4's flags, and every folder is searched for headers. Needs arm-none-eabi-gcc and newlib. As in pqm4's speed test a
message of 59 bytes is signed; flash has no wait states, the stack is at the end of SRAM3. The FPU, which pqm4's
flags allow, is left out. Exits 1 where a figure is off by more than --within, or where no signature verifies.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from semihosting import ASK_HOST

ROOT = pathlib.Path(__file__).resolve().parents[2]
FLAGS = ("-mcpu=cortex-m4 -mthumb -mfloat-abi=soft -std=gnu99 -O3 -fno-common -ffunction-sections "
         "-fdata-sections -nostartfiles -ffreestanding --specs=nosys.specs -Wl,--gc-sections").split()

DEVICE = """name = "stm32l4r5-pqm4"
description = "An STM32L4R5 as pqm4 measures: flash at 0 wait states"
base = "stm32l4r5"
[[memory]]
name = "flash"
fill_cycles = 0
next_fill_cycles = 0
"""

LAYOUT = """ENTRY(reset)
MEMORY { rom (rx) : ORIGIN = 0x08000000, LENGTH = 1M  ram (rwx) : ORIGIN = 0x20000000, LENGTH = 640K }
SECTIONS {
  .text : { KEEP(*(.vectors)) . = ALIGN(448); *(.text*) . = ALIGN(4); *(.rodata*) . = ALIGN(4); } > rom
  .data : { *(.data*) . = ALIGN(4); } > ram
  .bss : { *(.bss*) *(COMMON) } > ram
  /DISCARD/ : { *(.eh_frame) *(.ARM.*) }
}
stack_end = ORIGIN(ram) + LENGTH(ram);
"""

HARNESS = r"""
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "api.h"
int crypto_sign_keypair(uint8_t *pk, uint8_t *sk);
int crypto_sign(uint8_t *sm, size_t *smlen, const uint8_t *m, size_t mlen, const uint8_t *sk);
int crypto_sign_open(uint8_t *m, size_t *mlen, const uint8_t *sm, size_t smlen, const uint8_t *pk);
""" + ASK_HOST + r"""static void print(const char *name, uint32_t value) {
  char digits[12];
  int i = sizeof digits - 1;
  digits[i] = 0;
  do digits[--i] = '0' + value % 10; while (value /= 10);
  ask_host(4, name); ask_host(4, "="); ask_host(4, digits + i); ask_host(4, "\n");
}
int randombytes(uint8_t *out, size_t length) {
  static uint32_t seed = 1;
  for (; length > 0; --length) *out++ = (seed = seed * 1664525 + 1013904223) >> 24;
  return 0;
}
#define CYCLES (*(volatile uint32_t *)0xE0001004)
#define TIME(name, call) { const uint32_t start = CYCLES; call; print(name, CYCLES - start); }
void reset(void) {
  unsigned char sk[CRYPTO_SECRETKEYBYTES], pk[CRYPTO_PUBLICKEYBYTES], sm[59 + CRYPTO_BYTES];
  size_t length = 0;
  int refused = 1;
  memset(sm, 0, 59);
  *(volatile uint32_t *)0xE000EDFC |= 1u << 24;
  *(volatile uint32_t *)0xE0001000 |= 1;
  TIME("keygen", crypto_sign_keypair(pk, sk))
  TIME("sign", crypto_sign(sm, &length, sm, 59, sk))
  TIME("verify", refused = crypto_sign_open(sm, &length, sm, length, pk))
  print("refused", refused != 0);
  ask_host(0x18, (void *)0x20026);
  for (;;) {}
}
extern uint32_t stack_end;
__attribute__((section(".vectors"), used)) void *const vectors[] = {&stack_end, reset};
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=pathlib.Path)
    parser.add_argument("--published", required=True)
    parser.add_argument("--within", type=float, default=3.0)
    parser.add_argument("--define", action="append", default=[])
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()
    published = [int(figure) for figure in options.published.split(",")]
    if len(published) != 3:
        sys.exit("--published takes three figures: key generation, sign, verify")
    sources = [file for folder in options.folders for file in sorted(folder.iterdir()) if file.suffix in (".c", ".S")]

    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        for file, text in (("device.toml", DEVICE), ("layout.ld", LAYOUT), ("harness.c", HARNESS)):
            (work / file).write_text(text)
        built = subprocess.run(["arm-none-eabi-gcc", *FLAGS, "-w", *("-I" + str(folder) for folder in options.folders),
                                *("-D" + define for define in options.define), "-T", work / "layout.ld",
                                work / "harness.c", *sources, "-o", work / "program.elf", "-lc", "-lgcc"])
        if built.returncode:
            sys.exit(1)
        ran = subprocess.run([options.tune, "simulate", "--device", work / "device.toml", work / "program.elf"],
                             capture_output=True, text=True)
    said = {key: int(value) for key, value in re.findall(r"^(\w+)=(\d+)$", ran.stdout, re.MULTILINE)}
    if "refused" not in said:
        sys.exit(ran.stderr or "the program does not end")

    holds = said["refused"] == 0
    print("| step | published | simulated | error |\n|---|--:|--:|--:|")
    for step, figure in zip(("keygen", "sign", "verify"), published):
        error = 100 * (said[step] - figure) / figure
        holds &= abs(error) <= options.within
        print(f"| {step} | {figure:,} | {said[step]:,} | {error:+.2f} % |")
    if said["refused"]:
        print("the signature does not verify", file=sys.stderr)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
