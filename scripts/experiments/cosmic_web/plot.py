#!/usr/bin/env python3
"""The plane of cells through the densest one, by tetrahedra, CIC and NGP, and the volume at each density, from DIR/METHOD.hdf5
(`run` writes them); DIR/rendering.png stands beside them where there is one, and below first, middle and last frames of a zoom."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "plot"))
import style  # noqa: E402
from style import np, plt  # noqa: E402

import h5py  # noqa: E402

NAMES = {"elements": "elements", "cic": "CIC", "ngp": "NGP"}
RANGE = 10.0 ** np.array([-1.5, 3])  # of the mean density


def read_density(folder, method):
    try:
        with h5py.File(folder / f"{method}.hdf5") as file:
            density = file["Density"][:]
            return density / density.mean(), file.attrs["RegionHigh"][0]
    except (OSError, KeyError) as error:
        raise style.PlotError(f"{folder / method}.hdf5: {error}; cosmic_web/run writes it") from error


def draw_plane(axes, plane, side, name):
    shown = np.log10(np.clip(plane, *RANGE))
    image = axes.imshow(shown.T, origin="lower", extent=(0, side, 0, side), cmap="inferno",
                        vmin=np.log10(RANGE[0]), vmax=np.log10(RANGE[1]), interpolation="nearest")
    axes.set(title=f"{name}: {100 * (plane == 0).mean():.0f} % empty", xlabel="$x$ [Mpc/$h$]")
    axes.title.set_size(9)
    return image


def draw_volumes(axes, fields):
    edges = np.logspace(-2.5, 3.5, 61)
    for name, density in fields.items():
        volume = np.histogram(density, edges)[0] / density.size / np.diff(np.log10(edges))
        axes.loglog(np.sqrt(edges[1:] * edges[:-1]), np.where(volume > 0, volume, np.nan), drawstyle="steps-mid", label=name)
    axes.set(xlabel="density / mean", title="volume per decade", ylim=(1e-5, 5))
    axes.title.set_size(9)
    axes.legend(loc="upper right", fontsize=7)


def draw_zoom(axes, frames):
    if not frames:
        return
    for k, one in enumerate(axes):
        frame = round(k * (len(frames) - 1) / (len(axes) - 1))
        one.imshow(plt.imread(frames[frame]))
        one.set(title=f"octree, frame {frame + 1} of {len(frames)} of a zoom", xticks=[], yticks=[])
        one.title.set_size(9)


def draw(options):
    fields = {}
    for method, name in NAMES.items():
        fields[name], side = read_density(options.folder, method)
    layer = np.unravel_index(fields["elements"].argmax(), fields["elements"].shape)[2]
    rendering = options.folder / "rendering.png"
    frames = sorted(options.folder.glob("zoom_*.png"))
    panels = 4 + rendering.exists()
    figure, grid = plt.subplots(1 + bool(frames), panels, squeeze=False, figsize=(2.35 * panels, 2.5 * (1 + bool(frames))))
    axes = grid[0]
    draw_zoom(grid[-1], frames)
    for one, (name, density) in zip(axes, fields.items()):
        image = draw_plane(one, density[:, :, layer], side, name)
    axes[0].set_ylabel("$y$ [Mpc/$h$]")
    figure.colorbar(image, ax=axes[2], label="log density / mean", fraction=0.046)
    draw_volumes(axes[3], fields)
    if rendering.exists():
        axes[4].imshow(plt.imread(rendering))
        axes[4].set(title="emission and absorption", xticks=[], yticks=[])
        axes[4].title.set_size(9)
    return figure


if __name__ == "__main__":
    style.run(draw, style.command_line(" ".join(__doc__.split()), "web.png"))
