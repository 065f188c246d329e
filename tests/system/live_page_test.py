"""The page of a run in a headless browser: what it shows, and what it does when the run goes on or the server is gone."""
import os
import signal
import subprocess
import time
import unittest

from aureole_program import PROGRAM
from browser import Browser
from live_run import RUN, LiveTest

TWO = RUN.replace("{model: plummer, particles: 200}", """
  - {model: plummer, particles: 200, position: [-2, 0, 0]}
  - {model: plummer, particles: 150, position: [2, 0, 0]}""")
PILL, CAPTION = "document.querySelector('.pill').textContent", "document.querySelector('output').textContent"
PICTURE = "(() => { const i = document.querySelector('.screen img'); return i && i.complete && i.naturalWidth; })()"
INKED = """[...document.querySelectorAll('.chart:not([hidden]) canvas')].map((c) => {
  const colours = new Set(new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer));
  return colours.size > 3; })"""


class LivePageTest(LiveTest):
    def open(self, page, **how):
        browser = Browser(f"{page.base}/?token={page.token}", **how)
        self.addCleanup(browser.__exit__)
        return browser

    def press(self, browser, key):
        browser.value(f"document.body.dispatchEvent(new KeyboardEvent('keydown', {{key: '{key}', bubbles: true}}))")

    def keep(self, browser, name):
        """A screenshot for someone who looks at it, where AUREOLE_SCREENSHOTS names a folder."""
        if folder := os.environ.get("AUREOLE_SCREENSHOTS"):
            browser.screenshot(os.path.join(folder, f"{name}.png"))

    def test_a_past_run_is_shown_sought_and_played(self):
        self.finished_run(TWO)
        browser = self.open(self.start("watch", "made", "--port", 0))
        browser.wait_for(f"{PILL} === 'finished'")
        browser.wait_for(f"{PICTURE} === 100")
        browser.wait_for(f"{CAPTION} === 'picture 2, 3 of 3, t = 0.5'")
        browser.wait_for("document.querySelectorAll('.chart:not([hidden])').length >= 6")
        self.assertTrue(all(browser.value(INKED)), "a chart is empty")
        self.assertIn("Largest groups at t = 0.5", browser.value("document.body.innerText"))
        self.press(browser, "ArrowLeft")
        browser.wait_for(f"{CAPTION} === 'picture 1, 2 of 3, t = 0.25'")
        browser.wait_for("document.body.innerText.includes('Largest groups at t = 0.25')")
        self.press(browser, "Home")
        browser.wait_for(f"{CAPTION} === 'picture 0, 1 of 3, t = 0'")
        self.press(browser, " ")
        browser.wait_for(f"{CAPTION} === 'picture 2, 3 of 3, t = 0.5'")
        browser.wait_for("document.querySelector('button[aria-pressed]').getAttribute('aria-pressed') === 'true'")
        self.keep(browser, "past")
        self.assertEqual(browser.errors, [])

    def test_it_is_dark_where_the_system_is_and_narrow_where_the_window_is(self):
        self.finished_run(TWO)
        page = self.start("watch", "made", "--port", 0)
        for dark, width in [(True, 1400), (False, 420)]:
            browser = self.open(page, dark=dark, width=width)
            browser.wait_for(f"{PILL} === 'finished'")
            browser.wait_for(f"{PICTURE} === 100")
            ground = browser.value("getComputedStyle(document.querySelector('main')).backgroundColor")
            self.assertEqual(ground == "rgb(16, 19, 26)", dark, ground)
            self.assertLessEqual(browser.value("document.documentElement.scrollWidth"), width)
            browser.wait_for("document.querySelectorAll('tr').length === 3")
            table = browser.value("[...document.querySelectorAll('tr')].map((row) => row.firstChild.textContent)")
            self.assertEqual(table, ["group", "0", "1"], "the numbers of the groups are not those of the pictures")
            self.assertTrue(browser.value("(() => { const b = document.querySelector('table').parentElement;"
                                          " return b.scrollWidth <= b.clientWidth; })()"), "the table is wider than its card")
            self.keep(browser, "dark" if dark else "narrow")
            browser.value("[...document.querySelectorAll('button')].find((b) => /^(Dark|Light)$/.test(b.textContent)).click()")
            turned = browser.value("getComputedStyle(document.querySelector('main')).backgroundColor")
            self.assertNotEqual(turned, ground)

    def test_pictures_are_drawn_from_snapshots(self):
        self.finished_run(TWO.replace("pictures: {every: 0.25}, ", "").replace("halos: {every: 0.25}, ", ""))
        browser = self.open(self.start("watch", "made", "--port", 0))
        browser.wait_for(f"{PICTURE} === 800")
        browser.wait_for(f"{CAPTION} === 'snapshot 1, 2 of 2, t = 0.5'")
        browser.wait_for("document.querySelectorAll('.chart:not([hidden])').length >= 4")
        self.assertTrue(all(browser.value(INKED)), "a chart without rows is shown")
        before = browser.value("document.querySelector('.screen img').src")
        browser.value("(() => { const s = [...document.querySelectorAll('select')].find((s) => s.title === 'line of sight');"
                      " s.value = 'x'; s.dispatchEvent(new Event('change')); })()")
        browser.wait_for(f"document.querySelector('.screen img').src !== '{before}' && {PICTURE} === 800")
        self.keep(browser, "snapshots")
        self.assertEqual(browser.errors, [])

    def test_it_follows_a_run_that_is_resumed_and_a_server_that_is_restarted(self):
        self.finished_run()
        token = {"AUREOLE_TOKEN": "abcdefgh12345678"}
        page = self.start("watch", "made", "--port", 0, environment=token)
        browser = self.open(page)
        browser.wait_for(f"{CAPTION} === 'picture 2, 3 of 3, t = 0.5'")
        subprocess.run([PROGRAM, "run", "--resume", "made", "--set", "run.end_time=1", "--quiet"], cwd=self.folder, check=True)
        browser.wait_for(f"{CAPTION} === 'picture 4, 5 of 5, t = 1'")
        page.process.send_signal(signal.SIGINT)
        page.process.wait()
        browser.wait_for("!document.querySelector('.banner').hidden")
        subprocess.run([PROGRAM, "run", "--resume", "made", "--set", "run.end_time=1.5", "--quiet"], cwd=self.folder, check=True)
        self.start("watch", "made", "--port", page.port, environment=token)
        browser.wait_for(f"{CAPTION} === 'picture 6, 7 of 7, t = 1.5'")
        browser.wait_for("document.querySelector('.banner').hidden")

    def test_a_run_shows_its_present_particles_and_is_stopped(self):
        os.environ["OMP_NUM_THREADS"] = "1"
        text = TWO.replace("end_time: 0.5", "end_time: 1e6, checks: {energy_error: 0}")
        text = text.replace("every: 0.25", "every: 1e5").replace("every: 0.5", "every: 1e5")
        page = self.start("run", self.write("run.yaml", text.replace("every: 0.05", "every: 1")), "-o", "out", "--serve", "--port", 0)
        browser = self.open(page)
        browser.wait_for(f"{PILL} === 'running'")
        browser.wait_for(f"{PICTURE} === 800")
        first = browser.wait_for(f"{CAPTION}.startsWith('t = ') && {CAPTION}")
        browser.wait_for(f"{CAPTION} !== '{first}'")
        self.keep(browser, "live")
        browser.value("window.confirm = () => true, [...document.querySelectorAll('button')].find((b) => b.textContent === 'Stop').click()")
        browser.wait_for(f"{PILL} === 'stopped by its page in the browser'")
        self.assertEqual(page.process.wait(timeout=60), 0)
        browser.wait_for("document.querySelector('.banner').textContent.includes('aureole watch')")


if __name__ == "__main__":
    unittest.main()
