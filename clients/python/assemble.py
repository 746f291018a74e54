"""Puts the package together: assemble.py [--install] PROTOC PROTO_FOLDER SOURCE_FOLDER OUT_FOLDER.

Beside the sources it holds what is made of the schema: the messages, and the numbers of the methods. --install: the folder is one under
the prefix, or under what a staged installation puts in front of it, and gets the package alone.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys


def put_together(protoc, proto, source, out):
    package = pathlib.Path(out) / "streamd"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(pathlib.Path(source) / "streamd", package, ignore=shutil.ignore_patterns("__pycache__"))
    subprocess.run([protoc, f"--python_out={package}", "-I", proto, "streamd.proto"], check=True)
    rows = re.findall(r'X\([A-Z_]+, (\d+), "(\w+)"\)', (pathlib.Path(proto) / "frame.h").read_text())
    lines = [f'    "{name}": {number},\n' for number, name in rows]
    (package / "methods.py").write_text('"""Numbers of the methods on the framed socket."""\nNUMBERS = {\n' + "".join(lines) + "}\n")


def main(arguments):
    if arguments[0] == "--install":
        *known, out = arguments[1:]
        prefix = pathlib.Path(os.environ["MESON_INSTALL_DESTDIR_PREFIX"])
        out = pathlib.Path(out)
        return put_together(*known, pathlib.Path(os.environ.get("DESTDIR", "") + str(out)) if out.is_absolute() else prefix / out)
    put_together(*arguments)
    *_, source, out = arguments
    shutil.copy(pathlib.Path(source) / "newcomer.py", out)
    (pathlib.Path(out) / "python.stamp").touch()


main(sys.argv[1:])
