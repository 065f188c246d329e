// One snapshot in memory, whatever file it came from: particles in the file's own numbers, and what the
// header said.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/core/units.hpp"

namespace aureole::io {

struct SnapshotHeader {
    double time = 0;  ///< in length / velocity; the scale factor when comoving
    double redshift = 0;
    double box_size = 0;  ///< 0 when isolated
    double omega0 = 0, omega_lambda = 0, omega_baryon = 0;
    double hubble = 1;
    bool comoving = false;            ///< Redshift > 0, Omega0 > 0, ComovingIntegrationOn or tipsy's bComove
    std::optional<UnitSystem> units;  ///< nothing when the file does not say

    /// Comoving files: power of h in lengths and masses, power of a in velocities. Gadget's; SWIFT has 0 and
    /// 0.
    double h_exponent = -1, velocity_a_exponent = 0.5;
};

struct Snapshot {
    std::string
        format;  ///< as a user would name it: "Gadget HDF5", "Gadget binary (format 1, big-endian)", ...
    SnapshotHeader header;
    Particles particles;  ///< host memory, file order: type by type; numbers as stored
    std::vector<std::string>
        dropped_fields;              ///< what the file holds and we do not carry, as /PartType0/Density
    bool has_velocities = true;      ///< false: of some type the file holds none, and they are zero
    std::vector<std::string> notes;  ///< what was assumed or odd, one sentence each
};

/// Reads any readable file, told apart by content, never by name. Throws IoError naming file, block and
/// particle: for truncated or corrupt files, counts that contradict the size, non-finite numbers, repeated or
/// missing parts. Allocates no more than the file's size explains.
Snapshot read_snapshot(const std::filesystem::path& file);

/// Particle numbers by type.
std::array<std::uint64_t, n_particle_types> count_by_type(const Particles& host);

}  // namespace aureole::io
