// The groups /PartTypeK of a snapshot, which all layouts of HDF5 share.
#pragma once

#include <functional>

#include "sim/io/snapshots/gadget_dialect.hpp"

namespace aureole::io {

/// The attribute of a dataset whose numbers were rounded: how many digits of the binary fraction are left.
inline constexpr char mantissa_bits_attribute[] = "MantissaBits";

/// What a snapshot has that several write together: `host` are then those particles that one of them has.
struct SharedFile {
    std::array<std::uint64_t, n_particle_types> counts{};  ///< of all
    std::array<std::uint64_t, n_particle_types> first{};   ///< row of the first one here, of each type
    std::array<double, n_particle_types> masses{};         ///< mass_table() of all
    bool components = false;                               ///< there are several
    bool velocities = false, groups = false;               ///< where there are particles

    /// Null for the one that makes the file, with all datasets. The others put the bytes of rows of a dataset
    /// into the finished file: path, first row, bytes of a row, bytes.
    std::function<void(const std::string&, std::uint64_t, std::size_t, std::span<const std::byte>)> put{};
};

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

    const SharedFile* shared = nullptr;  ///< null: all particles are here
};

/// Throws ArgumentError naming `file` when `content` promises what the particles do not have.
void expect_complete(const std::filesystem::path& file, ConstParticlesView host,
                     const SnapshotContent& content);

/// Masses by type as the header states them: 0 where they are stored with each particle. Throws IoError when
/// masses are left out and a type has several.
std::array<double, n_particle_types> mass_table(const Hdf5Particles& w);

/// The same of particles that are to be written.
std::array<double, n_particle_types> mass_table(const std::filesystem::path& file, ConstParticlesView host,
                                                const SnapshotContent& content);

/// Softening lengths as /Parameters of GADGET-4 state them.
void write_softening(const Hdf5Particles& w);

/// Makes /PartTypeK for each type that has particles in this file.
void write_particle_types(const Hdf5Particles& w);

/// Everything of a file in Gadget's layout.
void write_gadget_file(Hdf5File& file, ConstParticlesView host, std::span<const Index> order,
                       const SnapshotContent& content, const SharedFile* shared = nullptr);

/// As write_snapshot() of the particles order[0], order[1], ... of `host`, which names each once: they are
/// gathered as they are written, so that no copy in that order is needed. `content.group` is per particle of
/// `host`. Memory besides: an index per particle.
void write_snapshot_in_order(const std::filesystem::path& file, ConstParticlesView host,
                             std::span<const Index> order, const SnapshotContent& content);

}  // namespace aureole::io
