"""Merger trees of runs: halos, their descendants and progenitors, and their tracks through all catalogues."""
import pathlib

import numpy as np

from . import _run
from ._errors import ArgumentError
from .catalogue import Table
from .io import _called

__all__ = ["MergerTrees", "load_trees"]


def load_trees(path) -> "MergerTrees":
    """The merger trees of a run.

    Parameters
    ----------
    path : a file of trees of ``aureole run`` or ``aureole trees``, or GADGET-4's (``trees.hdf5``); or its directory

    Returns
    -------
    MergerTrees

    Raises
    ------
    FileError
        A file that is absent or damaged, holds no trees, or whose pointers lead out of their tree; ``error.path`` is the file.

    Examples
    --------
    >>> trees = aureole.load_trees("encounter")
    >>> main = trees.main_branch(trees.roots[0])            # the first halo of the first tree, back in time
    >>> trees.time_of(main), trees["SubhaloMass"][main]
    """
    path = pathlib.Path(path)
    return MergerTrees(*_called(_run.read_trees, path / "trees.hdf5" if path.is_dir() else path))


class MergerTrees:
    """Halos of all catalogues in the rows of one table: a halo is a row, and methods take and give rows.

    Attributes
    ----------
    halos : Table
        A row per halo, tree after tree, in each depth first: ``SnapNum``, ``SubhaloMass``, ``TrackId`` and others
        (docs/merger_trees.md), in Mpc/h, 1e10 Msun/h and km/s. ``trees["SubhaloMass"]`` is a column of it.
    tracks : Table
        A row per ``TrackId``: birth, death, what it merged into, the largest mass; empty for files of other codes.
    descendant, main_progenitor : int64 (rows,)
        The row of what a halo is in the next catalogue, or is merged into; of what it was in the one before; -1 for none.
    tree : int64 (rows,), the tree of each halo
    start : int64 (trees + 1,): the rows of tree k are those from start[k] to start[k + 1] - 1
    times, redshifts : float64, by number of the catalogue; NaN where there is none
    """

    def __init__(self, trees, times, halos, tracks):
        table, self.halos, self.tracks = Table(trees), Table(halos), Table(tracks)
        self.times, self.redshifts = (np.asarray(Table(times)[name]) for name in ("Time", "Redshift"))
        length = np.asarray(table["Length"]) if len(table) else np.empty(0, np.int64)
        self.start = np.concatenate(([0], np.cumsum(length))).astype(np.int64)
        self.tree = np.repeat(np.arange(len(length)), length)
        self.descendant, self.main_progenitor, self._first, self._next = (
            self._rows(name) for name in ("TreeDescendant", "TreeMainProgenitor", "TreeFirstProgenitor", "TreeNextProgenitor"))
        for array in (self.start, self.tree, self.descendant, self.main_progenitor):
            array.flags.writeable = False

    def _rows(self, name):
        """Places within a tree as rows."""
        if self.halos.rows == 0:
            return np.empty(0, np.int64)
        place = np.asarray(self.halos[name])
        return np.where(place < 0, -1, place + self.start[self.tree])

    def __getitem__(self, name):
        return self.halos[name]

    def __len__(self):
        """How many trees there are."""
        return len(self.start) - 1

    @property
    def roots(self):
        """Rows of the halos without a descendant; int64."""
        return np.flatnonzero(self.descendant < 0)

    def time_of(self, rows):
        """The times of halos (the scale factors of a run in an expanding universe)."""
        return self.times[np.asarray(self.halos["SnapNum"])[rows]]

    def _row(self, row):
        row = int(row)
        if not 0 <= row < self.halos.rows:
            raise ArgumentError(f"row: found {row}, expected one of the {self.halos.rows} halos, from 0 on")
        return row

    def main_branch(self, row):
        """Rows of a halo, of itself in the catalogue before, and so on back in time; int64."""
        return self._along(self.main_progenitor, row)

    def future(self, row):
        """Rows of a halo, of its descendant, and so on to the end of the run; int64."""
        return self._along(self.descendant, row)

    def _along(self, pointer, row):
        rows = [self._row(row)]
        while pointer[rows[-1]] >= 0:
            if len(rows) > self.halos.rows:
                raise ArgumentError(f"row: found {row}, whose branch returns to itself, expected one that ends")
            rows.append(int(pointer[rows[-1]]))
        return np.array(rows)

    def progenitors(self, row):
        """Rows of the halos that descend to one at its next step, the main one first; int64."""
        main = self.main_progenitor[self._row(row)]
        rows, at = [], self._first[row]
        while at >= 0 and len(rows) <= self.halos.rows:
            rows.append(int(at))
            at = self._next[at]
        return np.array(sorted(rows, key=lambda one: one != main), dtype=np.int64)  # the others keep their order

    def mergers(self, row):
        """Rows of the halos that fell into the main branch of one, the latest first; int64."""
        found = [self.progenitors(one) for one in self.main_branch(row)]
        return np.concatenate([rows[rows != self.main_progenitor[one]] for one, rows in zip(self.main_branch(row), found)])

    def track(self, track_id):
        """Rows of the halo with that number for life, in the order of time; int64."""
        rows = np.flatnonzero(np.asarray(self.halos["TrackId"]) == track_id)
        if len(rows) == 0:
            raise ArgumentError(f"track_id: found {track_id}, expected one of the {self.tracks.rows} tracks, from 0 on")
        return rows[np.argsort(np.asarray(self.halos["SnapNum"])[rows], kind="stable")]

    def __repr__(self):
        return f"<MergerTrees: {len(self)} trees, {self.halos.rows} halos, {self.tracks.rows} tracks>"
