"""`aureole run --serve`: the page of a run under way."""
import json
import os
import re
import signal
import time
import unittest
import urllib.error

from aureole_program import SANITIZED
from live_run import RUN, LiveTest


class ServeTest(LiveTest):
    LONG = RUN.replace("end_time: 0.5", "end_time: 1e6, checks: {energy_error: 0}").replace("every: 0.05", "every: 1000")

    def setUp(self):
        super().setUp()
        os.environ["OMP_NUM_THREADS"] = "1"

    def long_run(self):
        text = self.LONG.replace("pictures: {every: 0.25}", "pictures: {every: 1e5}").replace("halos: {every: 0.25}", "halos: {every: 1e5}")
        return self.start("run", self.write("run.yaml", text.replace("snapshots: {every: 0.5}", "snapshots: {every: 1e5}")),
                          "-o", "out", "--serve", "--port", 0)

    @staticmethod
    def hash_in(text):
        return re.search(r"state hash (\w+)", text)[1]

    def test_a_page_changes_no_bit_of_the_run(self):
        """Also while pictures are drawn, along each axis and in all colours."""
        text = RUN.replace("end_time: 0.5", "end_time: 5" if SANITIZED else "end_time: 20").replace("particles: 200", "particles: 500").replace("solver: direct", "solver: tree")
        config = self.write("run.yaml", text)
        plain = self.hash_in(self.run_program("run", config, "-o", "plain"))
        page = self.start("run", config, "-o", "served", "--serve", "--port", 0)
        drawn = 0
        try:
            for k in range(1000):
                axis, colour = "xyz"[k % 3], ["density", "component", "velocity"][k // 3 % 3]
                drawn += page.request("/frame", kind="live", axis=axis, colour=colour)[0] == 200
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            pass  # the run has ended
        self.assertGreater(drawn, 0)
        self.assertEqual(self.hash_in(page.process.stdout.read()), plain)
        self.assertEqual(page.process.wait(), 0)
        self.run_program("diff", "--exact", "plain", "served")

    def test_pictures_of_the_present_state_follow_each_other(self):
        page = self.long_run()
        status, first, picture = page.request("/frame", kind="live")
        self.assertEqual((status, first["Content-Type"], picture[:4]), (200, "image/png", b"\x89PNG"))
        self.assertRegex(first["X-Time"], r"^t = [0-9.e+-]+$")
        _, second, later = page.request("/frame", kind="live", after=first["X-Sequence"])
        self.assertGreater(int(second["X-Sequence"]), int(first["X-Sequence"]))
        self.assertGreater(float(second["X-Time"][4:]), float(first["X-Time"][4:]))
        self.assertNotEqual(picture, later)
        self.assertNotEqual(page.request("/frame", kind="live", axis="x")[2], later)
        for query in [{"axis": "w"}, {"colour": "halo"}, {"kind": "snapshot"}]:
            self.assertEqual(page.request("/frame", **({"kind": "live"} | query))[0], 404)
        state = page.state()
        self.assertEqual((state["live"], state["draws"], state["controls"]), (True, False, True))

    def test_buttons_ask_for_a_snapshot_and_for_the_end(self):
        page = self.long_run()
        self.assertEqual(page.request("/control", do="dump")[0], 404)  # only POST may change anything
        self.assertEqual(page.request("/control", method="POST", do="rm")[0], 404)
        self.assertEqual(page.request("/control", method="POST", token="0" * 32, do="stop")[0], 403)
        self.assertEqual(page.request("/control", method="POST", do="dump")[0], 200)
        end = time.monotonic() + 60
        while not list((self.folder / "out").glob("extra_*.hdf5")):
            self.assertLess(time.monotonic(), end, "no snapshot was written")
            time.sleep(0.05)
        self.assertEqual(page.request("/control", method="POST", do="stop")[0], 200)
        self.assertIn("stopped by its page in the browser", page.process.stdout.read())
        self.assertEqual(page.process.wait(), 0)
        self.assertTrue((self.folder / "out" / "checkpoint.bin").exists())

    def test_the_last_event_tells_how_the_run_ended(self):
        page = self.long_run()
        page.request("/control", method="POST", do="stop")
        states = page.events(60, lambda state: json.loads(state["progress"] or "{}").get("status") == "stopped")
        self.assertEqual(json.loads(states[-1]["progress"])["status"], "stopped")

    def test_ctrl_c_ends_the_run_as_ever(self):
        page = self.long_run()
        page.request("/state")
        page.process.send_signal(signal.SIGINT)
        self.assertIn("stopped by SIGINT", page.process.stdout.read())
        self.assertEqual(page.process.wait(), 0)

    def test_a_port_in_use_is_refused_before_the_run_begins(self):
        page = self.long_run()
        line = self.refused("run", "run.yaml", "-o", "other", "--serve", "--port", page.port)
        self.assertIn(f"port {page.port}", line)
        self.assertFalse((self.folder / "other").exists())
        self.run_program("run", "run.yaml", "-o", "other", "--port", 8765, status=2)  # means nothing without --serve


if __name__ == "__main__":
    unittest.main()
