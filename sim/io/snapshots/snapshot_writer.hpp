// Writing snapshots: the interface of a format, and the table of the formats in which a run can write.
#pragma once

#include <memory>
#include <span>

#include "sim/core/registry.hpp"
#include "sim/io/numbered_name.hpp"
#include "sim/io/provenance.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::io {

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
};

/// A format of snapshots. It names all files of a snapshot, so that clearing a directory (--overwrite),
/// resuming and syncing know them without a list of their own.
class SnapshotWriter {
public:
    virtual ~SnapshotWriter() = default;

    /// All files that write() makes for this stem, a path without ending: the snapshot first, then its
    /// companions. Every name begins with the stem.
    virtual std::vector<std::filesystem::path> files(const std::filesystem::path& stem) const = 0;

    /// Writes them; each is renamed when complete. `host`: particles in host memory; ids, types, velocities
    /// and components may be absent. Throws IoError naming the file.
    virtual void write(const std::filesystem::path& stem, ConstParticlesView host,
                       const SnapshotContent& content) const = 0;
};

/// An entry of the table: the name is the value of the key output.format.
using SnapshotWriterPlugin = Plugin<std::unique_ptr<SnapshotWriter> (*)()>;

/// The formats in which a run can write snapshots.
Registry<SnapshotWriterPlugin>& snapshot_writers();

/// Snapshots of a run or of `aureole find`: snapshot_007.hdf5, and the stem without its ending.
inline const NumberedName snapshot_names{"snapshot_", ".hdf5"};
inline const NumberedName snapshot_stems{snapshot_names.prefix, ""};

/// What the files of any registered format end in behind the stem: ".hdf5", ".tipsy", ...; each once.
std::vector<std::string> snapshot_endings();

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

}  // namespace aureole::io
