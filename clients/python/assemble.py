"""Puts the package together: assemble.py PROTOC PROTO_FOLDER SOURCE_FOLDER OUT_FOLDER.

Beside the sources it holds what is made of the schema: the messages, and the numbers of the methods.
"""
import pathlib
import re
import shutil
import subprocess
import sys


def main(protoc, proto, source, out):
    package = pathlib.Path(out) / "streamd"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(pathlib.Path(source) / "streamd", package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(pathlib.Path(source) / "newcomer.py", out)
    subprocess.run([protoc, f"--python_out={package}", "-I", proto, "streamd.proto"], check=True)
    rows = re.findall(r'X\([A-Z_]+, (\d+), "(\w+)"\)', (pathlib.Path(proto) / "frame.h").read_text())
    lines = [f'    "{name}": {number},\n' for number, name in rows]
    (package / "methods.py").write_text('"""Numbers of the methods on the framed socket."""\nNUMBERS = {\n' + "".join(lines) + "}\n")
    (pathlib.Path(out) / "python.stamp").touch()


main(*sys.argv[1:])
