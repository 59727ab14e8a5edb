#!/usr/bin/env python3
"""Runs the network of quantise.py on simulated boards: every byte of every step against numpy's, and what a step takes.

    run.py TUNE DIR [--only NAME]... [--steps 200]

DIR is what quantise.py wrote; DIR/stories.DEVICE.jsonl is used where it is there (`tune` makes it). Cycles are the
mean of all steps. Exits 1 if a byte differs.
"""

import argparse
import json
import pathlib
import subprocess
import sys

BORDER = 8, 512  # bytes of a step's inputs and outputs
SETUPS = {
    "stm32h7, fast RAM": ("stm32h7", "--fast-ram=all"),
    "esp32c3, fast RAM": ("esp32c3", "--fast-ram=all"),
    "rp2040, fast RAM": ("rp2040", "--fast-ram=all"),
    "rp2040, fast RAM, arriving": ("rp2040", "--fast-ram=all", "--arrive=stream"),
    "rp2040, two cores, fast RAM": ("rp2040", "--fast-ram=all", "--cores=2"),
    "rp2040, two cores, fast RAM, arriving": ("rp2040", "--fast-ram=all", "--cores=2", "--arrive=stream"),
    "rp2350, fast RAM": ("rp2350", "--fast-ram=all"),
    "rp2350, two cores, fast RAM": ("rp2350", "--fast-ram=all", "--cores=2"),
    "stm32h7, in flash": ("stm32h7", "--fast-ram=0"),
    "esp32c3, in flash": ("esp32c3", "--fast-ram=0"),
    "rp2040, in flash": ("rp2040", "--fast-ram=0"),
}


def run(tune, folder, steps, device, *limits):
    inputs, output = folder / "steps.bin", folder / "said.bin"
    inputs.write_bytes((folder / "inputs.bin").read_bytes()[:steps * BORDER[0]])
    log = folder / f"stories.{device}.jsonl"
    command = [tune, "run", "--model", folder / "stories.onnx", "--device", device, *limits, "--steps", str(steps),
               "--input", inputs, "--output", output, "--json", *(folder / "options").read_text().split()]
    if log.is_file():
        command += ["--records", log]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    want = (folder / "logits.bin").read_bytes()[:steps * BORDER[1]]
    return json.loads(done.stdout), output.read_bytes() == want


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--only", action="append", help=", ".join(SETUPS))
    parser.add_argument("--steps", type=int, default=200)
    options = parser.parse_args()
    print("| device | cycles a token | tokens a second | RAM: arena, weights, code | flash | bytes |\n|---|---|---|---|---|---|")
    differ = False
    for name in options.only or SETUPS:
        told, same = run(options.tune, options.folder, options.steps, *SETUPS[name])
        ram = ", ".join(f"{told['ram'][part]:,}" for part in ("arena", "weights", "code"))
        seconds = told["milliseconds"] / 1000 * told["mean_cycles"] / told["cycles"]
        print(f"| {name} | {told['mean_cycles']:,} | {1 / seconds:.1f} | {told['ram_bytes']:,}: {ram} | "
              f"{told['flash_bytes']:,} | {'exact' if same else 'DIFFER'} |", flush=True)
        differ |= not same
    sys.exit(differ)


if __name__ == "__main__":
    main()
