// Tipsy, the format of PKDGRAV, Gasoline and ChaNGa: a header, then gas, dark and star records of 12, 9 and
// 11 floats. "Standard" files are big-endian, "native" ones little-endian; some codes leave out the padding
// after the header.
//
// Tipsy has G = 1 and takes length and mass from a .param file, without powers of h; comoving files store
// dx/dt, that is v_peculiar / a (header.h_exponent = 0, header.velocity_a_exponent = 1).
#pragma once

#include <bit>

#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// True when the header's dimensions and counts agree with each other; missing and short files do not.
bool has_tipsy_header(const std::filesystem::path& file);

/// True when they agree with the file's size as well.
bool is_tipsy(const std::filesystem::path& file);

/// Gas becomes type 0, dark 1, stars 4. Ids come from FILE.iord (big-endian int32 or text, count first), else
/// they count from 1 in file order. Units, box and cosmology come from FILE.param,
/// FILE-without-extension.param or the folder's only .param file that does not name another run; without one
/// header.units stays empty. Throws IoError naming file, block and particle.
Snapshot read_tipsy(const std::filesystem::path& file, const SnapshotArrays& arrays = {});

/// The files of one tipsy snapshot.
struct TipsyFiles {
    std::filesystem::path snapshot;
    std::filesystem::path ids;         ///< the snapshot's name and .iord
    std::filesystem::path parameters;  ///< .param in place of the snapshot's extension
};
TipsyFiles tipsy_files(const std::filesystem::path& snapshot);

/// Writes the files that tipsy_files(file) names: a file of that byte order with padding, the ids, and units,
/// box and cosmology, so that yt and pynbody agree on them. Types 0 and 4 become gas and stars, all others
/// dark matter, each in the given order. Where ids are absent the index is stored, where types are absent all
/// are dark; absent velocities are 0. `content`'s softening and potential become eps and phi. `file` must not
/// end in .param, and content.header.units must be set. Numbers are stored in single precision: throws
/// IoError for numbers that it cannot hold. Each file is renamed when complete, the snapshot last.
void write_tipsy(const std::filesystem::path& file, ConstParticlesView host, const SnapshotContent& content,
                 std::endian order = std::endian::big);
inline void write_tipsy(const std::filesystem::path& file, const Particles& host,
                        const SnapshotContent& content)
{
    write_tipsy(file, host.view(), content);
}

/// What of a snapshot tipsy cannot hold; see SnapshotWriter::losses().
std::vector<std::string> tipsy_losses(ConstParticlesView host, const SnapshotContent& content);

}  // namespace aureole::io
