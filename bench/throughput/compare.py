#!/usr/bin/env python3
"""Trials a second of two builds of the tuner, held against each other.

  bench/throughput/compare.py OLD/build/tune NEW/build/tune [--runs 5] [--trials 128] [--least 0.95]

Both tune the same model from nothing, in turns, the first one now this and now that. Trials a second are of
processor time, the tuner's and all its processes', which says the same on a busy machine; wall time stands
beside it. Prints every run, medians and their ratio; exits 1 where new / old is below --least.
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
    throughput.add_arguments(parser, 128)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--least", type=float, default=0.95)
    options = parser.parse_args()

    builds = {"old": options.old, "new": options.new}
    by_processor, by_wall = {name: [] for name in builds}, {name: [] for name in builds}
    print(f"{options.model} on {options.device}\nrun  build  trials  a processor second  a second")
    for turn in range(options.runs):
        for name in list(builds)[::1 if turn % 2 == 0 else -1]:
            run = throughput.tune_once(builds[name], options)
            by_processor[name].append(len(run.log) / run.processor)
            by_wall[name].append(len(run.log) / run.wall)
            print(f"{turn + 1:3}  {name:5}  {len(run.log):6}  {by_processor[name][-1]:18.2f}  {by_wall[name][-1]:8.2f}",
                  flush=True)
    ratios = []
    for what, rates in (("processor", by_processor), ("wall", by_wall)):
        old, new = statistics.median(rates["old"]), statistics.median(rates["new"])
        ratios.append(new / old)
        print(f"{what:9}  medians {old:.2f} and {new:.2f} trials a second: new / old {new / old:.3f}")
    sys.exit(0 if ratios[0] >= options.least else 1)


if __name__ == "__main__":
    main()
