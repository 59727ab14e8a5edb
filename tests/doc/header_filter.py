#!/usr/bin/env python3
"""Doxygen's view of a public header: header_filter.py HEADER

Comments of the C header are C's, without marks of a tool, and a line that declares several members says once
what they are. Both are documentation to a reader; this says so in the marks that Doxygen knows.
"""
import re
import sys

MEMBERS = re.compile(r"^(?P<indent>\s+)(?P<type>(?:const )?[\w:<>, ]*?[\w>]) (?P<names>\*?\w+(?: = [\w.{}]+)?(?:, \*?\w+(?: = [\w.{}]+)?)+);(?P<rest>.*)$")
TRAILING = re.compile(r"^(?P<code>[^/]*[,;{}]|\s*\w+(?: = \d+)?)\s+/\* (?P<text>.*)$")


def marked(line):
    """A C comment behind code, or before it, as Doxygen marks them."""
    trailing = TRAILING.match(line)
    if trailing:
        return f"{trailing['code']} /**< {trailing['text']}"
    return re.sub(r"^(\s*)/\* (?!-)", r"\1/** ", line)


def main():
    path = sys.argv[1]
    # What stands in a file or a namespace without a description is not looked at: so each gets one.
    print("/** @file\n This. */" + ("" if "tinytune_c" in path else " /** @namespace tinytune\n This. */"))
    above = []  # the /// lines that stand before a declaration
    for line in open(path, encoding="utf-8"):
        line = line.rstrip("\n")
        if "tinytune_c" in path:
            line = marked(line)
        line = re.sub(r"^ public:  // (.*)$", r" public:\n  /// \1", line)
        members = MEMBERS.match(line)
        if members and not members["type"].strip().startswith(("return", "using")):
            names = members["names"].split(", ")
            for i, name in enumerate(names):
                if i > 0:
                    print("\n".join(above), end="\n" if above else "")
                print(f"{members['indent']}{members['type']} {name};{members['rest']}")
        else:
            print(line)
        above = [*above, line] if line.strip().startswith("///") and not line.strip().startswith("///<") else []


if __name__ == "__main__":
    main()
