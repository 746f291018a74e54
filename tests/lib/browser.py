"""Headless Chromium through chromedriver's HTTP interface: open a page, run a script in it, press keys, take a picture."""
import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"     # the key under which WebDriver names an element
TAB = "\ue004"


class Browser:
    def __init__(self, width, height):
        self.profile = tempfile.mkdtemp(prefix="streamd-browser-")
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                break
        else:
            raise OSError("chromedriver does not start; is chromium-driver installed?")
        self.base = f"http://127.0.0.1:{found[1]}"
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={self.profile}",
                            f"--window-size={width},{height}"]}
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}}
        self.base += "/session/" + self.call("POST", "/session", wanted)["sessionId"]

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.base + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise OSError(json.load(error)["value"]["message"].split("\n")[0]) from None

    def open(self, place):
        """A file, or an address."""
        self.call("POST", "/url", {"url": place if str(place).startswith(("http:", "about:")) else f"file://{os.path.abspath(place)}"})

    def prefer(self, scheme):
        """light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}})

    def resize(self, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def settle(self):
        """Until what was asked for is drawn."""
        self.call("POST", "/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)))", "args": []})

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def point(self, x, y, clicks=0):
        moves = [{"type": "pointerMove", "duration": 0, "x": int(x), "y": int(y)}] + [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")] * clicks
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def console(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"})]

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            shutil.rmtree(self.profile, ignore_errors=True)
