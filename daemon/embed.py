#!/usr/bin/env python3
"""Writes a file's bytes as a C array.

usage: embed.py NAME FILE
"""
import pathlib
import sys


def main():
    name, data = sys.argv[1], pathlib.Path(sys.argv[2]).read_bytes()
    rows = ("\t" + ", ".join(map(str, data[i:i + 24])) + "," for i in range(0, len(data), 24))
    print("#include <stddef.h>\n")
    print(f"extern const unsigned char {name}[];\nextern const size_t {name}_len;\n")
    print(f"const unsigned char {name}[] = {{\n" + "\n".join(rows) + f"\n}};\nconst size_t {name}_len = sizeof({name});")


if __name__ == "__main__":
    main()
