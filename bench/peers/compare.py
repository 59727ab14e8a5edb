#!/usr/bin/env python3
"""Our instructions beside the hand-written libraries', layer by layer, as Markdown.

  bench/peers/compare.py --model M.tflite [--device rv32imc] [--records LOG] [--trials N]

With --trials the model is tuned first (seed 1) and LOG is continued; without a log the default
schedules are compared. The peers' counts come from ../shared/peers/layers.csv (exact counts from an
instruction-set simulator); without that file only our column is printed. Rows we lose are marked.
"""
import argparse
import collections
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEERS = ROOT.parent / "shared" / "peers" / "layers.csv"
CORES = {"rv32": "rv32", "stm32f7": "m7", "armv7e-m": "m4"}
# Best kernels of AutoTVM's own tuners on the same core, requantisation fused, layouts mixed freely;
# pooling and softmax not included.
AUTOTVM_KWS = 8_660_000


def tune_json(tune, *words):
    done = subprocess.run([tune, *words, "--json"], capture_output=True, text=True)
    said = json.loads(done.stdout) if done.stdout else {}
    if done.returncode != 0:
        sys.exit(f"tune {' '.join(words)}: {said.get('error', done.stderr)}")
    return said


def core_of(tune, device):
    for d in tune_json(tune, "devices")["devices"]:
        if d["name"] == device:
            return CORES.get(device) or CORES.get(d["isa"]) or CORES.get(d["isa"][:4])
    return None


def peer_counts(core, model):
    """{library: {layer: instructions}}, the better of -O2 and -O3."""
    counts = collections.defaultdict(dict)
    with open(PEERS, newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["core"] != core or row["model"] != model:
                continue
            layer, n = int(row["layer"]), int(row["instructions"])
            known = counts[row["library"]].get(layer)
            counts[row["library"]][layer] = min(n, known) if known else n
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True)
    parser.add_argument("--device", default="rv32imc")
    parser.add_argument("--records")
    parser.add_argument("--trials", type=int)
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()

    where = ["--model", options.model, "--device", options.device]
    if options.records:
        where += ["--records", options.records]
    if options.trials:
        tune_json(options.tune, *where, "--trials", str(options.trials), "--seed", "1")
    ours = tune_json(options.tune, "run", *where, "--verify")
    name = pathlib.Path(options.model).stem
    core = core_of(options.tune, options.device)
    peers = {}
    if PEERS.exists():
        peers = peer_counts(core, name)
    if not peers:
        print(f"(no peers' counts of {name} on {options.device}: {PEERS} "
              f"{'has none' if PEERS.exists() else 'is absent'})\n")

    libraries = sorted(peers, key=lambda lib: sum(peers[lib].values()))
    print(f"**{name} on {options.device}**, instructions; exact: {ours['exact']}\n")
    print("| layer | operator | MACs | tinytune | " + " | ".join(libraries) +
          (" | best peer ÷ ours |" if libraries else " |"))
    print("|--:|---|--:|--:|" + "--:|" * (len(libraries) + bool(libraries)))
    lost = 0
    groups = collections.defaultdict(list)  # a fused layer counts with the one that carries it
    for layer in ours["layers"]:
        carrier = layer["index"] if layer["fused_into"] is None else layer["fused_into"]
        groups[carrier].append(layer)
    for layer in ours["layers"]:
        cells = [f"{peers[lib][layer['index']]:,}" if layer["index"] in peers[lib] else "–"
                 for lib in libraries]
        verdict = ""
        if libraries and layer["fused_into"] is None:
            members = [m["index"] for m in groups[layer["index"]]]
            best = min(sum(peers[lib].get(i, 0) for i in members) for lib in libraries)
            n = layer["instructions"]
            if n:
                verdict = f"{best / n:.2f}" + (" **lost**" if n > best else "")
                lost += n > best
        elif libraries:
            verdict = f"in {layer['fused_into']}"
        row = [str(layer["index"]), layer["op"], f"{layer['macs']:,}",
               f"{layer['instructions']:,}", *cells]
        print("| " + " | ".join(row + ([verdict] if libraries else [])) + " |")
    totals = {lib: sum(peers[lib].values()) for lib in libraries}
    best = f"{min(totals.values()) / ours['instructions']:.2f}" if libraries else None
    print("| | **total** | | **" + f"{ours['instructions']:,}" + "** | " +
          " | ".join(f"{totals[lib]:,}" for lib in libraries) + (f" | {best} |" if best else ""))
    if libraries:
        print(f"\nlayers lost: {lost}; overhead of ours: {ours['overhead_instructions']:,}")
    if name == "kws_ref_model" and core == "rv32":
        print(f"AutoTVM's best kernels on the same core: about {AUTOTVM_KWS:,} "
              "(pooling and softmax not included)")
    sys.exit(0 if ours["exact"] else 1)


if __name__ == "__main__":
    main()
