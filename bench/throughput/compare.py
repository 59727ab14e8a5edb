#!/usr/bin/env python3
"""Trials a second of two builds of the tuner, held against each other.

  bench/throughput/compare.py OLD/build/tune NEW/build/tune [--runs 5] [--trials 144] [--few 16] [--least 0.95]

Both tune the same model from nothing, in turns, the first one now this and now that, each with many trials and with
few. "stages" is the processor time that proposing, building, running and verifying trials took, by the tuner's own
clocks. "processor" and "wall" are what a trial more takes of the tuner and all its processes: the difference of many
and few. That still has the end of a run in it, which tells the network's cycles by building and running it, by default
and tuned, and does so the longer the more layers are tuned; whole runs have all of it. Prints every run, medians and
their ratios; exits 1 where new / old of the stages is below --least.
"""
import argparse
import statistics
import sys

import throughput


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    throughput.add_arguments(parser, 144)
    parser.add_argument("--few", type=int, default=16)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.95)
    options = parser.parse_args()

    builds = {"old": options.old, "new": options.new}
    kinds = ("stages", "processor", "wall", "processor, whole runs", "wall, whole runs")
    rates = {kind: {name: [] for name in builds} for kind in kinds}
    print(f"{options.model} on {options.device}: trials a second of {', '.join(kinds)}")
    for turn in range(options.runs):
        for name in list(builds)[::1 if turn % 2 == 0 else -1]:
            few, run = (throughput.tune_once(builds[name], argparse.Namespace(**{**vars(options), "trials": count}))
                        for count in (options.few, options.trials))
            trials = len(run.log) - len(few.log)
            stages = sum(spent for stage, spent in run.times.items() if stage != "idle")
            said = (len(run.log) / stages, trials / (run.processor - few.processor), trials / (run.wall - few.wall),
                    len(run.log) / run.processor, len(run.log) / run.wall)
            for kind, rate in zip(kinds, said):
                rates[kind][name].append(rate)
            print(f"{turn + 1:3}  {name:5}  {len(few.log)} and {len(run.log)} trials  " +
                  "  ".join(f"{rate:7.2f}" for rate in said), flush=True)
    for kind in kinds:
        old, new = statistics.median(rates[kind]["old"]), statistics.median(rates[kind]["new"])
        print(f"{kind}: medians {old:.2f} and {new:.2f} trials a second: new / old {new / old:.3f}")
    of_a_trial = [statistics.median(rates["stages"][name]) for name in ("new", "old")]
    sys.exit(1 if of_a_trial[0] / of_a_trial[1] < options.least else 0)


if __name__ == "__main__":
    main()
