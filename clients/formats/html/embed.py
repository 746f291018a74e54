#!/usr/bin/env python3
"""Puts style and script into the page and writes its parts as C: embed.py PAGE STYLE SCRIPT OUTPUT.

The parts are what stands in front of the title, between title and data, and behind the data.
"""
import pathlib
import re
import sys


def array(name, data):
    rows = [", ".join(f"0x{byte:02x}" for byte in data[i:i + 24]) for i in range(0, len(data), 24)]
    return f"const unsigned char {name}[] = {{\n\t" + ",\n\t".join(rows) + "\n};\n"


def whole(page, style, script):
    """The page with style and script, each the name of a file, in their places."""
    page, style, script = (pathlib.Path(name).read_text() for name in (page, style, script))
    if "</script" in script or "</style" in style:
        sys.exit("a part would end its own element")
    return page.replace("{{style}}", style).replace("{{script}}", script)


def main():
    parts = re.split(r"\{\{(?:title|data)\}\}", whole(*sys.argv[1:4]))
    if len(parts) != 3:
        sys.exit("the page must have one {{title}} and one {{data}}")
    pathlib.Path(sys.argv[4]).write_text("".join("static " + array(f"page_{name}", part.encode()) for name, part in zip(("head", "middle", "tail"), parts)))


if __name__ == "__main__":
    main()
