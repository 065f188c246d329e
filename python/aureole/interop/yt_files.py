"""Files of `aureole density` as data sets of yt (tried with yt 4.4.3). It needs h5py and yt alone.

    from aureole.interop.yt_files import load_grid, load_octree
    ds = load_grid("density.hdf5")
    yt.ProjectionPlot(ds, "z", ("stream", "Density")).save()
"""
import h5py
import numpy as np
import yt

UNITS = {"Density": "code_mass/code_length**3", "Velocity": "code_velocity", "VelocityDispersion": "code_velocity"}


def load_grid(path):
    """Fields ("stream", "Density"), Velocity_x, ... in the units of the snapshot; unit lengths where these are unknown."""
    with h5py.File(path) as file:
        of = {name: file.attrs[name] for name in file.attrs}
        field = {name: file[name][:] for name in file if getattr(file[name], "ndim", 0) >= 3}
    data = {}
    for name, cells in field.items():
        for suffix, one in zip(("_x", "_y", "_z"), cells.transpose(3, 0, 1, 2)) if cells.ndim == 4 else [("", cells)]:
            data["stream", name + suffix] = (one.astype(float), UNITS.get(name, ""))
    length, mass, speed = (of.get("Unit" + name, 1.0) for name in ("Length_in_cm", "Mass_in_g", "Velocity_in_cm_per_s"))
    whole = tuple(bool(high - low == of["BoxSize"]) for low, high in zip(of["RegionLow"], of["RegionHigh"]))
    return yt.load_uniform_grid(data, of["Cells"], length_unit=(length, "cm"), mass_unit=(mass, "g"),
                                velocity_unit=(speed, "cm/s"), time_unit=(length / speed, "s"), sim_time=of["Time"],
                                bbox=np.transpose([of["RegionLow"], of["RegionHigh"]]), periodicity=whole)


def load_octree(path):
    """Fields ("stream", "Density"), Velocity_x, ... in the units of the snapshot; each node is a grid of yt."""
    with h5py.File(path) as file:
        of = {name: file.attrs[name] for name in file.attrs}
        low, size, level = (file["Nodes"][name][:] for name in ("Low", "Size", "Level"))
        field = {name: file[name][:].swapaxes(1, 3) for name in file if isinstance(file[name], h5py.Dataset)}
    n = [int(of["PatchCells"])] * 3
    grids = [{"left_edge": x, "right_edge": x + side, "level": int(of_root), "dimensions": n}
             for x, side, of_root in zip(low, size, level)]
    for name, nodes in field.items():
        for suffix, one in zip(("_x", "_y", "_z"), np.moveaxis(nodes, 4, 0)) if nodes.ndim == 5 else [("", nodes)]:
            for grid, cells in zip(grids, one):
                grid["stream", name + suffix] = (cells.astype(float), UNITS.get(name, ""))
    length, mass, speed = (of.get("Unit" + name, 1.0) for name in ("Length_in_cm", "Mass_in_g", "Velocity_in_cm_per_s"))
    return yt.load_amr_grids(grids, n, bbox=np.transpose([low[0], low[0] + size[0]]), refine_by=2, sim_time=of["Time"],
                             length_unit=(length, "cm"), mass_unit=(mass, "g"), velocity_unit=(speed, "cm/s"),
                             time_unit=(length / speed, "s"), periodicity=(bool(size[0] == of["BoxSize"]),) * 3)
