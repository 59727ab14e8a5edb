#!/usr/bin/env python3
"""Whether the search keeps what was asked of it: each line's figure beside what was asked.

  bench/search/asked.py [--build build] [--folder build/asked] [--seeds 3] [--lines tables,networks,stops]

Tables: medians of trials to within 2 % of the best of bench/spaces' test half, over 20 seeds, and AutoTVM's
two spaces of keyword spotting, as its tuners were replayed on them and without vectors. Networks: real runs of
`tune`, the median over the seeds of the cycles above the best of any run in the folder, which include one of
5,000 trials: ours until it stops itself, and from its log another strategy, which never does. "warm" starts from
the logs of the other two networks' cold runs of the same seed and device. Runs that the folder holds are not
repeated; a fresh folder takes an hour. Exits 1 when a line is missed.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ROOT.parent / "shared" / "models"
FILES = {"kws": "kws_ref_model", "ic": "pretrainedResnet_quant", "vww": "vww_96_int8"}
DEVICES = ["esp32c3", "cortex-m4"]
# network, trials and percent asked cold, the same warm
NETWORKS = [("kws", 64, 1.5, 32, 1), ("ic", 128, 4, 64, 3), ("vww", 128, 3, 64, 3)]
MANY, MANYS_SEED, NEVER_DONE = 5000, 9, "xgb"
RIVALS_AT = [16, 32, 64]

missed = 0


def line(name, asked, figure, met, note=""):
    global missed
    missed += not met
    print(f"{name:42} asked {asked:>9}  is {figure:>7}  {'met' if met else 'MISSED':6}  {note}", flush=True)


def at_most(name, asked, figure, note=""):
    line(name, f"<= {asked:g}", f"{figure:.4g}", figure <= asked, note)


RIVALS = ["random", "grid", "genetic", "droplet", "annealing", "xgb"]


def replayed(build, *options):
    return subprocess.run([build / "bench/search/space_replay", "--half", "test", *options],
                          stdout=subprocess.PIPE, text=True, check=True).stdout


def tables(build):
    text = replayed(build, "--strategy", "bayes", "--window", "4", "--window", "16")
    text += replayed(build, *(word for name in RIVALS for word in ("--strategy", name)))
    halves = {}
    for match in re.finditer(r"^test +half, .*?: (\w+) +window +(\d+)( warm)?: to 2 % median ([\d.]+), "
                             r"worst ([\d.]+); regret (.*)$", text, re.M):
        halves[match[1], int(match[2]), bool(match[3])] = (
            float(match[4]), float(match[5]), [float(x) for x in re.findall(r"([\d.]+) % after", match[6])])
    cold, warm = halves["bayes", 4, False], halves["bayes", 4, True]
    at_most("tables, cold, 4 ahead: median", 12, cold[0])
    at_most("tables, cold, 4 ahead: worst task", 32, cold[1])
    at_most("tables, warm, 4 ahead: median", 4, warm[0])
    at_most("tables, warm, 4 ahead: worst task", 32, warm[1])
    at_most("tables, cold, 16 ahead: median", 24, halves["bayes", 16, False][0])
    for i, after in enumerate(RIVALS_AT):
        regret = {name: figures[2][i] for (name, window, is_warm), figures in halves.items()
                  if window == 4 and not is_warm}
        best = min((value, name) for name, value in regret.items() if name != "bayes")
        line(f"tables, regret after {after}, against all", f"<= {best[0]:.2f}", f"{regret['bayes']:.2f}",
             regret["bayes"] <= best[0], f"the next is {best[1]}")


def autotvm(build):
    text = subprocess.run([build / "bench/search/search_bench", "--seeds", "20"], stdout=subprocess.PIPE, text=True).stdout
    for row, asked in (("pw_nchw_x86", 20), ("dw_dw_nhwc", 12), ("pw_nchw_x86-novec", 20), ("dw_dw_nhwc-novec", 12)):
        match = re.search(rf"^\| {row}(?: \(\w+\))* \| \d+ \| ([\d.]+) / ([\d.]+) \|", text, re.M)
        if match is None:
            print(f"AutoTVM's {row}: skipped, the table is not there")
            continue
        at_most(f"AutoTVM's {row}: to 2 %", asked, float(match[2]))


class Networks:
    def __init__(self, build, folder, seeds):
        self.tune, self.folder, self.seeds = build / "tune", folder, range(1, seeds + 1)
        folder.mkdir(parents=True, exist_ok=True)

    @staticmethod
    def said(command):
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout

    def run(self, network, device, trials, seed, priors=(), warm="", then=None):
        """The report of a run, and its log. `then`: the strategy that spends what trials are left."""
        path = self.folder / f"{network}.{device}.{trials or 'default'}{warm}.{seed}.json"
        log = path.with_suffix(".jsonl")
        if not path.exists():
            log.unlink(missing_ok=True)
            command = [self.tune, "--model", MODELS / f"{FILES[network]}.tflite", "--device", device, "--json", "--quiet",
                       "--seed", str(seed), "--records", log]
            command += ["--trials", str(trials)] if trials else []
            for prior in priors:
                command += ["--prior", prior]
            said = self.said(command)
            if then:
                said = self.said(command + ["--tuner", then])
            path.write_text(said)
        return json.loads(path.read_text()), log

    def cold(self, network, device):
        trials = next(n[1] for n in NETWORKS if n[0] == network)
        return [self.run(network, device, trials, seed) for seed in self.seeds]

    def warm(self, network, device, trials):
        others = [self.cold(other[0], device) for other in NETWORKS if other[0] != network]
        return [self.run(network, device, trials, seed, [runs[i][1] for runs in others], ".warm")
                for i, seed in enumerate(self.seeds)]

    def best(self, network, device):
        self.run(network, device, MANY, MANYS_SEED, then=NEVER_DONE)
        return min(json.loads(path.read_text())["network"]["best_cycles"]
                   for path in self.folder.glob(f"{network}.{device}.*.json"))

    def compare(self, name, asked, runs, best):
        over = [100 * (report["network"]["best_cycles"] / best - 1) for report, _ in runs]
        at_most(name, asked, statistics.median(over), " ".join(f"{x:.2f}" for x in over) + " %")

    def print(self, stops):
        for network, cold, cold_asked, warm, warm_asked in NETWORKS:
            for device in DEVICES:
                runs = {"cold": self.cold(network, device), "warm": self.warm(network, device, warm)}
                stopped = [self.run(network, device, None, 1)] if stops else []
                best = self.best(network, device)
                self.compare(f"{network} on {device}, {cold} trials cold", cold_asked, runs["cold"], best)
                self.compare(f"{network} on {device}, {warm} trials warm", warm_asked, runs["warm"], best)
                if stopped:
                    spent = sum(task["trials"] for task in stopped[0][0]["tasks"])
                    self.compare(f"{network} on {device} stops itself, after {spent}", 1, stopped, best)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--folder", type=pathlib.Path, help="where runs are kept [BUILD/asked]")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--lines", default="tables,networks,stops")
    options = parser.parse_args()
    lines = options.lines.split(",")
    if "tables" in lines:
        tables(options.build)
        autotvm(options.build)
    if "networks" in lines:
        folder = options.folder or options.build / "asked"
        Networks(options.build, folder, options.seeds).print("stops" in lines)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
