"""The page below a cell in a headless browser, where one is installed: a model in the browser stands for that of Jupyter, and the
test carries its messages between page and kernel."""
import base64
import json
import os
import pathlib
import time

import numpy as np
import pytest

import aureole

pytest.importorskip("anywidget")
ROOT = pathlib.Path(__file__).parents[2]
MODEL = """
window.model = {values: {}, heard: {}, sent: [],
  get(name) { return this.values[name]; },
  set(changes) { Object.assign(this.values, changes); this.changed = changes; },
  save_changes() { this.sent.push({changed: this.changed}); },
  on(name, what) { (this.heard[name] ??= new Set()).add(what); },
  off(name, what) { this.heard[name]?.delete(what); },
  send(request) { this.sent.push({request}); },
  tell(name, ...of) { for (const what of [...this.heard[name] ?? []]) what(...of); },
  bytes(text) { return Uint8Array.from(atob(text), (c) => c.charCodeAt(0)); }}"""
PICTURE = "(() => { const i = document.querySelector('.screen img'); return i && i.complete && i.naturalWidth; })()"
STATUS, CAPTION = "document.querySelector('.pill').textContent", "document.querySelector('output').textContent"


def encoded(data):
    return base64.b64encode(data).decode()


class Notebook:
    """A cell with a widget below it."""

    def __init__(self, browser, widget):
        self.browser, self.widget, self.told = browser, widget, {}
        browser.value(MODEL)
        self.tell_changes()
        widget.send = self.answer
        style, module = json.dumps(widget._css), encoded(widget._esm.encode())
        browser.value(f"""(async () => {{
            document.head.append(Object.assign(document.createElement('style'), {{textContent: {style}}}));
            const page = await import('data:text/javascript;charset=utf-8;base64,{module}');
            window.leave = page.default.render({{model, el: document.body}}); }})()""")

    def tell_changes(self):
        """What the kernel has changed, to the page."""
        for name in ("logs", "frame", "axis", "colour", "state"):
            value = getattr(self.widget, name)
            if self.told.get(name) == value:
                continue
            self.told[name] = value
            text = (f"[{value[0]}, model.bytes('{encoded(value[1])}'), {json.dumps(value[2])}]" if name == "frame" else
                    json.dumps(value))
            self.browser.value(f"model.values.{name} = {text}; model.tell('change:{name}')")

    def answer(self, message, buffers=None):
        parts = ", ".join(f"model.bytes('{encoded(part)}')" for part in buffers or [])
        self.browser.value(f"model.tell('msg:custom', {json.dumps(message)}, [{parts}])")

    def wait_for(self, expression, seconds=60):
        """Until an expression is true, while kernel and page tell each other what they have to."""
        end = time.monotonic() + seconds
        while True:
            for sent in self.browser.value("model.sent.splice(0)"):
                if "request" in sent:
                    self.widget._answer(self.widget, sent["request"], [])
                for name, value in sent.get("changed", {}).items():
                    self.told[name] = value
                    setattr(self.widget, name, value)
            self.tell_changes()
            if time.monotonic() > end:
                seconds = 0  # the browser says what it shows
            try:
                return self.browser.wait_for(expression, 0)
            except AssertionError:
                if not seconds:
                    raise
                time.sleep(0.05)


@pytest.fixture
def browser(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "tests/system"))
    made = pytest.importorskip("browser").Browser("about:blank", 900, 1200)
    yield made
    if folder := os.environ.get("AUREOLE_SCREENSHOTS"):
        made.screenshot(os.path.join(folder, os.environ["PYTEST_CURRENT_TEST"].split("::")[1].split()[0] + ".png"))
    made.__exit__()


def test_a_simulation_is_seen_as_it_is_integrated(browser):
    rng = np.random.default_rng(5)
    sim = aureole.Simulation(rng.normal(size=(300, 3)), 0.3 * rng.normal(size=(300, 3)), 1 / 300, softening=0.1, solver="direct",
                             timestep=0.05)
    notebook = Notebook(browser, sim.widget(every=0.1))
    notebook.wait_for(f"{STATUS} === 'idle' && {CAPTION} === 't = 0' && {PICTURE} === 600")
    sim.integrate(0.4)
    notebook.wait_for(f"{CAPTION} === 't = 0.4' && document.body.innerText.includes('Energy error')")
    assert "cpu" in browser.value("document.body.innerText")
    number, first, _ = notebook.widget.frame
    browser.value("(() => { const axis = [...document.querySelectorAll('select')].find((s) => [...s.options].some((o) => o.value === 'x'));"
                  "axis.value = 'x'; axis.dispatchEvent(new Event('change', {bubbles: true})); })()")
    notebook.wait_for(f"{PICTURE} === 600 && model.values.axis === 'x' && model.values.frame[0] > {number}")
    assert notebook.widget.axis == "x" and notebook.widget.frame[1] != first
    browser.value("window.leave()")
    assert browser.errors == []


def test_a_run_is_seen_with_its_pictures_and_curves(browser, finished_run):
    widget = aureole.watch(finished_run)
    notebook = Notebook(browser, widget)
    notebook.wait_for(f"{STATUS} === 'finished' && {PICTURE} === 100 && {CAPTION}.startsWith('picture 2, 3 of 3')")
    notebook.wait_for("document.querySelectorAll('.chart:not([hidden])').length >= 4")
    browser.value("[...document.querySelectorAll('button')].find((b) => b.textContent === '«').click()")
    notebook.wait_for(f"{CAPTION} === 'picture 0, 1 of 3, t = 0'")
    widget.close()
    assert browser.errors == []
