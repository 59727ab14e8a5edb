#!/usr/bin/env python3
"""Loops on two cores: the cycles that the RTL of Hazard3 takes until both have ended.

  bench/cores/rtl/loops.py HAZARD3

The loops are those of tests/simulator/core_overlap_test.cc, which holds the figures: two parts, each from a
multiple of 16, that begin as halves of a layer do. With code in four banks and data in four others, and
with both in the same four. `robin`, in turn, is what the RP2350's datasheet says (2.1.1).
"""
import argparse
import pathlib

import run as two_cores

PRODUCTS = """li a2,800
1: lw a3,0(a0)
lw a4,4(a0)
lw a5,8(a0)
lw a6,12(a0)
mul a3,a3,a4
mul a5,a5,a6
add a7,a7,a3
add t0,t0,a5
addi a0,a0,16
addi a2,a2,-1
bnez a2,1b
"""
SUMS = """li a2,2000
1: lw a3,0(a0)
add a4,a4,a3
addi a0,a0,4
addi a2,a2,-1
bnez a2,1b
"""
BYTES = """li a2,1500
1: lb a3,0(a0)
lb a4,1(a0)
lb a5,2(a0)
mul a3,a3,a4
add a6,a6,a3
addi a0,a0,1
addi a2,a2,-1
bnez a2,1b
"""
WORDS = """li a2,1900
1: lw a3,0(a0)
lw a4,4(a0)
mul a3,a3,a4
srai a3,a3,3
add a6,a6,a3
addi a0,a0,4
addi a2,a2,-1
bnez a2,1b
"""
CALLS = """.option norvc
mv t1,ra
li a2,700
1: jal 2f
addi a2,a2,-1
bnez a2,1b
mv ra,t1
j 3f
2: lw a3,0(a0)
addi a0,a0,8
mul a4,a3,a3
ret
3: nop
"""


def stores(at):
    return f"li a2,2000\n1: sw a3,{at}(a0)\nsw a3,{at}(a0)\naddi a2,a2,-1\nbnez a2,1b\n"


LOOPS = [("sums of one array", SUMS, SUMS), ("products of one array", PRODUCTS, PRODUCTS),
         ("the same, wide", ".option norvc\n" + PRODUCTS, ".option norvc\n" + PRODUCTS),
         ("stores of one bank", stores(64), stores(128)), ("loops that differ", BYTES, WORDS), ("calls", CALLS, CALLS)]

# LATER puts the second core's first fetch as many cycles behind the first one's as generated libraries do: 7.
LATER = 2
PROGRAM = """
.section .start,"ax"
.globl _start
_start:
  li s0, 0x80000000
  lw a1, 12(s0)
  la s3, job
  csrwi mcountinhibit, 0
  li a0, %#x
  csrr s1, mcycle
  jal ra, nothing
  csrr s2, mcycle
  sub s4, s2, s1
  bnez a1, 3f
  li t0, 100
1:addi t0, t0, -1
  bnez t0, 1b
  la t0, second
  la t1, first
  sw t0, 0(s3)
  slt x0, x0, x1
  csrr s1, mcycle
  jalr ra, 0(t1)
  csrr s2, mcycle
  sub s2, s2, s1
  sub s2, s2, s4
  sw s2, 4(s0)
2:lw t0, 4(s3)
  beqz t0, 2b
  sw t0, 4(s0)
  sw x0, 8(s0)
  j 2b
3:slt x0, x0, x0
  lw t0, 0(s3)
  beqz t0, 3b
  .rept %d
  nop
  .endr
  csrr s1, mcycle
  jalr ra, 0(t0)
  csrr s2, mcycle
  sub s2, s2, s1
  sub s2, s2, s4
  sw s2, 4(s3)
4:slt x0, x0, x0
  j 4b
nothing: ret
.align 2
job: .word 0, 0
.section .time_critical.tinytune,"ax"
.p2align 4
.globl first
first:
%sret
.p2align 4
.globl second
second:
%sret
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hazard3", type=pathlib.Path, help="a checkout of Hazard3")
    parser.add_argument("--work", type=pathlib.Path, default=two_cores.ROOT / "build/two_cores", help="folder to build in")
    parser.add_argument("--rules", nargs="+", choices=two_cores.RULES, default=["robin"])
    options = parser.parse_args()
    options.tune = "sh"  # not needed
    options.work.mkdir(parents=True, exist_ok=True)
    program = two_cores.verilate(options)
    print("| loop | rule | apart | shared |\n|---|---|--:|--:|")
    for name, first, second in LOOPS:
        source, built = options.work / "program.S", options.work / "program.o"
        source.write_text(PROGRAM % (two_cores.DATA + 0x8000, LATER, first, second))
        (options.work / "image.ld").write_text(two_cores.LINKER)
        two_cores.run("clang-14", *two_cores.CORE, "-mno-relax", "-c", source, "-o", built)
        image = options.work / "loops.elf"
        two_cores.run("ld.lld-14", "-T", options.work / "image.ld", "-e", "_start", "-o", image, built)
        for rule in options.rules:
            cycles = [max(int(w, 16) for w in two_cores.run(program, image, 2, rule, *two_cores.stripes(p)).split())
                      for p in two_cores.PLACEMENTS]
            print(f"| {name} | {rule} | {cycles[0]} | {cycles[1]} |")


if __name__ == "__main__":
    main()
