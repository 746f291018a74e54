#!/usr/bin/env python3
"""Pages of plans and the status page of a busy daemon in a real browser: no two texts overlap, nothing is said on the console, every control is reachable by Tab, and works.

usage: pages.py [FOLDER]   screenshots go there, for people to look at
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from browser import Browser
from draw_graphs import branching, hostile, large
from page_checks import Page
from status_under_load import look_at_status
from streamd_wire import ROOT, STREAMCTL
from tap import Tap

SIZES = {"wide": (1280, 800), "narrow": (620, 700)}
GRAPHS = {"branching": branching(), "large": large(5000), "hostile": hostile(),
          "bodies": json.loads((ROOT / "tests/data/run/branches_and_loops.json").read_text())}


def googlenet(folder):
    """The published network, as ONNX, on four streams."""
    subprocess.run(["/usr/bin/python3", ROOT / "tests/lib/export_models.py", folder, "googlenet"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([STREAMCTL, "convert", folder / "googlenet.onnx", "-o", folder / "googlenet.request"], check=True)
    request = json.loads((folder / "googlenet.request").read_text())
    request.setdefault("options", {}).update(auto_multi_stream="LoadBalance:4", explain=True)
    return request


A_BAR = """const bars = [...document.querySelectorAll("#chart rect.bar[data-span]")], view = document.getElementById("view").getBoundingClientRect();
for (const bar of bars) { const r = bar.getBoundingClientRect(); if (r.left > view.left + 180 && r.right < view.right && r.width > 3 && r.top > view.top + 24 && r.bottom < view.bottom) return [r.left + r.width / 2, r.top + r.height / 2]; } return null"""


class Drawn(Page):
    """A plan's page."""

    def details(self):
        return self.browser.run("return document.getElementById('details').innerText")

    def search(self, word):
        self.browser.run("const f = document.getElementById('find'); f.value = arguments[0]; f.dispatchEvent(new Event('input'))", word)
        self.click("after")

    def look(self, wanted):
        """All that a person does, and the texts after each."""
        self.texts("whole")
        for state in ("list-streams", "list-chain", "in", "fit"):
            self.click(state)
            self.texts(state)
        self.search(wanted)
        self.texts("found")
        self.expect("the search does not tell of the operator", wanted.split("\n")[0][:20] in self.details())
        at = self.browser.run(A_BAR)
        self.expect("no bar can be pointed at when an operator was found", at)
        if at:
            self.click("list-streams")
            self.browser.point(*at)
            self.browser.settle()
            self.expect("pointing at a bar tells nothing", "simulated: " in self.details() or "operators" in self.details())
            self.texts("pointed")
        self.browser.run("document.getElementById('view').focus()")
        before = self.details()
        self.browser.keys("\ue012", "\ue014", "\ue014", "\ue012", "\ue014")      # left, right, right, left, right
        self.browser.settle()
        self.expect("the arrow keys choose nothing", self.details() != before)
        self.browser.keys("+", "+", "+")
        self.browser.settle()
        self.texts("zoomed")


SPOIL = """document.getElementById("name").insertAdjacentHTML("afterend", "<p style='position:absolute;top:9px;left:12px'>on it</p>");
document.getElementById("fit").tabIndex = -1; console.log("said");"""


def can_fail(tap, browser, folder):
    """A page that is wrong in each way is told to be."""
    page = Drawn(browser, "spoilt", folder / "branching.html", None, "wide")
    browser.run(SPOIL)
    page.texts("spoilt")
    page.reach("find")
    page.quiet()
    told = "\n".join(page.problems)
    tap.case("what is wrong is seen", [word for word in ("'on it'", "fit is not reached", "console: ") if word not in told])


def look_at(tap, browser, folder, shots, name, graph):
    request = folder / f"{name}.json"
    request.write_text(json.dumps(graph))
    for form in ("html", "svg"):
        subprocess.run([STREAMCTL, "plan", request, "--local", "--format", form, "-o", folder / f"{name}.{form}"], check=True)
    names = [node["name"] for node in graph["graph"]["nodes"] if node["op_type"] not in ("Data", "NetOutput")]
    for size, (width, height) in SIZES.items():
        browser.resize(width, height)
        page = Drawn(browser, name, folder / f"{name}.html", shots, size)
        page.look(names[len(names) // 2])
        page.click("fit")
        page.reach("find")
        page.quiet()
        tap.case(f"{name}, page, {size}", page.problems)
        picture = Page(browser, f"{name}-svg", folder / f"{name}.svg", shots, size)
        picture.texts("picture")
        picture.quiet()
        tap.case(f"{name}, picture, {size}", picture.problems)


def main():
    tap = Tap()
    shots = sys.argv[1] if len(sys.argv) > 1 else None
    browser = Browser(1280, 800)
    try:
        with tempfile.TemporaryDirectory(prefix="streamd-pages-") as folder:
            folder = pathlib.Path(folder)
            for name, graph in {**GRAPHS, "googlenet": googlenet(folder)}.items():
                look_at(tap, browser, folder, shots, name, graph)
            can_fail(tap, browser, folder)
        look_at_status(tap, browser, SIZES, shots)
    finally:
        browser.close()
    tap.end()


if __name__ == "__main__":
    main()
