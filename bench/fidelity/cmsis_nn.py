#!/usr/bin/env python3
"""CMSIS-NN's Helium kernels on the simulated Cortex-M85, beside what MLPerf Tiny publishes for the chip.

  bench/fidelity/cmsis_nn.py --cmsis-nn DIR [--networks kws,ad] [--compiler clang-16] [--cpu cortex-m85] [--layers]

DIR is a checkout of CMSIS-NN (Include, Source). A program that calls its functions is written for each network,
compiled and run twice: on `cortex-m55`, which counts instructions, and on `ra8d1`, in the published set-up: weights in
flash, tensors in DTCM, those of vww in SRAM. Figures are of the second inference, whose outputs must be those of
../shared/golden. The compiler is near the published one, LLVM 17.0.1 for a Cortex-M85; others move cycles by a few
percent. --layers prints both for each layer. Exits 1 where cycles are off by more than the limit, or an output is
wrong.
"""
import argparse
import collections
import pathlib
import shutil
import subprocess
import sys
import tempfile

import tflite_network
from cmsis_nn_driver import Driver

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"

Row = collections.namedtuple("Row", "model published within arena")
# MLPerf Tiny v1.2, EK-RA8D1, 480 MHz over 288.6, 74.67, 117.95 and 1884 inferences a second: Renesas' entry, with
# TensorFlow Lite for Microcontrollers, CMSIS-NN and LLVM 17.0.1.
ROWS = {"kws": Row("kws_ref_model", 1.663e6, 8, "dtcm"), "vww": Row("vww_96_int8", 6.429e6, 8, "ram"),
        "ic": Row("pretrainedResnet_quant", 4.070e6, 8, "dtcm"), "ad": Row("ad01_int8", 0.255e6, 25, "dtcm")}

# Base addresses of code, constants and each kind of RAM.
DEVICES = {"cortex-m55": {"code": 0x08000000, "constants": 0x0A000000, "dtcm": 0x20000000, "ram": 0x20100000},
           "ra8d1": {"code": 0x02000000, "constants": 0x02100000, "dtcm": 0x20000000, "ram": 0x22000000}}

LAYOUT = """ENTRY(start)
MEMORY {{
  code (rx) : ORIGIN = {code}, LENGTH = 1M
  constants (r) : ORIGIN = {constants}, LENGTH = 1M
  dtcm (rw) : ORIGIN = {dtcm}, LENGTH = 64K
  ram (rw) : ORIGIN = {ram}, LENGTH = 896K
}}
SECTIONS {{
  .text : {{ KEEP(*(.vectors)) . = ALIGN(64); *(.text*) }} > code
  .rodata : {{ *(.rodata*) }} > constants
  .arena : {{ *(.arena) }} > {arena}
  .data : {{ *(.data*) *(.bss*) *(COMMON) }} > ram
  /DISCARD/ : {{ *(.eh_frame*) *(.ARM.*) *(.comment) *(.note*) }}
}}
stack_end = ORIGIN(ram) + LENGTH(ram);
"""

# Stubs of the C library's headers that the sources include; the driver defines the functions.
HEADERS = {"string.h": "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);\n"
                       "void *memset(void *, int, size_t);\n", "math.h": "", "stdio.h": "", "stdlib.h": ""}


def run(*command):
    if shutil.which(str(command[0])) is None:
        sys.exit(f"{command[0]}: no such program")
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{done.stdout}{done.stderr}")
    return done.stdout


def objects(options, work):
    """CMSIS-NN's int8 functions, compiled."""
    sources = sorted(options.cmsis_nn.glob("Source/*/*_s8*.c"))
    if not sources:
        sys.exit(f"{options.cmsis_nn}: no Source/*/*_s8*.c in it")
    for name, text in HEADERS.items():
        (work / name).write_text(text)
    return [compiled(options, work, source) for source in sources]


def compiled(options, work, source):
    made = work / f"{source.stem}.o"
    run(options.compiler, "--target=arm-none-eabi", f"-mcpu={options.cpu}", "-mthumb", "-mfloat-abi=hard",
        *options.flags.split(), "-std=gnu11", "-fno-builtin", "-ffreestanding", "-ffunction-sections",
        "-fdata-sections", "-w", f"-I{work}", f"-I{options.cmsis_nn / 'Include'}",
        *(f"-I{folder}" for folder in options.include), "-c", source, "-o", made)
    return made


class Networks:
    """Objects of CMSIS-NN and of each network's driver, compiled once."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.library = objects(options, work)
        self.headers = "".join(path.read_text() for path in sorted(options.cmsis_nn.glob("Include/*.h")))

    def golden(self, name, what):
        return (self.options.golden / ROWS[name].model / f"101.{what}.bin").read_bytes()

    def driver(self, name):
        """The network, and its program's object."""
        network = tflite_network.read(self.options.models / f"{ROWS[name].model}.tflite")
        source = self.work / f"{name}.c"
        source.write_text(Driver(network, self.golden(name, "in"), self.headers).program())
        return network, compiled(self.options, self.work, source)

    def linked(self, name, driver, device):
        layout = self.work / "layout.ld"
        layout.write_text(LAYOUT.format(arena=ROWS[name].arena, **DEVICES[device]))
        program = self.work / f"{name}.{device}.elf"
        run(self.options.linker, "--gc-sections", "-T", layout, driver, *self.library, "-o", program)
        return program


def counted(options, device, program):
    """Counts of each layer on DEVICE, a name or a file, and the output."""
    lines = run(options.tune, "simulate", "--device", device, program).splitlines()
    return [int(word) for word in lines[0].split()], bytes(int(word) & 255 for word in lines[1].split())


def print_layers(network, instructions, cycles):
    steps = [step for step, operator in enumerate(network.operators) if operator.kind != tflite_network.RESHAPE]
    names = {tflite_network.ADD: "add", tflite_network.AVERAGE_POOL: "average pool", tflite_network.DENSE: "dense",
             tflite_network.CONVOLUTION: "convolution", tflite_network.DEPTHWISE: "depthwise",
             tflite_network.SOFTMAX: "softmax"}
    for step, counted_there, taken in zip(steps, instructions, cycles):
        print(f"  {step:2} {names[network.operators[step].kind]:12} {counted_there:9,} instructions {taken:9,} cycles "
              f"{taken / counted_there:.3f}")


def error_of(name, cycles):
    """In percent of what is published."""
    return 100 * (cycles / ROWS[name].published - 1)


def arguments(description):
    """What is told of the checkout, the compiler and the networks."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cmsis-nn", type=pathlib.Path, required=True)
    parser.add_argument("--include", action="append", default=[], help="a further folder with headers, CMSIS's say")
    parser.add_argument("--networks", default=",".join(ROWS))
    parser.add_argument("--compiler", default="clang-16", help="a clang that knows the processor")
    parser.add_argument("--linker", default="ld.lld-14")
    parser.add_argument("--cpu", default="cortex-m85")
    parser.add_argument("--flags", default="-O3 -fno-unroll-loops")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for what is written and compiled")
    parser.add_argument("--models", type=pathlib.Path, default=SHARED / "models")
    parser.add_argument("--golden", type=pathlib.Path, default=SHARED / "golden")
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    return parser


def main():
    parser = arguments(__doc__)
    parser.add_argument("--device", default="ra8d1", help="a device file to take cycles from, instead of ra8d1")
    parser.add_argument("--layers", action="store_true")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as folder:
        work = options.keep or pathlib.Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        networks = Networks(options, work)
        print("| network | instructions | cycles | published | error | limit |\n|---|--:|--:|--:|--:|--:|", flush=True)
        holds = True
        for name in options.networks.split(","):
            row = ROWS[name]
            network, driver = networks.driver(name)
            instructions, outputs = counted(options, "cortex-m55", networks.linked(name, driver, "cortex-m55"))
            cycles, outputs_again = counted(options, options.device, networks.linked(name, driver, "ra8d1"))
            right = outputs == outputs_again == networks.golden(name, "out")
            error = error_of(name, sum(cycles))
            holds &= right and abs(error) <= row.within
            print(f"| {name} | {sum(instructions):,} | {sum(cycles):,} | {row.published:,.0f} | {error:+.1f} %"
                  f"{'' if right else ', wrong results'} | {row.within} % |", flush=True)
            if options.layers:
                print_layers(network, instructions, cycles)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
