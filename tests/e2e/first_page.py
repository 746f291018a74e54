#!/usr/bin/env python3
"""The commands of the first page, in both languages, pasted as they stand: one that fails has no place there."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

BEGINS = "    cat > request.json <<'END'\n"


def block(page):
    """The block of indented lines that begins with the request, without the indent."""
    text = (ROOT / page).read_text()
    lines = text[text.index(BEGINS):].split("\n")
    count = next(i for i, line in enumerate(lines) if line and not line.startswith("    "))
    return [line[4:] for line in lines[:count]]


class Page(unittest.TestCase):
    def commands(self, page):
        """(command, what is said of it)."""
        lines = block(page)
        end = lines.index("END")
        yield "\n".join(lines[:end + 1]), ""
        for line in filter(None, lines[end + 1:]):
            command, _, said = line.partition("  #")
            yield command.strip(), said

    def test_every_command_does_what_is_said(self):
        for page in ("README.md", "README.zh.md"):
            folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="streamd-test-")))
            (folder / "build").symlink_to(pathlib.Path(STREAMCTL).resolve().parent.parent)
            (folder / "tests").symlink_to(ROOT / "tests")
            seen = []
            with Daemon() as daemon:
                for command, _ in self.commands(page):
                    if command == "build/daemon/streamd &":
                        seen.append(command)
                        continue
                    done = subprocess.run(["sh", "-c", command.replace("http://127.0.0.1:9190", f"-sS http://127.0.0.1:{daemon.port}")], cwd=folder, capture_output=True, text=True,
                                          env={**os.environ, "STREAMD_SOCKET": daemon.path})
                    differs = "streamctl diff" in command                # which says so by its status
                    self.assertEqual(done.returncode, 1 if differs else 0, (command, done.stderr))
                    self.assertRegex(done.stderr, r"\A(streamctl: note: .*\n)*\Z", command)
                    seen.append(command)
            self.assertEqual(len(seen), 1 + 14)
            self.assertEqual(len((folder / "plans.jsonl").read_text().splitlines()), len(list((ROOT / "tests/data/onnx").glob("*.onnx"))))
            self.assertTrue((folder / "plan.html").read_text().lower().startswith("<!doctype html>"))

    def test_the_model_of_the_page_is_planned_on_several_streams(self):
        command = next(c for c, _ in self.commands("README.md") if ".onnx" in c)
        self.assertRegex(subprocess.run(["sh", "-c", re.sub(r"^\S+", f"'{pathlib.Path(STREAMCTL).resolve()}'", command) + " --local"], cwd=ROOT, capture_output=True, text=True).stdout, r"(?m)^4 streams \(")


if __name__ == "__main__":
    e2e.main()
