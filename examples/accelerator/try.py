#!/usr/bin/env python3
"""Tunes a small network for a core with a vector unit beside it, and compares every way to split it.

  try.py --program accelerator_tune --network make_network

A partition says which layers the unit computes. All of them are built from the log's fastest kernels and
run as whole networks, copies included; exits 1 unless the one that was chosen is the fastest, every one is
exact, and both sides have work.
"""
import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

DEVICE = pathlib.Path(__file__).parent / "vector_unit.toml"
UNIT = "vector_unit/"


def fail(message):
    sys.exit(f"accelerator: {message}")


def called(*words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, words))}: {done.stderr}")
    return done.stdout


def fastest(lines):
    """By workload and side, the line of the fastest kernel that was measured."""
    best = {}
    for line in lines:
        record = json.loads(line)
        if record.get("outcome") != "ok":
            continue
        side = "unit" if record["schedule"].startswith(UNIT) else "core"
        key = record["workload"], side
        if key not in best or record["cycles"][0] < best[key][0]:
            best[key] = record["cycles"][0], line
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", required=True, help="accelerator_tune")
    parser.add_argument("--network", required=True, help="make_network")
    parser.add_argument("--trials", type=int, default=300)
    options = parser.parse_args()

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        model, log = folder / "offload_net.tflite", folder / "log.jsonl"
        called(options.network, "offload_net", model)
        where = ["--model", model, "--device", DEVICE]

        def run(records):
            report = json.loads(called(options.program, "run", *where, "--records", records, "--verify", "--json"))
            if not report["exact"]:
                fail(f"not exact: {report}")
            return report

        called(options.program, *where, "--records", log, "--trials", options.trials, "--quiet")
        lines = log.read_text().splitlines(keepends=True)
        best = fastest(lines)
        workloads = sorted({workload for workload, side in best if side == "unit"})
        both = [w for w in workloads if (w, "core") in best]
        if len(both) < 3:
            fail(f"{len(both)} tasks have kernels of both sides")

        def split(units):
            """A log of one kernel a task: of the unit for `units`, of the core for all others."""
            chosen = [line for (workload, side), (_, line) in best.items()
                      if (side == "unit") == (workload in units)]
            path = folder / "split.jsonl"
            path.write_text("".join(chosen))
            return run(path)

        cycles = {}
        for count in range(len(both) + 1):
            for units in itertools.combinations(both, count):
                cycles[units] = split(set(units))["cycles"]
        chosen = run(log)
        core, unit = split(set()), split(set(both))

    least = min(cycles, key=cycles.get)
    print(f"{'layer':>5}  {'operator':<18} {'core':>9} {'unit':>9} {'chosen':>9}   cycles")
    for on_core, on_unit, layer in zip(core["layers"], unit["layers"], chosen["layers"]):
        if layer["cycles"]:
            print(f"{layer['index']:>5}  {layer['op']:<18} {on_core['cycles']:>9,} {on_unit['cycles']:>9,} "
                  f"{layer['cycles']:>9,}")
    print(f"{'all':>5}  {'':<18} {core['cycles']:>9,} {unit['cycles']:>9,} {chosen['cycles']:>9,}")
    print(f"{len(cycles)} partitions, {min(cycles.values()):,} to {max(cycles.values()):,} cycles; the fastest "
          f"leaves {len(least)} of {len(both)} tasks to the unit")
    if not 0 < len(least) < len(both):
        fail("one side alone is the fastest: this network shows nothing")
    if chosen["cycles"] != cycles[least]:
        fail(f"chosen: {chosen['cycles']} cycles, the fastest partition: {cycles[least]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
