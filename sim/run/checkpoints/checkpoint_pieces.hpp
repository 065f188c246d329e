// What changes of the particles of a run, written to files by the ranks that have it, each its own; the
// checkpoint that names these files, written after all of them, makes them valid.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/io/checkpoint_file.hpp"

namespace aureole::run {

/// The file of one rank: the arrays of for_each_moving_array() as sections, of the particles of `runs` one
/// after another.
struct CheckpointPiece {
    std::vector<IndexRange> runs;
    std::uint64_t checksum = 0;  ///< io::CheckpointFile::checksum()
};

/// Those of a checkpoint: all particles, each once. None where the checkpoint holds them itself.
struct CheckpointPieces {
    std::uint64_t step = 0;
    std::vector<CheckpointPiece> piece;

    bool any() const noexcept { return !piece.empty(); }
};

/// "checkpoint_STEP.NUMBER.bin".
std::string checkpoint_piece_name(std::uint64_t step, std::uint64_t number);

/// Whether a file of that name is a piece of a checkpoint.
bool is_checkpoint_piece(std::string_view name);

/// Calls visit(name, array) for every array that steps change.
template <class Set, class Visit>
void for_each_moving_array(Set& p, Visit visit)
{
    const auto visit_vector = [&](const std::string& name, auto& vector) {
        visit(name + "_x", vector.x);
        visit(name + "_y", vector.y);
        visit(name + "_z", vector.z);
    };
    visit_vector("position", p.position);
    visit_vector("velocity", p.velocity);
    visit_vector("acceleration", p.acceleration);
    visit("potential", p.potential);
}

/// Bytes of them for each particle.
inline constexpr std::size_t moving_bytes_per_particle = 10 * sizeof(double);

/// Writes the first `n` particles, from the memory of either backend, under the name of a piece, and returns
/// when all is on the disk: its checksum. Throws IoError. Takes their bytes in host memory on a GPU.
std::uint64_t write_checkpoint_piece(const std::filesystem::path& file, const Particles& particles,
                                     std::size_t n);

/// Whether all of these lie in `folder`, by the checksums of their headers.
bool has_pieces(const std::filesystem::path& folder, const CheckpointPieces& pieces);

/// Fills the moving arrays of host particles from the files in `folder`. Throws IoError naming what is
/// missing, damaged or of another checkpoint; `name` is the checkpoint's for messages.
void read_checkpoint_pieces(const std::filesystem::path& folder, const CheckpointPieces& pieces,
                            const std::string& name, Particles& particles);

/// The section of a checkpoint that names its pieces; none where it has none. Throws IoError.
inline constexpr char pieces_section[] = "pieces";
std::vector<std::byte> bytes_of(const CheckpointPieces& pieces);
CheckpointPieces pieces_of(io::CheckpointFile& checkpoint, const std::string& name);

/// Removes the pieces in `folder` that none of these checkpoints names, which may be absent. Where one of
/// `checkpoints` cannot be read, all stay; those that `damaged` names, if it can be read, stay, so
/// that a user may mend it.
void remove_unnamed_pieces(const std::filesystem::path& folder,
                           const std::vector<std::filesystem::path>& checkpoints,
                           const std::filesystem::path& damaged);

}  // namespace aureole::run
