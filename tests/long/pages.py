#!/usr/bin/env python3
"""Pictures of plans in a real browser: no two texts overlap, nothing is said on the console, every control is reachable by Tab, and works.

usage: pages.py [FOLDER]   screenshots go there, for people to look at
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "lib"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tools"))
from browser import TAB, Browser
from draw_graphs import branching, hostile, large
from streamd_wire import ROOT, STREAMCTL
from tap import Tap

SIZES = {"wide": (1280, 800), "narrow": (620, 700)}
GRAPHS = {"branching": branching(), "large": large(5000), "hostile": hostile(),
          "bodies": json.loads((ROOT / "tests/data/run/branches_and_loops.json").read_text())}

# All pairs of texts that are seen and lie on each other; what a scrolled box hides of its texts does not count.
OVERLAPS = """
function clipped(rect, element) {
    for (let box = element; box && box !== document.documentElement; box = box.parentElement) {
        if (getComputedStyle(box).overflow !== "visible" || box.id === "chart") {
            const c = box.getBoundingClientRect();
            rect = { left: Math.max(rect.left, c.left), top: Math.max(rect.top, c.top), right: Math.min(rect.right, c.right), bottom: Math.min(rect.bottom, c.bottom), text: rect.text };
        }
    }
    return rect;
}
const boxes = [], walk = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
while (walk.nextNode()) {
    const element = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim();
    if (!text || !element.checkVisibility || !element.checkVisibility() || element.closest("script, style, title, defs, noscript"))
        continue;
    const range = document.createRange();
    range.selectNodeContents(walk.currentNode);
    for (const r of range.getClientRects()) {
        const box = clipped({ left: r.left, top: r.top, right: r.right, bottom: r.bottom, text: text.slice(0, 40) }, element);
        if (box.right - box.left > 1 && box.bottom - box.top > 1)
            boxes.push(box);
    }
}
boxes.sort((a, b) => a.left - b.left);
const found = [];
let open = [];
for (const b of boxes) {
    open = open.filter(o => o.right > b.left + 1);
    for (const o of open)
        if (o.top < b.bottom - 1.5 && b.top < o.bottom - 1.5)
            found.push(`'${o.text}' and '${b.text}' at ${Math.round(b.left)}, ${Math.round(b.top)}`);
    open.push(b);
}
return [boxes.length, found];
"""
CONTROLS = """return [...document.querySelectorAll("button, input, select, a, [tabindex='0']")].map((e, i) => (e.dataset.control = i, e.id || e.textContent))"""
FOCUS = """return document.activeElement && document.activeElement.dataset.control !== undefined ? +document.activeElement.dataset.control : -1"""
A_BAR = """const bars = [...document.querySelectorAll("#chart rect.bar[data-span]")], view = document.getElementById("view").getBoundingClientRect();
for (const bar of bars) { const r = bar.getBoundingClientRect(); if (r.left > view.left + 180 && r.right < view.right && r.width > 3 && r.top > view.top + 24 && r.bottom < view.bottom) return [r.left + r.width / 2, r.top + r.height / 2]; } return null"""


class Page:
    """One page in one window, and what is wrong with it."""

    def __init__(self, browser, name, path, shots, size):
        self.browser, self.name, self.shots, self.size, self.problems = browser, name, shots, size, []
        browser.open(path)
        browser.settle()

    def texts(self, state):
        count, found = self.browser.run(OVERLAPS)
        self.problems += [f"{state}: {pair}" for pair in found]
        if count < 3:
            self.problems.append(f"{state}: only {count} texts are seen")
        if self.shots:
            self.browser.picture(f"{self.shots}/{self.name}-{self.size}-{state}.png")

    def click(self, identity):
        self.browser.run("document.getElementById(arguments[0]).click()", identity)
        self.browser.settle()

    def details(self):
        return self.browser.run("return document.getElementById('details').innerText")

    def expect(self, what, is_so):
        if not is_so:
            self.problems.append(what)

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

    def reach(self):
        """Every control, by Tab alone."""
        names, seen = self.browser.run(CONTROLS), set()
        self.browser.run("document.activeElement.blur(); document.getElementById('find').focus()")
        for _ in range(3 * len(names) + 10):
            seen.add(self.browser.run(FOCUS))
            if len(seen - {-1}) == len(names):
                break
            self.browser.keys(TAB)
        self.problems += [f"{names[i]} is not reached by Tab" for i in range(len(names)) if i not in seen]

    def quiet(self):
        self.problems += [f"console: {line}" for line in self.browser.console()]


SPOIL = """document.getElementById("name").insertAdjacentHTML("afterend", "<p style='position:absolute;top:9px;left:12px'>on it</p>");
document.getElementById("fit").tabIndex = -1; console.log("said");"""


def can_fail(tap, browser, folder):
    """A page that is wrong in each way is told to be."""
    page = Page(browser, "spoilt", folder / "branching.html", None, "wide")
    browser.run(SPOIL)
    page.texts("spoilt")
    page.reach()
    page.quiet()
    told = "\n".join(page.problems)
    tap.case("what is wrong is seen", [word for word in ("'on it'", "fit is not reached", "console: ") if word not in told])


def look_at(tap, browser, folder, shots, name):
    request = folder / f"{name}.json"
    request.write_text(json.dumps(GRAPHS[name]))
    for form in ("html", "svg"):
        subprocess.run([STREAMCTL, "plan", request, "--local", "--format", form, "-o", folder / f"{name}.{form}"], check=True)
    names = [node["name"] for node in GRAPHS[name]["graph"]["nodes"] if node["op_type"] not in ("Data", "NetOutput")]
    for size, (width, height) in SIZES.items():
        browser.resize(width, height)
        page = Page(browser, name, folder / f"{name}.html", shots, size)
        page.look(names[len(names) // 2])
        page.click("fit")
        page.reach()
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
            for name in GRAPHS:
                look_at(tap, browser, pathlib.Path(folder), shots, name)
            can_fail(tap, browser, pathlib.Path(folder))
    finally:
        browser.close()
    tap.end()


if __name__ == "__main__":
    main()
