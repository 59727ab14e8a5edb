"""Instructions layer by layer, beside every hand-written library's, lost rows marked; then what logs say of techniques.

A layer that is fused into another counts with the one that carries it. Counts of libraries: ../shared/peers.
"""
import collections
import pathlib

import knobs
import peers
from simulated import MLPERF_TINY, files_of, needed, number, print_head, print_row, write_csv

NETWORKS, DEVICES = MLPERF_TINY, ["rv32imc", "cortex-m4"]


def add_options(parser):
    parser.add_argument("--csv", type=pathlib.Path, help="write the rows here as well")


def rows_of(report, counts):
    """One row a layer: ours, every library's, the best library's for the whole fused group."""
    members = collections.defaultdict(list)
    for layer in report["layers"]:
        carrier = layer["index"] if layer["fused_into"] is None else layer["fused_into"]
        members[carrier].append(layer["index"])
    for layer in report["layers"]:
        row = {"layer": layer["index"], "op": layer["op"], "macs": layer["macs"],
               "macs_executed": layer["macs_executed"], "tinytune": layer["instructions"]}
        row.update({lib: layers.get(layer["index"]) for lib, layers in counts.items()})
        row["fused_into"] = layer["fused_into"]
        group = members.get(layer["index"], [])
        row["best_peer"] = min((sum(layers.get(i, 0) for i in group) for layers in counts.values()), default=None)
        row["lost"] = bool(counts and layer["instructions"] and layer["instructions"] > row["best_peer"])
        yield row


def print_table(network, device, report, rows, counts):
    totals = peers.totals(counts)
    libraries = sorted(totals, key=totals.get)
    print(f"\n**{network} on {device}**, instructions; exact: {report['exact']}\n")
    heads = ["layer", "operator", "MACs", "executed", "tinytune", *libraries, "best peer ÷ ours"]
    print_head(heads, [i for i in range(len(heads)) if i != 1])
    for row in rows:
        verdict = "–"
        if row["fused_into"] is not None:
            verdict = f"in {row['fused_into']}"
        elif row["tinytune"] and counts:
            verdict = f"{row['best_peer'] / row['tinytune']:.2f}" + (" **lost**" * row["lost"])
        print_row(row["layer"], row["op"], *(number(row[key]) for key in ("macs", "macs_executed", "tinytune")),
                  *(number(row[lib]) for lib in libraries), verdict)
    ours = report["instructions"]
    print_row("", "**total**", "", "", f"**{ours:,}**", *(f"{totals[lib]:,}" for lib in libraries),
              f"{min(totals.values()) / ours:.2f}" if totals else "–")
    print(f"\nlayers lost: {sum(row['lost'] for row in rows)}; overhead of ours: {report['overhead_instructions']:,}")


def print_all(simulated, options):
    logs, all_rows, exact = [], [], True
    for device in options.devices:
        for model in files_of(options.networks):
            log = simulated.log(model.stem, device)
            report = needed(simulated.measured(["--model", model, "--device", device], log), f"{model} on {device}")
            counts = peers.layer_counts(device, model.stem)
            rows = list(rows_of(report, counts))
            print_table(model.stem, device, report, rows, counts)
            exact &= report["exact"]
            logs += [log] if log.exists() else []
            all_rows += [{"device": device, "network": model.stem, **row} for row in rows]
    if logs:
        print(f"\n**Techniques**, over all tasks of {len(logs)} logs\n")
        print("\n".join(knobs.table(logs)))
    if options.csv:
        write_csv(options.csv, list(dict.fromkeys(key for row in all_rows for key in row)), all_rows)
    return exact
