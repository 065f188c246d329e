#!/usr/bin/env python3
"""The merger tree of a run's subhalos: each is linked to that one of the next catalogue which holds its core.

    tree.py DIR      writes DIR/tree.csv, a row per subhalo and time

A member votes for the subhalo that holds it later, with weight 1 / rank^(2/3) in the order of binding energy, so that a
stripped satellite follows what is still bound. Of the subhalos that come together in one, the main progenitor is that with
the largest sum of masses along its own history (both: De Lucia & Blaizot 2007, MNRAS 375, 2). A subhalo that is lost in one
catalogue is found again in the one after it when its core lies there in a subhalo without progenitor. A branch is a
subhalo with its main progenitors; branch 0 ends in the largest subhalo of the last catalogue.
"""
import csv
import pathlib
import sys

import h5py
import numpy as np

COLUMNS = ["row", "time", "catalogue", "subhalo", "group", "members", "mass", "x", "y", "z", "descendant", "fraction",
           "main_progenitor", "branch"]


def catalogue(tab, time):
    """Subhalos of a catalogue: dictionaries of CSV columns, and `ids`, the most bound member first."""
    number = number_of(tab)
    with h5py.File(tab) as file, h5py.File(tab.with_name(f"snapshot_{number:03}.hdf5")) as snapshot:
        subhalos = file["Subhalo"]
        if "SubhaloLenType" not in subhalos:
            return []
        ids = {kind: snapshot[f"PartType{kind}/ParticleIDs"][:] for kind in range(6) if f"PartType{kind}" in snapshot}
        fields = {name: subhalos[name][:] for name in ["SubhaloLenType", "SubhaloOffsetType", "SubhaloMass", "SubhaloPos",
                                                       "SubhaloGroupNr"]}
    rows = []
    for k, (length, offset) in enumerate(zip(fields["SubhaloLenType"], fields["SubhaloOffsetType"])):
        members = np.concatenate([ids[kind][offset[kind]:offset[kind] + length[kind]] for kind in ids])
        rows.append({"time": time, "catalogue": number, "subhalo": k, "group": fields["SubhaloGroupNr"][k],
                     "members": len(members), "mass": fields["SubhaloMass"][k],
                     **dict(zip("xyz", fields["SubhaloPos"][k])), "ids": members})
    return rows


def number_of(tab):
    return int(tab.stem.rsplit("_", 1)[1])


def times(folder):
    """Time of each catalogue by its number, in units of the run."""
    with open(folder / "halos.csv") as log:
        return {int(row["number"]): float(row["time"]) for row in csv.DictReader(log)}


def descendant_of(ids, owners):
    """Number of the later subhalo that holds the core of these members, and the share of them that it holds;
    (-1, 0) when none of them is in a subhalo. `owners`: sorted ids and their subhalos."""
    sorted_ids, holders = owners
    if len(sorted_ids) == 0:
        return -1, 0.0
    place = np.searchsorted(sorted_ids, ids).clip(max=len(sorted_ids) - 1)
    found = sorted_ids[place] == ids
    if not found.any():
        return -1, 0.0
    votes = np.bincount(holders[place[found]], weights=(1.0 + np.flatnonzero(found))**(-2 / 3))
    best = int(votes.argmax())
    return best, np.count_nonzero(holders[place[found]] == best) / len(ids)


def owners_of(rows):
    """What descendant_of() searches: ids of all members in order, and for each the place of its subhalo in `rows`."""
    if not rows:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    ids = np.concatenate([row["ids"] for row in rows])
    holders = np.repeat(np.arange(len(rows)), [len(row["ids"]) for row in rows])
    order = np.argsort(ids)
    return ids[order], holders[order]


def link(before, after):
    """Sets descendant (a row of the tree) and fraction of the rows `before`."""
    owners = owners_of(after)
    for row in before:
        best, row["fraction"] = descendant_of(row["ids"], owners)
        row["descendant"] = after[best]["row"] if best >= 0 else -1


def bridge(rows, catalogues):
    """Links over one catalogue what ends there and has its core, one later, in a subhalo without progenitor."""
    main = main_progenitors(rows)
    orphans = set(range(len(rows))) - {row["descendant"] for row in rows}
    for before, later in zip(catalogues, catalogues[2:]):
        owners = owners_of(later)
        for row in before:
            best, fraction = descendant_of(row["ids"], owners)
            if main.get(row["descendant"]) == row["row"] or best < 0 or later[best]["row"] not in orphans:
                continue
            row["descendant"], row["fraction"] = later[best]["row"], fraction
            orphans.remove(row["descendant"])


def main_progenitors(rows):
    """Of each row that has progenitors, the one with the most mass along its history. Rows are in the order of time."""
    history, main = {}, {}
    for row in rows:
        number, child = row["row"], row["descendant"]
        history[number] = row["mass"] + (history[main[number]] if number in main else 0)
        if child >= 0 and (child not in main or history[number] > history[main[child]]):
            main[child] = number
    return main


def name_branches(rows):
    """Sets main_progenitor and branch: numbers go to the ends of branches, the latest and largest first."""
    main = main_progenitors(rows)
    count = 0
    for row in sorted(rows, key=lambda row: (-row["catalogue"], -row["members"], row["row"])):
        child = row["descendant"]
        row["main_progenitor"] = int(child >= 0 and main[child] == row["row"])
        row["branch"] = rows[child]["branch"] if row["main_progenitor"] else count
        count += 1 - row["main_progenitor"]


def merger_tree(folder):
    """Rows of the tree, dictionaries of COLUMNS, earliest first."""
    time = times(folder)
    rows, catalogues = [], []
    for tab in sorted(folder.glob("fof_subhalo_tab_*.hdf5"), key=number_of):
        catalogues.append(catalogue(tab, time[number_of(tab)]))
        for row in catalogues[-1]:
            row.update(row=len(rows), descendant=-1, fraction=0.0)
            rows.append(row)
    for before, after in zip(catalogues, catalogues[1:]):
        link(before, after)
    bridge(rows, catalogues)
    name_branches(rows)
    return rows


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: scripts/experiments/merger_halos/tree.py DIR")
    folder = pathlib.Path(sys.argv[1])
    try:
        rows = merger_tree(folder)
    except (OSError, KeyError) as error:
        sys.exit(f"tree.py: {folder}: {error}; expected snapshots, catalogues and halos.csv of a run")
    if not rows:
        sys.exit(f"tree.py: {folder}: no subhalos in catalogues fof_subhalo_tab_NNN.hdf5; expected a run with halos.substructure")
    with open(folder / "tree.csv", "w", newline="") as file:
        table = csv.DictWriter(file, COLUMNS, extrasaction="ignore", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    print(f"{len(rows)} subhalos of {1 + rows[-1]['catalogue']} catalogues in {1 + max(row['branch'] for row in rows)} branches: "
          f"{folder / 'tree.csv'}")


if __name__ == "__main__":
    main()
