#!/usr/bin/env python3
"""Cycles of layers that two cores share: the RTL of Hazard3 beside the simulator.

  bench/cores/rtl/run.py HAZARD3          a checkout of github.com/Wren6991/Hazard3

Verilates two cores with two ports each over memory in banks (two_cores.v, two_cores.cc), builds each network
with `tune compile`, links it where the simulator has it, and runs it layer by layer (program.c). Memory is as
large as the networks; otherwise the device is rp2350-riscv. Placements: `apart`, code in four banks and data
in four others, as on the RP2350; `shared`, both in the same four. Rules, who has a bank that several ask for:
see two_cores.cc; the simulator's is `robin`.

A row is a layer on two cores (all layers by --all). Exits 1 where one is more than --most per cent off or
an output differs, 77 where something is missing, and says what.
"""
import argparse
import concurrent.futures
import json
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
NETWORKS = ["kws_ref_model", "vww_96_int8", "pretrainedResnet_quant", "ad01_int8"]
PLACEMENTS = ["apart", "shared"]
RULES = ["waited", "data", "fixed", "robin"]
CORE = ["--target=riscv32-unknown-elf", "-march=rv32imac_zba_zbb_zbs", "-mabi=ilp32"]
CODE, DATA, SCRATCH, SIZE = 0x20000000, 0x20100000, 0x20200000, 0x00100000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hazard3", type=pathlib.Path, help="a checkout of Hazard3")
    parser.add_argument("--tune", default=ROOT / "build/tune", help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=ROOT.parent / "shared/models",
                        help="folder of .tflite files")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build/two_cores", help="folder to build in")
    parser.add_argument("--only", nargs="+", metavar="STEM", default=NETWORKS)
    parser.add_argument("--placements", nargs="+", choices=PLACEMENTS, default=PLACEMENTS)
    parser.add_argument("--rules", nargs="+", choices=RULES, default=["robin"])
    parser.add_argument("--cores", nargs="+", choices=["1", "2"], default=["2"])
    parser.add_argument("--all", action="store_true", help="print layers of one core too")
    parser.add_argument("--whole", action="store_true", help="time calls of the library's own invoke, not layers")
    parser.add_argument("--totals", action="store_true", help="print no layers")
    parser.add_argument("--most", type=float, default=3.0, help="per cent that a shared layer may be off")
    parser.add_argument("--jobs", type=int, default=1)
    return parser.parse_args()


def skip(reason):
    print("skipped:", reason)
    sys.exit(77)


def run(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {(done.stderr or done.stdout).strip()[-2000:]}")
    return done.stdout


def verilate(options):
    hdl = options.hazard3 / "hdl"
    if not (hdl / "hazard3_cpu_2port.v").exists():
        skip(f"no Hazard3 at {options.hazard3} (hdl/hazard3_cpu_2port.v)")
    for program in ("verilator", "clang-14", "ld.lld-14", options.tune):
        if not shutil.which(program):
            skip(f"no {program}")
    has_fence = "fence_rdy" in (hdl / "hazard3_cpu_2port.v").read_text()
    folder = options.work / "verilated"
    run("verilator", "--cc", "--exe", "--build", "-O3", "--x-assign", "fast", "--x-initial", "fast", "--noassert",
        "-CFLAGS", "-std=c++20", "-MAKEFLAGS", "OPT_FAST=-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style",
        "-Wno-UNOPTFLAT", *(["-DTINYTUNE_FENCE_PORT"] if has_fence else []), f"-I{hdl}", "-y", hdl, "-y",
        hdl / "arith", "--top-module", "two_cores", "--Mdir", folder, HERE / "two_cores.v", HERE / "two_cores.cc")
    return folder / "Vtwo_cores"


def banks(names):
    return "[" + ", ".join(f'"SRAM{i}"' for i in names) + "]"


def device_file(options, placement):
    text = (ROOT / "devices/rp2350-riscv.toml").read_text()
    text = re.sub(r'^name = .*$', f'name = "hazard3-{placement}"', text, flags=re.M)
    data = range(4) if placement == "shared" else range(4, 8)
    for name, address, size, executable, writable, in_banks in (
            ("sram_code", CODE, SIZE, "true", "false", f"banks = {banks(range(4))}\n"),
            ("sram_data", DATA, SIZE, "false", "true", f"banks = {banks(data)}\n"),
            ("scratch", SCRATCH, 0x2000, "false", "true", "")):
        text += (f'\n[[memory]]\nname = "{name}"\naddress = {address}\nsize_bytes = {size}\n'
                 f"executable = {executable}\nwritable = {writable}\n{in_banks}")
    path = options.work / f"hazard3-{placement}.toml"
    path.write_text(text)
    return path


def stripes(placement):
    return [f"{CODE:x}:{CODE + SIZE:x}:0:4",
            f"{DATA:x}:{DATA + SIZE:x}:{0 if placement == 'shared' else 4}:4"]


LINKER = """
MEMORY {
  rom : ORIGIN = 0x40, LENGTH = 0xFFFC0
  code : ORIGIN = %#x, LENGTH = %#x
  data : ORIGIN = %#x, LENGTH = %#x
}
SECTIONS {
  .rom : { *program.o(.start) *program.o(.text .text.* .rodata .rodata.* .data .data.* .sdata .sdata.*) } > rom
  .rom_data (NOLOAD) : { *program.o(.bss .bss.* .sbss .sbss.* COMMON) } > rom
  .fast_text : { *(.time_critical.tinytune) } > code
  .weights : { *(.data.tinytune_weights) } > data
  .weights2 : { *(.data.tinytune_weights_2) } > code
  .text : { *(.text .text.*) } > code
  .rodata : { *(.rodata .rodata.* .srodata .srodata.*) } > rom
  .data : { *(.data .data.* .sdata .sdata.*) } > data
  .bss : { *(.bss .bss.* .sbss .sbss.* COMMON) } > data
  stack_of_core_0 = %#x;
  stack_of_core_1 = %#x;
  /DISCARD/ : { *(.comment .note* .eh_frame* .riscv.attributes) }
}
""" % (CODE, SIZE, DATA, SIZE, SCRATCH + 0x2000, SCRATCH + 0x1000)


def c_bytes(values):
    return "{" + ", ".join(str(v) for v in values) + "}"


def steps_of(text, name):
    """(layer, function, its other half or none) in the order of the library's invoke."""
    body = re.search(rf"_invoke\(void \*arena\) {{\n(.*?)^}}", text, re.M | re.S).group(1)
    steps, other = [], None
    for line in body.splitlines():
        call = re.match(rf"\s*{name}_(\w+)\(base(?:, (\w+))?\);", line)
        if not call:
            continue
        what, argument = call.groups()
        if what == "fork":
            other = argument
        elif what != "join":
            index = re.match(r"(?:rows|channels|matrices|layer)_(\d+)", what)
            steps.append((int(index.group(1)) if index else -1, f"{name}_{what}", other))
            other = None
    return steps


def build(options, stem, placement, cores, given, expected):
    """A program at the addresses at which the simulator runs it; its steps."""
    folder = options.work / f"{stem}-{placement}-{cores}"
    shutil.rmtree(folder, ignore_errors=True)
    device = device_file(options, placement)
    run(options.tune, "compile", "--model", options.models / f"{stem}.tflite", "--device", device, "--cores", cores,
        "--fast-ram", "all", "-o", folder)
    text = (folder / f"{stem}.c").read_text()
    header = (folder / f"{stem}.h").read_text()
    macro = lambda word: int(re.search(rf"_{word} (\d+)u", header).group(1))
    name = re.search(r"^(\w+)_status (\w+)_invoke\(", header, re.M).group(2)
    steps = steps_of(text, name)
    words = re.search(r"_words.*?arena \+ (\d+)", text, re.S)
    shared = words is not None
    (folder / "steps.h").write_text(
        f'#include "{stem}.h"\n#include "{stem}_internal.h"\nextern unsigned char arena[];\n'
        f"#define STEPS {1 if options.whole else len(steps)}\n#define WORDS_OFFSET {words.group(1) if shared else 0}\n"
        f"#define SHARES {int(shared)}\n#define WHOLE {int(options.whole)}\n#define WORKER {name}_worker\n"
        f"#define ATTACH {name}_attach\n#define INVOKE {name}_invoke\n"
        f"#define INPUT_OFFSET {macro('INPUT_0_OFFSET')}\n#define OUTPUT_OFFSET {macro('OUTPUT_0_OFFSET')}\n"
        f"#define OUTPUT_BYTES {len(expected)}\n"
        f"static const unsigned char input[] = {c_bytes(given)};\n"
        "static const struct { void (*run)(unsigned char *), (*other)(unsigned char *); } steps[] = {\n"
        + "".join(f"  {{{run_}, {other or 0}}},\n" for _, run_, other in steps) + "};\n")
    arena = macro("ARENA_BYTES")
    (folder / "caller.c").write_text(
        f"_Alignas(16) unsigned char arena[{(arena + 15) // 16 * 16}];\n")
    (folder / "image.ld").write_text(LINKER)
    objects = []
    for source in (folder / f"{stem}.c", folder / f"{stem}_weights.c", folder / f"{stem}_kernels.S",
                   folder / "caller.c", HERE / "program.c"):
        objects.append(folder / (source.stem + ".o"))
        run("clang-14", *CORE, "-std=c11", "-O2", "-ffreestanding", "-w", f"-I{folder}", "-c", source, "-o",
            objects[-1])
    run("ld.lld-14", "--no-dynamic-linker", "-T", folder / "image.ld", "-e", "_start", "-o", folder / "image.elf",
        *objects)
    return folder / "image.elf", steps


def simulate(options, stem, placement, cores):
    device = device_file(options, placement)
    given, output = options.work / f"{stem}.in", options.work / f"{stem}-{placement}-{cores}.out"
    report = json.loads(run(options.tune, "run", "--json", "--model", options.models / f"{stem}.tflite", "--device",
                            device, "--cores", cores, "--fast-ram", "all", "--input", given, "--output", output))
    return report, output.read_bytes()


def write_input(options, stem):
    """Bytes that a generator makes; how many, the library says."""
    folder = options.work / f"{stem}-size"
    run(options.tune, "compile", "--model", options.models / f"{stem}.tflite", "--device",
        device_file(options, "apart"), "--fast-ram", "all", "-o", folder)
    count = int(re.search(r"_INPUT_0_BYTES (\d+)u", (folder / f"{stem}.h").read_text()).group(1))
    state, given = 1, bytearray()
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        given.append(state >> 16 & 255)
    (options.work / f"{stem}.in").write_bytes(given)
    return given


def sum_of(data):
    total = 0
    for byte in data:
        total = (total * 31 + byte) % 2**32
    return total


def compare(options, program, job):
    stem, placement, cores, rule, elf, steps, report, expected = job
    words = [int(w, 16) for w in run(program, elf, cores, rule, *stripes(placement)).split()]
    empty, cycles, total = words[0], words[1:-1], words[-1]
    if options.whole:
        return job, [(0, "invoke", report["cycles"], cycles[0] - empty, cores == "2")], total == sum_of(expected)
    layers = {}
    for (index, _, other), taken in zip(steps, cycles):
        before = layers.get(index, (0, False))
        layers[index] = (before[0] + taken - empty, before[1] or other is not None)
    simulated = {l["index"]: (l["op"], l["cycles"]) for l in report["layers"] if l["cycles"]}
    rows = [(index, *simulated[index], layers[index][0], layers[index][1]) for index in sorted(simulated)
            if index in layers]
    return job, rows, total == sum_of(expected)


def per_cent(simulated, taken):
    return 100.0 * (simulated - taken) / taken


def main():
    options = arguments()
    if not options.models.is_dir():
        skip(f"no models at {options.models}")
    options.work.mkdir(parents=True, exist_ok=True)
    program = verilate(options)
    jobs = []
    for stem in options.only:
        given = write_input(options, stem)
        for placement in options.placements:
            for cores in options.cores:
                report, expected = simulate(options, stem, placement, cores)
                elf, steps = build(options, stem, placement, cores, given, expected)
                for rule in options.rules:
                    jobs.append((stem, placement, cores, rule, elf, steps, report, expected))
    good, worst = True, 0.0
    print("| network | placement | rule | layer | cores | RTL | simulator | difference |\n"
          "|---|---|---|---|--:|--:|--:|--:|", flush=True)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for job, rows, is_right in pool.map(lambda j: compare(options, program, j), jobs):
            stem, placement, cores, rule = job[:4]
            for index, op, simulated, taken, is_shared in rows:
                if is_shared:
                    worst = max(worst, abs(per_cent(simulated, taken)))
                if not options.totals and (is_shared or options.all):
                    print(f"| {stem} | {placement} | {rule} | {index} {op} | {2 if is_shared else 1} | {taken} | "
                          f"{simulated} | {per_cent(simulated, taken):+.2f} % |")
            taken, simulated = (sum(row[i] for row in rows) for i in (3, 2))
            print(f"| {stem} | {placement} | {rule} | all | {cores} | {taken} | {simulated} | "
                  f"{per_cent(simulated, taken):+.2f} % |{'' if is_right else ' output differs'}", flush=True)
            good = good and is_right
    print(f"shared layers are at most {worst:.2f} % off")
    return 0 if good and worst <= options.most else 1


if __name__ == "__main__":
    sys.exit(main())
