#!/usr/bin/env python3
"""The restricted problem beside a live encounter: the stars of its first snapshot without mass, in the rigid fields of both
galaxies, whose centres follow the bulges of the live run. Writes DIR/stars.txt and DIR/run.yaml for `aureole run`.
usage: restricted.py LIVE DIR [KEY=VALUE...]"""
import pathlib
import sys

import tails

CONFIG = """# written by restricted.py
units: nbody
initial_conditions: {{model: file, file: stars.txt}}
gravity:
  solver: tree
  softening: 0.05
  external:
    fields:
{fields}integrator: {{timestep: {step}}}
run: {{end_time: {end}, checks: {{on_failure: warn}}}}
output: {{units: run, diagnostics: {{every: 1}}, snapshots: {{every: 1}}}}
"""
GALAXY = ["hernquist: {mass: 20, scale_radius: 8}", "hernquist: {mass: 0.2, scale_radius: 0.2}",
          "exponential_disk: {mass: 1, scale_length: 1, scale_height: 0.1, profile: sech2}"]


def main():
    live, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    time, x, v, _ = tails.stars(tails.snapshots(live)[0], velocities=True)
    if time != 0:
        sys.exit(f"{live}: the first snapshot is of time {time}, not 0")
    times, centres = tails.centres(live)
    fields = ""
    for path in centres:
        positions = ", ".join("[" + ", ".join(f"{c:.6f}" for c in place) + "]" for place in path)
        for one in GALAXY:
            fields += f"      - {{{one}, path: {{times: [{', '.join(f'{t:g}' for t in times)}], positions: [{positions}]}}}}\n"
    (folder / "stars.txt").write_text("".join(
        f"{k + 1} 1e-15 {' '.join(repr(float(c)) for c in (*a, *b))}\n" for k, (a, b) in enumerate(zip(x, v))))
    (folder / "run.yaml").write_text(CONFIG.format(fields=fields, step=0.05, end=f"{times[-1]:g}"))


if __name__ == "__main__":
    main()
