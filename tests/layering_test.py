#!/usr/bin/env python3
"""Refuses an #include that doc/architecture.md's table does not allow.

Each folder names the rows it may include; what those may include is allowed too. Also refuses heavy
libraries in our headers and files that have grown past what one idea needs.
"""
import pathlib
import re
import sys

ROWS = {  # folder: what it may include directly
    "include": [],
    "base": ["include"],
    "devices": ["base"],
    "schedules": ["devices"],
    "records": ["schedules"],
    "models": ["schedules"],
    "templates": ["schedules"],
    "codegen": ["templates", "models", "records"],
    "measure": ["codegen"],
    "simulator": ["devices"],
    "rpc_device": ["measure", "simulator"],
    "cost_model": ["schedules", "records"],
    "search": ["cost_model"],
    "tuner": ["rpc_device", "search"],
    "examples": ["models"],
}
HEAVY = ("Halide.h", "llvm/", "grpc", "google/protobuf", "Eigen/", "xgboost/", "unicorn/",
         "nlohmann/", "flatbuffers/", "toml++", "CLI/", "spdlog/")
MOST_LINES = 500
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def allowed(folder):
    reach, open_rows = {folder}, [folder]
    while open_rows:
        for row in ROWS[open_rows.pop()]:
            if row not in reach:
                reach.add(row)
                open_rows.append(row)
    return reach


def problems_of(path, folder, text):
    may = allowed(folder)
    for included in INCLUDE.findall(text):
        top = "include" if included.startswith("tinytune/") else included.split("/")[0]
        if top in ROWS and "/" in included and top not in may:
            yield f"{path}: {folder}/ may not include {included}"
        if path.endswith(".h") and included.startswith(HEAVY):
            yield f"{path}: {included} belongs in a .cc"
    if text.count("\n") > MOST_LINES and "/gen/" not in path:
        yield f"{path}: more than {MOST_LINES} lines; ask what it really is"
    if path.endswith(".h") and not text.startswith(("//", "/*")):
        yield f"{path}: a header opens by saying what it is"


def check(root):
    for folder in ROWS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".h", ".cc", ".inc") and path.is_file():
                yield from problems_of(str(path.relative_to(root)), folder, path.read_text())


def self_test():
    bad = list(problems_of("search/x.h", "search", '// x\n#include "measure/board.h"\n'))
    heavy = list(problems_of("codegen/x.h", "codegen", "// x\n#include <llvm/IR/Module.h>\n"))
    good = list(problems_of("rpc_device/x.h", "rpc_device", '// x\n#include "base/log.h"\n'))
    return len(bad) == 1 and len(heavy) == 1 and not good


if __name__ == "__main__":
    if not self_test():
        sys.exit("the layering test does not see a wrong include")
    found = list(check(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
    print("\n".join(found) if found else "every include is allowed")
    sys.exit(1 if found else 0)
