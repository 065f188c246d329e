// The page below a cell of a notebook (anywidget): its source is the kernel.

class NotebookSource {
  constructor(model) {
    this.model = model;
    this.waiting = new Map();
    this.asked = 0;
    model.on("msg:custom", (answer, buffers) => {
      this.waiting.get(answer.id)?.(answer, buffers);
      this.waiting.delete(answer.id);
    });
  }

  /** A request to the kernel, which answers when it is not busy with a cell. */
  ask(what, query) {
    const id = `${this.asked++} ${Math.random()}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, (answer, buffers) => (answer.error ? reject(new Error(answer.error)) : resolve({ ...answer, buffers })));
      this.model.send({ id, what, ...query });
    });
  }

  async log(name, from, most) {
    const text = this.model.get("logs")[name];
    if (text === undefined) return (await this.ask("log", { name, from, most })).rows;
    const header = text.slice(0, text.indexOf("\n") + 1);
    return { text: header + text.slice(Math.max(from, header.length)), next: text.length };
  }

  async picture(key, version, after) {
    if (key.kind === "live") return this.livePicture(key, after);
    const { found, time, buffers } = await this.ask("picture", key);
    return found ? { url: imageUrl(buffers[0]), time } : undefined;
  }

  async livePicture({ axis, colour }, after) {
    if (this.model.get("axis") !== axis || this.model.get("colour") !== colour) {
      this.model.set({ axis, colour });
      this.model.save_changes();
    }
    const [number, picture, time] = this.model.get("frame");
    if (number > after || after === undefined) return { url: imageUrl(picture), time, sequence: number };
    await new Promise((resolve) => {
      const next = () => {
        this.model.off("change:frame", next);
        resolve();
      };
      this.model.on("change:frame", next);
    });
    return this.livePicture({ axis, colour }, after);
  }
}

const imageUrl = (bytes) => URL.createObjectURL(new Blob([bytes], { type: "image/png" }));

function render({ model, el }) {
  const root = element("div");
  el.append(root);
  const view = new LiveView(root, new NotebookSource(model));
  const show = () => model.get("state") && view.setState(JSON.parse(model.get("state")));
  model.on("change:state", show);
  show();
  return () => {
    model.off("change:state", show);
    view.destroy();
  };
}

export default { render };
