"""A page in a browser and what is wrong with it: texts that overlap, controls that Tab does not reach, words on the console."""
from browser import TAB

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


class Page:
    """One page in one window, and what is wrong with it. `shots`: a folder for pictures, or None."""

    def __init__(self, browser, name, place, shots, size):
        self.browser, self.name, self.shots, self.size, self.problems = browser, name, shots, size, []
        browser.open(place)
        browser.settle()

    def texts(self, state):
        count, found = self.browser.run(OVERLAPS)
        self.problems += [f"{state}: {pair}" for pair in found]
        if count < 3:
            self.problems.append(f"{state}: only {count} texts are seen")
        self.picture(state)

    def picture(self, state):
        if self.shots:
            self.browser.picture(f"{self.shots}/{self.name}-{self.size}-{state}.png")

    def click(self, identity):
        self.browser.run("document.getElementById(arguments[0]).click()", identity)
        self.browser.settle()

    def expect(self, what, is_so):
        if not is_so:
            self.problems.append(what)

    def reach(self, first):
        """Every control, by Tab alone; `first` is the identity of one to begin at."""
        names, seen = self.browser.run(CONTROLS), set()
        self.browser.run("document.activeElement.blur(); document.getElementById(arguments[0]).focus()", first)
        for _ in range(3 * len(names) + 10):
            seen.add(self.browser.run(FOCUS))
            if len(seen - {-1}) == len(names):
                break
            self.browser.keys(TAB)
        self.problems += [f"{names[i]} is not reached by Tab" for i in range(len(names)) if i not in seen]

    def quiet(self, but=None):
        """Nothing was said on the console, but lines that hold `but`."""
        self.problems += [f"console: {line}" for line in self.browser.console() if not but or but not in line]
