#!/usr/bin/env python3
"""What a step over a window of frames takes, beside the whole window.

  bench/networks/frames.py [--model str_ww.tflite] [--devices esp32c3 …] [--steps 6]

Runs the network whole and with --stream-input frames, default schedules, every result compared with the
reference's bytes. `products` are multiply-accumulates; those that are new in a step are the window's, less
what an earlier window had already: hop rows of the input's, and of each later tensor what follows from
them. Only the layers up to the first that pools or pads have any that are not new. Exits 1 where a byte
differs or a step computes more than --most times what is new.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tune", default=ROOT / "build/tune")
    parser.add_argument("--model", type=pathlib.Path, default=ROOT / "build/examples/str_ww.tflite")
    parser.add_argument("--devices", nargs="+", default=["esp32c3", "stm32l4r5", "rp2040"])
    parser.add_argument("--steps", type=int, default=6)
    parser.add_argument("--most", type=float, default=1.1)
    return parser.parse_args()


def tune(options, *words):
    done = subprocess.run([str(options.tune), *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


def rows_of(shape):
    """Rows of an image; a vector is one."""
    return shape[1] if len(shape) == 4 else 1


def new_products(options, hop):
    """Of a step: each layer's, by the rows of its output that no earlier window had."""
    operators = json.loads(tune(options, "inspect", options.model, "--json"))["operators"]
    total, rows_in, added = 0, None, hop
    for op in operators:
        before = rows_of(op["inputs"][0]["shape"]) if rows_in is None else rows_in
        rows = rows_of(op["outputs"][0]["shape"])
        stride = max(1, before // rows) if rows > 1 else 0  # one row of a whole window is all new
        added = added // stride if stride else 1
        total += (op["macs"] or 0) * added // rows
        rows_in = rows
    return total


def main():
    options = arguments()
    print("| device | | cycles | arena | products | new | of new | |\n|---|---|--:|--:|--:|--:|--:|---|")
    failed = False
    for device in options.devices:
        run = ["run", "--json", "--verify", "--model", options.model, "--device", device]
        whole = json.loads(tune(options, *run))
        step = json.loads(tune(options, *run, "--stream-input", "frames", "--steps", options.steps))
        with tempfile.TemporaryDirectory() as folder:
            tune(options, "compile", "--model", options.model, "--device", device,
                 "--stream-input", "frames", "-o", folder)
            header = (pathlib.Path(folder) / f"{options.model.stem}.h").read_text()
        hop = int(re.search(r"_FRAMES_STEP (\d+)", header).group(1))
        products = {name: sum(l["macs_executed"] for l in r["layers"]) for name, r in (("whole", whole), ("step", step))}
        new = new_products(options, hop)
        share = products["step"] / new
        holds = whole["exact"] and step["exact"] and share <= options.most
        failed |= not holds
        print(f"| {device} | whole window | {whole['cycles']} | {whole['arena_bytes']} | {products['whole']} | | | |")
        print(f"| {device} | step of {hop} | {step['cycles']} | {step['arena_bytes']} | {products['step']} | {new} | "
              f"{share:.3f} | {'met' if holds else 'MISSED'} |", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
