"""The CIFAR-10 network of CMSIS-NN's paper on the simulated STM32F746, beside what others published.

A row for each set-up: code and weights in flash (`--fast-ram 0`), or in fast memory as far as they fit
(`--fast-ram all`), both with the RAM that they take. Ours are simulated cycles at 216 MHz; the published milliseconds
were measured on a board at that clock, in memories that are not stated.
"""
from simulated import ROOT, SETUPS, files_of, needed, number, print_head, print_row

NETWORKS, DEVICES = [str(ROOT / "build/examples/cifar10.tflite")], ["stm32f7"]
PUBLISHED = {"TinyEngine": 129, "CMSIS-NN": 136, "NNoM": 159, "TFLM": 393}  # ms


def add_options(parser):
    pass


def print_all(simulated, options):
    print("published: " + ", ".join(f"{stack} {ms} ms" for stack, ms in PUBLISHED.items()) + "\n")
    heads = ["device", "code and weights", "schedules", "ms", "M cycles", *(f"÷ {stack}" for stack in PUBLISHED), "RAM",
             "arena", "flash"]
    print_head(heads, range(3, len(heads)))
    exact = True
    for device in options.devices:
        for model in files_of(options.networks):
            for setup, limits in SETUPS.items():
                log = simulated.log(model.stem, device, setup)
                where = ["--model", model, "--device", device, *limits]
                ours = needed(simulated.measured(where, log), f"{model} on {device}")
                ms = ours["milliseconds"]
                print_row(device, setup, "tuned" if log.exists() else "default", f"{ms:.1f}", f"{ours['cycles'] / 1e6:.2f}",
                          *(f"{ms / theirs:.2f}" for theirs in PUBLISHED.values()),
                          *(number(ours[key]) for key in ("ram_bytes", "arena_bytes", "flash_bytes")))
                exact &= ours["exact"]
    return exact
