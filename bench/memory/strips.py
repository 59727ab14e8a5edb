#!/usr/bin/env python3
"""What strips cost where an arena is small: each network within a limit on its arena, beside itself without.

A row holds if the network fits the limit, is the reference's bit for bit, and takes at most --slower
per cent more cycles than it does without any limit. Networks without a limit of their own are held to half
of the arena that they take. `rows` is an input that arrives row by row (--stream-input rows). Default
schedules. Exits 1 where a row misses.
"""
import argparse
import json
import pathlib
import sys

from memory import tune

WHOLE, ROWS = [], ["--stream-input", "rows"]

# Bytes of the arena, inputs and outputs included; nothing: half of what the network takes.
CASES = [("kws_ref_model", WHOLE, 10_000), ("vww_96_int8", WHOLE, 38_000),
         ("vww_96_int8", ROWS, 18_000), ("pretrainedResnet_quant", WHOLE, 24_000),
         ("person_detection", WHOLE, None), ("mobilenet_v2", WHOLE, None)]


def arguments():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", default=root / "build/tune", help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, nargs="+",
                        default=[root.parent / "shared/models", root / "build/examples"],
                        help="folders of .tflite files")
    parser.add_argument("--only", nargs="+", metavar="STEM", help="models by name [all]")
    parser.add_argument("--devices", nargs="+", default=["esp32c3", "stm32l4r5"])
    parser.add_argument("--fast-ram", help="what both runs may copy to fast memory: bytes, all or 0 [tune's default]")
    parser.add_argument("--limit", type=int, help="bytes of the arena, for every network [a table of limits]")
    parser.add_argument("--slower", type=float, default=15, help="per cent of cycles [15]")
    return parser.parse_args()


def row(options, model, device, how, limit):
    """Prints one; returns whether it holds."""
    words = ["run", "--json", "--verify", "--model", model, "--device", device]
    if options.fast_ram:
        words += ["--fast-ram", options.fast_ram]
    whole = json.loads(tune(options.tune, *words))
    limit = options.limit or limit or whole["arena_bytes"] // 2
    kind = "rows" if how else "whole"
    start = (f"| {model.stem} | {kind} | {device} | {whole['arena_bytes']} | {limit} | ")
    try:
        small = json.loads(tune(options.tune, *words, *how, "--arena", limit))
    except SystemExit as refused:
        print(f"{start}| {whole['cycles']} | | | MISSED: {str(refused).split('tflite: ')[-1]} |", flush=True)
        return False
    slower = small["cycles"] / whole["cycles"] - 1
    holds = small["exact"] and slower <= options.slower / 100
    print(f"{start}{small['arena_bytes']} | {whole['cycles']} | {small['cycles']} | {slower:+.1%} | "
          f"{'met' if holds else 'MISSED'} |", flush=True)
    return holds


def main():
    options = arguments()
    print("| network | input | device | arena, no limit | limit | arena | cycles, no limit | cycles | "
          "slower | |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|---|")
    models = {model.stem: model for folder in options.models for model in folder.glob("*.tflite")}
    rows = [row(options, models[stem], device, how, limit)
            for stem, how, limit in CASES if stem in models and stem in (options.only or models)
            for device in options.devices]
    return 0 if rows and all(rows) else 1


if __name__ == "__main__":
    sys.exit(main())
