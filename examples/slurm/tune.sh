#!/usr/bin/env bash
# One run as Slurm jobs: a tuner, build slots, boards. From a folder that all nodes share and that
# holds keys/ (tune keys -o keys/) and boards.txt (doc/slurm.md):
#
#   tune.sh BUILDERS BOARDS DEVICE --model MODEL [options of tune...]
#
# DEVICE is "esp32c3@serial:boards" or "stm32f7@gdb:boards" for boards (their places are in boards.txt), "esp32c3" for
# simulators. Prints the tuner's job. Builders and boards that come too late to help are taken back by it.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
builders=$1 boards=$2 device=$3
type=${device%%@*}
shift 3

tuner=$(sbatch --parsable "$here/tuner.sbatch" --device "$device" "$@")
as_workers=(--quiet --dependency="after:$tuner" --job-name="workers-of-$tuner")
sbatch "${as_workers[@]}" --array="1-$builders" --gres=build:1 \
       "$here/worker.sbatch" "$tuner" build "$type"
sbatch "${as_workers[@]}" --array="1-$boards" --gres="board:$type:1" \
       "$here/worker.sbatch" "$tuner" run "$type"
echo "$tuner"
