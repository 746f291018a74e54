#!/usr/bin/env python3
"""The Chinese README has the structure, the commands and the links of the English one, and each links to the other."""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import ROOT, Tap


def commands(text):
    """Lines of code without their comments; drawings are not code."""
    return [re.sub(r"\s+# .*", "", line).rstrip() for line in re.sub(r"(?s)```.*?```", "", text).split("\n") if line.startswith("    ")]


def links(text):
    return sorted(re.findall(r"\]\(([^)]+)\)", text))


def shape(text):
    """Of each heading its depth, and how many rows of tables and items of lists stand under it."""
    parts = re.split(r"(?m)^(#+) ", re.sub(r"(?s)```.*?```", "", text))
    return [(depth, len(re.findall(r"(?m)^\|", part)), len(re.findall(r"(?m)^\d\. ", part))) for depth, part in zip(parts[1::2], parts[2::2])]


def differences(one, other):
    return [f"{a!r} and {b!r}" for a, b in zip(one, other) if a != b] + ([] if len(one) == len(other) else [f"{len(one)} and {len(other)}"])


def main():
    tap = Tap()
    english, chinese = ((ROOT / name).read_text() for name in ("README.md", "README.zh.md"))
    tap.case("the same headings, tables and lists", differences(shape(english), shape(chinese)))
    tap.case("the same commands", differences(commands(english), commands(chinese)))
    own = {"README.zh.md", "README.md"}
    tap.case("the same links", differences([link for link in links(english) if link not in own], [link for link in links(chinese) if link not in own]))
    tap.case("each links to the other", [name for name, text in (("README.zh.md", english), ("README.md", chinese)) if f"]({name})" not in text])
    tap.case("the same words of code", differences(sorted(re.findall(r"`[^`\n]+`", english)), sorted(re.findall(r"`[^`\n]+`", chinese))))
    tap.end()


if __name__ == "__main__":
    main()
