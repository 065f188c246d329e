// Snapshots out: Gadget-dialect HDF5 that yt, pynbody, Gadgetviewer and GADGET-4 read without hints.
#pragma once

#include <span>

#include "sim/io/provenance.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

struct SnapshotContent {
    SnapshotHeader header;                  ///< in file units already, units set
    UnitScales scales;                      ///< from the particles' numbers to the file's
    bool compress = false;                  ///< packed chunks: smaller, slower
    bool potential = false;                 ///< store Potential (particles.potential is valid)
    bool acceleration = false;              ///< store Acceleration
    std::span<const std::int32_t> group{};  ///< per particle: catalogue row or -1; stored as FOFGroupIDs
    std::array<double, n_particle_types> softening{};  ///< in the particles' unit of length
    Provenance provenance;
};

/// Writes `host` to `file` (kpc, 1e10 Msun, km/s or what header.units says), parted by type, the given
/// sequence kept inside each type. Component indices are kept as /PartTypeK/ComponentIDs when there is more
/// than one. Written under a temporary name and renamed when complete; throws IoError naming the file.
void write_snapshot(const std::filesystem::path& file, const Particles& host, const SnapshotContent& content);

}  // namespace aureole::io
