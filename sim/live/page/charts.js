// Curves over time on a canvas: axes with units, a crosshair with values, a mark at the time of the picture.

/** An element with attributes, event listeners (onclick: ...) and children. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null));
  return made;
}

const superscripts = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };
const powerOfTen = (n) => "10" + [...String(n)].map((c) => superscripts[c]).join("");

/** A number as people read it: 4 digits, powers of ten where it is very large or small. */
function shown(value, digits = 4) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, power] = value.toExponential(Math.max(digits - 2, 0)).split("e");
  return `${Number(mantissa)}×${powerOfTen(Number(power))}`.replace("-", "−");
}

/** Multiples of 1, 2 or 5 times a power of ten within [low, high], some `count` of them. */
function evenTicks(low, high, count) {
  if (!(high > low)) return [low];
  const raw = (high - low) / Math.max(count, 1);
  const decade = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((s) => s * decade >= raw * 0.999) * decade;
  const ticks = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) ticks.push(Number((k * step).toPrecision(12)));
  return ticks;
}

/** Powers of ten, every one or every few; over less than two decades also 2 and 5 times them. */
function decadeTicks(low, high, count) {
  const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
  const every = Math.max(1, Math.ceil((last - first) / Math.max(count, 2)));
  const multiples = Math.log10(high / low) < 2 ? [1, 2, 5] : [1];
  const ticks = [];
  for (let k = first; k <= last; ++k)
    if (k % every === 0) ticks.push(...multiples.map((m) => m * 10 ** k));
  return ticks.filter((tick) => tick >= low * 0.999 && tick <= high * 1.001);
}

const margins = { left: 66, right: 14, top: 10, bottom: 38 };

class Chart {
  /** `options`: title, unit, log, timeLabel() and seek(time). */
  constructor(options) {
    this.options = options;
    this.series = [];
    this.canvas = element("canvas", { "aria-label": options.title, role: "img" });
    this.legend = element("div", { class: "legend" });
    this.tip = element("div", { class: "tip", hidden: true });
    this.box = element("div", { class: "plot" }, this.canvas, this.tip);
    this.root = element("section", { class: "card chart", hidden: true },
      element("div", { class: "card-head" }, element("h2", {}, options.title), this.legend), this.box);
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.leave());
    this.canvas.addEventListener("click", (event) => {
      const time = this.timeAt(event);
      if (time !== undefined) options.seek?.(time);
    });
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  /** series: [{name, x, y, colour: CSS variable}]; without any the chart is hidden. */
  set(series, mark) {
    this.series = series.filter((one) => one.y.some((value) => Number.isFinite(value)));
    this.mark = mark;
    this.root.hidden = this.series.length === 0;
    const names = this.series.map((one) => one.name).join("|");
    if (names !== this.names) {
      this.names = names;
      this.legend.replaceChildren(...(this.series.length > 1 ? this.series : []).map((one) =>
        element("span", { class: `key ${one.colour}` }, one.name)));
    }
    this.draw();
  }

  setMark(mark) {
    if (mark === this.mark) return;
    this.mark = mark;
    this.draw();
  }

  range() {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const { x, y } of this.series)
      for (let k = 0; k < y.length; ++k) {
        x0 = Math.min(x0, x[k]);
        x1 = Math.max(x1, x[k]);
        if (!Number.isFinite(y[k]) || (this.options.log && y[k] <= 0)) continue;
        y0 = Math.min(y0, y[k]);
        y1 = Math.max(y1, y[k]);
      }
    if (!(x1 >= x0 && y1 >= y0)) return undefined;
    if (x1 === x0) x1 = x0 + (Math.abs(x0) || 1);
    if (this.options.log) {
      if (y1 / y0 < 3) [y0, y1] = [y0 / 1.5, y1 * 1.5];
      return { x0, x1, y0: y0 / 1.3, y1: y1 * 1.3 };
    }
    if (this.options.fromZero) y0 = Math.min(y0, 0);
    const pad = y1 > y0 ? 0.06 * (y1 - y0) : 0.1 * (Math.abs(y1) || 1);
    return { x0, x1, y0: this.options.fromZero && y0 === 0 ? 0 : y0 - pad, y1: y1 + pad };
  }

  /** Functions from data to pixels, and back for the time. */
  scales() {
    const r = this.range();
    if (!r) return undefined;
    const width = this.width - margins.left - margins.right;
    const height = this.height - margins.top - margins.bottom;
    const rise = this.options.log ? Math.log : (value) => value;
    return {
      ...r, width, height,
      x: (value) => margins.left + (width * (value - r.x0)) / (r.x1 - r.x0),
      y: (value) => margins.top + height * (1 - (rise(value) - rise(r.y0)) / (rise(r.y1) - rise(r.y0))),
      time: (pixel) => r.x0 + ((pixel - margins.left) / width) * (r.x1 - r.x0),
    };
  }

  draw() {
    const ratio = window.devicePixelRatio || 1;
    this.width = this.box.clientWidth;
    this.height = this.box.clientHeight;
    if (!this.width || !this.height || this.root.hidden) return;
    this.canvas.width = Math.round(this.width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = getComputedStyle(this.root);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    pen.font = `12px ${style.fontFamily}`;
    const s = this.scales();
    if (!s) return;
    this.drawAxes(pen, s, colour);
    pen.save();
    pen.beginPath();
    pen.rect(margins.left, margins.top - 1, s.width, s.height + 2);
    pen.clip();
    if (Number.isFinite(this.mark)) this.line(pen, s.x(this.mark), s, colour("mark"), [4, 3]);
    for (const one of this.series) this.drawSeries(pen, s, one, colour(one.colour));
    if (this.hovered !== undefined) this.line(pen, s.x(this.hovered), s, colour("soft"), []);
    pen.restore();
  }

  line(pen, x, s, colour, dashes) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1;
    pen.setLineDash(dashes);
    pen.beginPath();
    pen.moveTo(x, margins.top);
    pen.lineTo(x, margins.top + s.height);
    pen.stroke();
    pen.setLineDash([]);
  }

  drawAxes(pen, s, colour) {
    const ticksY = this.options.log ? decadeTicks(s.y0, s.y1, s.height / 34) : evenTicks(s.y0, s.y1, s.height / 34);
    pen.strokeStyle = colour("grid");
    pen.fillStyle = colour("soft");
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const decades = this.options.log && ticksY.every((tick) => Math.abs(Math.log10(tick) % 1) < 1e-9);
    for (const tick of ticksY) {
      const y = Math.round(s.y(tick)) + 0.5;
      pen.beginPath();
      pen.moveTo(margins.left, y);
      pen.lineTo(margins.left + s.width, y);
      pen.stroke();
      pen.fillText(decades ? powerOfTen(Math.round(Math.log10(tick))) : shown(tick), margins.left - 7, y);
    }
    pen.textBaseline = "top";
    pen.textAlign = "center";
    for (const tick of evenTicks(s.x0, s.x1, s.width / 80)) {
      const x = s.x(tick);
      pen.beginPath();
      pen.moveTo(x, margins.top + s.height);
      pen.lineTo(x, margins.top + s.height + 4);
      pen.stroke();
      pen.fillText(shown(tick), x, margins.top + s.height + 7);
    }
    pen.fillText(this.options.timeLabel(), margins.left + s.width / 2, margins.top + s.height + 23);
    if (!this.options.unit?.()) return;
    pen.save();
    pen.translate(9, margins.top + s.height / 2);
    pen.rotate(-Math.PI / 2);
    pen.textBaseline = "middle";
    pen.fillText(this.options.unit(), 0, 0);
    pen.restore();
  }

  /** Of many points in one pixel the lowest and the highest are drawn, so that no spike is lost. */
  drawSeries(pen, s, { x, y }, colour) {
    pen.strokeStyle = pen.fillStyle = colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = "round";
    pen.beginPath();
    let drawing = false, column = NaN, low = 0, high = 0, last = 0, alone;
    const flush = () => {
      if (low !== high) {
        pen.lineTo(column, low);
        pen.lineTo(column, high);
        pen.lineTo(column, last);
      }
    };
    for (let k = 0; k < y.length; ++k) {
      if (!Number.isFinite(y[k]) || (this.options.log && y[k] <= 0)) {
        if (drawing) flush();
        drawing = false;
        continue;
      }
      const px = Math.round(s.x(x[k]) * 2) / 2, py = s.y(y[k]);
      if (!drawing) pen.moveTo(px, py);
      else if (px !== column) {
        flush();
        pen.lineTo(px, py);
      }
      if (!drawing || px !== column) [column, low, high] = [px, py, py];
      low = Math.min(low, py);
      high = Math.max(high, py);
      last = py;
      drawing = true;
      alone = alone === undefined ? [px, py] : null;
    }
    if (drawing) flush();
    pen.stroke();
    if (!alone) return;
    pen.beginPath();
    pen.arc(alone[0], alone[1], 3, 0, 7);
    pen.fill();
  }

  timeAt(event) {
    const s = this.scales();
    const at = event.offsetX;
    return s && at >= margins.left && at <= margins.left + s.width ? s.time(at) : undefined;
  }

  hover(event) {
    const time = this.timeAt(event);
    if (time === undefined) return this.leave();
    const rows = this.series.map((one) => [one, nearest(one.x, time)]);
    this.hovered = rows[0][0].x[rows[0][1]];
    this.tip.replaceChildren(element("b", {}, `${this.options.timeName()} ${shown(this.hovered, 6)}`),
      ...rows.map(([one, k]) => element("div", {}, element("span", { class: `key ${one.colour}` }, one.name), ` ${shown(one.y[k])}`)));
    this.tip.hidden = false;
    const left = this.scales().x(this.hovered);
    this.tip.style.left = left > this.width / 2 ? "auto" : `${left + 12}px`;
    this.tip.style.right = left > this.width / 2 ? `${this.width - left + 12}px` : "auto";
    this.draw();
  }

  leave() {
    this.hovered = undefined;
    this.tip.hidden = true;
    this.draw();
  }
}

/** The index in a rising list whose value is nearest. */
function nearest(list, value) {
  let [low, high] = [0, list.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle;
    else high = middle;
  }
  return Math.abs(list[low] - value) <= Math.abs(list[high] - value) ? low : high;
}
