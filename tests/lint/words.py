#!/usr/bin/env python3
"""Words that must not be in the repository: unfinished marks, places outside it, hosts of package registries.

The patterns are put together from pieces, so that this file does not hold what it forbids.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import Tap, files, name_of

BINARY = (".onnx", ".pb", ".bin", ".png")
RULES = [
    ("nothing is left unfinished", r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK|WI" r"P)\b"),
    ("nothing points outside the repository", r"(?<![\w.])/wo" r"rk/|(?<![\w./-])sha" r"red/|(?<![\w.])/ro" r"ot/|/ho" r"me/\w"),
    ("no package registry is named", r"debian\.(o" r"rg|net)|npm" r"js\.|py" r"pi\.|python" r"hosted|crates\." r"io|docker\." r"io|quay\." r"io"),
    ("no text leans on a document or a thread that is not here", r"\b(the|this) (issue|br" r"ief|seed|spec) (asks|says|wants)|\bspec (section|\d)|\bas asked\b"),
    ("no credential is kept", r"-----BEGIN [A-Z ]*PRIVATE KEY|\b(password|passwd|secret)\s*=\s*[\"'][^\"']"),
]


def lines_with(pattern, texts):
    for path, text in texts:
        for found in pattern.finditer(text):
            line = text.count("\n", 0, found.start()) + 1
            yield f"{name_of(path)}:{line}: {found[0]!r}"


def main():
    tap, texts, strange = Tap(), [], []
    for path in files():
        if path.suffix in BINARY or "corpus" in path.parts:
            continue
        try:
            texts.append((path, path.read_bytes().decode()))
        except UnicodeDecodeError as x:
            strange.append(f"{name_of(path)}: {x.reason} at byte {x.start}")
    tap.case("every text is UTF-8", strange)
    for what, pattern in RULES:
        tap.case(what, lines_with(re.compile(pattern), texts))
    tails = [f"{name_of(p)}:{n}" for p, t in texts for n, line in enumerate(t.split("\n"), 1)
             if line.endswith((" ", "\t", "\r")) and p.suffix not in (".json", ".txt") and p.name != "LICENSE"]
    tap.case("no line ends with blanks", tails)
    tap.case("every text ends with a newline", [name_of(p) for p, t in texts if t and not t.endswith("\n") and p.suffix != ".json"])
    tap.end()


if __name__ == "__main__":
    main()
