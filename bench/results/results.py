#!/usr/bin/env python3
"""Prints the results tables of doc/results.md; --write puts them there.

  bench/results/results.py [--tune PROGRAM] [--write] [--trials N] [--networks kws,vww] [--devices D,E] [--logs DIR]

Two tables. Instructions: a counting RISC-V core and an Arm one against the best hand-written
library, where ../shared/peers has its count. Latency: boards, each network in both set-ups, with
code and weights in fast memory as far as they fit (`--fast-ram all`) and all of them in flash
(`--fast-ram 0`, tuned for it), each with all its RAM and flash, beside the best figure that is
published for the same core. Boards with two cores run the second set-up with both, too, by the same log.

Tunes every network (seed 1, 700 trials, once for each set-up; logs are shared with bench/networks and
continued) and runs default and tuned code in the simulator. A row whose outputs are not exact ends
it. About half an hour on two cores.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "doc" / "results.md"
sys.path.insert(0, str(ROOT / "bench" / "networks"))

import peers  # noqa: E402

NETWORKS = {"kws": ("keyword spotting", "kws_ref_model"),
            "vww": ("visual wake words", "vww_96_int8"),
            "ic": ("image classification", "pretrainedResnet_quant"),
            "ad": ("anomaly detection", "ad01_int8")}
COUNTERS = ["rv32imc", "cortex-m4", "cortex-m55", "rv32imc_zve32x"]
# Instructions of libraries that use vectors, in millions: CMSIS-NN 99f736a6 with MVE (clang 14, -O3) and muRISCV-NN
# 4eb6a1f6 with RVV at VLEN 128 (clang 19), counted in QEMU; their outputs are the reference's.
VECTOR_LIBRARIES = {
    "cortex-m55": ("CMSIS-NN", {"kws": 1.74, "vww": 6.24, "ic": 4.56, "ad": 0.061}),
    "rv32imc_zve32x": ("muRISCV-NN", {"kws": 4.00, "vww": 13.00, "ic": 15.10, "ad": 0.28}),
}
# Boards, and their cores as ../shared/peers/mlperf_best.csv calls them.
BOARDS = {"esp32c3": "rv32imc", "stm32l4r5": "cortex-m4", "stm32f7": "cortex-m7",
          "rp2040": "cortex-m0+"}
TWO_CORES = {"rp2040"}  # boards with a second core, which --cores 2 shares layers with


class Bench:
    def __init__(self, options):
        self.program, self.trials, self.logs = options.tune, options.trials, options.logs
        options.logs.mkdir(parents=True, exist_ok=True)

    def tune(self, *words):
        done = subprocess.run([str(self.program), *words, "--json"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        return json.loads(done.stdout)

    def run(self, model, device, *more):
        said = self.tune("run", "--model", str(model), "--device", device, "--verify", *more)
        if not said["exact"]:
            sys.exit(f"{model.stem} on {device} is not exact")
        return said

    def log_of(self, model, device):
        return ["--records", str(self.logs / f"{model.stem}.{device}.jsonl")]

    def tuned(self, model, device, *placement):
        """What `run` says of the network tuned for `placement`; the log has both."""
        log = self.log_of(model, device)
        self.tune("--model", str(model), "--device", device, *placement, *log, "--trials",
                  str(self.trials), "--seed", "1", "--quiet")
        return self.run(model, device, *placement, *log)

    def on_two_cores(self, model, device, *placement):
        """The same on both cores, where there are two."""
        if device not in TWO_CORES:
            return None
        return self.run(model, device, *placement, *self.log_of(model, device), "--cores", "2")


def in_millions(count):
    return f"{count / 1e6:.2f} M" if count >= 1e5 else f"{count / 1e6:.3f} M"


def best_library(device, model, network):
    if device in VECTOR_LIBRARIES and network:
        name, millions = VECTOR_LIBRARIES[device]
        return f"{in_millions(millions[network] * 1e6)} ({name})"
    totals = peers.totals(peers.layer_counts(device, model))
    if not totals:
        return "–"
    name = min(totals, key=totals.get)
    return f"{in_millions(totals[name])} ({name})"


def instructions(bench, networks, devices):
    yield ("| network | core | simulated instructions: best hand-written library | default | tuned"
           " | RAM, bytes | flash, bytes |")
    yield "|---|---|--:|--:|--:|--:|--:|"
    for title, model, network in networks:
        for device in devices:
            plain, tuned = bench.run(model, device), bench.tuned(model, device)
            yield (f"| {title} | {device} | {best_library(device, model.stem, network)} | "
                   f"{in_millions(plain['instructions'])} | **{in_millions(tuned['instructions'])}** | "
                   f"{tuned['ram_bytes']:,} | {tuned['flash_bytes']:,} |")


def published():
    """{(core, network): (cycles, stack)}, the best of each that anybody submitted."""
    best = {}
    path = peers.SHARED / "peers" / "mlperf_best.csv"
    if not path.exists():
        return best
    with open(path, newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            for name in NETWORKS:
                cycles = float(row[name + "_ms"]) * 1e3 * float(row["mhz"])
                key = row["core"], name
                if key not in best or cycles < best[key][0]:
                    best[key] = cycles, row["stack"]
    return best


def latencies(bench, networks, devices):
    best = published()
    yield ("| network | board | all in flash: simulated cycles | RAM, bytes | flash, bytes"
           " | fast memory used: simulated cycles | RAM, bytes | flash, bytes | likewise on two cores"
           " | best published, same core (measured) |")
    yield "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|"
    for title, model, name in networks:
        for device in devices:
            row = f"| {title} | {device} |"
            for placement in ("0", "all"):
                said = bench.tuned(model, device, "--fast-ram", placement)
                row += (f" **{said['cycles'] / 1e6:.2f} M**, {said['milliseconds']:.1f} ms | "
                        f"{said['ram_bytes']:,} | {said['flash_bytes']:,} |")
            two = bench.on_two_cores(model, device, "--fast-ram", "all")
            row += (f" **{two['cycles'] / 1e6:.2f} M**, {said['cycles'] / two['cycles']:.2f} × |"
                    if two else " – |")
            cycles, stack = best.get((BOARDS.get(device), name), (None, None))
            yield row + (f" {cycles / 1e6:.2f} M ({stack}) |" if cycles else " – |")


def write(table, lines):
    """Puts `lines` between the page's two marks of `table`; rows of other networks and devices stay as they are."""
    start, end = f"<!-- {table} -->\n", f"<!-- /{table} -->"
    before, rest = PAGE.read_text().split(start)
    old, after = rest.split(end)

    def name(line):
        return tuple(line.split("|")[1:3])

    new = {name(line): line for line in lines}
    kept = [new.pop(name(line), line) for line in old.splitlines()]
    PAGE.write_text(before + start + "\n".join([*kept, *new.values()]) + "\n" + end + after)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", type=pathlib.Path, default=ROOT / "build" / "tune")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--trials", type=int, default=700)
    parser.add_argument("--networks", default=",".join(NETWORKS))
    parser.add_argument("--devices", default=",".join([*COUNTERS, *BOARDS]))
    parser.add_argument("--logs", type=pathlib.Path, default=ROOT / "build" / "kernels")
    options = parser.parse_args()
    networks = [(*NETWORKS[name], name) for name in options.networks.split(",")]
    networks = [(title, peers.SHARED / "models" / f"{stem}.tflite", name)
                for title, stem, name in networks]
    networks = [n for n in networks if n[1].exists()]
    if not networks:
        print("(../shared/models is absent: the example network only)", file=sys.stderr)
        networks = [("keyword spotting, example", ROOT / "build" / "examples" / "ds_cnn.tflite",
                     None)]
    bench = Bench(options)
    devices = options.devices.split(",")
    counters = [d for d in COUNTERS if d in devices]
    boards = [d for d in devices if d not in COUNTERS]
    for table, rows, of in (("instructions", instructions, counters), ("boards", latencies, boards)):
        lines = []
        for line in rows(bench, networks, of) if of else ():
            print(line, flush=True)
            lines.append(line)
        if options.write and lines:
            write(table, lines)


if __name__ == "__main__":
    main()
