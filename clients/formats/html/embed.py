#!/usr/bin/env python3
"""Puts style and script into the page and writes its parts as C: embed.py PAGE STYLE SCRIPT OUTPUT.

The parts are what stands in front of the title, between title and data, and behind the data.
"""
import pathlib
import re
import sys


def array(name, text):
    data = text.encode()
    rows = [", ".join(f"0x{byte:02x}" for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"static const unsigned char {name}[] = {{\n\t" + ",\n\t".join(rows) + "\n};\n"


def main():
    page, style, script = (pathlib.Path(name).read_text() for name in sys.argv[1:4])
    if "</script" in script or "</style" in style:
        sys.exit("a part would end its own element")
    page = page.replace("{{style}}", style).replace("{{script}}", script)
    parts = re.split(r"\{\{(?:title|data)\}\}", page)
    if len(parts) != 3:
        sys.exit("the page must have one {{title}} and one {{data}}")
    pathlib.Path(sys.argv[4]).write_text("".join(array(f"page_{name}", part) for name, part in zip(("head", "middle", "tail"), parts)))


if __name__ == "__main__":
    main()
