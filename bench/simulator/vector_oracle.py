#!/usr/bin/env python3
"""Executes random RISC-V vector instructions in the simulator and in QEMU and compares.

    vector_oracle.py TUNE [--instructions N] [--seed S] [--vlen BITS] [--block N]

Streams (vector_streams.py) become programs that print a checksum of all state after each block, and
how many instructions were executed; both machines run the same file. The first program is C that
clang has vectorised. Exit code 1 and the block's assembly on the first difference; 77
where QEMU or clang is missing. `--block 1` finds the instruction.
"""
import argparse
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

from vector_streams import POOL, SCRATCH, Stream

CLANG = shutil.which("clang-14") or shutil.which("clang")
LLD = shutil.which("ld.lld-14") or shutil.which("ld.lld")
QEMU = shutil.which("qemu-system-riscv32")
PER_PROGRAM = 20000  # instructions: a megabyte of code at most

# QEMU's machine virt: one memory from 0x80000000, where it starts.
DEVICE = """
name = "vector-oracle"
description = "QEMU's riscv32 machine virt with vectors"
transports = ["simulator"]
[target]
family = "riscv32"
isa = "rv32imc_zve32x"
triple = "riscv32-unknown-elf"
cpu = "generic-rv32"
features = "+m,+c,+zve32x"
vlen = {vlen}
abi = "ilp32"
[placement]
code = "code"
rodata = "rodata"
data = "data"
stack = "stack"
[[memory]]
name = "code"
address = 0x80000000
size_bytes = 0x00800000
executable = true
writable = false
[[memory]]
name = "rodata"
address = 0x80800000
size_bytes = 0x00100000
executable = false
writable = false
[[memory]]
name = "data"
address = 0x81000000
size_bytes = 0x00100000
executable = false
writable = true
[[memory]]
name = "stack"
address = 0x81100000
size_bytes = 0x00010000
executable = false
writable = true
[[counter]]
counts = "instructions"
csr = [0xB02]
high = [0xB82]
inhibit_csr = 0x320
inhibit_bit = 2
[program]
misaligned = "works"
[timing]
model = "unit"
"""

# vs8r needs no type: folding changes no state. s0: checksum, s1: where it goes.
PROGRAM = """
.text
.globl _start
_start:
  la sp, stack_top
  li t0, 0x2200
  csrs mstatus, t0
  la s1, results
  la s2, scratch + {middle}
  la s3, pool
  li s0, 0x811c9dc5
  li a0, 0
  li a1, 0
  li a2, 0
  li a3, 0
  csrwi vxsat, 0
  vsetvli zero, zero, e8, m1, ta, ma
  csrr s5, minstret
{blocks}
  csrr t0, minstret
  sub t0, t0, s5
  sw t0, 0(s1)
  addi s1, s1, 4
  la s4, results
print:
  beq s4, s1, leave
  lw t0, 0(s4)
  addi s4, s4, 4
  la a1, text
  li t1, 8
digit:
  srli t2, t0, 28
  slli t0, t0, 4
  sltiu t3, t2, 10
  addi t2, t2, 87
  beqz t3, store
  addi t2, t2, -39
store:
  sb t2, 0(a1)
  addi a1, a1, 1
  addi t1, t1, -1
  bnez t1, digit
  la a1, text
  li a0, 4
  call host
  j print
leave:
  la a1, exit
  li a0, 0x20
  call host
  j leave

.balign 16
host:
.option push
.option norvc
  slli zero, zero, 0x1f
  ebreak
  srai zero, zero, 7
.option pop
  ret

fold:
  la t3, state
  addi t4, t3, 64
  li t5, {group}
  vs8r.v v0, (t4)
  add t4, t4, t5
  vs8r.v v8, (t4)
  add t4, t4, t5
  vs8r.v v16, (t4)
  add t4, t4, t5
  vs8r.v v24, (t4)
  add t5, t4, t5
  sw a0, 0(t3)
  sw a1, 4(t3)
  sw a2, 8(t3)
  sw a3, 12(t3)
  csrr t4, vl
  sw t4, 16(t3)
  csrr t4, vtype
  sw t4, 20(t3)
  csrr t4, vcsr
  sw t4, 24(t3)
  csrr t4, vstart
  sw t4, 28(t3)
  li t6, 0x01000193
1:
  lw t4, 0(t3)
  xor s0, s0, t4
  mul s0, s0, t6
  addi t3, t3, 4
  bne t3, t5, 1b
  la t3, scratch
  li t5, {scratch}
  add t5, t5, t3
2:
  lw t4, 0(t3)
  xor s0, s0, t4
  mul s0, s0, t6
  addi t3, t3, 4
  bne t3, t5, 2b
  sw s0, 0(s1)
  addi s1, s1, 4
  ret

.data
.balign 64
exit: .word 0x20026, 0
text: .asciz "12345678\\n"
.balign 64
pool:
{pool}
.bss
.balign 64
state: .space {state}
scratch: .space {scratch}
results: .space {results}
.space 4096
stack_top:
"""


def assembly(seed, vlen, lines, results):
    """The program around the blocks' lines; the seed is of the bytes that registers start with."""
    bytes_of = random.Random(seed + 1)
    special = [0, 1, 0x7F, 0x80, 0xFF]
    pool = [bytes_of.choice(special) if bytes_of.random() < 0.3 else bytes_of.randrange(256)
            for _ in range(POOL)]
    rows = [".byte " + ",".join(map(str, pool[i:i + 64])) for i in range(0, POOL, 64)]
    return PROGRAM.format(middle=SCRATCH // 2, scratch=SCRATCH, group=vlen, pool="\n".join(rows),
                          state=64 + 32 * vlen // 8, results=4 * results + 64,
                          blocks="\n".join("  " + line for line in lines))


def program(seed, vlen, instructions, block):
    """A stream's assembly, its blocks' lines, and how many vector instructions it has."""
    stream = Stream(seed, vlen)
    blocks = []
    while stream.count < instructions:
        first = len(stream.lines)
        stream.block(block)
        blocks.append(stream.lines[first:])
    return assembly(seed, vlen, stream.lines, len(blocks)), blocks, stream.count


def build(text, directory, vlen, c_file=None):
    source, elf = directory / "s.S", directory / "s.elf"
    source.write_text(text)
    objects = []
    for path in [source] + [c_file] * bool(c_file):
        objects.append(directory / (path.stem + ".o"))
        subprocess.run([CLANG, "--target=riscv32-unknown-elf", "-march=rv32imc_zve32x",
                        "-mabi=ilp32", "-menable-experimental-extensions", "-mno-relax", "-O3",
                        "-mllvm", f"-riscv-v-vector-bits-min={vlen}", "-ffreestanding", "-c", path,
                        "-o", objects[-1]], check=True)
    subprocess.run([LLD, "-n", "-e", "_start", "-Ttext=0x80000000", "-Tdata=0x81000000", *objects,
                    "-o", elf], check=True)
    return elf


def printed(command):
    """The words that a machine prints, on whichever stream, and all that it said."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          timeout=600)
    words = (done.stdout + done.stderr).split()
    found = [word for word in words if len(word) == 8 and set(word) <= set("0123456789abcdef")]
    return found, done.stdout[-2000:] + done.stderr[-2000:]


def compare(tune, vlen, text, blocks, what, directory, c_file=None):
    """Exits on a difference."""
    elf = build(text, directory, vlen, c_file)
    device = directory / "device.toml"
    device.write_text(DEVICE.format(vlen=vlen))
    qemu, said = printed([QEMU, "-M", "virt", "-icount", "shift=0", "-cpu",
                          f"rv32,v=true,vext_spec=v1.0,vlen={vlen},elen=32", "-display", "none",
                          "-serial", "none", "-monitor", "none", "-bios", elf,
                          "-semihosting-config", "enable=on,target=native"])
    if len(qemu) != len(blocks) + 1:
        sys.exit(f"QEMU ends after {len(qemu)} of {len(blocks)} blocks, {what}: {said}")
    ours, said = printed([tune, "simulate", "--device", device, elf])
    for i, (a, b) in enumerate(zip(qemu, ours)):
        if a != b and i == len(blocks):
            sys.exit(f"{what}: QEMU executes 0x{a} instructions, the simulator 0x{b}")
        if a != b:
            sys.exit(f"{what}: block {i} differs:\n" + "\n".join(blocks[i]))
    if len(ours) < len(qemu):
        sys.exit(f"{what}: after block {len(ours)}: {said}\n" +
                 "\n".join(blocks[min(len(ours), len(blocks) - 1)]))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune")
    parser.add_argument("--instructions", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vlen", type=int, choices=(128, 256, 512))
    parser.add_argument("--block", type=int, default=16)
    options = parser.parse_args()
    for name, found in (("clang", CLANG), ("lld", LLD), ("qemu-system-riscv32", QEMU)):
        if found is None:
            print(f"skipped: no {name}")
            sys.exit(77)
    done, seed = 0, options.seed
    lengths = [options.vlen] if options.vlen else [128, 256, 512]
    share = min(PER_PROGRAM, -(-options.instructions // len(lengths)))
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        for vlen in lengths:
            call = ["call vectorised", "mv s0, a0", "call fold"]
            text = assembly(0, vlen, call, 1)
            compare(options.tune, vlen, text, [call], f"clang's program, VLEN {vlen}", directory,
                    pathlib.Path(__file__).with_name("vectorised.c"))
        while done < options.instructions:
            vlen = lengths[(seed - options.seed) % len(lengths)]
            text, blocks, count = program(seed, vlen, share, options.block)
            compare(options.tune, vlen, text, blocks, f"seed {seed}, VLEN {vlen}", directory)
            done += count
            seed += 1
    print(f"{done} vector instructions, seeds {options.seed} to {seed - 1}: no difference")


if __name__ == "__main__":
    main()
