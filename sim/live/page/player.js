// The pictures of a run: the run's own, drawn from snapshots, or drawn as it goes on; played, sought, followed.

const picturesKept = 80;

class Player {
  /** `view`: the page, which knows the logs and has the charts. */
  constructor(view) {
    this.view = view;
    this.source = view.source;
    this.pictures = new Map(); // by key: {url, time}
    this.numbers = [];
    this.follow = true;
    this.build();
  }

  build() {
    this.image = element("img", { alt: "" });
    this.imageNote = element("div", { class: "note", hidden: true });
    this.slider = element("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "picture",
      oninput: () => this.seek(Number(this.slider.value)) });
    const icon = (text, title, call) => element("button", { class: "icon", title, "aria-label": title, onclick: call }, text);
    this.playButton = icon("▶\uFE0E", "play (space)", () => this.toggle());
    this.newestButton = element("button", { title: "always the newest picture (End)", onclick: () => this.seekNewest() }, "Newest");
    this.speed = element("select", { title: "pictures a second", onchange: () => this.playing && this.play() },
      ...[2, 5, 10, 25].map((n) => element("option", { value: n, selected: n === 10 }, `${n}/s`)));
    const choice = (title, options, call) => element("select", { title, "aria-label": title, hidden: true, onchange: call },
      ...options.map(([value, text]) => element("option", { value }, text)));
    this.kind = choice("which pictures", [], () => this.changeKind());
    this.axis = choice("line of sight", [["z", "along z"], ["y", "along y"], ["x", "along x"]], () => this.changeLook());
    this.colour = choice("colours", [["density", "density"], ["component", "components"], ["velocity", "velocity"]],
      () => this.changeLook());
    this.caption = element("output", { "aria-live": "off" });
    this.stepper = element("span", { class: "stepper" }, icon("«", "first (Home)", () => this.seek(0)), " ",
      icon("‹", "one back (left)", () => this.seek(this.index - 1)), " ", this.playButton, " ",
      icon("›", "one on (right)", () => this.seek(this.index + 1)), " ", this.newestButton);
    this.root = element("section", { class: "card", hidden: true },
      element("div", { class: "screen" }, this.image, this.imageNote),
      element("div", { class: "player" }, this.stepper, this.slider, this.speed, this.kind, this.axis, this.colour, this.caption));
    this.root.addEventListener("keydown", (event) => this.key(event));
  }

  setPictures(state) {
    const expand = (ranges) => (ranges || []).flatMap(([a, b]) => Array.from({ length: b - a + 1 }, (_, k) => a + k));
    const kinds = [];
    if (state.live) kinds.push(["live", "as it runs"]);
    if (state.pictures?.length) kinds.push(["picture", "the run's pictures"]);
    if (state.draws && state.snapshots?.length) kinds.push(["snapshot", "drawn from snapshots"]);
    if (kinds.map(([kind]) => kind).join() !== [...this.kind.options].map((option) => option.value).join()) {
      const before = this.kind.value;
      this.kind.replaceChildren(...kinds.map(([value, text]) => element("option", { value }, text)));
      if (kinds.some(([kind]) => kind === before)) this.kind.value = before;
    }
    this.kind.hidden = kinds.length < 2;
    this.root.hidden = kinds.length === 0;
    this.view.columns.classList.toggle("pictured", kinds.length > 0);
    if (!kinds.length) return;
    const isLive = this.kind.value === "live";
    const drawn = isLive || this.kind.value === "snapshot";
    this.axis.hidden = this.colour.hidden = !drawn;
    this.slider.hidden = this.stepper.hidden = this.speed.hidden = isLive;
    if (isLive) return this.showLive();
    this.numbers = expand(this.kind.value === "snapshot" ? state.snapshots : state.pictures);
    this.slider.max = this.numbers.length - 1;
    if (this.follow || this.index === undefined) this.index = this.numbers.length - 1;
    this.index = Math.min(Math.max(this.index, 0), this.numbers.length - 1);
    this.showPicture();
  }

  changeKind() {
    this.pause();
    this.follow = true;
    this.changeLook();
  }

  changeLook() {
    this.shownKey = undefined;
    this.setPictures(this.view.state);
  }

  key(event) {
    if (["SELECT", "INPUT"].includes(event.target.tagName) && event.key !== " ") return;
    const calls = { " ": () => this.toggle(), ArrowLeft: () => this.seek(this.index - 1), ArrowRight: () => this.seek(this.index + 1),
      Home: () => this.seek(0), End: () => this.seekNewest() };
    if (!calls[event.key] || event.target.tagName === "BUTTON" && event.key === " ") return;
    event.preventDefault();
    calls[event.key]();
  }

  seek(index) {
    if (!this.numbers.length) return;
    this.pause();
    this.move(Math.min(Math.max(index, 0), this.numbers.length - 1), false);
  }

  seekNewest() {
    this.pause();
    this.move(this.numbers.length - 1, true);
  }

  move(index, follow) {
    this.index = index;
    this.follow = follow;
    this.showPicture();
  }

  /** The picture at about this time: by the times of catalogues, which have the same numbers, or in proportion. */
  seekTime(time) {
    if (!this.numbers.length) return;
    const halos = this.view.logs.get("halos.csv"), energy = this.view.logs.get("energy.csv")?.get("time");
    if (halos?.rows) {
      const number = halos.get("number")[nearest(halos.get("time"), time)];
      return this.seek(nearest(this.numbers, number));
    }
    if (energy?.length > 1)
      this.seek(Math.round(((time - energy[0]) / (energy.at(-1) - energy[0])) * (this.numbers.length - 1)));
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  play() {
    this.pause();
    if (this.index >= this.numbers.length - 1) this.index = 0;
    this.follow = false;
    this.playButton.textContent = "❚❚";
    this.playButton.title = "pause (space)";
    this.playing = setTimeout(() => this.playOn(), 0);
  }

  async playOn() {
    const mine = this.playing, began = performance.now();
    await this.showPicture();
    if (this.playing !== mine) return;
    if (this.index >= this.numbers.length - 1) return this.seekNewest();
    this.load(this.keyOf(this.numbers[this.index + 1])).catch(() => {}); // while this one is looked at
    this.playing = setTimeout(() => {
      ++this.index;
      this.playOn();
    }, Math.max(0, 1000 / Number(this.speed.value) - (performance.now() - began)));
  }

  pause() {
    clearTimeout(this.playing);
    this.playing = undefined;
    this.playButton.textContent = "▶\uFE0E";
    this.playButton.title = "play (space)";
  }

  keyOf(number) {
    const drawn = this.kind.value !== "picture";
    return { kind: this.kind.value, number, axis: drawn ? this.axis.value : undefined, colour: drawn ? this.colour.value : undefined };
  }

  /** A picture, from the source or from those that were shown before. */
  async load(key) {
    const name = JSON.stringify(key);
    if (!this.pictures.has(name)) {
      const picture = await this.source.picture(key, this.view.progress?.began || "");
      if (!picture) return undefined;
      if (key.kind === "live") return picture;
      this.pictures.set(name, picture);
      if (this.pictures.size > picturesKept) {
        const [oldest, { url }] = this.pictures.entries().next().value;
        if (oldest !== this.shownKey) {
          if (url.startsWith("blob:")) URL.revokeObjectURL(url);
          this.pictures.delete(oldest);
        }
      }
    }
    return this.pictures.get(name);
  }

  async showPicture() {
    const number = this.numbers[this.index], key = this.keyOf(number), name = JSON.stringify(key);
    this.slider.value = this.index;
    this.newestButton.setAttribute("aria-pressed", String(this.follow));
    if (name === this.shownKey) return this.showCaption();
    const turn = (this.turn = (this.turn || 0) + 1);
    try {
      const waiting = setTimeout(() => turn === this.turn && this.note("loading …"), 400);
      const picture = await this.load(key).finally(() => clearTimeout(waiting));
      if (turn !== this.turn) return; // another one was asked for meanwhile
      if (!picture) return this.note(`picture ${number} is not there`);
      this.shownKey = name;
      await this.put(picture, `picture ${number}`);
      this.showCaption();
    } catch (error) {
      if (turn === this.turn) this.note(String(error.message || error));
    }
  }

  async put(picture, what) {
    this.image.src = picture.url;
    this.image.alt = `${what} ${picture.time || ""}`;
    await this.image.decode().catch(() => {});
    this.note("");
    const time = Number.parseFloat((picture.time || "").replace(/^[^0-9-]*/, ""));
    this.timeText = picture.time;
    this.shownTime = Number.isFinite(time) ? time : this.timeOf(this.numbers[this.index]);
    for (const chart of this.view.charts) chart.setMark(this.shownTime);
    const halos = this.view.logs.get("halos.csv");
    if (halos?.rows) this.view.showTable(halos);
  }

  /** By the catalogue of the same number, where the picture itself does not tell. */
  timeOf(number) {
    const halos = this.view.logs.get("halos.csv");
    const row = halos?.rows ? halos.get("number").indexOf(number) : -1;
    return row < 0 ? undefined : halos.get("time")[row];
  }

  showCaption() {
    const number = this.numbers[this.index];
    this.caption.textContent = `${this.kind.value === "snapshot" ? "snapshot" : "picture"} ${number}, ${this.index + 1} of ${this.numbers.length}${this.timeText ? `, ${this.timeText}` : ""}`;
  }

  /** One picture after the other as the run draws them, while the page is looked at. */
  async showLive() {
    if (this.drawing || document.hidden) return;
    this.drawing = true;
    try {
      const key = this.keyOf(), look = JSON.stringify(key);
      const picture = await this.source.picture(key, "", look === this.liveLook ? this.liveSequence : 0);
      if (picture && look === JSON.stringify(this.keyOf())) {
        [this.liveLook, this.liveSequence] = [look, picture.sequence];
        const before = this.liveUrl;
        await this.put(picture, "live picture");
        this.liveUrl = picture.url;
        if (before?.startsWith("blob:")) URL.revokeObjectURL(before);
        this.caption.textContent = picture.time || "";
      }
    } catch (error) {
      if (this.kind.value === "live") this.note(String(error.message || error));
    }
    this.drawing = false;
    clearTimeout(this.liveTimer);
    if (this.kind.value === "live" && !this.view.isLost) this.liveTimer = setTimeout(() => this.kind.value === "live" && this.showLive(), 250);
  }

  note(text) {
    this.imageNote.textContent = text;
    this.imageNote.hidden = !text;
  }

  forget() {
    for (const { url } of this.pictures.values()) if (url?.startsWith("blob:")) URL.revokeObjectURL(url);
    this.pictures.clear();
    this.shownKey = undefined;
  }
}
