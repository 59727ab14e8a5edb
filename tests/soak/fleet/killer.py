#!/usr/bin/env python3
"""A killer of processes: what a run loses when any one of its processes dies, which has to be nothing.

killer.py TUNE MODEL [--moments 100] [--seed 1] [--board simulator|qemu]

A tuner, a worker that builds, a worker that runs (and QEMU, where the board is a machine of its) are real processes.
Again and again one of them, or of the processes that they started, is killed with SIGKILL, and what is gone is
started anew by the same command. When a run is through, the next begins with another seed. Then
  * every record that was in a log at some moment is there at the end, in its place;
  * no trial is recorded twice, and none is `lost`;
  * each log has the trials of a run that nobody disturbed, in the same order, with the same outcomes and cycles;
  * no process, no temporary directory and no file but the logs is left.
Prints a line for each run; exits 1 with a line at the first thing that does not hold.
"""
import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

PATIENCE = 180  # seconds without any progress: something hangs
WINDOW = 4  # trials under way; once more than these were recorded, none of them has met two deaths
QEMU = ["qemu-system-riscv32", "-M", "virt", "-bios", "none", "-cpu", "lowrisc-ibex", "-icount",
        "shift=0,sleep=off", "-display", "none", "-monitor", "none", "-serial", "null", "-S", "-gdb"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tune", type=pathlib.Path)
    parser.add_argument("model", type=pathlib.Path)
    parser.add_argument("--moments", type=int, default=100, help="deaths [100]")
    parser.add_argument("--trials", type=int, default=64, help="of a run [64]")
    parser.add_argument("--seed", type=int, default=1, help="of moments and victims [1]")
    parser.add_argument("--board", choices=["simulator", "qemu"], default="simulator")
    return parser.parse_args()


def fail(why):
    raise SystemExit(f"killer: {why}")


def children_of(process):
    """All descendants, itself first."""
    found = [process]
    for one in found:
        for task in pathlib.Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:
                pass  # it ended while we looked
    return found


class Scene:
    """Processes by role, all with a temporary folder of their own, by which they are known again."""

    def __init__(self, folder):
        self.folder = folder
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self.running = {}
        self.said = folder / "said.txt"

    def start(self, role, command):
        with open(self.said, "ab") as said:
            self.running[role] = subprocess.Popen([str(word) for word in command], cwd=self.folder,
                                                  stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                                                  env=self.environment())

    def environment(self):
        return {**os.environ, "TMPDIR": str(self.temporary)}

    def ended(self, role):
        return self.running[role].poll() is not None

    def end(self, role, how=signal.SIGTERM):
        process = self.running.pop(role)
        process.send_signal(how)
        process.wait(PATIENCE)

    def left_processes(self):
        mark = f"TMPDIR={self.temporary}".encode()
        left = []
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                if mark in (entry / "environ").read_bytes().split(b"\0"):
                    left.append(f"{entry.name} ({(entry / 'comm').read_text().strip()})")
            except OSError:
                pass
        return left

    def last_words(self):
        lines = self.said.read_text(errors="replace").splitlines() if self.said.exists() else []
        return "\n".join(lines[-15:])


class Log:
    """A log as it grows: what was in it stays in it."""

    def __init__(self, path):
        self.path = path
        self.seen = []

    def look(self):
        """How many records there are by now."""
        if not self.path.exists():
            return 0
        whole = self.path.read_bytes().split(b"\n")[:-1]  # the last line may be under way
        lines = [line for line in whole if self.record(line)]
        if lines[:len(self.seen)] != self.seen:
            fail(f"{self.path.name} lost a record that it had")
        self.seen = lines
        return len(lines)

    @staticmethod
    def record(line):
        try:
            return json.loads(line)
        except ValueError:
            return None  # torn by a death, and repeated by the next tuner

    def trials(self):
        self.look()
        records = map(self.record, self.seen)
        return [(r["workload"], r["schedule"], r["outcome"], tuple(r.get("cycles", ()))) for r in records]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Fleet:
    def __init__(self, options, scene):
        self.options, self.scene = options, scene
        self.chance = random.Random(options.seed)
        self.address = f"unix:{scene.folder}/tuner"
        self.device = "qemu-virt-rv32" if options.board == "qemu" else "esp32c3"
        self.board = self.device
        self.commands = {}
        if options.board == "qemu":
            port = free_port()
            self.board += f"@gdb:127.0.0.1:{port}"
            self.commands["qemu"] = QEMU + [f"tcp:127.0.0.1:{port}"]
        for role, half, device in (("builder", "build", self.device), ("runner", "run", self.board)):
            self.commands[role] = [options.tune, "worker", "--connect", self.address, "--device", device, "--only", half]
        self.deaths = collections.Counter()

    def tune(self, log, seed, *how):
        return [self.options.tune, "--model", self.options.model.resolve(), "--records", log,
                "--trials", self.options.trials, "--window", WINDOW, "--seed", seed, "--quiet", *how]

    def kill_one(self):
        """Of the processes of a role: a worker is two, and a third that builds."""
        role = self.chance.choice(sorted(self.scene.running))
        victims = children_of(self.scene.running[role].pid)
        try:
            os.kill(self.chance.choice(victims), signal.SIGKILL)
        except ProcessLookupError:
            return  # a builder's child that was done; the next one then
        self.deaths[role] += 1

    def revive(self):
        for role, command in self.commands.items():
            if self.scene.ended(role):
                self.scene.start(role, command)

    def run(self, seed):
        """One run to its end, with deaths on the way."""
        log = Log(self.scene.folder / f"run{seed}.jsonl")
        self.commands["tuner"] = self.tune(log.path, seed, "--device", self.board, "--listen", self.address,
                                           "--workers", 0)
        for role, command in self.commands.items():
            if role not in self.scene.running:
                self.scene.start(role, command)
        until, last_progress = 0, time.monotonic()
        while True:
            before = len(log.seen)
            now = log.look()
            if now > before:
                last_progress = time.monotonic()
            if time.monotonic() > last_progress + PATIENCE:
                fail(f"no progress in {PATIENCE} s")
            if self.scene.running["tuner"].poll() == 0:
                break
            if now >= until and self.deaths.total() < self.options.moments:
                time.sleep(self.chance.uniform(0, 0.3))
                self.kill_one()
                until = log.look() + WINDOW + 1
            self.revive()
            time.sleep(0.01)
        self.scene.running.pop("tuner")
        return log

    def undisturbed(self, seed):
        """The same run with workers of its own, and nobody to kill them."""
        log = Log(self.scene.folder / f"calm{seed}.jsonl")
        command = self.tune(log.path, seed, "--device", self.device, "--workers", 1)
        done = subprocess.run([str(word) for word in command], cwd=self.scene.folder, env=self.scene.environment(),
                              capture_output=True, text=True)
        if done.returncode != 0:
            fail(f"the undisturbed run failed: {done.stderr.strip()}")
        return log


def check_trials(disturbed, calm, with_cycles):
    trials = disturbed.trials()
    for trial, times in collections.Counter(trial[:2] for trial in trials).items():
        if times > 1:
            fail(f"{disturbed.path.name}: recorded {times} times: {trial[1]}")
    if any(trial[2] == "lost" for trial in trials):
        fail(f"{disturbed.path.name}: a trial is lost")
    expected = calm.trials()
    if len(trials) != len(expected):
        fail(f"{disturbed.path.name} has {len(trials)} trials, undisturbed it has {len(expected)}")
    known = 4 if with_cycles else 3
    for number, (ours, theirs) in enumerate(zip(trials, expected), 1):
        if ours[:known] != theirs[:known]:
            fail(f"{disturbed.path.name}: trial {number} is {ours}, undisturbed it is {theirs}")


def check_nothing_left(scene, logs):
    deadline = time.monotonic() + 20  # who lost its parent ends by a signal, which takes a moment
    while (left := scene.left_processes()) and time.monotonic() < deadline:
        time.sleep(0.1)
    if left:
        fail(f"processes left: {', '.join(left)}")
    expected = {scene.said, scene.temporary, *(log.path for log in logs)}
    files = [path for path in scene.folder.iterdir() if path not in expected] + list(scene.temporary.iterdir())
    if files:
        fail(f"files left: {', '.join(map(str, files))}")


def main():
    options = arguments()
    options.tune = options.tune.resolve()
    if options.board == "qemu" and not shutil.which(QEMU[0]):
        print(f"SKIPPED: no {QEMU[0]} here")
        return 77
    with tempfile.TemporaryDirectory(prefix="tinytune-killer.") as folder:
        scene = Scene(pathlib.Path(folder))
        fleet = Fleet(options, scene)
        logs, seed = [], 0
        try:
            while fleet.deaths.total() < options.moments:
                seed += 1
                logs.append(fleet.run(seed))
                print(f"run {seed}: {len(logs[-1].seen)} trials; deaths so far: {dict(fleet.deaths)}", flush=True)
            for role in list(scene.running):
                scene.end(role)
            for number, log in enumerate(list(logs), 1):
                logs.append(fleet.undisturbed(number))
                # On a board the undisturbed run is the simulator's, whose cycles need not be the board's.
                check_trials(log, logs[-1], with_cycles=options.board == "simulator")
            check_nothing_left(scene, logs)
        except BaseException:
            print(scene.last_words(), file=sys.stderr)
            raise
        finally:
            for role in list(scene.running):
                scene.end(role, signal.SIGKILL)
    print(f"{fleet.deaths.total()} deaths in {seed} runs: no record lost, none repeated, none other than undisturbed, "
          "nothing left")
    return 0


if __name__ == "__main__":
    sys.exit(main())
