"""What tuning gains over untuned code: each network's cycles before and after, and the geometric mean of each device.

Set-ups are those of `published`, without its limits on RAM. Exits 1 as well where a mean is below --asked.
"""
import statistics

from simulated import MLPERF_TINY, SETUPS, files_of, needed, print_head, print_row

NETWORKS, DEVICES = MLPERF_TINY, ["esp32c3", "stm32l4r5", "rp2040"]


def add_options(parser):
    parser.set_defaults(trials=512)
    parser.add_argument("--setups", nargs="+", choices=list(SETUPS), default=list(SETUPS))
    parser.add_argument("--asked", type=float, default=1.25)


def print_all(simulated, options):
    print_head(["device", "code and weights", "network", "untuned, M cycles", "tuned", "gain", "trials"], range(3, 7))
    well = True
    for device in options.devices:
        for setup in options.setups:
            gains = []
            for model in files_of(options.networks):
                where = ["--model", model, "--device", device, *SETUPS[setup]]
                log = simulated.log(model.stem, device, setup)
                before = needed(simulated.untuned(where), f"{model} on {device}")
                after = needed(simulated.measured(where, log), f"{model} on {device}")
                well &= before["exact"] and after["exact"]
                gains.append(before["cycles"] / after["cycles"])
                print_row(device, setup, model.stem, f"{before['cycles'] / 1e6:.3f}", f"{after['cycles'] / 1e6:.3f}",
                          f"{gains[-1]:.3f}", sum(1 for _ in log.open()))
            mean = statistics.geometric_mean(gains)
            well &= mean >= options.asked
            print_row(device, setup, f"mean, asked {options.asked}", "", "", f"**{mean:.3f}**",
                      "met" if mean >= options.asked else "MISSED")
    return well
