// What a snapshot or a catalogue says of itself, as a dictionary of Python and back.
#pragma once

#include <nanobind/nanobind.h>

#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::python {

/// (length in cm, mass in g, velocity in cm/s), or None.
nanobind::object units_of(const std::optional<UnitSystem>& units);

nanobind::dict header_of(const io::SnapshotHeader& header);

/// Entries that `header` lacks are those of a system that is isolated; units are left out.
io::SnapshotHeader header_from(const nanobind::dict& header);

/// The part of bind_files() for catalogues.
void bind_catalogue_files(nanobind::module_& module);

}  // namespace aureole::python
