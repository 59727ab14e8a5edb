#!/usr/bin/env python3
"""One step of Deeploy's MicroLlama behind 16 cached tokens, by device: what it takes, beside the goal.

    bench/onnx/llama_step.py --tune build/tune [--only NAME]… [--trials N] [--records DIR] [NETWORK]

NETWORK is a folder with network.onnx, inputs.npz and outputs.npz (../shared/deeploy/Models/microLlama/INT8/microLlama16
unless said). Kernels are untuned, or tuned with --trials, each device's log in --records. Prints a row of Markdown for
each device: instructions, cycles, tokens a second, RAM and flash, and whether the answers are Deeploy's. Exit code 1
after other bytes, 77 without the folder or Debian's python3-onnx. A goal that is missed is printed, not an error.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import deeploy

NETWORK = deeploy.HERE.parents[2] / "shared" / "deeploy" / "Models" / "microLlama" / "INT8" / "microLlama16"
# Device, its limits, what is counted, and the goal.
SETUPS = {
    "cortex-m4": ((), "instructions", 950_000),
    "rv32imc": ((), "instructions", 1_300_000),
    "stm32h7": (("--fast-ram=all",), "cycles", 750_000),
    "esp32c3": (("--fast-ram=all",), "cycles", None),
    "rp2040": (("--fast-ram=all",), "cycles", None),
}


def said(command, folder):
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {(done.stdout + done.stderr)[-400:]}")
    return done.stdout


def step(options, network, device, limits, folder):
    inputs, wanted = deeploy.read_case(network)
    words = ["--model", network / "network.onnx", "--device", device, *limits]
    files = []
    for i, (name, values) in enumerate(inputs.items()):
        kind = deeploy.type_of(values)
        (folder / f"x{i}").write_bytes(values.astype(kind).tobytes())
        words += ["--input-type", f"{name}={kind}"]
        files += ["--input", folder / f"x{i}"]
    if options.records or options.trials:
        log = (options.records or folder) / f"llama.{device}.jsonl"
        if options.trials:
            tuned = [word for word in words if not str(word).startswith("--fast-ram")]
            said([options.tune, *tuned, "--trials", options.trials, "--quiet", "--records", log], folder)
        words += ["--records", log]
    told = json.loads(said([options.tune, "run", *words, *files, "--output", folder / "y", "--json"], folder))
    types = deeploy.output_types(options.tune, network, words[words.index("--input-type"):][:2 * len(inputs)])
    want = b"".join(w.reshape(-1).astype(kind).tobytes() for w, kind in zip(wanted, types))
    return told, (folder / "y").read_bytes() == want


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("network", nargs="?", type=pathlib.Path, default=NETWORK)
    parser.add_argument("--tune", required=True)
    parser.add_argument("--only", action="append", help=", ".join(SETUPS))
    parser.add_argument("--trials", type=int, default=0)
    parser.add_argument("--records", type=pathlib.Path)
    options = parser.parse_args()
    options.tune = str(pathlib.Path(options.tune).resolve())
    if options.records:
        options.records = options.records.resolve()
    if not options.network.is_dir():
        print(f"skipped: no folder {options.network}")
        return 77
    print("| device | instructions | cycles | goal | tokens a second | RAM: arena, weights, code | flash | bytes |")
    print("|---|---|---|---|---|---|---|---|")
    differ = False
    with tempfile.TemporaryDirectory() as folder:
        for device in options.only or SETUPS:
            limits, counted, goal = SETUPS[device]
            told, same = step(options, options.network.resolve(), device, limits, pathlib.Path(folder))
            ram = ", ".join(f"{told['ram'][part]:,}" for part in ("arena", "weights", "code"))
            aim = "-" if goal is None else f"{goal:,} {counted}: {'met' if told[counted] <= goal else 'missed'}"
            speed = f"{1000 / told['milliseconds']:.0f}" if told["milliseconds"] else "-"
            print(f"| {device} | {told['instructions']:,} | {told['cycles']:,} | {aim} | {speed} | {told['ram_bytes']:,}: "
                  f"{ram} | {told['flash_bytes']:,} | {'exact' if same else 'DIFFER'} |", flush=True)
            differ |= not same
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
