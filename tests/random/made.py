"""Random requests for suites in Python: what `random_graphs --print` writes."""
import json
import os
import pathlib
import subprocess

PROGRAM = pathlib.Path(os.environ.get("BUILD", "build")) / "tests/random/random_graphs"


def request(number, kind="flat", seed=1):
    """Graph `number` of a kind (gen.h); the same for everyone."""
    return json.loads(subprocess.run([PROGRAM, "--seed", str(seed), "--kind", kind, "--print", str(number)], capture_output=True, check=True).stdout)
