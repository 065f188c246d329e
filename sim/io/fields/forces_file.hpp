// Accelerations and potentials of particles, by which two solvers or two codes are compared.
#pragma once

#include "sim/core/particles.hpp"
#include "sim/io/hdf5/hdf5_file.hpp"
#include "sim/io/provenance.hpp"

namespace aureole::io {

struct ForcesContent {
    double acceleration_scale = 1, potential_scale = 1;  ///< from the particles' numbers to the file's
    double gravitational_constant = 1;                   ///< in the file's units; attribute G
    Attributes settings;                                 ///< attributes of the file's root
    Provenance provenance{};
};

/// Writes /Accelerations [N,3], /Potentials [N] (float64) and /ParticleIDs [N] of `host` (in host memory; the
/// index where ids are absent), in its order. Renamed when complete; throws IoError naming the file.
void write_forces(const std::filesystem::path& file, ConstParticlesView host, const ForcesContent& content);
inline void write_forces(const std::filesystem::path& file, const Particles& host,
                         const ForcesContent& content)
{
    write_forces(file, host.view(), content);
}

}  // namespace aureole::io
