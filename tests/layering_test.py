#!/usr/bin/env python3
"""Refuses an #include that doc/architecture.md's table does not allow, and a table of other rooms.

Each folder names the rows it may include; what those may include is allowed too. Also refuses heavy
libraries in our headers, includes that do not start at the root (they would slip past the table), paths
of somebody's machine, and files that have grown past what one idea needs. A .cc includes its own header
first: compiling it then shows that the header stands alone.
"""
import pathlib
import re
import sys

ROWS = {  # room (a folder, or one inside it that has a row of its own): what it may include directly
    "include": [],
    "base": ["include"],
    "devices": ["base"],
    "schedules": ["devices"],
    "records": ["schedules"],
    "models": ["schedules"],
    "templates": ["schedules"],
    "templates/tile": ["templates"],
    "templates/isa": ["templates/tile"],
    "templates/lanes": ["templates/isa"],
    "templates/smlad": ["templates/isa"],
    "templates/helium": ["templates/isa"],
    "templates/rvv": ["templates/isa"],
    "templates/winograd": ["templates/smlad"],
    "templates/sliding": ["templates/tile"],
    "templates/halide": ["templates"],
    "codegen/kernels": ["templates", "simulator"],  # whose timing model orders instructions
    "codegen/operators": ["models"],
    "codegen/passes": ["models"],
    "codegen/strips": ["codegen/operators"],
    "codegen/networks": ["codegen/kernels", "codegen/strips", "records"],
    "codegen/packages": ["codegen/networks", "codegen/passes"],
    "measure": ["codegen/kernels", "models", "records"],
    "simulator": ["devices"],
    "rpc_device/boards": ["measure", "simulator"],
    "rpc_device/fleet": ["rpc_device/boards"],
    "cost_model": ["schedules", "records"],
    "search": ["cost_model"],
    "deploy/model": ["codegen/packages"],
    "deploy/execution": ["codegen/packages", "rpc_device/boards"],
    "deploy/selection": ["deploy/execution"],
    "deploy/strip_plan": ["deploy/selection"],
    "deploy/knowledge": ["deploy/selection"],
    "deploy/deployment": ["deploy/model", "deploy/strip_plan"],
    "deploy/operator": ["deploy/model", "deploy/knowledge"],
    "deploy/calibration": ["deploy/deployment", "deploy/knowledge"],
    "deploy": ["deploy/calibration", "deploy/operator"],
    "tuner": ["deploy", "rpc_device/fleet", "search"],
    "cli": ["tuner"],
    "python": ["include"],
    "examples": ["models", "templates/tile", "simulator"],  # networks; templates and a unit from outside
}
HEAVY = ("Halide.h", "llvm/", "llvm-c/", "lld/", "grpc", "google/protobuf", "Eigen/", "xgboost/",
         "unicorn/", "nlohmann/", "flatbuffers/", "onnx/onnx_pb.h", "toml++", "CLI/", "httplib.h")
# Headers between the .cc files of one parser, which all need its library anyway.
BETWEEN_PARTS = {"devices/base_device.h", "devices/device_reader.h"}
# Public headers that depend on nothing, and so may be included from inside (ADR 2). The rest of
# include/tinytune is for those who implement it and for the program.
OWNERS = ("include", "deploy", "tuner", "cli", "python", "examples")
LEAVES = {"tinytune/result.h", "tinytune/footprint.h", "tinytune/input_arrival.h", "tinytune/package.h"}
# An operator's folder holds what several rooms have of it, by the beginning of a file's name.
OPERATOR_PARTS = {"emit": "codegen/operators", "grow": "tests"}
FREE = ("tests", "bench")      # may include everything, are held to the rest
MOST_LINES, MOST_TEST_LINES = 400, 450
# Built for a chip, in a folder of their own: they include each other and nothing of the program.
FIRMWARE = "rpc_device/boards/firmware/"
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.M)
MACHINE = re.compile(r'(?<![\w./>}")+])/(?:work|tmp|home|root)/')


def allowed(folder):
    reach, open_rows = {folder}, [folder]
    while open_rows:
        for row in ROWS[open_rows.pop()]:
            if row not in reach:
                reach.add(row)
                open_rows.append(row)
    return reach


def room_of(path):
    """The deepest row that holds a file; a folder with rooms but no row of its own is none."""
    part = re.match(r"models/operators/[^/]+/(emit|grow)", path)
    if part:
        return OPERATOR_PARTS[part.group(1)]
    folders = path.split("/")[:-1]
    while folders and "/".join(folders) not in ROWS:
        folders.pop()
    return "/".join(folders)


def problems_of(path, text):
    folder = room_of(path)
    if not folder and path.split("/")[0] not in FREE:
        yield f"{path}: stands in no room of the table"
    may = allowed(folder) if folder in ROWS else set(ROWS)
    for quote, included in INCLUDE.findall(text):
        top = "include" if included.startswith("tinytune/") else room_of(included)
        if included.startswith("../") or (quote == '"' and "/" not in included and folder in ROWS
                                          and included != "Halide.h"
                                          and not (path.startswith(FIRMWARE) and path.endswith((".c", ".h")))):
            yield f"{path}: include {included} by its path from the root"
        if top in ROWS and "/" in included and top not in may:
            yield f"{path}: {folder}/ may not include {included}"
        if top == "include" and included not in LEAVES and folder in ROWS \
                and folder.split("/")[0] not in OWNERS:
            yield f"{path}: {included} is for our users; {folder}/ is below it"
        if path.endswith(".h") and included.startswith(HEAVY) and path not in BETWEEN_PARTS:
            yield f"{path}: {included} belongs in a .cc"
    most = MOST_TEST_LINES if path.split("/")[0] in FREE else MOST_LINES
    if text.count("\n") > most and "/gen/" not in path:
        yield f"{path}: more than {most} lines; ask what it really is"
    if path.endswith(".h") and not text.startswith(("//", "/*")):
        yield f"{path}: a header opens by saying what it is"
    if path.endswith(".h") and not re.search(r"^#(pragma once|ifndef \w+_H_?)$", text, re.M):
        yield f"{path}: a header is read once: #pragma once"
    if MACHINE.search(text):
        yield f"{path}: names a place on somebody's machine"


def not_first(source, text):
    """Whether a source whose header stands beside it includes something else before that."""
    included = INCLUDE.search(text)
    return not included or included.group(2) != str(source.with_suffix(".h"))


def check(root):
    for folder in sorted({row.split("/")[0] for row in (*ROWS, *FREE)}):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".c", ".cc", ".inc") and path.is_file():
                inner, text = path.relative_to(root), path.read_text()
                yield from problems_of(str(inner), text)
                if path.suffix == ".cc" and folder not in FREE and path.with_suffix(".h").exists() \
                        and not_first(inner, text):
                    yield f"{inner}: include its own header first"


def undocumented(root):
    """The table of doc/architecture.md has the rows of this one."""
    text = (root / "doc" / "architecture.md").read_text()
    told = {row.rstrip("/") for row in re.findall(r"^\| `([^`]+/)` \|", text, re.M)}
    told = {"include" if row.startswith("include/") else row for row in told}
    for row in sorted(told ^ (set(ROWS) - {"examples"})):
        yield f"doc/architecture.md and tests/layering_test.py disagree on {row}/"


def self_test():
    """Each line is refused once, or not at all."""
    cases = [
        (1, "search/x.h", '#include "measure/board.h"\n'),
        (1, "measure/x.cc", '#include "search/strategy.h"\n'),
        (1, "base/x.cc", '#include <devices/device.h>\n'),
        (1, "search/x.cc", '#include "../measure/board.h"\n'),
        (1, "search/x.cc", '#include "strategy.h"\n'),
        (1, "templates/tile/x.cc", '#include "templates/isa/thumb2_dsp.h"\n'),
        (1, "codegen/operators/x.cc", '#include "codegen/networks/network.h"\n'),
        (1, "codegen/x.cc", '#include "base/check.h"\n'),
        (1, "models/operators/x/form.cc", '#include "models/operators/x/emit_y.h"\n'),
        (1, "models/x.cc", '#include "tinytune/tinytune.h"\n'),
        (1, "codegen/kernels/x.h", "#include <llvm/IR/Module.h>\n"),
        (1, "tests/base/x.cc", f"// {'/'}work/x\n"),
        (1, "base/x.cc", "//\n" * (MOST_LINES + 1)),
        (0, "rpc_device/fleet/x.h", '#include "base/log.h"\n'),
        (0, "base/x.cc", '#include "tinytune/result.h"\n#include <vector>\n'),
        (0, "models/operators/x/emit.cc", '#include "codegen/operators/c_writer.h"\n'),
        (0, "models/operators/x/grow.cc", '#include "tests/random_graphs/grow.h"\n'),
        (0, "codegen/kernels/x.cc", "#include <llvm/IR/Module.h>\n"),
        (0, "tests/search/x.cc", '#include "measure/board.h"\n'),
    ]
    for want, path, text in cases:
        found = list(problems_of(path, ("// x\n#pragma once\n" if path.endswith(".h") else "") + text))
        if len(found) != want:
            yield f"{path} with {text.splitlines()[0]}: {found or 'allowed'}"
    if len(list(problems_of("base/x.h", "#pragma once\n"))) != 1:
        yield "a header without an opening comment is allowed"
    if len(list(problems_of("base/x.h", "// x\n"))) != 1:
        yield "a header without #pragma once is allowed"
    if not_first(pathlib.Path("base/x.cc"), '// x\n#include "base/x.h"\n#include <vector>\n'):
        yield "a source that includes its own header first is refused"
    if not not_first(pathlib.Path("base/x.cc"), '#include <vector>\n#include "base/x.h"\n'):
        yield "a source that includes its own header late is allowed"


if __name__ == "__main__":
    wrong = list(self_test())
    if wrong:
        sys.exit("the layering test itself is wrong:\n" + "\n".join(wrong))
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = [*check(root), *undocumented(root)]
    print("\n".join(found) if found else "every include is allowed")
    sys.exit(1 if found else 0)
