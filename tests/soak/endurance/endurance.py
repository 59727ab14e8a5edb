#!/usr/bin/env python3
"""Whether hours of tuning leave anything behind: memory, open files, processes, temporary files.

  tests/soak/endurance/endurance.py [--minutes 120] [--model M.tflite] [--device D]

Tunes without a limit of trials until the time is over and looks at every process of the run each few
seconds. What the tuner keeps grows with the log that it is asked to remember, so memory is judged by trial:
the slope of a least-squares line through (trials, bytes), the first tenth left out, for the tuner and for
its workers apart. Bytes are anonymous memory, since pages of programs and libraries are shared with
whatever else runs; what workers fork counts in each. Exits 1
where a slope is over --bytes-per-trial, where the last tenth never has as few open files, sockets, processes or
temporary files as the first half has at most (candidates come and go between two looks, so only what stays
tells), or where a process or a temporary file is left at the end.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
VWW = ROOT.parent / "shared" / "models" / "vww_96_int8.tflite"
EXAMPLE = ROOT / "build" / "examples" / "ds_cnn.tflite"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--every", type=float, default=15, metavar="SECONDS", help="between two looks [15]")
    parser.add_argument("--model", default=str(VWW if VWW.exists() else EXAMPLE))
    parser.add_argument("--device", default="esp32c3")
    parser.add_argument("--tuner", default="random", help="random: the space lasts, and no model's time hides the rest")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--bytes-per-trial", type=float, default=2048)
    parser.add_argument("--tune", default=str(ROOT / "build" / "tune"))
    return parser.parse_args()


def session_of(pid):
    """The processes of a session that still run; a zombie holds nothing and counts as its parent's matter."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            fields = pathlib.Path("/proc", entry, "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == pid and fields[0] != "Z":
            found.append(int(entry))
    return found


def memory(pid):
    try:
        for line in pathlib.Path("/proc", str(pid), "smaps_rollup").read_text().splitlines():
            if line.startswith("Anonymous:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 0


def open_files(pid):
    """(files, sockets among them)"""
    files = sockets = 0
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            try:
                sockets += os.readlink(entry.path).startswith("socket:")
            except OSError:
                continue
            files += 1
    except OSError:
        pass
    return files, sockets


def entries(folder):
    """Everything below a folder, which others may be emptying."""
    return [os.path.join(at, name) for at, folders, files in os.walk(folder) for name in folders + files]


def look(root, log, temporary, began):
    """One sample of the whole run."""
    pids = session_of(root)
    files = [open_files(pid) for pid in pids]
    with open(log, "rb") as lines:
        trials = sum(1 for _ in lines)
    return {"seconds": time.monotonic() - began, "trials": trials, "tuner": memory(root),
            "workers": sum(memory(pid) for pid in pids if pid != root), "processes": len(pids),
            "files": sum(n for n, _ in files), "sockets": sum(s for _, s in files),
            "temporary": len(entries(temporary))}


def slope(samples, key):
    """Bytes a trial, by least squares."""
    n = len(samples)
    x = [s["trials"] for s in samples]
    y = [s[key] for s in samples]
    mean_x, mean_y = sum(x) / n, sum(y) / n
    spread = sum((v - mean_x) ** 2 for v in x)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / spread if spread else 0.0


def run(options, folder):
    """Samples of a run, and what is left when it has ended."""
    log, temporary = folder / "run.jsonl", folder / "tmp"
    temporary.mkdir()
    log.touch()
    words = [options.tune, "--model", options.model, "--device", options.device, "--records", log, "--tuner",
             options.tuner, "--trials", "100000000", "--budget", f"{options.minutes * 60:.0f}s", "--workers",
             str(options.workers), "--json", "--quiet"]
    began = time.monotonic()
    samples = []
    with subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, text=True, start_new_session=True,
                          env={**os.environ, "TMPDIR": str(temporary)}) as tuner:
        while tuner.poll() is None:
            try:
                tuner.wait(options.every)
            except subprocess.TimeoutExpired:
                samples.append(look(tuner.pid, log, temporary, began))
                s = samples[-1]
                print(f"{s['seconds']:7.0f} s  {s['trials']:7d} trials  tuner {s['tuner'] >> 10:8d} KiB  workers "
                      f"{s['workers'] >> 10:8d} KiB  {s['processes']} processes  {s['files']} files  {s['sockets']} "
                      f"sockets  {s['temporary']} temporary", file=sys.stderr, flush=True)
        said = json.loads(tuner.stdout.read())
        left = {"processes": session_of(tuner.pid), "temporary": entries(temporary)}
    return samples, left, tuner.returncode, said


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        samples, left, code, said = run(options, pathlib.Path(folder))
    if code != 0 or len(samples) < 20:
        sys.exit(f"the run ended with {code} after {len(samples)} samples: {said.get('error', 'too short to judge')}")
    tenth = len(samples) // 10
    steady, last = samples[tenth:], samples[-tenth:]
    wrong = []
    print(f"{pathlib.Path(options.model).stem} on {options.device}, {options.tuner}, {options.workers} workers: "
          f"{samples[-1]['trials']} trials in {samples[-1]['seconds'] / 60:.0f} min")
    for part in ("tuner", "workers"):
        rise = slope(steady, part)
        hours = (steady[-1]["seconds"] - steady[0]["seconds"]) / 3600
        hourly = rise * (steady[-1]["trials"] - steady[0]["trials"]) / hours / 1024
        print(f"{part}: {steady[0][part] >> 10} KiB to {steady[-1][part] >> 10} KiB, slope {rise:.0f} bytes a trial, "
              f"{hourly:.0f} KiB an hour")
        if rise > options.bytes_per_trial:
            wrong.append(f"{part} grows by {rise:.0f} bytes a trial, more than {options.bytes_per_trial:.0f}")
    for part in ("processes", "files", "sockets", "temporary"):
        early, late = max(s[part] for s in samples[:len(samples) // 2]), min(s[part] for s in last)
        print(f"{part}: at most {early} in the first half, at least {late} in the last tenth, "
              f"{max(s[part] for s in samples)} ever")
        if late > early:
            wrong.append(f"{late - early} {part} more at the end")
    for part, found in left.items():
        print(f"{part} left: {len(found)}")
        if found:
            wrong.append(f"left behind: {found[:3]}")
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main()
