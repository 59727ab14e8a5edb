#!/usr/bin/env python3
"""How fast a cold tuning run is, and where its time goes.

  bench/throughput/throughput.py [--model M.tflite] [--trials 512] [--device esp32c3]

Tunes in an empty directory, samples the memory of the tuner and all its workers, and checks: under 2 GiB
together, at least 95 % valid candidates, no wrong output, and under one second of search per 64 trials.
Exits 1 when one is missed; search is judged where there are at least 64 trials. A run ends before its trials
do when none is worth it.

Stages are in processor time, which says the same on a busy machine; "rest" is what no stage counts: making
and ending processes, messages, the reference operator, the log. Two cores' candidates a second are two
divided by what one candidate takes of a processor. Memory is sampled five times a second, as proportional
set size, so that pages which forked workers share count once.
"""
import argparse
import collections
import dataclasses
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KWS = ROOT.parent / "shared" / "models" / "kws_ref_model.tflite"
EXAMPLE = ROOT / "build" / "examples" / "ds_cnn.tflite"


def family_bytes(root):
    """Proportional memory of a process and its descendants."""
    children = collections.defaultdict(list)
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = pathlib.Path("/proc", entry, "stat").read_text()
            except OSError:
                continue
            children[int(stat.rsplit(")", 1)[1].split()[1])].append(int(entry))
    total, open_pids = 0, [root]
    while open_pids:
        pid = open_pids.pop()
        open_pids += children[pid]
        try:
            for line in pathlib.Path("/proc", str(pid), "smaps_rollup").read_text().splitlines():
                if line.startswith("Pss:"):
                    total += int(line.split()[1]) * 1024
        except OSError:
            pass
    return total


def by_template(log):
    """Seconds of each trial, by the template of its schedule."""
    seconds = collections.defaultdict(list)
    for record in log:
        seconds[record["schedule"].split("/")[0]].append(record["seconds"])
    return seconds


@dataclasses.dataclass
class Run:
    log: list          # records
    times: dict        # processor seconds of each stage, as the tuner says
    wall: float        # seconds
    processor: float   # seconds of the tuner and all its processes
    peak: int          # bytes


def add_arguments(parser, trials):
    parser.add_argument("--model", default=str(KWS if KWS.exists() else EXAMPLE))
    parser.add_argument("--device", default="esp32c3")
    parser.add_argument("--trials", type=int, default=trials)


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def tune_once(tune, options):
    """A cold run in an empty directory."""
    with tempfile.TemporaryDirectory() as folder:
        start, peak, spent = time.monotonic(), 0, processor_seconds()
        run = subprocess.Popen(
            [os.path.abspath(tune), "--model", os.path.abspath(options.model), "--device", options.device,
             "--trials", str(options.trials), "--seed", "1", "--json", "--quiet",
             "--records", "log.jsonl"],
            cwd=folder, stdout=subprocess.PIPE, text=True)
        while run.poll() is None:
            peak = max(peak, family_bytes(run.pid))
            time.sleep(0.2)
        wall = time.monotonic() - start
        said = json.loads(run.stdout.read() or "{}")
        if run.returncode != 0:
            sys.exit(said.get("error", f"{tune} ended with {run.returncode}"))
        lines = pathlib.Path(folder, "log.jsonl").read_text().splitlines()
    return Run([json.loads(line) for line in lines], said["times"], wall, processor_seconds() - spent, peak)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, 512)
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    options = parser.parse_args()

    run = tune_once(options.tune, options)
    log, wall, processor, peak = run.log, run.wall, run.processor, run.peak
    outcomes = collections.Counter(record["outcome"] for record in log)
    valid = outcomes["ok"] / max(1, len(log))

    print(f"{options.model}\n{len(log)} trials on {options.device}, {os.cpu_count()} cores")
    print(f"wall       {wall:8.1f} s   {len(log) / wall:.1f} trials a second")
    print(f"memory     {peak / 2**20:8.0f} MiB tuner and workers together")
    print(f"valid      {100 * valid:8.1f} %   {dict(outcomes)}")
    each = processor / max(1, len(log))
    stages = {stage: run.times[stage] for stage in ("search", "lower", "llvm", "link", "run", "verify")}
    stages["rest"] = processor - sum(stages.values())
    print(f"processor  {processor:8.1f} s   {2 / each:.1f} trials a second on two cores of one's own")
    for stage, seconds in stages.items():
        print(f"  {stage:9}{1000 * seconds / max(1, len(log)):8.1f} ms a trial  {100 * seconds / processor:3.0f} %")
    print("a trial of each template, built and measured, by processor time:")
    for template, spent in sorted(by_template(log).items()):
        print(f"  {template:18}{len(spent):4} trials  {1000 * sum(spent) / len(spent):8.1f} ms")
    search = stages["search"] / max(1, len(log)) * 64
    print(f"search     {search:8.2f} s per 64 trials")

    missed = []
    if len(log) > options.trials or not log:
        missed.append(f"{len(log)} trials of {options.trials}")
    if peak >= 2 << 30:
        missed.append("memory")
    if valid < 0.95:
        missed.append("valid share")
    if outcomes["wrong_output"]:
        missed.append("a wrong output")
    if len(log) >= 64 and search >= 1:
        missed.append("search time")
    print("missed: " + ", ".join(missed) if missed else "all limits held")
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
