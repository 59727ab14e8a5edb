#!/usr/bin/env python3
"""Networks, tuned or untuned, run in the simulator and compared with the reference byte by byte.

  bench/networks/networks.py PRESET [--trials N] [--logs DIR] [--devices D …] [--networks N …]

presets:
  layers     instructions layer by layer, beside hand-written libraries'; which technique wins
  published  milliseconds of boards, beside the best published ones, with memory
  cifar10    CMSIS-NN's CIFAR-10 network on an STM32F746, beside what others published
  gain       untuned cycles by tuned ones
  backends   instructions, ROM and RAM, beside other code generators (MLonMCU's first experiment)
  layouts    cycles in NHWC and NCHW, untuned and tuned (MLonMCU's second)

With --trials each network is tuned first (seed 1) and its log in --logs continued; without, logs that are there
are used, else default schedules. `networks.py PRESET --help` says what else a preset takes. Exits 1 when a result is
not exact.
"""
import argparse
import sys

import backends
import cifar10
import gain
import layers
import layouts
import published
from simulated import NETWORKS, ROOT, Simulated

PRESETS = {"layers": layers, "published": published, "cifar10": cifar10, "gain": gain, "backends": backends,
           "layouts": layouts}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    presets = parser.add_subparsers(dest="preset", required=True, metavar="PRESET")
    for name, preset in PRESETS.items():
        of = presets.add_parser(name, description=preset.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
        of.add_argument("--tune", default=str(ROOT / "build" / "tune"), help="the built tune program")
        of.add_argument("--trials", type=int, default=0, help="measurements a network, those in its log included [0]")
        of.add_argument("--logs", default=f"{name}-logs", help=f"folder of the logs [{name}-logs]")
        of.add_argument("--devices", nargs="+", default=preset.DEVICES)
        of.add_argument("--networks", nargs="+", default=preset.NETWORKS,
                        help=f"{', '.join(NETWORKS)}; a .tflite file, or a folder of them")
        preset.add_options(of)
    options = parser.parse_args()
    exact = PRESETS[options.preset].print_all(Simulated(options), options)
    print(f"\nexact: {exact}")
    return 0 if exact else 1


if __name__ == "__main__":
    sys.exit(main())
