#!/usr/bin/env python3
"""Sizes of files and functions: prints the distribution, fails above the caps.

A file has at most 500 lines, a function at most 70 (its body, braces excluded).
"""
import ast
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import Tap, files, name_of

FILE_CAP = 500
FUNCTION_CAP = 70
SHELL_FUNCTION = re.compile(r"^(\w+)\(\) *\{$")
C_NAME = re.compile(r"(\w+)\s*\(")


def braced(lines, opens):
    """(name, lines of the body) of blocks that `opens` recognises and that end with a brace in column 0."""
    name, start = None, 0
    for i, line in enumerate(lines):
        if name is None:
            name, start = opens(lines, i), i
        elif line.startswith("}"):
            yield name, i - start - 1
            name = None


def c_opens(lines, i):
    """A function's body opens with a brace alone in column 0 behind its parameters."""
    if lines[i] != "{" or i == 0 or lines[i - 1].startswith(("struct", "enum", "union")) and ")" not in lines[i - 1]:
        return None
    head = i - 1
    while head > 0 and lines[head].startswith((" ", "\t")):
        head -= 1
    found = C_NAME.search(lines[head])
    if found and found[1] == "START_TEST":
        return lines[head].split("(")[1].rstrip(")")
    return found[1] if found else None


def shell_opens(lines, i):
    found = SHELL_FUNCTION.match(lines[i])
    return found[1] if found else None


def functions(path, text):
    lines = text.split("\n")
    if path.suffix == ".py":
        return [(n.name, n.end_lineno - n.lineno) for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    return list(braced(lines, shell_opens if path.suffix == ".sh" else c_opens))


def spread(sizes):
    sizes = sorted(sizes)
    at = lambda q: sizes[min(len(sizes) - 1, int(len(sizes) * q))]
    return f"median {statistics.median(sizes):g}, p90 {at(.9)}, p99 {at(.99)}, largest {sizes[-1]}"


def main():
    tap, long_files, long_functions, by_folder = Tap(), [], [], {}
    for path in files(".c", ".h", ".py", ".sh"):
        text = path.read_text()
        length = text.count("\n")
        found = functions(path, text)
        folder = by_folder.setdefault(name_of(path).split("/")[0], ([], []))
        folder[0].append(length)
        folder[1].extend(size for _, size in found)
        if length > FILE_CAP:
            long_files.append(f"{name_of(path)}: {length} lines, at most {FILE_CAP}")
        long_functions += [f"{name_of(path)}: {name}() has {size} lines, at most {FUNCTION_CAP}" for name, size in found if size > FUNCTION_CAP]
    for folder, (lengths, sizes) in sorted(by_folder.items()):
        print(f"# {folder:10} {len(lengths):3} files: {spread(lengths)}" + (f"; {len(sizes):4} functions: {spread(sizes)}" if sizes else ""))
    tap.case(f"no file is longer than {FILE_CAP} lines", long_files)
    tap.case(f"no function is longer than {FUNCTION_CAP} lines", long_functions)
    tap.end()


if __name__ == "__main__":
    main()
