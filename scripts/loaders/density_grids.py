"""A uniform grid of `aureole density` as a data set of yt (tried with yt 4.4.3).

    from density_grids import load_grid
    ds = load_grid("density.hdf5")
    yt.ProjectionPlot(ds, "z", ("stream", "Density")).save()
"""
import h5py
import numpy as np
import yt


def load_grid(path):
    """Fields ("stream", "Density"), Velocity_x, ... in the units of the snapshot; unit lengths where these are unknown."""
    with h5py.File(path) as file:
        of = {name: file.attrs[name] for name in file.attrs}
        field = {name: file[name][:] for name in file if getattr(file[name], "ndim", 0) >= 3}
    units = {"Density": "code_mass/code_length**3", "Velocity": "code_velocity", "VelocityDispersion": "code_velocity"}
    data = {}
    for name, cells in field.items():
        for suffix, one in zip(("_x", "_y", "_z"), cells.transpose(3, 0, 1, 2)) if cells.ndim == 4 else [("", cells)]:
            data["stream", name + suffix] = (one.astype(float), units.get(name, ""))
    length, mass, speed = (of.get("Unit" + name, 1.0) for name in ("Length_in_cm", "Mass_in_g", "Velocity_in_cm_per_s"))
    whole = tuple(bool(high - low == of["BoxSize"]) for low, high in zip(of["RegionLow"], of["RegionHigh"]))
    return yt.load_uniform_grid(data, of["Cells"], length_unit=(length, "cm"), mass_unit=(mass, "g"),
                                velocity_unit=(speed, "cm/s"), time_unit=(length / speed, "s"), sim_time=of["Time"],
                                bbox=np.transpose([of["RegionLow"], of["RegionHigh"]]), periodicity=whole)
