// The page in a browser: its source is the server that it came from.

class ServerSource {
  constructor(token) {
    this.token = token;
    this.control = (what) => this.get("control", { do: what }, { method: "POST" });
  }

  address(path, query = {}) {
    const given = Object.entries({ ...query, token: this.token }).filter(([, value]) => value !== undefined);
    return `${path}?${new URLSearchParams(given)}`;
  }

  async get(path, query, options = {}) {
    const response = await fetch(this.address(path, query), options);
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error((await response.text()).trim() || `the server says ${response.status}`);
    return response;
  }

  async log(name, from, most) {
    const response = await this.get("log", { name, from, most });
    return response && { text: await response.text(), next: Number(response.headers.get("X-Next")) };
  }

  async picture({ kind, number, axis, colour }, version, after) {
    const response = kind === "picture" ? await this.get("picture", { number, version })
      : await this.get("frame", { kind, number, axis, colour, version: kind === "live" ? undefined : version, after });
    return response && { url: URL.createObjectURL(await response.blob()), time: response.headers.get("X-Time") || "",
      sequence: Number(response.headers.get("X-Sequence") || 0) };
  }

  /** Events as they come; a lost connection is tried again until it is there. */
  follow(view) {
    const events = new EventSource(this.address("events"));
    events.onmessage = (event) => view.setState(JSON.parse(event.data));
    events.onerror = () => {
      events.close();
      view.lost("The connection is lost: trying again …");
      setTimeout(() => this.retry(view), 1500);
    };
  }

  async retry(view) {
    try {
      await this.get("state", {});
      this.follow(view);
    } catch (error) {
      const refused = /token/.test(error.message);
      view.lost(refused ? "The program was started anew with another token: open the address that it printed."
        : view.progress && view.progress.status !== "running"
          ? "The program has ended. `aureole watch DIR` shows the run; this page connects when its address is served again."
          : "The connection is lost: trying again …", refused);
      setTimeout(() => this.retry(view), refused ? 5000 : 1500);
    }
  }
}

const place = document.getElementById("aureole-live");
if (place) {
  const source = new ServerSource(new URLSearchParams(location.search).get("token") || "");
  const view = new LiveView(place, source);
  addEventListener("keydown", (event) => event.target === document.body && view.player.key(event));
  source.follow(view);
}
