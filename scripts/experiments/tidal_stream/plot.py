#!/usr/bin/env python3
"""The tidal stream: the sky from the halo's centre, distances and energies along it, beside a particle spray, and the bound mass of
the cluster. DIR is what `run` of this folder wrote."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402


def draw(options):
    try:
        import stream
        times, place, velocity, mass = stream.cluster(options.folder)
        _, x, v = stream.stars(sorted(options.folder.glob("snapshot_*.hdf5"))[-1])
        run, model, _, sprayed = stream.compare(options.folder)
    except (ImportError, OSError, KeyError, IndexError) as error:
        raise style.PlotError(f"{options.folder}: {error}; expected h5py, and what `run` of this folder writes") from error
    axes = stream.frame(place[-1], velocity[-1])
    scale = stream.tidal_radius(place[-1], velocity[-1], mass[-1]) * stream.SPEED**2 / np.linalg.norm(place[-1])
    energy_of_cluster = velocity[-1] @ velocity[-1] / 2 + stream.potential(place[-1])

    figure, panels = plt.subplots(2, 2, figsize=(2 * style.ONE_COLUMN, 4.4))
    sky, distance, energy, bound = panels.ravel()
    for (places, velocities), colour, label, found in ((sprayed, "C1", "particle spray", model), ((x, v), "C0", "run", run)):
        along, across, radius = stream.angles(places, axes)
        sky.plot(along, across, ".", markersize=1.2, markeredgewidth=0, color=colour, label=label, rasterized=True)
        distance.plot(along, radius, ".", markersize=1.2, markeredgewidth=0, color=colour, rasterized=True)
        e = ((velocities**2).sum(axis=1) / 2 + stream.potential(places) - energy_of_cluster) / scale
        away = np.linalg.norm(places - place[-1], axis=1) > 0.5
        energy.hist(e[away], bins=np.linspace(-6, 6, 61), density=True, histtype="step", color=colour, label=label)
        for name in stream.TAILS:
            sign = 1 if name == "leading" else -1
            angle = sign * np.linspace(0, found[name][1], 50)
            sky.plot(angle, np.polyval(found[name][4], angle), color=colour, linewidth=0.8)
    sky.set(xlabel="along the orbit [degrees]", ylabel="across [degrees]")
    sky.legend(markerscale=6)
    distance.set(xlabel="along the orbit [degrees]", ylabel="distance [kpc]")
    energy.set(xlabel=r"$(E - E_{cluster}) / (r_t\, d\Phi/dr)$", ylabel="share of the stars")
    bound.plot(0.9778 * times, mass / mass[0])
    bound.set(xlabel="time [Gyr]", ylabel="bound mass / first", ylim=(0, 1.05))
    for panel in (sky, distance):
        panel.margins(0.03)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "stream.png"))
