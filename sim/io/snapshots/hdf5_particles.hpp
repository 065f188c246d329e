// The groups /PartTypeK of a snapshot, which all layouts of HDF5 share.
#pragma once

#include <functional>

#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {

/// The attribute of a dataset whose numbers were rounded: how many digits of the binary fraction are left.
inline constexpr char mantissa_bits_attribute[] = "MantissaBits";

/// One snapshot that is being written.
struct Hdf5Particles {
    Hdf5File& file;
    const ConstParticlesView host;
    const SnapshotContent& content;
    const SnapshotHeader header;  ///< completed
    const std::array<std::uint64_t, n_particle_types> counts;

    std::span<const Index> order;  ///< the sequence inside each type; empty: as they are

    /// Writes what tells readers the meaning of a dataset: path, description, dimension, powers of a and h.
    std::function<void(const std::string&, const char*, const Dimension&, CosmologicalExponents)> describe;
};

/// Throws ArgumentError naming `file` when `content` promises what the particles do not have.
void expect_complete(const std::filesystem::path& file, ConstParticlesView host,
                     const SnapshotContent& content);

/// Masses by type as the header states them: 0 where they are stored with each particle. Throws IoError when
/// masses are left out and a type has several.
std::array<double, n_particle_types> mass_table(const Hdf5Particles& w);

/// Softening lengths as /Parameters of GADGET-4 state them.
void write_softening(const Hdf5Particles& w);

/// Makes /PartTypeK for each type that has particles in this file.
void write_particle_types(const Hdf5Particles& w);

/// As write_snapshot() of the particles order[0], order[1], ... of `host`, which names each once: they are
/// gathered as they are written, so that no copy in that order is needed. `content.group` is per particle of
/// `host`. Memory besides: an index per particle.
void write_snapshot_in_order(const std::filesystem::path& file, ConstParticlesView host,
                             std::span<const Index> order, const SnapshotContent& content);

}  // namespace aureole::io
