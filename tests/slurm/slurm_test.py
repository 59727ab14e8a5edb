#!/usr/bin/env python3
"""Runs examples/slurm against a slurmctld, slurmd and munged of its own: slurm_test.py TUNE MODEL

A cluster of one node with two boards (simulators), for as long as the test takes, all of its files in one temporary
folder, as whatever user runs it. Skips aloud (exit code 77) where Debian's slurmctld, slurmd or munge is missing.
"""
import getpass
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE = 300  # seconds, for anything that ends
TRIALS, BOARDS = 12, 2
CONFIGURATION = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
SwitchType=switch/none
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=5
FirstJobId={first_job}
GresTypes=board,build
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=500 Gres=board:esp32c3:{boards},build:2
PartitionName=lab Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
GENERIC_RESOURCES = """
Name=board Type=esp32c3 File={folder}/board[0-{last_board}]
Name=build Count=2
"""


def free_port(wanted=0):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", wanted))
        except OSError:
            return None
        return probe.getsockname()[1]


def first_job_whose_port_is_free():
    while True:
        job = random.randrange(1, 9999)
        if free_port(20000 + job):
            return job


def until(condition, what):
    deadline = time.monotonic() + PATIENCE
    while not (found := condition()):
        if time.monotonic() > deadline:
            raise SystemExit(f"FAILED: {what} took more than {PATIENCE} s")
        time.sleep(0.2)
    return found


class Cluster:
    def __init__(self, folder, tune):
        self.folder = folder
        self.host = socket.gethostname().split(".")[0]
        self.daemons = []
        path = f"{tune.parent}:{os.environ['PATH']}:/usr/sbin:/sbin"
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "PATH": path}

    def run(self, *command, cwd=None):
        done = subprocess.run([str(word) for word in command], env=self.environment, cwd=cwd, text=True, capture_output=True,
                              timeout=PATIENCE)
        if done.returncode != 0:
            raise SystemExit(f"FAILED: {command[0]}: {done.stderr.strip()}")
        return done.stdout.strip()

    def daemon(self, *command):
        with open(self.folder / "daemons.txt", "ab") as said:
            self.daemons.append(subprocess.Popen([str(word) for word in command], env=self.environment, stdout=said,
                                                 stderr=said, stdin=subprocess.DEVNULL, cwd=self.folder))

    def start(self):
        folder = self.folder
        for name in ("state", "spool"):
            (folder / name).mkdir()
        for board in range(BOARDS):
            (folder / f"board{board}").touch()
        key = folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))
        facts = {"host": self.host, "user": getpass.getuser(), "folder": folder, "ports": [free_port(), free_port()],
                 "first_job": first_job_whose_port_is_free(), "boards": BOARDS, "last_board": BOARDS - 1}
        (folder / "slurm.conf").write_text(CONFIGURATION.format(**facts))
        (folder / "gres.conf").write_text(GENERIC_RESOURCES.format(**facts))
        if int(self.run("slurmd", "-V").split()[1].split(".")[0]) >= 23:  # older ones ask for no control groups
            (folder / "cgroup.conf").write_text("CgroupPlugin=disabled\n")
        munge = folder / "munge.socket"
        self.daemon("munged", "--foreground", "--force", "--num-threads=1", f"--socket={munge}", f"--key-file={key}",
                    f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munge.log", f"--seed-file={folder}/seed")
        until(munge.exists, "munged")
        self.daemon("slurmctld", "-D", "-c")
        self.daemon("slurmd", "-D", "-N", self.host)
        until(lambda: self.is_idle(), "a node that is idle")

    def is_idle(self):
        asked = subprocess.run(["sinfo", "--noheader", "--format=%T"], env=self.environment, text=True, capture_output=True,
                               timeout=PATIENCE)
        return asked.stdout.strip() == "idle"

    def stop(self):
        subprocess.run(["scancel", "--user", getpass.getuser()], env=self.environment, capture_output=True, timeout=PATIENCE)
        for daemon in reversed(self.daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in reversed(self.daemons):
            try:
                daemon.wait(30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def jobs(self):
        return self.run("squeue", "--noheader", "--format=%i %T")


def said_by(lab):
    return "\n".join(f"{path.name}: {path.read_text()}" for path in sorted(lab.glob("*.txt")))


def check(holds, what, lab):
    if not holds:
        raise SystemExit(f"FAILED: {what}\n{said_by(lab)}")


def try_a_run(cluster, tune, model, lab):
    lab.mkdir()
    cluster.run(tune, "keys", "-o", "keys", cwd=lab)
    (lab / "boards.txt").write_text("".join(f"{cluster.host} esp32c3 {index} esp32c3\n" for index in range(BOARDS)))
    log = lab / "run.jsonl"
    tuner = cluster.run(ROOT / "examples/slurm/tune.sh", 1, BOARDS, "esp32c3", "--model", model, "--records", log, "--trials",
                        TRIALS, "--quiet", cwd=lab)
    until(lambda: not cluster.jobs(), f"the jobs of the run\n{said_by(lab)}")
    check(log.exists() and len(log.read_text().splitlines()) == TRIALS, f"the log has not {TRIALS} records", lab)
    for path in lab.glob("worker.*.txt"):
        check("PLACE" not in path.read_text(), f"{path.name}: a worker did not find its board", lab)
    boards = sorted(line.split()[1] for path in lab.glob("worker.*.txt") for line in path.read_text().splitlines()
                    if line.startswith("board "))
    check(len(boards) == len(set(boards)) and boards, f"workers had boards {boards}, not one each", lab)
    check((lab / f"tuner.{tuner}.txt").exists(), f"no output of the tuner's job {tuner}", lab)
    print(f"{TRIALS} trials as Slurm jobs; boards {', '.join(boards)} were each one worker's")


def main():
    tune, model = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    path = os.environ["PATH"] + ":/usr/sbin:/sbin"
    missing = [name for name in ("slurmctld", "slurmd", "munged", "sbatch") if not shutil.which(name, path=path)]
    if missing:
        print(f"SKIPPED: no {', '.join(missing)} here (apt-get install slurmctld slurmd slurm-client munge)")
        return 77
    with tempfile.TemporaryDirectory(prefix="tinytune-slurm.") as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o700)
        cluster = Cluster(folder, tune)
        try:
            cluster.start()
            try_a_run(cluster, tune, model, folder / "lab")
        finally:
            cluster.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
