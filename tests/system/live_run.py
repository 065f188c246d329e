"""A run of the program that serves a page, and that page: for the tests of `aureole watch` and `aureole run --serve`."""
import json
import os
import re
import socket
import subprocess
import time
import urllib.error
import urllib.request

from aureole_program import PROGRAM, ProgramTest

RUN = """
seed: 3
initial_conditions: {model: plummer, particles: 200}
gravity: {solver: direct, softening: 0.05}
integrator: {timestep: 0.05}
run: {end_time: 0.5}
output: {pictures: {every: 0.25}, snapshots: {every: 0.5}, halos: {every: 0.25}, diagnostics: {every: 0.05}}
pictures: {pixels: 100}
halos: {absolute_linking_length: 0.5}
"""


class Page:
    """A page that is being served: its addresses, with the token or another one."""

    def __init__(self, process, url):
        self.process = process
        self.base, self.token = re.fullmatch(r"(http://[^/]+)/\?token=(\w+)", url).groups()
        self.port = int(self.base.rsplit(":", 1)[1])

    def request(self, path, token=None, method="GET", **query):
        """(status, headers, body)"""
        query["token"] = self.token if token is None else token
        words = "&".join(f"{name}={value}" for name, value in query.items())
        request = urllib.request.Request(f"{self.base}{path}?{words}", method=method)
        try:
            with urllib.request.urlopen(request, timeout=240) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def state(self):
        return json.loads(self.request("/state")[2])

    def rows(self, **query):
        """Column names and rows of energy.csv."""
        _, headers, body = self.request("/log", name="energy.csv", **query)
        names, *rows = body.decode().splitlines()
        return names.split(","), [[float(x) for x in row.split(",")] for row in rows], headers

    def raw(self, text, seconds=10):
        """What comes back for these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.sendall(text.encode("latin-1"))
            got = b""
            try:
                while more := connection.recv(65536):
                    got += more
            except TimeoutError:
                pass
            return got.decode("latin-1")

    def events(self, seconds, enough=lambda state: False):
        """The states that come as events, until one is enough or the time is over."""
        states = []
        with socket.create_connection(("127.0.0.1", self.port), timeout=1) as connection:
            connection.sendall(f"GET /events?token={self.token} HTTP/1.1\r\n\r\n".encode())
            left, end = b"", time.monotonic() + seconds
            while time.monotonic() < end:
                try:
                    more = connection.recv(65536)
                except TimeoutError:
                    continue
                if not more:
                    break
                *lines, left = (left + more).split(b"\n\n")
                for line in lines:
                    found = re.search(rb"^data: (.*)", line, re.M)
                    states += [json.loads(found[1])] if found else []
                if states and enough(states[-1]):
                    break
        return states


class LiveTest(ProgramTest):
    def start(self, *arguments, environment=None):
        """The program with these arguments, once it has printed its address."""
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   cwd=self.folder, env=os.environ | (environment or {}))
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        for line in process.stdout:
            if found := re.search(r"open (\S+)", line):
                return Page(process, found[1])
        self.fail(f"aureole {arguments} printed no address, status {process.wait()}")

    def finished_run(self, text=RUN):
        self.run_program("run", self.write("run.yaml", text), "-o", "made", "--quiet")
        return self.folder / "made"
