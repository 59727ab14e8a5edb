#!/usr/bin/env python3
"""Holds the architecture decision records (doc/adr) to their form, and references to records that exist.

At most 45 records. Each has its number in name and title, a Status and a Date line, at most a page, and a line in
the index. Whatever mentions a record ("ADR 3", "ADR 3 and 8", doc/adr/0003…) anywhere in the tree names one that exists.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = "doc/adr"
RECORDS = 45
LINES = 60           # of a record
STATES = ("accepted", "proposed")
DATE = r"^\* Date: \d{4}-\d\d-\d\d$"
TEXT = {".cc", ".h", ".c", ".inc", ".py", ".js", ".md", ".txt", ".cmake", ".toml", ".yml", ".proto", ".html", ".in", ""}
NUMBERS = re.compile(r"\bADRs? (\d+(?:(?:, | and |, and )\d+)*)")
PATHS = re.compile(r"adr/(\d{4})([\w-]*(?:\.md)?)")
LINKS = re.compile(r"\]\((\d{4}[\w-]*\.md)\)")


def form(records, index):
    """What is wrong with records (by name) and the index's text."""
    if len(records) > RECORDS:
        yield f"{FOLDER} has {len(records)} records; at most {RECORDS}"
    numbers = [name[:4] for name in records]
    listed = LINKS.findall(index)
    for name, text in records.items():
        if numbers.count(name[:4]) > 1:
            yield f"{FOLDER}/{name}: another record has its number"
        if not text.startswith(f"# {int(name[:4])}. "):
            yield f"{FOLDER}/{name}: its title does not begin with its number"
        state = re.search(r"^\* Status: (\w+)$", text, re.M)
        if state is None or state[1] not in STATES:
            yield f"{FOLDER}/{name}: no line '* Status:' with one of {', '.join(STATES)}"
        if re.search(DATE, text, re.M) is None:
            yield f"{FOLDER}/{name}: no line '* Date: YYYY-MM-DD'"
        if text.count("\n") > LINES:
            yield f"{FOLDER}/{name}: {text.count(chr(10))} lines; at most {LINES}"
        if listed.count(name) != 1:
            yield f"{FOLDER}/README.md lists {name} {listed.count(name)} times"
    for name in listed:
        if name not in records:
            yield f"{FOLDER}/README.md lists {name}, which does not exist"


def references(path, text, records):
    """References of one file to records that do not exist."""
    numbers = {int(name[:4]) for name in records}
    for line_number, line in enumerate(text.split("\n"), 1):
        at = f"{path}:{line_number}"
        for match in NUMBERS.finditer(line):
            for number in re.findall(r"\d+", match[1]):
                if int(number) not in numbers:
                    yield f"{at}: there is no ADR {number}"
        for number, rest in PATHS.findall(line):
            name = number + rest
            if name not in records if rest.endswith(".md") else int(number) not in numbers:
                yield f"{at}: there is no {FOLDER}/{name}"
        if path.startswith(FOLDER):
            for name in LINKS.findall(line):
                if name not in records:
                    yield f"{at}: there is no {name}"


def blind_spots(records, index):
    """Faults that this test would not notice."""
    name, text = next(iter(records.items()))
    number = int(name[:4])
    gone = next(n for n in range(1, 1000) if f"{n:04}" not in {other[:4] for other in records})
    broken = {
        "a record without status": form(records | {name: text.replace("* Status:", "Status:")}, index),
        "a record without date": form(records | {name: re.sub(DATE, "", text, flags=re.M)}, index),
        "a record that the index lacks": form(records, index.replace(name, "")),
        "too many records": form(records | {f"{n:04}-x.md": text for n in range(900, 946)}, index),
        "a number that does not exist": references("x.cc", f"// ADR {number} and {gone}", records),
        "a file that does not exist": references("x.md", f"(doc/adr/{number:04}-x.md)", records),
        "a short path that does not exist": references("x.h", f"doc/adr/{gone:04}.", records),
        "a link between records that does not exist": references(f"{FOLDER}/{name}", f"]({gone:04}-x.md)", records),
    }
    for fault, found in broken.items():
        if not list(found):
            yield f"adr_test.py accepts {fault}"


def main():
    records = {path.name: path.read_text() for path in sorted((ROOT / FOLDER).glob("[0-9]*.md"))}
    index = (ROOT / FOLDER / "README.md").read_text()
    found = list(form(records, index)) + list(blind_spots(records, index))
    # A tree without git (a source archive) is searched as it stands, build folders left out.
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False)
    paths = tracked.stdout.split("\0")[:-1] or [
        str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if not path.relative_to(ROOT).parts[0].startswith("build")]
    for path in paths:
        file = ROOT / path
        if path == "tests/doc/adr_test.py" or file.suffix not in TEXT or not file.is_file():
            continue
        found += references(path, file.read_text(errors="replace"), records)
    sys.exit("\n".join(found) if found else 0)


if __name__ == "__main__":
    main()
