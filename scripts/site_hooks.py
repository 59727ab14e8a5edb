"""What mkdocs is asked to do besides.

Two pages are generated: every command's options as the program prints them, and the public headers. Decisions and
headers stay out of the search, where they would hide the pages that users need.
"""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS = ROOT / "include" / "tinytune"
UNSEARCHED = ("adr/", "headers.html")


def printed(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.rstrip()


def commands_page():
    """Of the build beside the documentation, else of the program on the PATH."""
    built = ROOT / "build" / "tune"
    tune = str(built) if built.exists() else shutil.which("tune")
    lines = ["# Commands", ""]
    if tune is None:
        return "\n".join([*lines, "`tune --help` lists them; this site was made without the program."])
    text = printed(tune, "--help")
    lines += [f"What `--help` prints, of {printed(tune, '--version')}.", ""]
    for name in ["", *re.findall(r"^  ([a-z][a-z-]*) ", text[text.index("Subcommands:"):], re.M)]:
        words = ["tune", name] if name else ["tune"]
        lines += [f"## {' '.join(words)}", "", "```text", printed(tune, *words[1:], "--help"), "```", ""]
    return "\n".join(lines)


def headers_page():
    lines = ["# C and C++ headers", "",
             "The installed interface: `#include \"tinytune/tinytune.h\"` in C++, `\"tinytune/tinytune_c.h\"` in C and",
             "wherever C can be called. In Python the same names are in `import tinytune`, as `help(tinytune)` says.",
             "[For authors of compilers](compilers.md) begins with examples.", ""]
    for header in sorted(HEADERS.glob("*.h")):
        lines += [f"## {header.name}", "", "```cpp", header.read_text().rstrip(), "```", ""]
    return "\n".join(lines)


def on_files(files, config, **_):
    folder = pathlib.Path(tempfile.mkdtemp())  # on_post_build() removes it
    config["generated_pages"] = folder
    for name, text in (("commands.md", commands_page()), ("headers.md", headers_page())):
        (folder / name).write_text(text)
        files.append(File(name, str(folder), config["site_dir"], config["use_directory_urls"]))
    return files


def on_post_build(config, **_):
    shutil.rmtree(config["generated_pages"])
    index = pathlib.Path(config["site_dir"]) / "search" / "search_index.json"
    found = json.loads(index.read_text())
    found["docs"] = [page for page in found["docs"] if not page["location"].startswith(UNSEARCHED)]
    index.write_text(json.dumps(found))
