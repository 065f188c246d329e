// The page of one run. It is given a source: what a server or a notebook tells of the run.
//   source.log(name, from, most)      -> {text, next} or undefined
//   source.picture(key, version, after)  -> {url, time, sequence} or undefined; key: {kind, number, axis, colour}
//   source.control(what)              where the run takes requests

const longestLog = 20000; // rows: beyond it, a log is asked for anew, with fewer rows

/** Columns of a log, as far as they are known. */
class Log {
  constructor(name) {
    this.name = name;
    this.reset();
  }

  reset() {
    [this.columns, this.names, this.next, this.rows] = [{}, [], 0, 0];
  }

  add(text) {
    const lines = text.split("\n").filter((line) => line);
    if (!lines.length) return;
    if (!this.names.length) {
      this.names = lines[0].split(",");
      for (const name of this.names) this.columns[name] = [];
    }
    for (const line of lines.slice(1)) {
      const cells = line.split(",");
      if (cells.length !== this.names.length) continue;
      this.names.forEach((name, k) => this.columns[name].push(Number.parseFloat(cells[k])));
      ++this.rows;
    }
  }

  get(name) {
    return this.columns[name] || [];
  }
}

const duration = (seconds) => {
  if (!Number.isFinite(seconds)) return "–";
  const s = Math.round(seconds), two = (n) => String(n).padStart(2, "0");
  const days = Math.floor(s / 86400);
  return `${days ? `${days} d ` : ""}${Math.floor((s % 86400) / 3600)}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
};

const thousands = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, " ");

class LiveView {
  constructor(root, source) {
    this.source = source;
    this.logs = new Map();
    this.state = undefined;
    this.root = root;
    root.classList.add("aureole-live");
    this.build();
    this.setTheme(this.storedTheme());
    this.clock = setInterval(() => this.showStatus(), 1000);
  }

  destroy() {
    clearInterval(this.clock);
    this.player.pause();
    this.player.forget();
  }

  // --- what there is to see ---

  build() {
    this.title = element("h1", {}, "…");
    this.where = element("span", { class: "where" });
    this.pill = element("span", { class: "pill past", role: "status" }, "connecting");
    this.themeButton = element("button", { title: "light or dark", onclick: () => this.setTheme(this.dark ? "light" : "dark", true) });
    this.banner = element("p", { class: "banner", role: "alert", hidden: true });
    this.bar = element("div");
    this.barBox = element("div", { class: "bar", hidden: true }, this.bar);
    this.facts = element("dl", { class: "facts" });
    this.controls = element("span", { hidden: true },
      element("button", { title: "a snapshot after the present step", onclick: () => this.ask("dump") }, "Snapshot"), " ",
      element("button", { class: "danger", title: "ends the run with a checkpoint", onclick: () => this.ask("stop") }, "Stop"));
    this.player = new Player(this);
    this.buildCharts();
    this.table = element("table");
    this.tableTitle = element("h2", {}, "Groups");
    this.tableCard = element("section", { class: "card", hidden: true }, element("div", { class: "card-head" }, this.tableTitle),
      element("div", { class: "scroll" }, this.table));
    this.shares = element("div", { class: "shares" });
    this.sharesLegend = element("div", { class: "legend" });
    this.sharesCard = element("section", { class: "card", hidden: true },
      element("div", { class: "card-head" }, element("h2", {}, "Where the time goes"), this.sharesLegend), this.shares);
    this.side = element("div", { class: "side" }, ...this.charts.slice(0, 5).map((chart) => chart.root));
    this.main = element("div", { class: "main" }, this.player.root, this.tableCard, this.groups.root, this.largest.root, this.sharesCard);
    this.columns = element("div", { class: "columns" }, this.main, this.side);
    this.root.replaceChildren(
      element("header", { class: "head" }, this.title, this.pill, this.where, this.controls, this.themeButton),
      this.banner, this.barBox, this.facts, this.columns);
  }

  buildCharts() {
    const units = () => this.units || {};
    const common = {
      timeName: () => (units().comoving ? "a =" : "t ="),
      timeLabel: () => (units().comoving ? "scale factor a" : units().time ? `time [${units().time}]` : "time"),
      seek: (time) => this.player.seekTime(time),
    };
    const inUnits = (name) => () => (units()[name] ? `[${units()[name]}]` : "");
    const chart = (title, options) => new Chart({ ...common, ...options, title });
    this.energyError = chart("Energy error |ΔE/E|", { log: true });
    this.energies = chart("Energies", {});
    this.virial = chart("Virial ratio −2T/W", {});
    this.radii = chart("Radii of shares of the mass", { log: true, unit: inUnits("length") });
    this.separations = chart("Distance between components", { unit: inUnits("length"), fromZero: true });
    this.groups = chart("Number of groups", { fromZero: true });
    this.largest = chart("Members of the largest groups", { log: true });
    this.charts = [this.energyError, this.energies, this.separations, this.radii, this.virial, this.groups, this.largest];
  }

  storedTheme() {
    try {
      const stored = localStorage.getItem("aureole-theme");
      if (stored) return stored;
    } catch { /* a page without storage */ }
    return window.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  }

  setTheme(theme, keep) {
    this.dark = theme === "dark";
    this.root.classList.toggle("dark", this.dark);
    this.themeButton.textContent = this.dark ? "Light" : "Dark";
    try {
      if (keep) localStorage.setItem("aureole-theme", theme);
    } catch { /* not kept */ }
    for (const chart of this.charts) chart.draw();
  }

  // --- what the source tells ---

  /** `text`: the state as JSON; the page renews what has changed. */
  setState(state) {
    this.lost(undefined);
    const before = this.progress?.began;
    if (state.progress !== this.state?.progress) this.heard = performance.now();
    this.state = state;
    try {
      this.progress = state.progress ? JSON.parse(state.progress) : undefined;
    } catch {
      this.progress = undefined;
    }
    this.units = state.configuration || {};
    if (before !== undefined && before !== this.progress?.began) this.beginAnew();
    this.title.textContent = state.name || "run";
    document.title = this.root.closest(".aureole-page") ? `${state.name} · Aureole` : document.title;
    this.where.textContent = state.directory || "";
    this.where.title = state.program || "";
    this.controls.hidden = !(this.source.control && state.controls);
    this.showStatus();
    this.player.setPictures(state);
    this.readLogs();
  }

  /** The run was begun or resumed by another program: what is known may be another run's. */
  beginAnew() {
    for (const log of this.logs.values()) log.reset();
    this.player.forget();
  }

  /** The connection is lost, with the reason; nothing: it is there. */
  lost(reason, bad) {
    this.banner.hidden = !reason;
    this.banner.textContent = reason || "";
    this.banner.classList.toggle("bad", Boolean(bad));
    this.isLost = Boolean(reason);
    if (reason) this.showStatus();
  }

  status() {
    const p = this.progress;
    if (!this.state) return ["past", "connecting"];
    if (this.state.error) return ["failed", "cannot be read"];
    if (this.state.gone) return ["failed", "the directory is gone"];
    if (!p) return ["past", "past run"];
    if (p.status === "idle") return ["past", "idle"];
    if (p.status !== "running") return [p.status, p.status === "stopped" ? `stopped by ${p.message}` : p.status];
    if (this.state.alive === false) return ["killed", "ended without a word"];
    if (this.isLost) return ["silent", "not connected"];
    const silent = (performance.now() - this.heard) / 1000;
    const expected = Math.max(20, 5 / (p.steps_per_second || 1));
    return silent > expected ? ["silent", `no step for ${duration(silent)}`] : ["running", "running"];
  }

  showStatus() {
    const [kind, text] = this.status();
    this.pill.className = `pill ${kind}`;
    this.pill.textContent = text;
    const p = this.progress;
    this.barBox.hidden = !p;
    if (!p) return this.facts.replaceChildren();
    this.bar.style.width = `${100 * Math.min(Math.max(p.fraction, 0), 1)}%`;
    const time = this.units.time ? ` ${this.units.time}` : "";
    const end = this.units.end_time;
    const facts = [
      ["done", `${(100 * p.fraction).toFixed(1)} %`],
      [this.units.comoving ? "a" : "time", `${shown(p.time, 5)}${end ? ` of ${shown(end, 5)}` : ""}${time}`],
      ["step", thousands(p.step)],
      ["|ΔE/E|", p.energy_error === null ? "not conserved" : shown(Math.abs(p.energy_error), 3)],
      ["speed", kind === "running" && p.steps_per_second ? `${shown(p.steps_per_second, 3)} steps/s` : undefined],
      ["left", kind === "running" && p.seconds_left !== null ? duration(Math.max(p.seconds_left - (performance.now() - this.heard) / 1000, 0)) : undefined],
      ["particles", thousands(p.particles)],
      ["on", p.device],
    ];
    this.facts.replaceChildren(...facts.filter(([, value]) => value !== undefined).map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", {}, value))));
    if (p.status === "failed" && !this.isLost) {
      this.banner.hidden = false;
      this.banner.classList.add("bad");
      this.banner.textContent = p.message;
    }
  }

  // --- logs ---

  async readLogs() {
    if (this.reading) {
      this.readAgain = true;
      return;
    }
    this.reading = true;
    try {
      for (const name of ["energy.csv", "halos.csv", "orbit.csv", "timings.csv"]) await this.readLog(name);
    } catch (error) {
      console.warn(error); // the connection says so itself
    }
    this.reading = false;
    this.showLogs();
    if (!this.readAgain) return;
    this.readAgain = false;
    setTimeout(() => this.readLogs(), 500);
  }

  async readLog(name) {
    const size = this.state.logs?.[name];
    if (size === undefined) return;
    if (!this.logs.has(name)) this.logs.set(name, new Log(name));
    const log = this.logs.get(name);
    if (size < log.next || log.rows > longestLog) log.reset();
    if (size === log.next) return;
    const more = await this.source.log(name, log.next, 4000);
    if (!more) return;
    log.add(more.text);
    log.next = more.next;
  }

  showLogs() {
    const energy = this.logs.get("energy.csv"), mark = this.player.shownTime;
    if (energy?.rows) {
      const x = energy.get("time");
      const curve = (name, column, colour, change = (value) => value) =>
        ({ name, x, y: energy.get(column).map(change), colour });
      this.energyError.set([curve("|ΔE/E|", "relative_error", "one", Math.abs)], mark);
      this.energies.set([curve("kinetic T", "kinetic", "two"), curve("potential W", "potential", "one"), curve("total", "total", "three")], mark);
      this.virial.set([curve("−2T/W", "virial_ratio", "one")], mark);
      this.radii.set(["01", "10", "50", "90"].map((share, k) =>
        curve(`${Number(share)} %`, `lagrangian_${share}`, ["one", "two", "three", "four"][k])), mark);
    }
    this.showOrbits(mark);
    this.showGroups(mark);
    this.showShares();
  }

  /** The distance of each component from the first. */
  showOrbits(mark) {
    const orbit = this.logs.get("orbit.csv");
    if (!orbit?.rows) return;
    const [time, component, x, y, z] = ["time", "component", "x", "y", "z"].map((name) => orbit.get(name));
    const series = new Map();
    let first;
    for (let k = 0; k < time.length; ++k) {
      if (component[k] === 0) first = k;
      if (!component[k] || first === undefined || time[first] !== time[k] || component[k] > 5) continue;
      if (!series.has(component[k]))
        series.set(component[k], { name: `0 to ${component[k]}`, x: [], y: [], colour: ["one", "two", "three", "four", "five"][component[k] - 1] });
      series.get(component[k]).x.push(time[k]);
      series.get(component[k]).y.push(Math.hypot(x[k] - x[first], y[k] - y[first], z[k] - z[first]));
    }
    this.separations.set([...series.values()], mark);
  }

  showGroups(mark) {
    const halos = this.logs.get("halos.csv");
    this.tableCard.hidden = !halos?.rows;
    if (!halos?.rows) return;
    const time = halos.get("time");
    this.groups.set([{ name: "groups", x: time, y: halos.get("groups"), colour: "one" }], mark);
    this.largest.set([1, 2, 3].map((k) => ({ name: `${k === 1 ? "largest" : k === 2 ? "second" : "third"}`, x: time, y: halos.get(`size_${k}`), colour: ["one", "two", "three"][k - 1] })), mark);
    this.showTable(halos);
  }

  /** The groups at the time of the picture, or the newest, by the numbers that they have in pictures and catalogues. */
  showTable(halos) {
    const time = halos.get("time");
    const { follow, shownTime } = this.player;
    const row = follow || !Number.isFinite(shownTime) ? time.length - 1 : nearest(time, shownTime);
    const key = `${row} ${time[row]}`;
    if (key === this.tableKey) return;
    this.tableKey = key;
    const unit = this.units.length ? ` [${this.units.length}]` : "";
    this.tableTitle.textContent = `Largest groups at ${this.units.comoving ? "a" : "t"} = ${shown(time[row], 5)}${this.units.time ? ` ${this.units.time}` : ""}`;
    const cells = (tag, values) => element("tr", {}, ...values.map((value) => element(tag, {}, value)));
    const rows = [];
    for (let k = 1; k <= 10 && Number.isFinite(halos.get(`size_${k}`)[row]); ++k)
      rows.push(cells("td", [`${k - 1}`, thousands(halos.get(`size_${k}`)[row]), ...["x", "y", "z"].map((axis) => shown(halos.get(`${axis}_${k}`)[row]))]));
    if (!rows.length) rows.push(element("tr", {}, element("td", { colspan: 5, class: "soft" }, "no group of the least number of members")));
    this.table.replaceChildren(cells("th", ["group", "members", `x${unit}`, `y${unit}`, `z${unit}`]), ...rows);
  }

  showShares() {
    const timings = this.logs.get("timings.csv");
    this.sharesCard.hidden = !timings?.rows;
    if (!timings?.rows) return;
    const phases = timings.names.filter((name) => name.endsWith("_seconds"))
      .map((name) => [name.replace("_seconds", ""), timings.get(name).at(-1)]).sort((a, b) => b[1] - a[1]);
    const all = phases.reduce((sum, [, seconds]) => sum + seconds, 0);
    const largest = phases.slice(0, 5).filter(([, seconds]) => seconds > 0.005 * all);
    const colours = ["one", "two", "three", "four", "five"];
    this.shares.replaceChildren(...largest.map(([name, seconds], k) => {
      const part = element("div", { class: colours[k], title: `${name}: ${duration(seconds)}` });
      part.style.width = `${(100 * seconds) / all}%`;
      return part;
    }));
    this.sharesLegend.replaceChildren(...largest.map(([name, seconds], k) =>
      element("span", { class: `key ${colours[k]}` }, `${name} ${((100 * seconds) / all).toFixed(0)} %`)));
  }

  async ask(what) {
    if (what === "stop" && !window.confirm("End the run with a checkpoint? --resume goes on from it.")) return;
    try {
      await this.source.control(what);
    } catch (error) {
      this.lost(String(error.message || error), true);
    }
  }
}
