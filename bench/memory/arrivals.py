#!/usr/bin/env python3
"""What weights that arrive save: each network in flash as it is, and with weights that arrive.

Nothing is copied to RAM beforehand (--fast-ram 0), one core computes, and every run is compared with the
reference. `wait` is what of the cycles the core waited for flash. Default schedules, or those of a log
NAME.DEVICE.jsonl in --records. Exits 1 where a run is not exact or takes longer with weights that arrive.
"""
import argparse
import json
import pathlib
import sys

from memory import tune

WAYS = {"rp2040": ["stream", "burst"], "rp2350": ["stream"], "esp32c3": ["preload"]}
NETWORKS = ["ad01_int8", "kws_ref_model", "pretrainedResnet_quant", "vww_96_int8"]


def arguments():
    root = pathlib.Path(__file__).resolve().parents[2]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tune", default=root / "build/tune", help="the built tune program")
    parser.add_argument("--models", type=pathlib.Path, default=root.parent / "shared/models",
                        help="folder of .tflite files")
    parser.add_argument("--networks", nargs="+", default=NETWORKS)
    parser.add_argument("--devices", nargs="+", default=list(WAYS), choices=list(WAYS))
    parser.add_argument("--records", type=pathlib.Path, help="folder of logs [none]")
    return parser.parse_args()


def run(options, network, device, *how):
    words = ["run", "--json", "--verify", "--model", options.models / f"{network}.tflite", "--device", device,
             "--fast-ram", "0", *how]
    log = options.records and options.records / f"{network}.{device}.jsonl"
    if log and log.exists():
        words += ["--records", log]
    return json.loads(tune(options.tune, *words))


def wait(report):
    return (report["fetch_wait_cycles"] + report["read_wait_cycles"]) / report["cycles"]


def main():
    options = arguments()
    print("| network | device | way | RAM | RAM with | cycles | wait | cycles with | wait | times as fast | layers |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    holds = True
    for network in options.networks:
        for device in options.devices:
            alone = run(options, network, device)
            for way in WAYS[device]:
                with_it = run(options, network, device, "--arrive", way)
                layers = sum(layer["arriving_blocks"] > 0 for layer in with_it["layers"])
                print(f"| {network} | {device} | {way} | {alone['ram_bytes']} | {with_it['ram_bytes']} | "
                      f"{alone['cycles']} | {wait(alone):.0%} | {with_it['cycles']} | {wait(with_it):.0%} | "
                      f"{alone['cycles'] / with_it['cycles']:.2f} | {layers} |", flush=True)
                holds &= alone["exact"] and with_it["exact"] and with_it["cycles"] <= alone["cycles"]
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
