"""Milliseconds of the MLPerf Tiny networks on simulated boards beside the best published ones.

Each network is a row for each of two set-ups, which are tuned and logged apart:

  flash  code and weights stay there (`--fast-ram 0`); all RAM within what ST's entry took, where that is
         published (`--ram`)
  fast   code and weights in fast memory as far as they fit (`--fast-ram all`)

RAM is all RAM: arena, copied weights and code, stack. Published figures: ../shared/peers/mlperf_best.csv for a board,
and the best of each core since then (in cycles, at whatever clock). They are measured on boards, ours are simulated
cycles; which memories the published ones used is not stated. The limit is the published figure, and three quarters of
it on the stm32l4r5 with fast memory; rows above theirs say so. Waits are cycles in which the core stood still for a
memory: where they alone exceed the limit, no kernel that reads each weight once from there can meet it.
"""
import collections
import csv
import sys

from simulated import NETWORKS as STEMS
from simulated import SETUPS, SHARED, files_of, needed, number, print_head, print_row

# The boards of the list that a device file describes; their clocks are equal.
BOARDS = {"stm32l4r5": "NUCLEO-L4R5ZI", "stm32f7": "DISCO-F746NG"}
# Best of each core, M cycles: MLPerf Tiny up to v1.4, closed division.
CORES = {
    "stm32l4r5": {"ic02": (111.9, "ST, v1.4")},
    "stm32f7": {"kws": (3.17, "ST"), "vww": (6.67, "ST"), "ic": (11.44, "ST"),
                "ad": (0.303, "Bosch"), "ic02": (63.1, "ST, v1.4")},
    "stm32u5": {"kws": (4.64, "ST"), "vww": (9.48, "ST"), "ic": (16.69, "Plumerai"),
                "ad": (0.495, "Bosch"), "ic02": (98.4, "ST, v1.4")},
    "rp2040": {"kws": (30.4, "Bosch, G0B1"), "vww": (90.5, "Bosch, G0B1"),
               "ic": (97.4, "Bosch, G0B1"), "ad": (2.62, "Bosch, G0B1")},
}
# All RAM of ST's entries on the NUCLEO-L4R5ZI.
ST_RAM = {"kws": 22_272, "vww": 58_624, "ic": 56_672, "ad": 2_048}
LIMITS = {("stm32l4r5", "fast"): 0.75}  # of a published figure; 1 elsewhere
NETWORKS, DEVICES = list(STEMS), list(CORES)
HEADS = ["device", "network", "code and weights", "ms", "M cycles", "of that waits", "best published, M cycles", "stack",
         "ours ÷ published", "limit, M cycles", "", "RAM", "ST's RAM", "arena", "flash", "schedules"]


def add_options(parser):
    parser.add_argument("--tuner", default="bayes")
    parser.add_argument("--setups", nargs="+", choices=list(SETUPS), default=list(SETUPS))


def figures():
    """{board: {network: (milliseconds, stack)}}, the best of each."""
    path = SHARED / "peers" / "mlperf_best.csv"
    if not path.exists():
        sys.exit(f"no published figures: {path} is absent")
    best = collections.defaultdict(dict)
    with open(path, newline="") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            for name in STEMS:
                if not row.get(name + "_ms"):
                    continue
                ms = float(row[name + "_ms"])
                if name not in best[row["board"]] or ms < best[row["board"]][name][0]:
                    best[row["board"]][name] = (ms, row["stack"])
    return best


def best_cycles(best, device, name, clock_hz):
    """The best published figure for the core, in cycles, and whose it is; or None."""
    known = []
    if name in best.get(BOARDS.get(device), {}):
        ms, stack = best[BOARDS[device]][name]
        known.append((ms * clock_hz / 1000, stack))
    if name in CORES.get(device, {}):
        millions, stack = CORES[device][name]
        known.append((millions * 1e6, stack))
    return min(known) if known else None


def print_network(simulated, options, best, device, name, setup):
    """Returns whether every byte was right."""
    log = simulated.log(STEMS[name], device, setup)
    where = ["--model", files_of([name])[0], "--device", device, *SETUPS[setup]]
    st_ram = ST_RAM.get(name) if device == "stm32l4r5" and setup == "flash" else None
    if st_ram:
        where += ["--ram", st_ram]
    ours = needed(simulated.measured(where, log, "--tuner", options.tuner), f"{name} on {device}")
    waits = ours["fetch_wait_cycles"] + ours["read_wait_cycles"]
    clock_hz = ours["cycles"] / ours["milliseconds"] * 1000 if ours["milliseconds"] else 0
    peer = best_cycles(best, device, name, clock_hz)
    limit = peer[0] * LIMITS.get((device, setup), 1)
    print_row(device, name, setup, f"{ours['milliseconds']:.3f}", f"{ours['cycles'] / 1e6:.3f}", f"{waits / 1e6:.3f}",
              f"{peer[0] / 1e6:.3f}", peer[1], f"{ours['cycles'] / peer[0]:.3f}", f"{limit / 1e6:.3f}",
              "missed" if ours["cycles"] > limit else "met", number(ours["ram_bytes"]), number(st_ram),
              number(ours["arena_bytes"]), number(ours["flash_bytes"]), "tuned" if log.exists() else "default")
    return ours["exact"]


def print_all(simulated, options):
    best = figures()
    print_head(HEADS, [3, 4, 5, 6, 8, 9, 11, 12, 13, 14])
    return all([print_network(simulated, options, best, device, name, setup)
                for device in options.devices for name in options.networks
                if best_cycles(best, device, name, 1) for setup in options.setups])
