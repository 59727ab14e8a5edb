#!/usr/bin/env python3
"""Runs the fuzz targets and says how many inputs each has taken.

    run.py BUILD --seconds 60         each target for so long
    run.py BUILD --runs 10000000      until each has taken so many inputs, in as many calls as it takes

What a target has taken is kept in BUILD/executions.csv by the digest of its program, so that a run that was
stopped goes on where it was, and a program that was built from other sources begins at nothing. Inputs that
reached something new are kept in BUILD/corpus. A finding ends the run with 1; its input is left in BUILD, named
after the target. `--jobs N` runs N targets at a time.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import time

FOLDER = pathlib.Path(__file__).resolve().parent
MOST_BYTES = 4096      # of an input: twice a serial frame, eight lines of a log
PIECE = 500_000        # inputs between two lines of the table: what a kill costs at most
INPUT_SECONDS = 10     # of a core; more is a finding
# What AddressSanitizer keeps for its reports (where each block was allocated, and 256 MiB of freed ones) takes
# more than half the time of small inputs.
SANITIZER = "malloc_context_size=1:quarantine_size_mb=4:thread_local_quarantine_size_kb=64"


class Target:
    def __init__(self, build, name):
        self.build, self.name = build, name
        self.program = build / "tests/fuzz" / f"fuzz_{name}"
        self.digest = hashlib.sha256(self.program.read_bytes()).hexdigest()[:16]
        self.table = build / "executions.csv"
        self.runs, self.seconds, self.found = 0, 0.0, False
        if self.table.exists():
            for name_, digest, runs, seconds in csv.reader(self.table.open()):
                if (name_, digest) == (self.name, self.digest):
                    self.count(int(runs), float(seconds))

    def count(self, runs, seconds):
        self.runs += runs
        self.seconds += seconds

    def takes_long(self, finding):
        """By a core's time: libFuzzer counts the clock's, which goes on while other programs have the cores."""
        again = subprocess.Popen([self.program, "-timeout=3600", finding], env=os.environ | {"ASAN_OPTIONS": SANITIZER},
                                 stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(again.pid, 0)
        again.returncode = os.waitstatus_to_exitcode(status)
        return again.returncode != 0 or usage.ru_utime + usage.ru_stime > INPUT_SECONDS

    def is_finding(self, done):
        """Of a run that ended early. An input that only waited for a core is removed again."""
        written = re.search(r"Test unit written to (.*-timeout-\w+)", done.stderr)
        if done.returncode == 0 or written is None:
            return done.returncode != 0
        waited = pathlib.Path(written[1])
        if self.takes_long(waited):
            return True
        waited.unlink()
        return False

    def run(self, limit):
        """One process. False: it found something."""
        corpus = self.build / "corpus" / self.name
        corpus.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        done = subprocess.run(
            [self.program, limit, f"-timeout={INPUT_SECONDS}", f"-max_len={MOST_BYTES}", "-verbosity=0",
             "-report_slow_units=3600", "-print_final_stats=1", f"-artifact_prefix={self.build}/{self.name}-",
             corpus, FOLDER / "seeds" / self.name],
            env=os.environ | {"ASAN_OPTIONS": SANITIZER}, stderr=subprocess.PIPE, text=True, errors="replace")
        runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
        if runs is None or self.is_finding(done):
            print(f"== {self.name}\n{done.stderr[-20_000:]}", flush=True)
            self.found = True
            return False
        piece = int(runs[1]), round(time.monotonic() - start, 1)
        self.count(*piece)
        with self.table.open("a") as table:
            table.write(",".join(map(str, (self.name, self.digest, *piece))) + "\n")
        return True

    def run_until(self, runs):
        while self.runs < runs and self.run(f"-runs={min(PIECE, runs - self.runs)}"):
            pass

    def line(self):
        rate = self.runs / self.seconds if self.seconds else 0
        return (f"{self.name:14} {self.runs:>11,} inputs of up to {MOST_BYTES} bytes, {self.seconds:>7,.0f} s, "
                f"{rate:>6,.0f} a second; {'A FINDING' if self.found else 'no finding'}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", type=pathlib.Path)
    arguments.add_argument("--targets", nargs="+", default=sorted(p.name for p in (FOLDER / "seeds").iterdir()))
    arguments.add_argument("--jobs", type=int, default=1)
    limit = arguments.add_mutually_exclusive_group(required=True)
    limit.add_argument("--seconds", type=int)
    limit.add_argument("--runs", type=int)
    given = arguments.parse_args()
    targets = [Target(given.build.resolve(), name) for name in given.targets]

    def work(target):
        if given.runs is not None:
            target.run_until(given.runs)
        else:
            target.run(f"-max_total_time={given.seconds}")
        print(target.line(), flush=True)

    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        list(pool.map(work, targets))
    sys.exit(any(target.found for target in targets))


if __name__ == "__main__":
    main()
