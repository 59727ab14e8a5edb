#!/usr/bin/env python3
"""Networks on two threads of this machine under ThreadSanitizer: no race, and the simulator's bytes.

Each network is compiled for this machine with `--cores 2`, which shares all layers that can be, linked with a program
that lends a thread to every call, and run for --steps inferences in a row, state kept. Outputs have to be those of
`tune run` on one core of --device. Exits 1 where they differ, no thread helped or the sanitizer says anything, 77, and
says so, where there is no network.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
NETWORKS = [SHARED / "models/kws_ref_model.tflite", SHARED / "models/vww_96_int8.tflite",
            SHARED / "public/okay_nabu/model.tflite"]
MAIN = r"""
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "{name}.h"
{upper}_STATIC_ARENA(arena);
static pthread_t thread;
static int started, calls;
struct start {{ void (*task)(void *); void *argument; }};
static struct start begin;
static void *run(void *start) {{
  const struct start *s = start;
  s->task(s->argument);
  return NULL;
}}
static int launch(void (*task)(void *), void *argument, void *context) {{
  (void)context;
  begin.task = task;
  begin.argument = argument;
  started = pthread_create(&thread, NULL, run, &begin) == 0;
  return started;
}}
int main(int argc, char **argv) {{
  FILE *in = fopen(argv[1], "rb"), *out = fopen(argv[2], "wb");
  if (argc != 3 || in == NULL || out == NULL) return 2;
  {name}_attach(launch, NULL);
  {reset}
  for (int i = 0; i < {steps}; ++i) {{
    started = 0;
    if (fread({name}_input_0(arena), 1, {input}, in) != {input}) return 3;
    if ({name}_invoke(arena) != {upper}_OK) return 4;
    if (started) pthread_join(thread, NULL);
    calls += started;
    fwrite({name}_output_0(arena), 1, {output}, out);
  }}
  fclose(out);
  printf("%d\n", calls);
  return 0;
}}
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", type=pathlib.Path, default=NETWORKS, help="[kws, vww, okay_nabu]")
    parser.add_argument("--tune", default=ROOT / "build/tune", help="the built tune program")
    parser.add_argument("--device", default="rp2040", help="a simulated one")
    parser.add_argument("--steps", type=int, default=3)
    return parser.parse_args()


def said(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))}: {(done.stdout + done.stderr)[-2000:]}")
    return done.stdout


def check(options, model, folder):
    """How many calls a thread helped; ends the program where something is wrong."""
    given, expected, made = folder / "in", folder / "expected", folder / "made"
    package = folder / "package"
    said(options.tune, "compile", "--model", model, "--device", "host", "--cores", "2", "-o", package)
    header = min(package.glob("*.h"), key=lambda path: len(path.name))
    name, text = header.stem, header.read_text()
    sizes = {key: int(text.split(f"{name.upper()}_{key}_0_BYTES")[1].split()[0].rstrip("u")) for key in ("INPUT", "OUTPUT")}
    given.write_bytes(random.Random(1).randbytes(sizes["INPUT"] * options.steps))
    said(options.tune, "run", "--model", model, "--device", options.device, "--input", given, "--steps", options.steps,
         "--output", expected)
    main = folder / "main.c"
    main.write_text(MAIN.format(name=name, upper=name.upper(), steps=options.steps, input=sizes["INPUT"],
                                output=sizes["OUTPUT"], reset=f"{name}_reset(arena);" if f"{name}_reset(" in text else ""))
    said("cc", "-std=gnu11", "-O1", "-g", "-fsanitize=thread", "-pthread", f"-I{package}", main, *package.glob("*.c"),
         "-o", folder / "program")
    calls = said(folder / "program", given, made)
    if made.read_bytes() != expected.read_bytes():
        sys.exit(f"{model.stem}: other bytes than on one core")
    return int(calls)


def main():
    options = arguments()
    models = [model for model in options.models if model.exists()]
    if not models:
        print("skipped: no network")
        return 77
    for model in models:
        with tempfile.TemporaryDirectory() as folder:
            calls = check(options, model, pathlib.Path(folder))
        if calls < options.steps:
            sys.exit(f"{model.stem}: a thread helped {calls} of {options.steps} inferences")
        print(f"{model.stem}: {options.steps} inferences, {calls} with a thread's help: exact, no race", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
