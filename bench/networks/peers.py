"""What hand-written libraries need for the same layers: exact counts from ../shared/peers."""
import collections
import csv
import pathlib

SHARED = pathlib.Path(__file__).resolve().parents[3] / "shared"
CORES = {"rv32imc": "rv32", "rv32imac": "rv32", "cortex-m4": "m4"}  # devices that count as they do


def layer_counts(device, model):
    """{library: {layer: instructions}}, the better of -O2 and -O3; {} where nothing is known."""
    counts = collections.defaultdict(dict)
    path = SHARED / "peers" / "layers.csv"
    if device not in CORES or not path.exists():
        return {}
    with open(path, newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            if row["core"] != CORES[device] or row["model"] != model:
                continue
            layer, n = int(row["layer"]), int(row["instructions"])
            counts[row["library"]][layer] = min(n, counts[row["library"]].get(layer, n))
    return counts


def totals(counts):
    return {library: sum(layers.values()) for library, layers in counts.items()}
