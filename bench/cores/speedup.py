#!/usr/bin/env python3
"""What a second core brings: cycles of each network by `--cores 1` and by `--cores 2`, the same otherwise.

A row holds if both are the reference's bit for bit, and two cores take no more cycles than one. Cycles are
the simulator's (simulator/core_overlap.h says what it takes two cores to take). `fast` copies to RAM what
fits (--fast-ram all), `flash` leaves all in flash (--fast-ram 0). Default schedules, or those of the log
RECORDS/<stem>.<device>.jsonl where there is one. Exits 1 where a row misses.
"""
import argparse
import json
import pathlib
import subprocess
import sys

NETWORKS = ["kws_ref_model", "vww_96_int8", "pretrainedResnet_quant", "ad01_int8"]
DEVICES = ["rp2040", "rp2350-riscv", "rp2350"]
SETUPS = {"fast": "all", "flash": "0"}


def arguments():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", default=root / "build/tune", help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=root.parent / "shared/models",
                        help="folder of .tflite files")
    parser.add_argument("--records", type=pathlib.Path, help="folder of logs [default schedules]")
    parser.add_argument("--only", nargs="+", metavar="STEM", default=NETWORKS)
    parser.add_argument("--devices", nargs="+", default=DEVICES)
    parser.add_argument("--setups", nargs="+", choices=SETUPS, default=list(SETUPS))
    parser.add_argument("--layers", action="store_true", help="print the layers too")
    return parser.parse_args()


def run(options, model, device, setup, cores):
    words = [options.tune, "run", "--json", "--verify", "--model", model, "--device", device,
             "--fast-ram", SETUPS[setup], "--cores", str(cores)]
    log = options.records and options.records / f"{model.stem}.{device}.jsonl"
    if log and log.exists():
        words += ["--records", log]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{model.stem} {device} {setup} --cores {cores}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def print_layers(one, two):
    for before, after in zip(one["layers"], two["layers"]):
        if before["cycles"]:
            print(f"  {before['index']:3} {before['op']:18} {before['cycles']:>10} {after['cycles']:>10} "
                  f"{before['cycles'] / max(1, after['cycles']):5.2f} on {after['cores']}")


def main():
    options = arguments()
    print("| network | device | memory | one core | two cores | faster | RAM, one | RAM, two | |\n"
          "|---|---|---|--:|--:|--:|--:|--:|---|")
    holds = True
    for stem in options.only:
        for device in options.devices:
            for setup in options.setups:
                one, two = (run(options, options.models / f"{stem}.tflite", device, setup, cores)
                            for cores in (1, 2))
                good = one["exact"] and two["exact"] and two["cycles"] <= one["cycles"]
                holds = holds and good
                print(f"| {stem} | {device} | {setup} | {one['cycles']} | {two['cycles']} | "
                      f"{one['cycles'] / two['cycles']:.2f} | {one['ram_bytes']} | {two['ram_bytes']} | "
                      f"{'met' if good else 'MISSED'} |", flush=True)
                if options.layers:
                    print_layers(one, two)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
