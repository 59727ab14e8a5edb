"""Networks by name, and what `tune` says of one: what all presets of networks.py have in common."""
import csv
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
NETWORKS = {"kws": "kws_ref_model", "vww": "vww_96_int8", "ic": "pretrainedResnet_quant", "ad": "ad01_int8",
            "ic02": "ic02_int8"}
MLPERF_TINY = ["kws", "vww", "ic", "ad"]
SETUPS = {"flash": ["--fast-ram", "0"], "fast": ["--fast-ram", "all"]}  # code and weights


class Simulated:
    def __init__(self, options):
        self.tune, self.trials, self.logs = options.tune, options.trials, pathlib.Path(options.logs)
        self.logs.mkdir(parents=True, exist_ok=True)

    def said(self, *words):
        """The JSON of one call; one without figures has "error" alone."""
        done = subprocess.run([self.tune, *map(str, words), "--json"], capture_output=True, text=True, check=False)
        said = json.loads(done.stdout) if done.stdout.strip() else {}
        if done.returncode != 0 and not said.get("error"):
            said["error"] = (done.stderr.strip().splitlines() or ["no message"])[-1]
        return said

    def untuned(self, where):
        return self.said("run", *where, "--verify")

    def log(self, *names):
        return self.logs / (".".join(names) + ".jsonl")

    def measured(self, where, log, *more):
        """What `tune run` says, after tuning where trials are asked for; `more` is for the search alone."""
        if self.trials:
            tuned = self.said(*where, "--records", log, "--trials", self.trials, "--seed", 1, *more)
            if "error" in tuned:
                return tuned
        records = ["--records", log] if log.exists() else []
        return self.said("run", *where, *records, "--verify")


def needed(report, what):
    """The report, or the end of the program where there is none."""
    if "error" in report:
        sys.exit(f"{what}: {report['error']}")
    return report


def files_of(names):
    """The models of these names; a name of none of ours is a file, or a folder of them."""
    files = []
    for name in names:
        path = SHARED / "models" / f"{NETWORKS[name]}.tflite" if name in NETWORKS else pathlib.Path(name)
        files += sorted(path.glob("*.tflite")) if path.is_dir() else [path]
    missing = [str(path) for path in files if not path.exists()]
    if missing or not files:
        sys.exit(f"no such model: {', '.join(missing or names)}")
    return files


def print_row(*cells):
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)


def print_head(words, numbers=()):
    """The head of a table; columns at the indices `numbers` are set to the right."""
    print_row(*words)
    print("|" + "|".join("--:" if i in numbers else "---" for i in range(len(words))) + "|", flush=True)


def number(value):
    return "–" if value is None else f"{value:,}"


def write_csv(path, columns, rows):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(rows)
