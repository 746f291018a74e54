#!/usr/bin/env python3
"""The pass table in allocator/README.md is the one that `streamctl passes` prints.

A row may stand there as printed, or as a row of a Markdown table.
"""
import itertools
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import ROOT, Tap


def cells(line):
    """The columns of a row, however it is drawn: between bars, or two blanks apart."""
    if line.startswith("|"):
        return tuple(c.strip().strip("`") for c in line.strip().strip("|").split("|"))
    return tuple(c for c in re.split(r"\s{2,}", line.strip()))


def table_from(rows, head):
    """The rows from the head of the table to the next empty line or fence, without the line under a Markdown head."""
    found = []
    for row in itertools.dropwhile(lambda row: row != head, rows):
        if row in ((), ("",)) or row[0].startswith("```"):
            break
        if set("".join(row)) - set("-:"):
            found.append(row)
    return found


def main():
    tap = Tap()
    streamctl = os.environ.get("STREAMCTL", "build/clients/streamctl")
    printed = [cells(line) for line in subprocess.run([streamctl, "passes"], capture_output=True, text=True, check=True).stdout.splitlines()]
    written = [cells(line) for line in (ROOT / "allocator/README.md").read_text().splitlines()]
    rows = table_from(written, printed[0])
    problems = [f"printed: {'  '.join(a)}; written: {'  '.join(b)}" for a, b in itertools.zip_longest(printed, rows, fillvalue=("nothing",)) if a != b]
    tap.case("allocator/README.md has the pass table as it is", problems)
    tap.end()


if __name__ == "__main__":
    main()
