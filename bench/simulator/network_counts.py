#!/usr/bin/env python3
"""Instructions of whole networks with vectors, counted by QEMU and by the simulator.

  bench/simulator/network_counts.py TUNE MODEL.tflite...

Compiles each network to a package for Helium and for RISC-V's vectors, builds its smoke test (one inference, its
output compared) and runs the same ELF in both: in QEMU with the plugin qemu_count.c, in the simulator by `tune simulate
--call main`. Exits 1 where a count differs or a smoke test fails. Needs clang, lld, QEMU 4.2 to 9 and a C compiler.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]

ARM_START = """
  .syntax unified
  .cpu cortex-m55
  .section .vectors,"a"
  .word stack_top, start
  .text
  .thumb_func
  .globl start
start:
  ldr r0, =0xE000ED88
  mov r1, #0x00F00000
  str r1, [r0]
  dsb
  isb
  bl main
  .globl done
done:
  ldr r1, =block
  str r0, [r1, #4]
  movs r0, #0x20
  bkpt 0xab
  .data
block: .word 0x20026, 0
"""
ARM_LAYOUT = """ENTRY(start)
MEMORY { code (rx) : ORIGIN = 0, LENGTH = 192K  weights (r) : ORIGIN = 0x30000, LENGTH = 320K
         data (rw) : ORIGIN = 0x20000000, LENGTH = 496K }
SECTIONS {
  .text : { KEEP(*(.vectors)) *(.text .text.*) } > code
  .rodata : { *(.rodata .rodata.*) } > weights
  .data : { *(.data .data.*) } > data
  .bss (NOLOAD) : { *(.bss .bss.* COMMON) } > data
  /DISCARD/ : { *(.ARM.*) }
  stack_top = 0x20080000;
}
"""
RISCV_START = """
  .option norelax
  .section .text.start,"ax"
  .globl start
start:
  la sp, stack_top
  li t0, 0x600
  csrs mstatus, t0
  call main
  .globl done
done:
  la a1, block
  sw a0, 4(a1)
  li a0, 0x20
  .balign 16
  .option norvc
  slli zero, zero, 0x1f
  ebreak
  srai zero, zero, 7
  .data
block: .word 0x20026, 0
"""
RISCV_LAYOUT = """ENTRY(start)
SECTIONS {
  . = 0x80000000;
  .text : { *(.text.start) *(.text .text.*) }
  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) }
  . = 0x80800000;
  .data : { *(.data .data.* .sdata .sdata.*) }
  .bss (NOLOAD) : { *(.bss .bss.* .sbss .sbss.* COMMON) }
  . = 0x80FF0000;
  stack_top = .;
}
"""
# QEMU's machine "virt" with vectors: kernels are those of rv32imc_zve32x.
VIRT = """name = "virt-vectors"
description = "QEMU's riscv32 machine virt with vectors"
base = "qemu-virt-rv32"
[target]
family = "riscv32"
isa = "rv32imc_zve32x"
triple = "riscv32-unknown-elf"
cpu = "generic-rv32"
features = "+m,+c,+zve32x"
vlen = 128
abi = "ilp32"
[[memory]]
name = "code"
address = 0x80000000
size_bytes = 0x00800000
[[memory]]
name = "rodata"
address = 0x84000000
[[memory]]
name = "data"
size_bytes = 0x007F0000
[[memory]]
name = "stack"
address = 0x80FF0000
"""

CORES = {
    "corstone300": dict(start=ARM_START, layout=ARM_LAYOUT,
                        flags=["--target=thumbv8.1m.main-none-eabi", "-mcpu=cortex-m55", "-mfloat-abi=soft"],
                        qemu=["qemu-system-arm", "-M", "mps3-an547"]),
    "virt": dict(start=RISCV_START, layout=RISCV_LAYOUT,
                 flags=["--target=riscv32-unknown-elf", "-march=rv32imc_zve32x", "-menable-experimental-extensions",
                        "-mabi=ilp32", "-mno-relax"],
                 qemu=["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-cpu",
                       "rv32,v=true,vext_spec=v1.0,vlen=128"]),
}


def run(words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    return done.returncode, done.stdout, done.stderr


def must(words):
    code, out, err = run(words)
    if code != 0:
        sys.exit(f"{' '.join(str(w) for w in words)}\n{err}{out}")
    return out


def tool(*names):
    for name in names:
        if shutil.which(name):
            return name
    sys.exit(f"not installed: {names[0]}")


def build(core, package, folder):
    """The smoke test of a package as an ELF, and the addresses of main and of what follows it."""
    clang, lld, nm = tool("clang-14", "clang"), tool("ld.lld-14", "ld.lld"), tool("llvm-nm-14", "llvm-nm")
    (folder / "start.S").write_text(core["start"])
    (folder / "layout.ld").write_text(core["layout"])
    sources = [folder / "start.S", *sorted(package.rglob("*.c")), *sorted(package.rglob("*.S"))]
    sources = [source for source in sources if "bench" not in source.parts]
    includes = sorted({f"-I{header.parent}" for header in package.rglob("*.h")})
    objects = []
    for i, source in enumerate(sources):
        objects.append(folder / f"{i}.o")
        must([clang, *core["flags"], "-O2", "-ffreestanding", "-fno-builtin", *includes, "-c", source, "-o", objects[-1]])
    elf = folder / "smoke.elf"
    helpers = folder / "helpers.o"
    (folder / "helpers.c").write_text(
        "typedef __SIZE_TYPE__ n;\n"
        "void *memcpy(void *d, const void *s, n k) { for (n i = 0; i < k; ++i) ((char *)d)[i] = ((const char *)s)[i]; return d; }\n"
        "void *memset(void *d, int c, n k) { for (n i = 0; i < k; ++i) ((char *)d)[i] = (char)c; return d; }\n")
    must([clang, *core["flags"], "-O1", "-ffreestanding", "-fno-builtin", "-c", folder / "helpers.c", "-o", helpers])
    must([lld, "-n", "-T", folder / "layout.ld", *objects, helpers, "-o", elf])
    symbols = {line.split()[2]: int(line.split()[0], 16) for line in must([nm, elf]).splitlines()
               if len(line.split()) == 3}
    return elf, symbols["main"] & ~1, symbols["done"] & ~1


def counts(tune, name, core, model, folder, plugin):
    """Instructions of main() in QEMU and in the simulator."""
    device = name
    if name == "virt":
        device = folder / "virt.toml"
        device.write_text(VIRT)
    must([tune, "compile", "--model", model, "--device", device, "-o", folder / "net"])
    elf, begin, end = build(core, folder / "net", folder)
    code, _, said = run([*core["qemu"], "-nographic", "-semihosting", "-plugin",
                         f"{plugin},from={begin:#x},to={end:#x}", "-kernel", elf], timeout=600)
    counted = re.search(r"instructions (\d+)", said)
    if code != 0 or counted is None:
        sys.exit(f"{name}, {model}: QEMU ends with {code}: {said}")
    code, told, said = run([tune, "simulate", "--device", device, elf, "--call", "main", "--json"])
    if code != 0:
        sys.exit(f"{name}, {model}: {said}")
    return int(counted.group(1)), json.loads(told)["instructions"]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tune, models = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    same = True
    with tempfile.TemporaryDirectory() as scratch:
        plugin = pathlib.Path(scratch) / "qemu_count.so"
        must([tool("cc", "gcc"), "-O2", "-shared", "-fPIC", "-o", plugin, HERE / "qemu_count.c"])
        print("| core | network | QEMU | simulator |\n|---|---|--:|--:|")
        for name, core in CORES.items():
            for model in models:
                with tempfile.TemporaryDirectory() as folder:
                    qemu, ours = counts(tune, name, core, model, pathlib.Path(folder), plugin)
                same = same and qemu == ours
                print(f"| {name} | {pathlib.Path(model).stem} | {qemu} | {ours} |", flush=True)
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
