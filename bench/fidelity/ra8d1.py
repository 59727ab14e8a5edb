#!/usr/bin/env python3
"""How far the cycles of `ra8d1` hang on those of its constants that no measurement pins.

  bench/fidelity/ra8d1.py --cmsis-nn DIR [--constants mispredict,flash_cache] [--jobs 2] [options of cmsis_nn.py]

Builds the programs of cmsis_nn.py and runs each with the device file as it is, then with one constant at a time at
every value of its range. A row is in the range of documents if its value is one that they allow, which is everything
where they say nothing. The last column tells whether all networks stay within the limits of cmsis_nn.py. Exits 1
where one does not with the file as it is.

Who has the chip counts these constants with ra8d1_probe.c.
"""
import concurrent.futures
import os
import pathlib
import re
import sys
import tempfile

import cmsis_nn

SIZES = (32, 256, 4096, 8192, 16384, 32768, 65536)  # up from a buffer of one line


def timing(key):
    def changed(text, value):
        return replaced(text, rf"^({key}\s*= {{ cycles = )\d+", value)
    return changed


def fill_cycles(text, value):
    """Of a line; what goes on behind the core is half of it, as in the device file."""
    text = replaced(text, r"^(fill_cycles = )\d+", value)
    return timing("fill_rest")(text, value // 2)


def branches(text, value):
    mispredict, jump = value
    return timing("jump_indirect")(timing("mispredict")(text, mispredict), jump)


def flash_cache(text, value):
    size, ways, replacement = value
    before, name, rest = text.partition('name = "flash_cache"')
    for key, new in (("size_bytes", size), ("ways", ways), ("replacement", f'"{replacement}"')):
        rest = replaced(rest, rf"^({key} = )\S+", new, count=1)
    return before + name + rest


def replaced(text, pattern, value, count=0):
    text, found = re.subn(pattern, rf"\g<1>{value}", text, count=count, flags=re.MULTILINE)
    if not found:
        sys.exit(f"no {pattern} in the device file")
    return text


def flash(text, value):
    """Size and what goes on behind the core at once: each may make up for the other."""
    size, rest = value
    return timing("fill_rest")(flash_cache(text, (size, min(4, size // 32), "lru")), rest)


def caches():
    for size in SIZES:
        for ways in (1, 2, 4, 8):
            for replacement in ("lru", "fifo") if ways > 1 else ("lru",):
                if ways * 32 <= size:
                    yield size, ways, replacement


CORNERS = [(mispredict, jump) for mispredict in (3, 7) for jump in (1, 8)]
FLASH = [(size, rest) for size in SIZES for rest in (0, 5, 10, 15, 20)]

# For each constant: the change to the device file, values to try, the range that documents allow. jnk0le measured 3 to 4
# cycles where an inner loop is left, up to 7 where flags come late; LLVM's schedule says 7 of forward branches. A
# foreseen branch issues beside two instructions. Flash is read at 4 wait states of half the core's clock, 10 cycles:
# one, two or four reads a line.
CONSTANTS = {
    "mispredict": (timing("mispredict"), range(0, 11), range(3, 8)),
    "branch_taken": (timing("branch_taken"), range(1, 4), (1,)),
    "jump_indirect": (timing("jump_indirect"), (1, 2, 4, 6, 8), (1, 2, 4, 6, 8)),
    "branch_history": (timing("branch_history"), range(0, 4), range(1, 4)),
    "branches": (branches, CORNERS, CORNERS),
    "fill_rest": (timing("fill_rest"), (0, 5, 10, 15, 20), (0, 5, 10, 15, 20)),
    "fill_cycles": (fill_cycles, (10, 16, 20, 24, 40), (10, 20, 40)),
    "flash_cache": (flash_cache, list(caches()), list(caches())),
    "flash": (flash, FLASH, FLASH),
}


def settings(names, text):
    """Name, value, whether documents allow it, and the device file."""
    yield "as it is", "", True, text
    for name in names:
        change, values, allowed = CONSTANTS[name]
        for value in values:
            yield name, value, value in allowed, change(text, value)


def shown(value):
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def main():
    parser = cmsis_nn.arguments(__doc__)
    parser.add_argument("--constants", default=",".join(CONSTANTS))
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    text = (cmsis_nn.ROOT / "devices" / "ra8d1.toml").read_text()
    text = replaced(text, r'^(name = )"ra8d1"', '"varied"', count=1)
    names = options.networks.split(",")

    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        work = options.keep or pathlib.Path(folder)
        work.mkdir(parents=True, exist_ok=True)
        networks = cmsis_nn.Networks(options, work)
        programs = {name: networks.linked(name, networks.driver(name)[1], "ra8d1") for name in names}

        def errors(number, device):
            path = work / f"varied{number}.toml"
            path.write_text(device)
            counts = [pool.submit(cmsis_nn.counted, options, path, programs[name]) for name in names]
            return lambda: [cmsis_nn.error_of(name, sum(made.result()[0])) for name, made in zip(names, counts)]

        print(f"| constant | value | documents allow it | {' | '.join(names)} | holds |\n"
              f"|---|--:|---|{'--:|' * len(names)}---|", flush=True)
        rows = [(name, value, allowed, errors(number, device))
                for number, (name, value, allowed, device) in enumerate(settings(options.constants.split(","), text))]
        held = []
        for name, value, allowed, found in rows:
            off = found()
            held.append(all(abs(error) <= cmsis_nn.ROWS[network].within for network, error in zip(names, off)))
            figures = " | ".join(f"{error:+.1f} %" for error in off)
            print(f"| {name} | {shown(value)} | {'yes' if allowed else 'no'} | {figures} | "
                  f"{'yes' if held[-1] else 'no'} |", flush=True)
    return 0 if held[0] else 1


if __name__ == "__main__":
    sys.exit(main())
