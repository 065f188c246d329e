// Writing snapshots: what one holds, and the interface of a format (snapshot_format.hpp lists them).
#pragma once

#include <memory>
#include <span>

#include "sim/io/numbered_name.hpp"
#include "sim/io/provenance.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

/// What of the particles is stored. Positions always are; masses that are left out go into the header, where
/// all particles of a type have the same.
struct SnapshotFields {
    bool velocities = true, ids = true, masses = true;
    bool potentials = true, groups = true, components = true;  ///< where there are any

    bool operator==(const SnapshotFields&) const = default;
};

/// Digits of the binary fraction that are kept of each number, 1 to 52; 52: all of them.
struct MantissaBits {
    int positions = 52, velocities = 52, masses = 52, potentials = 52;

    bool operator==(const MantissaBits&) const = default;
};

/// One of the files of a snapshot, as even parts of each type as can be, in the order of the snapshot.
struct SnapshotPart {
    std::uint32_t number = 0, of = 1;

    /// Those of `n` particles of a type.
    IndexRange rows(std::uint64_t n) const;
};

/// What a snapshot holds besides the particles, and how it is written.
struct SnapshotContent {
    SnapshotHeader header;                  ///< in the file's units, which are set
    UnitScales scales;                      ///< factors from the particles' numbers to the file's
    bool compress = false;                  ///< HDF5: compressed chunks, which are smaller and slower
    bool potential = false;                 ///< store Potential (particles.potential is valid)
    bool acceleration = false;              ///< store Acceleration
    std::span<const std::int32_t> group{};  ///< per particle: row of the catalogue or -1; FOFGroupIDs
    std::array<double, n_particle_types> softening{};  ///< per type, in the particles' unit of length
    Provenance provenance;
    SnapshotFields fields{};        ///< all of them in formats without SnapshotWriting::chooses
    MantissaBits mantissa_bits{};   ///< likewise
    bool single_precision = false;  ///< Gadget binary: even where that rounds numbers
    SnapshotPart part{};            ///< in formats with SnapshotWriting::parts
};

/// The same for a file in which lengths and masses carry h^h_exponent and velocities a^velocity_a_exponent,
/// with the scales that lead there. Isolated snapshots stay as they are.
SnapshotContent with_exponents(SnapshotContent content, double h_exponent, double velocity_a_exponent);

/// A format of snapshots. It names all files of a snapshot, so that clearing a directory (--overwrite),
/// resuming and syncing know them without a list of their own. A format or a decorator has to define every
/// function.
class SnapshotWriter {
public:
    virtual ~SnapshotWriter() = default;

    /// All files that write() makes for the snapshot `file`: this one first, then its companions, whose names
    /// follow from it.
    virtual std::vector<std::filesystem::path> files(const std::filesystem::path& file) const = 0;

    /// Writes them; each is renamed when complete. `host`: particles in host memory; ids, types, velocities
    /// and components may be absent. Throws IoError naming the file.
    virtual void write(const std::filesystem::path& file, ConstParticlesView host,
                       const SnapshotContent& content) const = 0;

    /// What of this snapshot the format cannot hold, one sentence each; none when all of it is read back.
    virtual std::vector<std::string> losses(ConstParticlesView host,
                                            const SnapshotContent& content) const = 0;
};

/// The base of formats that write nothing beside the snapshot.
class SingleFileWriter : public SnapshotWriter {
public:
    std::vector<std::filesystem::path> files(const std::filesystem::path& file) const final { return {file}; }
};

/// Whether there are particles of more than one component.
bool has_several_components(ConstParticlesView host);

/// Whether masses, positions and velocities, in the file's numbers, are the same in single precision.
bool fits_single_precision(ConstParticlesView host, const UnitScales& scales);

/// Particle indices type by type; the given order is kept inside each.
std::vector<Index> sorted_by_type(ConstParticlesView host);

/// Snapshots of a run or of `aureole find`: snapshot_007.hdf5, and the stem without its ending.
inline const NumberedName snapshot_names{"snapshot_", ".hdf5"};
inline const NumberedName snapshot_stems{snapshot_names.prefix, ""};

/// Writes `host` to `file` as HDF5 in Gadget's layout, which yt, pynbody, Gadgetviewer and GADGET-4 read
/// without hints; units are those of content.header.units (kpc, 1e10 Msun and km/s when it has none). The
/// particles are sorted by type; inside each type the given order is kept. Component indices are kept as
/// /PartTypeK/ComponentIDs when there is more than one. Where ids are absent the index is stored, where types
/// are absent type 1; absent velocities are left out. Renamed when complete; throws IoError naming the file.
/// Besides the particles, memory for one index per particle is taken.
void write_snapshot(const std::filesystem::path& file, ConstParticlesView host,
                    const SnapshotContent& content);
inline void write_snapshot(const std::filesystem::path& file, const Particles& host,
                           const SnapshotContent& content)
{
    write_snapshot(file, host.view(), content);
}

/// The same in the layout of SWIFT: seven types, arrays of one value, no powers of h, peculiar velocities.
void write_swift_snapshot(const std::filesystem::path& file, ConstParticlesView host,
                          const SnapshotContent& content);

}  // namespace aureole::io
