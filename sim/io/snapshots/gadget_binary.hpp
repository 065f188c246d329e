// Gadget's binary snapshots, formats 1 and 2, as GADGET-2, GADGET-4 and initial-condition codes write them:
// both byte orders, single and double precision, 32- and 64-bit ids, any number of files.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/io/snapshots/snapshot.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"

namespace aureole::io {

/// Most codes keep the count of a record, in bytes, in a signed number.
inline constexpr std::uint64_t most_gadget_record_bytes = std::numeric_limits<std::int32_t>::max();

/// True when the file begins as a Gadget binary snapshot does; missing and short files are not.
bool is_gadget_binary(const std::filesystem::path& file);

/// Reads the snapshot that `file` belongs to: a whole one, or all parts FILE.0 ... FILE.n-1 of one when
/// `file` is any of them or FILE itself. Files carry no units: header.units stays empty. Comoving when
/// Redshift or Omega0 is positive; velocities are then Gadget's, v_peculiar / sqrt(a). Throws IoError naming
/// file, block and particle.
Snapshot read_gadget_binary(const std::filesystem::path& file, const SnapshotArrays& arrays = {});

/// Writes `file` in format 1 or 2, little-endian with the header of GADGET-2, and beside it the provenance
/// (metadata_name()). Lengths and masses carry 1/h and velocities are v_peculiar / sqrt(a) where the snapshot
/// is comoving. Numbers are stored in single precision where that is exact or asked for, else in double; ids
/// in 32 bits where all fit; masses in the header where all particles of a type have the same, as GADGET-2
/// does. Each file is renamed when complete. Throws IoError for numbers and blocks that the format cannot
/// hold.
void write_gadget_binary(const std::filesystem::path& file, ConstParticlesView host,
                         const SnapshotContent& content, int format);

/// What of a snapshot the binary formats cannot hold; see SnapshotWriter::losses().
std::vector<std::string> gadget_binary_losses(ConstParticlesView host, const SnapshotContent& content);

struct GadgetBinaryHeader {
    std::array<std::uint64_t, n_particle_types> count{};        ///< in this file
    std::array<std::uint64_t, n_particle_types> count_total{};  ///< in all files
    std::array<double, n_particle_types> mass{};                ///< 0: masses are in block MASS
    double time = 0, redshift = 0, box_size = 0, omega0 = 0, omega_lambda = 0, hubble = 0;
    std::uint32_t n_files = 1;

    std::uint64_t total() const;             ///< particles in this file
    std::uint64_t with_stored_mass() const;  ///< those whose mass block MASS holds
};

struct GadgetBinaryBlock {
    std::uint64_t offset = 0;       ///< of the first number
    std::uint64_t number_size = 0;  ///< bytes per number
};

struct GadgetBinaryPart {
    std::filesystem::path file;
    std::endian order = std::endian::native;
    int format = 1;
    bool gadget4 = false;  ///< GADGET-4's own header rather than GADGET-2's
    GadgetBinaryHeader header;
    GadgetBinaryBlock position, velocity, id, mass;
    std::vector<std::string> other_blocks;
};

/// Whether a Gadget file can begin with this 32-bit count: a label of format 2 or a header.
bool is_gadget_first_marker(std::uint32_t bytes);

/// Reads the header and walks every record of the file: both markers of each are compared with each other,
/// with the size the header implies and with the end of the file. Throws IoError naming file and block.
GadgetBinaryPart scan_gadget_binary_part(const std::filesystem::path& file);

}  // namespace aureole::io
