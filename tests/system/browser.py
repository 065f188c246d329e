"""A headless browser (chromium or chrome) that is driven through a pipe, with the standard library alone."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


class Browser:
    """One page. Usage: with Browser(url, width, height) as page: page.value("document.title")"""

    def __init__(self, url, width=1400, height=1000, dark=False):
        program = os.environ.get("AUREOLE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)
        if not program:
            raise unittest.SkipTest("no browser is installed (Debian: chromium), AUREOLE_BROWSER names none")
        self.folder = tempfile.mkdtemp(prefix="aureole_browser_")
        there, self.writes = os.pipe()
        self.reads, here = os.pipe()
        os.set_inheritable(there, True)
        os.set_inheritable(here, True)
        # the browser takes commands from descriptor 3 and answers on 4
        shell = f'exec 3<&{there} 4>&{here}; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", program, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", f"--user-data-dir={self.folder}", "--remote-debugging-pipe", "about:blank"],
            pass_fds=(there, here), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(here)
        self.left, self.number, self.session, self.errors = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Runtime.enable")
        self.call("Log.enable")
        self.call("Page.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.reads)
        os.close(self.writes)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.left:
            more = os.read(self.reads, 1 << 20)
            if not more:
                raise RuntimeError("the browser has ended")
            self.left += more
        text, self.left = self.left.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        """One command of the DevTools protocol, and its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writes, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("method") == "Runtime.exceptionThrown":
                details = answer["params"]["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description") or details["text"])
            if answer.get("method") == "Log.entryAdded" and answer["params"]["entry"]["level"] == "error":
                self.errors.append(answer["params"]["entry"]["text"])
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def value(self, expression):
        """Of an expression in JavaScript, which may be a promise."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"]["exception"].get("description", expression))
        return result["result"].get("value")

    def wait_for(self, expression, seconds=60):
        """Until an expression is true, without an error as of what is not there yet; returns it."""
        end = time.monotonic() + seconds
        while not (found := self.value(f"(() => {{ try {{ return {expression}; }} catch {{ return undefined; }} }})()")):
            if time.monotonic() > end:
                text = self.value("document.body.innerText")
                raise AssertionError(f"{expression}: not within {seconds} s; the page says {text!r}, errors {self.errors}")
            time.sleep(0.1)
        return found

    def screenshot(self, file):
        """The page as PNG."""
        picture = self.call("Page.captureScreenshot", captureBeyondViewport=False)
        with open(file, "wb") as out:
            out.write(base64.b64decode(picture["data"]))
