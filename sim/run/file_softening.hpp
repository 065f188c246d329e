// The one rule of softening lengths: those of the configuration (gravity.softening, --softening), else those
// that the file of the particles states, else 0.
#pragma once

#include "sim/config/config.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

/// Gives the types that `gravity` says nothing of the lengths that `file` states for them, times
/// `length_scale` (from the file's unit to that of `gravity`); types of which the file says nothing get the
/// length of the type with most particles. Returns a note that names lengths, unit and
/// source, and what of the file was replaced; "" when the file states none for the types of its particles.
std::string settle_softening(GravityConfig& gravity, const io::Snapshot& file, double length_scale,
                             const std::string& length_unit);

/// The softening length for potentials inside halos, which have one for all types: the largest that the
/// configuration gives, else what the file states for the type with most particles (in a zoom, particles far
/// away have lengths that would smooth the halos away), else 0. In the file's unit.
double halo_softening(const Config& config, const io::Snapshot& file);

}  // namespace aureole::run
