#!/usr/bin/env python3
"""What is written for operators names only metrics, settings, alerts, commands and packages that there are.

"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from streamd_wire import STREAMD, Daemon
from tap import ROOT, Tap

DEPLOY = ROOT / "deploy"
PLAIN = {"streamd_" + name for name in (          # of which nothing is to be done
    "build_info", "connections_total", "request_bytes_total", "answer_bytes_total", "plans_total", "joins_total", "cache_raw_hits_total", "pool_acquired_new_total",
    "pool_acquired_reused_total", "pool_released_total", "scrapes_total", "cache_entries", "pool_slots", "pool_leases", "pool_events", "pool_notifies", "pool_watchers", "grpc_connections_total",
    "grpc_requests_total")}


def metrics():
    """Every series name of a running daemon, and every metric's own."""
    with Daemon() as daemon:
        text = daemon.http()
    own = set(re.findall(r"(?m)^# TYPE (\w+)", text))
    return own, own | set(re.findall(r"(?m)^(streamd_\w+)", text))


def settings():
    said = subprocess.run([STREAMD, "--print-config"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"(?m)^#([a-z_]+\.[a-z_]+) =", said)), {key.split(".")[0] for key in re.findall(r"(?m)^#([a-z_]+\.[a-z_]+) =", said)}


def metrics_in(path):
    return set(re.findall(r"\bstreamd_[a-z_]+[a-z]", path.read_text()))


def without_suffix(names, own):
    return {next((name.removesuffix(s) for s in ("_bucket", "_sum", "_count") if name.removesuffix(s) in own), name) for name in names}


def unknown_settings(path, known, groups):
    found = set(re.findall(r"(?<![\w./-])([a-z]+\.[a-z_]+)(?![\w.(/-])", path.read_text()))
    return sorted(f"{path.name}: {name}" for name in found if name.split(".")[0] in groups and name not in known and not name.endswith((".sock", ".conf", ".so")))


def alerts(path, word):
    return set(re.findall(rf"{word}: (\w+)", path.read_text()))


def build_packages():
    listed = {line.split()[1] for line in (DEPLOY / "packages.txt").read_text().split("\n") if line.startswith("build ")}
    stated = set(re.findall(r"(?m)^ ([a-z0-9.+-]+),$", (DEPLOY / "debian/control").read_text())) - {"dh-python"}      # of packages alone, as debhelper
    return sorted(f"deploy/debian/control and the build section of deploy/packages.txt differ in {name}" for name in listed ^ stated)


def main():
    tap, (own, series), (keys, groups) = Tap(), metrics(), settings()
    operations, rules, tests = DEPLOY / "OPERATIONS.md", DEPLOY / "monitoring/streamd.rules.yml", DEPLOY / "monitoring/streamd.rules.test.yml"
    dashboard = DEPLOY / "monitoring/streamd-dashboard.json"
    json.loads(dashboard.read_text())
    for path in (operations, rules, tests, dashboard):
        tap.case(f"{path.name} names only metrics that there are", sorted(metrics_in(path) - series - own))
    for path in [operations, DEPLOY / "man/streamd.conf.5", DEPLOY / "man/streamd.8"] + sorted((DEPLOY / "kubernetes").iterdir()):
        tap.case(f"{path.name} names only settings that there are", unknown_settings(path, keys, groups))
    told = without_suffix(metrics_in(operations) | metrics_in(dashboard), own)
    tap.case("every metric that asks for something has a line or a picture", sorted(own - told - PLAIN))
    tap.case("nothing is called plain that there is not", sorted(PLAIN - own))
    tap.case("every alert is tested", sorted(alerts(rules, "alert") ^ alerts(tests, "alertname")))
    symptoms = set(re.findall(r"(?m)^\| ([^|]+) \|", operations.read_text()))
    tap.case("every alert's line is in OPERATIONS.md", sorted(line for line in re.findall(r'action: "OPERATIONS.md: ([^"]+)"', rules.read_text()) if line not in symptoms))
    tap.case("links of OPERATIONS.md lead somewhere", sorted(target for target in re.findall(r"\]\(([^)#]+)\)", operations.read_text()) if not (DEPLOY / target).exists()))
    tap.case("the package is built with what the build needs", build_packages())
    tap.end()


if __name__ == "__main__":
    main()
