#!/usr/bin/env python3
"""A search strategy of one's own, and how it converges beside one that is built in.

    own_search.py [DESCRIPTION] [--device D] [--trials N] [--worker-program TUNE] [--svg FILE]

Tunes one operator twice, each with a log of its own in a temporary folder: by HillClimb below and by `bayes`. Prints
the fewest cycles after 1, 2, 4, … trials; --svg draws both curves.
"""
import argparse
import pathlib
import random
import tempfile

import tinytune


class HillClimb:
    """Tries the default, then points near the best one; a third of the time any point."""

    def __init__(self, candidates):
        self._size = candidates.size
        self._random = random.Random(candidates.seed)
        self._best, self._cycles = candidates.default_point, None
        self._left = set(range(candidates.size))

    def ask(self):
        if not self._left:
            return None
        point = self._best
        if point not in self._left:
            reach = 1 + self._random.randrange(1 + self._size // 20)
            point = min(max(self._best + self._random.choice((-reach, reach)), 0), self._size - 1)
        if point not in self._left or (self._cycles and self._random.random() < 1 / 3):
            point = self._random.choice(sorted(self._left))
        self._left.remove(point)
        return point

    def tell(self, point, cycles):
        self._left.discard(point)
        if cycles is not None and (self._cycles is None or cycles < self._cycles):
            self._best, self._cycles = point, cycles


def curve(layer, options, log, **by):
    """The fewest cycles after each trial."""
    program = {"worker_program": options.worker_program} if options.worker_program else {}
    tinytune.tune_workload(layer, options.device, records=log, trials=options.trials, **program, **by)
    fewest, curve = None, []
    for record in tinytune.query_log(log, device=options.device):
        if record.outcome == "ok":
            fewest = record.cycles if fewest is None else min(fewest, record.cycles)
        curve.append(fewest)
    return curve


def drawn(curves):
    """An SVG of steps, cycles over trials."""
    width, height, known = 640, 320, [c for curve in curves.values() for c in curve if c]
    low, high = min(known), max(known)
    lines = []
    for (name, curve), colour in zip(curves.items(), ("#1f77b4", "#d62728")):
        path = ""
        for i, cycles in enumerate(curve):
            if cycles is None:
                continue
            x = 60 + i * (width - 80) / max(1, len(curve) - 1)
            y = 20 + (height - 60) * (high - cycles) / max(1, high - low)
            path += f"H{x:.0f}V{y:.0f}" if path else f"M{x:.0f} {y:.0f}"
        lines.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>'
                     f'<text x="{width - 150}" y="{30 + 20 * len(lines)}" fill="{colour}">{name}</text>')
    axes = (f'<text x="4" y="24">{high:,}</text><text x="4" y="{height - 40}">{low:,}</text>'
            f'<text x="{width // 2}" y="{height - 4}">trials</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
            f'font-size="12"><rect width="{width}" height="{height}" fill="white"/>{axes}{"".join(lines)}</svg>\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("description", nargs="?", default="conv2d 1x1 64->64 @25x5")
    parser.add_argument("--device", default="esp32c3")
    parser.add_argument("--trials", type=int, default=64)
    parser.add_argument("--worker-program", help="the tune program; default: the installed one")
    parser.add_argument("--svg", type=pathlib.Path)
    options = parser.parse_args()
    layer = tinytune.Layer.describe(options.description)
    with tempfile.TemporaryDirectory() as folder:
        logs = pathlib.Path(folder)
        curves = {"HillClimb": curve(layer, options, logs / "own.jsonl", search=HillClimb),
                  "bayes": curve(layer, options, logs / "bayes.jsonl", tuner="bayes")}
    for name, cycles in curves.items():
        after = [n for n in (2**k for k in range(20)) if n <= len(cycles)]
        print(f"{name:10}", "  ".join(f"{n}: {cycles[n - 1]:,}" for n in after if cycles[n - 1]))
    if options.svg:
        options.svg.write_text(drawn(curves))


if __name__ == "__main__":
    main()
