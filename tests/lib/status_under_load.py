"""The status page of a busy daemon in a browser: readable, live, steady, and there again after the daemon was away."""
import time

from busy import HOSTILE, Busy
from page_checks import Page
from streamd_wire import Daemon, wait_for

# What must be as it was when figures change: elements, the focus, how far is scrolled.
MARK = """window.marked = [...document.querySelectorAll("#now div, #methods tbody tr, #stages tr, #devices section, #devices h2, #every")];
document.getElementById("pause").focus(); window.scrollTo(0, 400); window.middle = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
window.before = middle.getBoundingClientRect().top; return marked.length"""
STEADY = """return [marked.every(e => e.isConnected), document.activeElement.id === "pause", Math.abs(middle.getBoundingClientRect().top - before) < 3]"""
FETCHED = """return performance.getEntriesByType("resource").map(e => e.name).filter(name => name !== location.origin + "/status.json")"""
ADDED = """return [document.querySelectorAll("script, img, iframe, object, link, style").length, typeof hit, document.cookie]"""


class Live(Page):
    def text(self, identity):
        return self.browser.run("return document.getElementById(arguments[0]).innerText", identity)

    def waits_for(self, what, is_so, within=20):
        self.expect(what, wait_for(is_so, within=within, every=0.1))

    def whole(self, state, height=800):
        """The page from its head to its end, in one picture."""
        tall = self.browser.run("return document.documentElement.scrollHeight") + 150
        width = self.browser.run("return window.outerWidth")
        self.browser.resize(width, tall)
        self.browser.settle()
        self.texts(state)
        self.browser.resize(width, height)

    def read(self):
        """What must stand there."""
        wide = self.browser.run("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        self.expect(f"the page is wider than its window: {wide}", wide[0] <= wide[1])
        heads = self.browser.run("return [...document.querySelectorAll('h1, h2, caption')].map(e => e.innerText.trim())")
        for word in ("streamd", "Now", "Last errors", "Jobs", "Latencies", "Cache", "Device 0", "Device 1", "leases by holder", "by key", "waits in line"):
            self.expect(f"there is no heading of {word}", any(word in head for head in heads))
        holders = self.browser.run("return [...document.querySelectorAll('#devices th.peer')].map(e => e.textContent)")
        self.expect("hostile names do not stand there as they are", HOSTILE[1] in holders and HOSTILE[2] in holders and "line\\u2028sep\\u2029end" in holders)
        self.expect(f"something of a name became part of the page: {self.browser.run(ADDED)}", self.browser.run(ADDED) == [3, "undefined", ""])
        self.expect(f"more was fetched: {self.browser.run(FETCHED)}", not self.browser.run(FETCHED))

    def lives(self):
        self.expect("there is too little to watch", self.browser.run(MARK) > 12)
        before = [self.text("age"), self.text("methods")]
        self.waits_for("nothing changes", lambda: all(a != b for a, b in zip(before, [self.text("age"), self.text("methods")])))
        steady = self.browser.run(STEADY)
        self.expect(f"[kept what was there, kept the focus, did not jump] is {steady}", all(steady))
        self.click("pause")
        self.waits_for("it does not say that it is paused", lambda: "paused" in self.text("state"))
        time.sleep(1)
        before = self.text("age")
        time.sleep(2)
        self.expect("it goes on when it is paused", self.text("age") == before)
        self.click("pause")
        self.waits_for("it does not go on", lambda: "live" in self.text("state") and self.text("age") != before)

    def survives(self, daemon, again):
        """`again` starts the daemon, and what keeps it busy, once more."""
        self.browser.run("window.same = 1; window.scrollTo(0, 0)")
        daemon.process.kill()
        daemon.process.wait()
        self.waits_for("it does not say that the daemon is gone", lambda: "no answer" in self.text("state"))
        self.expect("the figures are gone with the daemon", "running" in self.text("now"))
        self.texts("gone")
        again()
        self.waits_for("it does not say that the daemon is back", lambda: "live" in self.text("state") and "started again" in self.text("state"))
        self.expect("it was loaded anew", self.browser.run("return window.same") == 1)
        self.texts("back")
        self.quiet(but="net::ERR_CONNECTION")


def spoil(page):
    page.browser.run("""document.getElementById("state").insertAdjacentHTML("afterend", "<p id=spoilt>over it</p>");
        const p = document.getElementById("spoilt"); p.style.position = "absolute"; p.style.top = "10px"; p.style.left = "14px";
        const i = document.createElement("script"); i.textContent = "hit = 1"; document.body.append(i);
        document.getElementById("pause").tabIndex = -1; p.style.width = "3000px"; document.querySelector("#now div").remove(); document.body.className = "gone";""")


def look_at_size(browser, size, width, height, shots, daemon):
    busy = Busy(daemon)
    browser.resize(width, height)
    page = Live(browser, "status", f"http://127.0.0.1:{daemon.port}/", shots, size)
    page.waits_for("no figures come", lambda: "live" in page.text("state"))
    browser.run("const e = document.getElementById('every'); e.value = '1000'; e.dispatchEvent(new Event('change'))")
    page.texts("top")
    page.whole("whole", height)
    browser.prefer("dark")
    page.whole("dark", height)
    browser.prefer("light")
    page.read()
    page.lives()
    page.reach("every")
    page.quiet()
    page.survives(daemon, lambda: (busy.end(), daemon.start()))
    with Busy(daemon, loaders=3, waiting=1, jobs=1):
        page.waits_for("the figures of the new daemon do not come", lambda: "the rest" in page.text("devices"))
        page.whole("few", height)
    return page


def can_fail(tap, page):
    """A page that is wrong in each way is told to be."""
    page.problems = []
    page.browser.run(MARK)
    spoil(page)
    page.texts("spoilt")
    page.read()
    page.reach("every")
    page.quiet()
    told = "\n".join(page.problems)
    missed = [word for word in ("'over it'", "pause is not reached", "console: ", "became part of the page", "hostile names", "wider than its window") if word not in told]
    tap.case("what is wrong with it is seen", missed + (["steady"] if page.browser.run(STEADY)[0] else []))


def look_at_status(tap, browser, sizes, shots):
    for size, (width, height) in sizes.items():
        with Daemon(jobs__workers=2, jobs__queue_jobs_max=64, pool__devices=2, pool__streams_max=200, pool__ttl="600 s") as daemon:
            page = look_at_size(browser, size, width, height, shots, daemon)
            tap.case(f"status page under load, {size}", page.problems)
            if size == "wide":
                can_fail(tap, page)
            browser.open("about:blank")                                 # it must not ask for a daemon that is gone when the next one is looked at
            browser.console()
