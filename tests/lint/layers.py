#!/usr/bin/env python3
"""Who may include whom, and which system headers, by the table below.

proto never trusts and never decides; allocator never touches the world; runtime never knows who asked; daemon never knows why a stream was chosen.
"""
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from tap import ROOT, Tap, files, name_of

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
SEARCHED = ("", "allocator", "allocator/include", "runtime/include", "proto", "clients", "clients/c", "daemon")     # beside the including file's own folder
PURE = {"assert.h", "errno.h", "float.h", "inttypes.h", "limits.h", "math.h", "stdalign.h", "stdarg.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h",
        "stdlib.h", "stdnoreturn.h", "string.h", "sanitizer/asan_interface.h"}
PUBLIC = ("allocator/base/", "allocator/include/streamd/")
RUNS = ("allocator/base/",) + tuple(f"allocator/include/streamd/{name}.h" for name in ("flow", "issue", "machine", "plan"))     # of plans all that a runtime knows
FACTS = ("allocator/engines.h", "allocator/device_limits.h", "allocator/optype.h")      # tables of the peer's facts: no rule of the planner

# (files, what they may include of the project, system headers: a set, or None for any)
TABLE = [
    ("allocator/base/", ("allocator/base/",), PURE),
    ("allocator/include/", PUBLIC, PURE),
    ("allocator/verify", PUBLIC + FACTS + ("allocator/verify",), PURE),
    ("allocator/", ("allocator/",), PURE),
    ("runtime/include/", RUNS + ("runtime/include/",), PURE),
    ("runtime/", RUNS + ("allocator/device_limits.h", "runtime/"), None),
    ("proto/", PUBLIC + FACTS + ("proto/",), PURE | {"openssl/evp.h", "openssl/sha.h", "protobuf-c/protobuf-c.h"}),
    ("clients/", PUBLIC + FACTS + ("proto/", "clients/", "runtime/include/"), None),
    ("daemon/", PUBLIC + FACTS + ("proto/", "daemon/", "runtime/include/"), None),
    ("tests/", ("",), None),
]
NEVER = {"clients/": {"uv.h"}, "runtime/": {"uv.h"}}
GENERATED = re.compile(r"\.pb-c\.h$|\.inc$")


def rule_for(name):
    return next(row for row in TABLE if name.startswith(row[0]))


def resolve(path, target):
    for folder in (path.parent,) + tuple(ROOT / s for s in SEARCHED):
        found = (folder / target).resolve()
        if found.is_file():
            return name_of(found)
    return "proto/" + target if GENERATED.search(target) else None


def problems_of(path):
    name = name_of(path)
    prefix, may, system = rule_for(name)
    for bracket, target in INCLUDE.findall(path.read_text()):
        found = resolve(path, target)
        if found is None:
            if system is not None and target not in system or target in NEVER.get(prefix, ()):
                yield f"{name} includes <{target}>"
        elif not found.startswith(may):
            yield f"{name} includes {found}"


def main():
    tap, by_rule = Tap(), {row[0]: [] for row in TABLE}
    for path in files(".c", ".h"):
        by_rule[rule_for(name_of(path))[0]] += problems_of(path)
    for prefix, problems in by_rule.items():
        tap.case(f"{prefix} includes only what its layer may", problems)
    tap.end()


if __name__ == "__main__":
    main()
