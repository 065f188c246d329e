// Density of the phase-space sheet as a file: what runs write, and `aureole density`.
#pragma once

#include "density/deposit/deposit.hpp"
#include "sim/core/units.hpp"
#include "sim/io/fields/grid_file.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

/// Geometry, fields and settings of a file of `grid`, which outlives them: Density where `mass`, and the
/// fields that `config` deposits; Method, BoxSize, CellVolume, TotalMass, Particles, and of tetrahedra
/// LatticeSide, LatticeAxes, FirstID, Precision and SignedVolume. Numbers are multiplied by `scales`.
io::GridContent grid_content(const density::DensityGrid& grid, const density::DepositConfig& config,
                             bool mass, std::size_t n_particles, Backend backend,
                             const UnitScales& scales = {});

/// Time, Redshift, Comoving, HubbleParam and the units of `header`, "of the snapshot", or "nbody".
void append_units(io::Attributes& settings, const io::SnapshotHeader& header,
                  const std::optional<UnitSystem>& units);

}  // namespace aureole::run
