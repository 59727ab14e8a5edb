#!/usr/bin/env python3
"""Tunes, deploys and runs a network with the example's own template; exits 1 if any of it fails.

  try.py --program my_tune --model ds_cnn.tflite
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--model", required=True)
    options = parser.parse_args()

    def tune(*words):
        done = subprocess.run([options.program, *map(str, words)], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(map(str, words))}: {done.stderr}")
        return done.stdout

    where = ["--model", options.model, "--device", "rv32imc"]
    tasks = json.loads(tune("inspect", options.model, "--json"))["tasks"]
    dense = next(t["index"] for t in tasks if t["name"].startswith("dense"))
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log.jsonl"
        tune(*where, "--records", log, "--tasks", dense, "--tuner", "random", "--trials", 200)
        records = [json.loads(line) for line in log.read_text().splitlines()]
        own = [r for r in records if r["schedule"].startswith("scalar_dense/")]
        wrong = [r for r in own if r["outcome"] != "ok"]
        if not own or wrong:
            sys.exit(f"{len(own)} candidates of the template were measured, not ok: {wrong}")
        # Deploy it although it is not the fastest: a log of its records alone.
        log.write_text("".join(line for line in log.read_text().splitlines(keepends=True)
                               if '"scalar_dense/' in line))
        report = json.loads(tune("run", *where, "--records", log, "--verify", "--json"))
        tuned = [layer["index"] for layer in report["layers"] if layer["tuned"]]
        tune("compile", *where, "--records", log, "-o", pathlib.Path(folder) / "library")
    best = min(own, key=lambda r: r["cycles"][0])
    print(f"{len(own)} of 200 candidates; best {best['cycles'][0]:,} cycles, {best['schedule']}; "
          f"deployed in layer(s) {tuned}, exact: {report['exact']}")
    return 0 if report["exact"] and tuned else 1


if __name__ == "__main__":
    sys.exit(main())
