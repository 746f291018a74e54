#!/usr/bin/env python3
"""What the pure libraries ask of the world, read from their symbols.

usage: purity.py BUILD_DIR
liballocator.a and libproto.a may call only what is listed here: no file, socket, clock, thread or environment. Neither holds data that can change, but for
the key of the name tables, which a program sets once before its first request and no result depends on.
"""
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import Tap

ALLOWED = set("memchr memcmp memcpy memmove memset memrchr strlen strcmp strncmp strchr strrchr snprintf vsnprintf abort qsort bsearch "
              "__stack_chk_fail _GLOBAL_OFFSET_TABLE_".split())
FORTIFIED = re.compile(r"^__(\w+)_chk$")
ONLY_IN = {"malloc": ("base_arena.c.o",), "free": ("base_arena.c.o",), "fprintf": ("base_diag.c.o",), "stderr": ("base_diag.c.o",), "fwrite": ("base_diag.c.o",)}
DIGEST = re.compile(r"^(EVP_\w+|SHA256\w*)$")       # libcrypto's digests: bytes in, bytes out
MAY_CHANGE = ("hash.c.o: hash_key",)
LIBRARIES = {"allocator/liballocator.a": None, "proto/libproto.a": DIGEST}


def symbols(archive):
    """Object -> (defined names, undefined names)."""
    text = subprocess.run(["nm", "-A", str(archive)], capture_output=True, text=True, check=True).stdout
    members = {}
    for line in text.splitlines():
        *_, kind, name = line.split()
        member = line.split(":")[1].rpartition("/")[2]
        members.setdefault(member, (set(), set()))[kind in "Uw"].add(name)
    return members


def changing(archive):
    """Symbols in sections that can be written to, but for constants that hold addresses."""
    text = subprocess.run(["objdump", "-t", str(archive)], capture_output=True, text=True, check=True).stdout
    member = "?"
    for line in text.splitlines():
        if ":     file format" in line:
            member = line.split(":")[0].rpartition("/")[2]
        found = re.match(r"^[0-9a-f]+ .{7} (\S+)\s+[0-9a-f]+\s+(?:\.hidden )?(\S+)$", line)
        if found and re.match(r"\.(data|bss|tdata|tbss)|\*COM\*", found[1]) and not found[1].startswith(".data.rel.ro") and found[2] != found[1] \
                and f"{member}: {found[2]}" not in MAY_CHANGE:
            yield f"{member}: {found[2]} lies in {found[1]}"


def asked(members, digest, defined):
    for member, (_, undefined) in sorted(members.items()):
        for name in sorted(undefined - defined):
            plain = FORTIFIED.sub(r"\1", name)
            if plain in ALLOWED or member in ONLY_IN.get(plain, ()) or digest and digest.match(name):
                continue
            yield f"{member} needs {name}"


def main():
    build, tap, defined = pathlib.Path(sys.argv[1]), Tap(), set()
    for library, digest in LIBRARIES.items():
        archive = build / library
        members = symbols(archive)
        defined |= set().union(*(have for have, _ in members.values()))
        tap.case(f"{archive.name} asks nothing of the world", asked(members, digest, defined))
        tap.case(f"{archive.name} holds nothing that can change", changing(archive))
    tap.end()


if __name__ == "__main__":
    main()
