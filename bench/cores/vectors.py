#!/usr/bin/env python3
"""Vectors of the reference on two cores: outputs of `tune run --cores 2` byte for byte.

Folders VECTORS/STEM hold N.in.bin and N.out.bin; MODELS/STEM.tflite is the network. All networks and
vectors, or what --only, --devices and --most leave. Exits 77, and says so, where there are none.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile


def arguments():
    root = pathlib.Path(__file__).resolve().parents[2]
    shared = root.parent / "shared"
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", default=root / "build/tune", help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=shared / "models")
    parser.add_argument("--vectors", type=pathlib.Path, default=shared / "golden")
    parser.add_argument("--only", nargs="+", metavar="STEM", help="[all]")
    parser.add_argument("--devices", nargs="+", default=["rp2040", "rp2350-riscv", "rp2350"])
    parser.add_argument("--most", type=int, default=1000, help="vectors of a network [all]")
    return parser.parse_args()


def is_exact(options, model, device, given, expected, folder):
    out = pathlib.Path(folder) / "out.bin"
    done = subprocess.run([options.tune, "run", "--model", model, "--device", device, "--cores", "2",
                           "--input", given, "--output", out], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{model.stem} {device}: {done.stderr.strip()}")
    return out.read_bytes() == expected.read_bytes()


def main():
    options = arguments()
    if not options.vectors.is_dir():
        print(f"skipped: no vectors at {options.vectors}")
        return 77
    right = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for stem in options.only or sorted(p.name for p in options.vectors.iterdir() if p.is_dir()):
            model = options.models / f"{stem}.tflite"
            for given in sorted((options.vectors / stem).glob("*.in.bin"))[:options.most]:
                expected = given.with_name(given.name.replace(".in.", ".out."))
                for device in options.devices:
                    good = is_exact(options, model, device, given, expected, folder)
                    right, wrong = right + good, wrong + (not good)
                    if not good:
                        print(f"{stem} {device} {given.name}: differs", flush=True)
    print(f"{right} outputs are the reference's, {wrong} are not")
    return 1 if wrong or not right else 0


if __name__ == "__main__":
    sys.exit(main())
