"""Fields and snapshots as data sets of yt."""
import numpy as np

UNITS = {"density": "code_mass/code_length**3", "mass": "code_mass", "velocity": "code_velocity", "dispersion": "code_velocity"}


def _stream_fields(fields, dimensions):
    """Names and arrays of yt, with units: one for each component, of arrays with so many dimensions."""
    data = {}
    for name, values in fields.items():
        values = np.asarray(values, dtype=np.float64)
        parts = zip(("_x", "_y", "_z"), np.moveaxis(values, -1, 0)) if values.ndim > dimensions else [("", values)]
        data |= {("stream", name + suffix): (np.ascontiguousarray(part), UNITS.get(name, "")) for suffix, part in parts}
    return data


def load_field(field, **units):
    """yt.load_uniform_grid() of a Field: fields ("stream", name) in code units."""
    import yt

    edges = [np.asarray(edge) for edge in field.edges]
    return yt.load_uniform_grid(_stream_fields(field, 3), field.shape, bbox=np.array([[edge[0], edge[-1]] for edge in edges]),
                                **units)


def load_octree_field(field, **units):
    """yt.load_amr_grids() of an OctreeField: a grid for each node, fields ("stream", name) in code units."""
    import yt

    low, size, n = np.asarray(field.low), np.asarray(field.size), [field.patch] * 3
    data = _stream_fields(field, 4)
    grids = [{"left_edge": low[k], "right_edge": low[k] + size[k], "level": int(field.level[k]), "dimensions": n} |
             {name: (values[k], unit) for name, (values, unit) in data.items()} for k in range(len(size))]
    return yt.load_amr_grids(grids, n, bbox=np.column_stack((low[0], low[0] + size[0])), refine_by=2,
                             periodicity=(bool(size[0] == np.asarray(field.box)),) * 3, **units)


def load_snapshot(snapshot):
    """yt.load_particles() of a Snapshot, in its own units."""
    import yt

    length, mass, velocity = snapshot.units or (1.0, 1.0, 1.0)
    data = {("io", "particle_mass"): np.array(snapshot.mass), ("io", "particle_index"): np.array(snapshot.ids).astype(np.int64)}
    for k, axis in enumerate("xyz"):
        data["io", "particle_position_" + axis] = np.array(snapshot.pos[:, k])
        if snapshot.vel is not None:
            data["io", "particle_velocity_" + axis] = np.array(snapshot.vel[:, k])
    if snapshot.box:
        bbox = np.array([[0.0, snapshot.box]] * 3)
    else:
        low, high = snapshot.pos.min(axis=0), snapshot.pos.max(axis=0)
        margin = 0.01 * (high - low).max() or 1.0
        bbox = np.column_stack((low - margin, high + margin))
    return yt.load_particles(data, length_unit=(length, "cm"), mass_unit=(mass, "g"), velocity_unit=(velocity, "cm/s"), bbox=bbox,
                             sim_time=0.0, periodicity=(bool(snapshot.box),) * 3)
