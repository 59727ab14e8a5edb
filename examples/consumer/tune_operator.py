#!/usr/bin/env python3
"""tune_operator.py DESCRIPTION DEVICE LOG TRIALS: tunes one operator, prints how to call its kernel."""
import sys

import tinytune


def main():
    description, device, log, trials = sys.argv[1:]
    layer = tinytune.Layer.describe(description)
    try:
        report = tinytune.tune_workload(layer, device, records=log, trials=int(trials),
                                        on_progress=lambda now: print(now.trials, file=sys.stderr))
        kernel = tinytune.compile_workload(layer, device, records=log)
    except tinytune.Error as error:
        sys.exit(f"{error.code}: {error}")
    print(f"{kernel.schedule}\n{kernel.prototype};\n{kernel.cycles} cycles, {report.measured} measured")


if __name__ == "__main__":
    main()
