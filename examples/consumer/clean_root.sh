#!/usr/bin/env bash
# The Debian package where nothing else is: clean_root.sh BUILD MODEL, as root, with mmdebstrap.
#
# Makes a minimal Debian 12 in a folder, installs the package with apt, which brings its dependencies and
# nothing of this machine, and there tunes and compiles from the shell and from Python, builds the consumers
# in C++ and C and the template from outside, and runs them. It downloads some hundred megabytes.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$(realpath "$1") model=$(realpath "$2")
root=$(mktemp -d)
trap 'umount -q "$root/proc" || true; rm -rf "$root"' EXIT

cpack --config "$build/CPackConfig.cmake" -B "$root.packages" >/dev/null
mmdebstrap --quiet --variant=minbase --mode=root --format=directory --include=ca-certificates bookworm "$root" http://deb.debian.org/debian
mkdir -p "$root/try/examples"
cp "$root.packages"/*.deb "$root/try/tinytune.deb"
rm -rf "$root.packages"
cp -r "$here" "$here/../user_template" "$root/try/examples/"
cp "$model" "$root/try/model.tflite"
mount -t proc proc "$root/proc"
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
  DEBIAN_FRONTEND=noninteractive bash -euc "cd /try; $1"; }

echo "== the package alone: what it depends on is enough to tune, compile, run and import"
in_root "apt-get update -qq && apt-get install -y -qq --no-install-recommends ./tinytune.deb python3 >/dev/null"
in_root "tune --model model.tflite --device esp32c3 --trials 12 --records log.jsonl --quiet
         tune compile --model model.tflite --device esp32c3 --records log.jsonl -o network
         tune run --model model.tflite --device esp32c3 --records log.jsonl --verify | tail -1
         tune report --model model.tflite --device esp32c3 --records log.jsonl --html report.html
         test -s /usr/share/man/man1/tune.1 -a -s /usr/share/bash-completion/completions/tune"
in_root "python3 examples/consumer/tune_operator.py 'dense 64->8' rv32imc ops.jsonl 3"

echo "== with compilers: the consumers, and a template from outside"
in_root "apt-get install -y -qq --no-install-recommends g++ cmake ninja-build pkg-config lld \
         gcc-riscv64-unknown-elf \$(dpkg-deb -f tinytune.deb Suggests | tr -d ,) >/dev/null"
in_root "python3 examples/consumer/try.py --installed --model model.tflite"
echo "the package holds in a clean root"
