#!/usr/bin/env python3
"""An export is read by somebody else's reader, an import gives the same records back, and logs of TVM's
own templates are refused in one line: autotvm_test.py --program tune [--foreign FOLDER]."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import autotvm_reader


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--foreign", type=pathlib.Path)
    options = parser.parse_args()

    def tune(*words, code=0):
        done = subprocess.run([options.program, *map(str, words)], capture_output=True, text=True)
        assert done.returncode == code, f"{words}: {done.stdout}{done.stderr}"
        return done

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        log, exported, back = folder / "a.jsonl", folder / "a.tune", folder / "b.jsonl"
        for description in ("dense 16->4", "conv2d 3x3 4->8 in7x9 s2"):
            tune("op", description, "--device", "esp32c3", "--records", log, "--trials", 3)
        tune("log", "export", log, "--as", "autotvm", "--to", exported)
        records = autotvm_reader.read(exported)
        assert len(records) == 6, records
        dense, conv = records[0], records[-1]
        assert dense.target == {"kind": "c", "keys": "cpu", "model": "esp32c3"}, dense
        assert dense.task == "dense.tinytune"
        assert dense.arguments[:2] == (("TENSOR", (1, 16), "int8"), ("TENSOR", (4, 16), "int8"))
        assert conv.task == "conv2d_nhwc.tinytune"
        assert conv.arguments == (("TENSOR", (1, 7, 9, 4), "int8"), ("TENSOR", (3, 3, 4, 8), "int8"),
                                  (2, 2), (1, 1, 1, 1), (1, 1), "int32"), conv.arguments
        for record in records:
            assert record.error == 0 and 0 < record.cost < 0.1, record
            assert record.timestamp > 1.7e9 and "template" in record.entities, record
        tune("log", "import", exported, "--to", back)
        assert back.read_text() == log.read_text()

        for path in sorted(options.foreign.glob("*.tune")) if options.foreign else []:
            assert autotvm_reader.read(path), path
            refused = tune("log", "import", path, "--to", folder / "c.jsonl", code=2).stderr
            assert refused.count("\n") == 1 and "no counterpart here" in refused, refused
            print(refused, end="")


if __name__ == "__main__":
    sys.exit(main())
