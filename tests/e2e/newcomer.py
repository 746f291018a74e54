#!/usr/bin/python3
"""The newcomer's programs of the README, as a newcomer has them: from the page, against what is installed and nothing else.

Each plans, leases, runs on `host` and prints what overlapped. The build is installed into a folder of its own for that.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
import e2e
from streamd_wire import *

BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build")).resolve()
ONNX = ROOT / "tests/data/onnx/light_squeezenet.onnx"
WIDE = '{"cluster": "none", "max_parallel_num": {"AIcoreEngine": 4}}'
PYTHON_LINES, C_LINES = 15, 40


def program(page, language, word):
    """The one block of code of that language that holds the word."""
    blocks = [block for block in re.findall(rf"(?ms)^```{language}\n(.*?)^```$", (ROOT / page).read_text()) if word in block]
    assert len(blocks) == 1, (page, language, len(blocks))
    return blocks[0]


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="streamd-newcomer-")
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = pathlib.Path(cls.folder.name) / "root"
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet"], check=True, capture_output=True, env={**os.environ, "DESTDIR": str(cls.root)})
        cls.at = {name: next(cls.root.rglob(name)).parent for name in ("bin/streamctl", "libstreamd.so", "streamd.pc", "streamd_session.h")}
        cls.bin, package = cls.at["bin/streamctl"], next(path for path in cls.root.rglob("__init__.py") if path.parent.name == "streamd")
        cls.environment = {"PATH": f"{cls.bin}:/usr/bin:/bin", "LD_LIBRARY_PATH": str(cls.at["libstreamd.so"]), "PYTHONPATH": str(package.parent.parent),
                           "PKG_CONFIG_PATH": str(cls.at["streamd.pc"]), "PKG_CONFIG_SYSROOT_DIR": str(cls.root)}

    def setUp(self):
        self.work = tempfile.TemporaryDirectory(prefix="streamd-newcomer-work-")      # nothing of the repository is here
        self.addCleanup(self.work.cleanup)
        self.daemon = self.start()

    def start(self, **settings):
        socket = f"{self.work.name}/{len(settings)}.sock"
        log = open(f"{self.work.name}/log", "wb")
        self.addCleanup(log.close)
        words = [word for key, value in {"socket.path": socket, "http.port": 0, **settings}.items() for word in ("--set", f"{key}={value}")]
        daemon = subprocess.Popen([self.bin / "streamd", *words], env=self.environment, stderr=log)
        self.addCleanup(daemon.wait, 30)
        self.addCleanup(daemon.terminate)
        self.assertTrue(wait_for(lambda: self.run_here("streamctl", "ping", STREAMD_SOCKET=socket).returncode == 0))
        self.environment["STREAMD_SOCKET"] = socket
        return daemon

    def run_here(self, *command, **environment):
        return subprocess.run(list(map(str, command)), cwd=self.work.name, env={**self.environment, **environment}, capture_output=True, text=True, timeout=120)

    def leases(self):
        return json.loads(self.run_here("streamctl", "pool", "list", "--format", "json").stdout)["leases"]


class C(Case):
    def build(self):
        source = program("README.md", "c", "sd_session_run")
        (pathlib.Path(self.work.name) / "newcomer.c").write_text(source)
        command = re.search(r"(?m)^    (cc newcomer\.c .*)$", (ROOT / "README.md").read_text())[1]
        built = self.run_here("sh", "-c", command.replace("cc ", "cc -Wall -Wextra -Wpedantic -Werror ", 1))
        self.assertEqual((built.returncode, built.stderr), (0, ""))
        return source

    def test_the_program_of_the_page(self):
        source = self.build()
        self.assertLessEqual(source.count("\n"), C_LINES)
        self.assertEqual(source, (ROOT / "clients/session/newcomer.c").read_text())
        ran = self.run_here("./newcomer", ONNX, WIDE)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertRegex(ran.stdout, r"^159 nodes on 4 streams, \d+ events\n4 streams leased, 4 of them new\none run takes \d+ us, overlap \d+\.\d %\n(stream \d: busy \d+ us, \d+ of them beside others\n){4}$")
        overlap = float(re.search(r"overlap ([\d.]+)", ran.stdout)[1])
        self.assertTrue(0 <= overlap <= 100)
        self.assertEqual(self.leases(), [])

    def test_it_leases_from_the_daemon(self):
        self.build()
        self.daemon.terminate()
        self.daemon.wait(30)
        self.start(**{"pool.streams_max": 3})
        ran = self.run_here("./newcomer", ONNX, WIDE)
        self.assertEqual(ran.returncode, 1)
        self.assertRegex(ran.stderr, r"^SD51\d\d: .*4 new ones needed, 3 available")

    def test_what_it_says_when_it_cannot(self):
        self.build()
        for arguments, environment, code in ((["nothing.onnx"], {}, "SD0119"), ([ONNX, '{"clustre": 1}'], {}, "SD0115"), ([ONNX], {"STREAMD_SOCKET": "/tmp/nobody-is-here"}, "SD4010")):
            ran = self.run_here("./newcomer", *arguments, **environment)
            self.assertEqual(ran.returncode, 1)
            self.assertTrue(ran.stderr.startswith(f"{code}: "), ran.stderr)

    def test_the_examples_of_the_clients(self):
        self.assertEqual(self.run_here("streamctl", "convert", ONNX, "--option", "cluster=none", "--option", 'max_parallel_num={"AIcoreEngine": 4}', "-o", "model.pb").returncode, 0)
        for name, told in (("example", r"^4 streams, \d+ events\n$"), ("example_lease", r"4 streams")):
            shutil.copy(ROOT / f"clients/c/{name}.c", self.work.name)
            built = self.run_here("sh", "-c", f"cc {name}.c $(pkg-config --cflags --libs streamd libprotobuf-c) -o {name}")
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            ran = self.run_here(f"./{name}", "model.pb")
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
            self.assertRegex(ran.stdout, told)
        self.assertEqual(self.leases(), [])

    def test_only_the_public_names_are_shown(self):
        shown = subprocess.run(["nm", "-D", "--defined-only", self.at["libstreamd.so"] / "libstreamd.so"], capture_output=True, text=True, check=True).stdout
        names = {line.split()[-1] for line in shown.splitlines()}
        self.assertTrue(names >= {"sd_session_open", "sd_session_plan", "sd_session_lease", "sd_session_run", "sd_session_close", "sd_client_call", "sd_client_acquire"})
        self.assertEqual([name for name in names if not re.match(r"sd_(session|client)_|sd_reply_finish|sd_status_name|streamd__v1__", name)], [])

    def test_each_header_stands_alone(self):
        include = self.at["streamd_session.h"]
        for header in sorted(include.rglob("*.h")):
            name = header.relative_to(include)
            run = subprocess.run(["cc", "-std=c11", "-Wall", "-Werror", f"-I{include}", "-x", "c", "-fsyntax-only", "-"], input=f'#include <limits.h>\n#include <{name}>\n', capture_output=True, text=True)
            self.assertEqual((name, run.returncode, run.stderr), (name, 0, ""))


class Request(Case):
    def test_the_request_of_the_page_is_planned_and_run(self):
        text = re.search(r"(?ms)^    cat > request.json <<'END'\n(.*?)^    END$", (ROOT / "README.md").read_text())[1]
        (pathlib.Path(self.work.name) / "request.json").write_text(text)
        for command in (("plan", "-o", "plan.json"), ("explain", "b"), ("simulate",), ("run",), ("compare", "--option", "event=notify", "--option", "cluster=topo")):
            ran = self.run_here("streamctl", command[0], "request.json", *command[1:])
            self.assertEqual((command, ran.returncode, ran.stderr), (command, 0, ""))
        self.assertEqual(len(json.loads((pathlib.Path(self.work.name) / "plan.json").read_text())["streams"]), 2)


class Python(Case):
    def test_the_program_of_the_page(self):
        source = program("README.md", "python", "daemon.lease")
        self.assertLessEqual(source.count("\n"), PYTHON_LINES)
        self.assertEqual(source, program("clients/python/README.md", "python", "daemon.lease"))
        self.assertEqual(source, (ROOT / "clients/python/newcomer.py").read_text())
        (pathlib.Path(self.work.name) / "newcomer.py").write_text(source)
        ran = self.run_here("/usr/bin/python3", "newcomer.py")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertRegex(ran.stdout, r"(?s)2 streams, 1 events.*make a stream.*3 runs on host: .* overlap \d+\.\d%.*stream 1: \d+ tasks, busy \d+ us, overlap \d+")
        where = self.run_here("/usr/bin/python3", "-c", "import streamd, streamd.tool; print(streamd.__file__, streamd.tool.streamctl_path())")
        self.assertEqual([path.startswith(str(self.root)) for path in where.stdout.split()], [True, True])

    def test_it_leases_from_the_daemon(self):
        (pathlib.Path(self.work.name) / "newcomer.py").write_text(program("README.md", "python", "daemon.lease"))
        self.daemon.terminate()
        self.daemon.wait(30)
        self.start(**{"pool.streams_max": 1})
        ran = self.run_here("/usr/bin/python3", "newcomer.py")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("2 new ones needed, 1 available", ran.stderr)


if __name__ == "__main__":
    e2e.main()
