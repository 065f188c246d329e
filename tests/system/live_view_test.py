"""`aureole watch`: what its addresses give, to whom, and what it refuses."""
import json
import os
import signal
import socket
import subprocess
import time
import unittest

from aureole_program import PROGRAM
from live_run import RUN, LiveTest


class WatchTest(LiveTest):
    def test_a_past_run_is_told_whole(self):
        made = self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        state = page.state()
        self.assertEqual((state["name"], state["directory"]), ("made", str(made.resolve())))
        self.assertEqual((state["pictures"], state["snapshots"]), ([[0, 2]], [[0, 2]]))
        self.assertEqual(state["configuration"]["end_time"], 0.5)
        self.assertEqual(state["logs"]["energy.csv"], (made / "energy.csv").stat().st_size)
        progress = json.loads(state["progress"])
        self.assertEqual((progress["status"], progress["step"], progress["fraction"]), ("finished", 10, 1))
        self.assertEqual(progress["particles"], 200)
        self.assertEqual(page.request("/log", name="halos.csv")[2], (made / "halos.csv").read_bytes())
        status, headers, picture = page.request("/picture", number=1)
        self.assertEqual((status, headers["Content-Type"], headers["X-Time"]), (200, "image/png", "t = 0.25"))
        self.assertEqual(picture, (made / "projection_001.png").read_bytes())
        self.assertEqual(page.request("/picture", number=3)[0], 404)

    def test_the_page_comes_with_the_program_alone(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        for path, kind in [("/", "text/html"), ("/page.css", "text/css"), ("/page.js", "text/javascript")]:
            status, headers, body = page.request(path)
            self.assertEqual((status, headers["Content-Type"].split(";")[0]), (200, kind))
            self.assertNotRegex(body.decode(), r"https?://|@import|url\((?!data:)")
            self.assertIn("default-src 'self'", headers["Content-Security-Policy"])
            self.assertEqual(headers["Referrer-Policy"], "no-referrer")

    def test_only_who_has_the_token_is_answered(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        for path in ["/", "/state", "/events", "/log", "/picture", "/frame", "/control"]:
            for token in ["", "0" * 32, page.token[:-1], page.token + "0"]:
                status, _, body = page.request(path, token=token)
                self.assertEqual(status, 403, path)
                self.assertNotIn(page.token.encode(), body)
        self.assertRegex(page.raw("GET /state HTTP/1.1\r\n\r\n"), r"^HTTP/1.1 403 ")

    def test_no_address_leads_out_of_the_directory(self):
        self.finished_run()
        (self.folder / "secret.csv").write_text("time\nsecret\n")
        (self.folder / "made" / "orbit.csv").unlink()
        (self.folder / "made" / "orbit.csv").symlink_to(self.folder / "secret.csv")
        (self.folder / "made" / "projection_007.png").symlink_to(self.folder / "secret.csv")
        page = self.start("watch", "made", "--port", 0)
        for name in ["../secret.csv", "%2e%2e/secret.csv", "..%2fsecret.csv", "/etc/passwd", "run.lock", "checkpoint.bin",
                     "orbit.csv", "energy.csv%00", ""]:
            status, _, body = page.request("/log", name=name)
            self.assertEqual(status, 404, name)
            self.assertNotIn(b"secret", body)
        for number in ["7", "../secret", "-1", "1e0", "99999999999999999999", ""]:
            self.assertEqual(page.request("/picture", number=number)[0], 404, number)
        for path in ["/../secret.csv", "/made/energy.csv", "/%2e%2e/secret.csv", "//etc/passwd"]:
            self.assertRegex(page.raw(f"GET {path}?token={page.token} HTTP/1.1\r\n\r\n"), r"^HTTP/1.1 404 ")

    def test_rows_are_whole_lines_of_a_log_that_grows(self):
        made = self.finished_run()
        log = made / "energy.csv"
        whole = log.read_text()
        lines = whole.splitlines(keepends=True)
        log.write_text("".join(lines[:4]) + lines[4][:10])  # the fourth row is being written
        page = self.start("watch", "made", "--port", 0)
        names, rows, headers = page.rows()
        self.assertEqual((names[0], len(rows), int(headers["X-Next"])), ("time", 3, len("".join(lines[:4]))))
        log.write_text(whole)
        _, more, headers = page.rows(**{"from": headers["X-Next"]})
        self.assertEqual([row[0] for row in rows + more], [float(line.split(",")[0]) for line in lines[1:]])
        self.assertEqual(int(headers["X-Next"]), len(whole))
        _, none, _ = page.rows(**{"from": headers["X-Next"]})
        self.assertEqual(none, [])

    def test_long_logs_are_thinned_and_end_with_the_last_row(self):
        made = self.finished_run()
        rows = "".join(f"{k},{2 * k}\n" for k in range(100001))
        (made / "energy.csv").write_text("time,kinetic\n" + rows)
        page = self.start("watch", "made", "--port", 0)
        _, chosen, headers = page.rows(most=1000)
        self.assertEqual(int(headers["X-Stride"]), 101)
        self.assertEqual([row[0] for row in chosen], [*range(0, 100001, 101), 100000])
        self.assertTrue(all(y == 2 * x for x, y in chosen))
        self.assertEqual(int(headers["X-Next"]), len("time,kinetic\n" + rows))

    def test_events_follow_a_run_that_goes_on(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        self.assertEqual(page.state()["pictures"], [[0, 2]])
        going = subprocess.Popen([PROGRAM, "run", "--resume", "made", "--set", "run.end_time=1.5", "--quiet"], cwd=self.folder)
        states = page.events(60, lambda state: state["pictures"] == [[0, 6]]
                             and json.loads(state["progress"])["status"] == "finished")
        self.assertEqual(going.wait(), 0)
        self.assertEqual(states[-1]["pictures"], [[0, 6]])
        progress = [json.loads(state["progress"]) for state in states]
        self.assertEqual((progress[-1]["status"], progress[-1]["time"]), ("finished", 1.5))
        self.assertEqual(len(states), len({json.dumps(state) for state in states}), "an event told nothing new")

    def test_an_event_comes_only_with_something_new(self):
        made = self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        self.assertEqual(len(page.events(3.5)), 1)
        with open(made / "energy.csv", "a") as log:
            log.write("1\n")
        self.assertEqual(len(page.events(1)), 1)

    def test_a_killed_run_is_told_from_one_that_goes_on(self):
        text = RUN.replace("end_time: 0.5", "end_time: 5000").replace("every: 0.05", "every: 100")
        going = subprocess.Popen([PROGRAM, "run", self.write("run.yaml", text), "-o", "made", "--quiet"], cwd=self.folder)
        self.addCleanup(going.wait)
        self.addCleanup(going.kill)
        progress = self.folder / "made" / "progress.json"
        while not progress.exists() and going.poll() is None:
            time.sleep(0.05)
        page = self.start("watch", "made", "--port", 0)
        state = page.state()
        self.assertIs(state["alive"], True)
        self.assertEqual(json.loads(state["progress"])["pid"], going.pid)
        going.kill()
        going.wait()
        state = page.state()
        self.assertIs(state["alive"], False)
        self.assertEqual(json.loads(state["progress"])["status"], "running")

    def test_progress_tells_why_a_run_ended(self):
        made = self.finished_run(RUN.replace("end_time: 0.5", "end_time: 0.3"))
        (made / "progress.json").unlink()
        failing = RUN.replace("run: {end_time: 0.5}", "run: {end_time: 0.5, checks: {energy_error: 1e-14}}")
        self.run_program("run", self.write("run.yaml", failing), "-o", "failing", status=1)
        progress = json.loads((self.folder / "failing" / "progress.json").read_text())
        self.assertEqual(progress["status"], "failed")
        self.assertIn("energy", progress["message"])
        self.run_program("run", self.write("run.yaml", RUN.replace("end_time: 0.5", "end_time: 1e6")), "-o", "stopped",
                         "--max-wall", "00:00:01")
        progress = json.loads((self.folder / "stopped" / "progress.json").read_text())
        self.assertEqual((progress["status"], progress["message"]), ("stopped", "--max-wall"))

    def test_clients_that_hang_hold_nothing_up(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        hanging = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(20)]
        for k, connection in enumerate(hanging):
            connection.sendall([b"", b"GET /sta", f"GET /events?token={page.token} HTTP/1.1\r\n\r\n".encode()][k % 3])
        began = time.monotonic()
        self.assertEqual(page.request("/state")[0], 200)
        self.assertLess(time.monotonic() - began, 5)
        for connection in hanging:
            connection.close()
        self.assertEqual(page.request("/state")[0], 200)

    def test_what_is_no_request_is_refused(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        self.assertRegex(page.raw("\x00\x01\xff\r\n\r\n"), r"^HTTP/1.1 400 ")
        self.assertRegex(page.raw("GET http://elsewhere/ HTTP/1.1\r\n\r\n"), r"^HTTP/1.1 400 ")
        self.assertRegex(page.raw("GET /" + 20000 * "x"), r"^HTTP/1.1 400 ")
        self.assertRegex(page.raw(f"DELETE /state?token={page.token} HTTP/1.1\r\n\r\n"), r"^HTTP/1.1 405 ")
        head = page.raw(f"HEAD /?token={page.token} HTTP/1.1\r\n\r\n")
        self.assertTrue(head.startswith("HTTP/1.1 200 ") and head.endswith("\r\n\r\n"), head)

    def test_ctrl_c_ends_it_and_frees_the_port(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        listener = socket.create_connection(("127.0.0.1", page.port))
        listener.sendall(f"GET /events?token={page.token} HTTP/1.1\r\n\r\n".encode())
        self.assertIn(b"200", listener.recv(20))
        began = time.monotonic()
        page.process.send_signal(signal.SIGINT)
        self.assertEqual(page.process.wait(timeout=20), 0)
        self.assertLess(time.monotonic() - began, 10)
        listener.close()
        again = self.start("watch", "made", "--port", page.port)
        self.assertEqual((again.port, again.request("/state")[0]), (page.port, 200))

    def test_a_port_in_use_is_named_with_a_way_out(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        line = self.refused("watch", "made", "--port", page.port)
        self.assertIn(f"port {page.port} of 127.0.0.1", line)
        self.assertIn("--port 0", line)
        self.assertIn("--address", self.refused("watch", "made", "--address", "here"))

    def test_without_a_port_the_next_free_one_is_taken(self):
        self.finished_run()
        first, second = (self.start("watch", "made") for _ in range(2))
        self.assertGreaterEqual(first.port, 8765)
        self.assertGreater(second.port, first.port)

    def test_a_token_of_the_environment_outlasts_a_restart(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0, environment={"AUREOLE_TOKEN": "abcdefgh12345678"})
        self.assertEqual(page.token, "abcdefgh12345678")
        for token in ["short", "with spaces and more"]:
            done = subprocess.run([PROGRAM, "watch", "made", "--port", "0"], cwd=self.folder, capture_output=True, text=True,
                                  env=os.environ | {"AUREOLE_TOKEN": token})
            self.assertEqual(done.returncode, 1)
            self.assertIn("AUREOLE_TOKEN", done.stderr)

    def test_what_is_no_run_is_refused(self):
        (self.folder / "empty").mkdir()
        self.write("file", "")
        self.assertIn("holds no outputs of a run", self.refused("watch", "empty"))
        self.assertIn("is no directory", self.refused("watch", "file"))
        self.assertIn("is no directory", self.refused("watch", "absent"))

    def test_nothing_is_written_into_the_directory(self):
        made = self.finished_run()
        for path in made.iterdir():
            path.chmod(0o400)
        before = {path.name: path.stat().st_mtime_ns for path in made.iterdir()}
        page = self.start("watch", "made", "--port", 0)
        page.state()
        page.request("/picture", number=0)
        self.assertEqual(before, {path.name: path.stat().st_mtime_ns for path in made.iterdir()})


class DrawnSnapshotsTest(LiveTest):
    def test_snapshots_are_drawn_as_plot_draws_them(self):
        self.finished_run()
        page = self.start("watch", "made", "--port", 0)
        self.assertIs(page.state()["draws"], True)
        pictures = {}
        for number in (0, 2, 2):
            for axis in "xz":
                status, headers, body = page.request("/frame", kind="snapshot", number=number, axis=axis, colour="component")
                self.assertEqual((status, body[:4]), (200, b"\x89PNG"))
                self.assertEqual(headers["X-Time"], {0: "t = 0", 2: "t = 0.5"}[number])
                self.assertEqual(pictures.setdefault((number, axis), body), body)
        self.assertEqual(len(set(pictures.values())), 4)
        self.assertEqual(page.request("/frame", kind="snapshot", number=3)[0], 404)

    def test_a_snapshot_that_cannot_be_read_says_why(self):
        made = self.finished_run()
        snapshot = made / "snapshot_001.hdf5"
        snapshot.write_bytes(snapshot.read_bytes()[:3000])
        page = self.start("watch", "made", "--port", 0)
        status, _, body = page.request("/frame", kind="snapshot", number=1)
        self.assertEqual(status, 500)
        self.assertIn(b"snapshot_001.hdf5", body)
        self.assertEqual(page.request("/frame", kind="snapshot", number=0)[0], 200)


if __name__ == "__main__":
    unittest.main()
