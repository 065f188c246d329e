// One snapshot in memory, from a file of any format: particles in the file's own numbers, and its header.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/core/units.hpp"

namespace aureole::io {

/// What the provenance of a file calls "Units" when it is of a run with `units: nbody`; others say
/// "physical".
inline constexpr char nbody_units_text[] = "nbody (G = 1)";

struct SnapshotHeader {
    double time = 0;  ///< in length / velocity; the scale factor when comoving
    double redshift = 0;
    double box_size = 0;  ///< 0 when isolated
    double omega0 = 0, omega_lambda = 0, omega_baryon = 0;
    double hubble = 1;
    bool comoving = false;            ///< Redshift > 0, Omega0 > 0, ComovingIntegrationOn or tipsy's bComove
    std::optional<UnitSystem> units;  ///< nothing when the file does not say
    bool units_decided = false;       ///< they are not stated: the mean density told them (mean_density.hpp)

    /// Comoving files: power of h in lengths and masses, power of a in velocities. Gadget's; SWIFT has 0 and
    /// 0.
    double h_exponent = -1, velocity_a_exponent = 0.5;

    /// Of files of runs with `units: nbody`, which say so: factors from the run's numbers (G = 1) to the
    /// file's.
    std::optional<UnitScales> nbody_scales{};
};

/// Softening lengths that a file states: Plummer-equivalent, in its unit of length, comoving as its
/// positions.
struct StatedSoftening {
    std::array<double, n_particle_types> length{};  ///< of each type; 0 where nothing is said
    std::string source;                             ///< the keys or records that state them
};

struct Snapshot {
    std::filesystem::path file;  ///< the first, where there are several
    std::string
        format;  ///< as a user would name it: "Gadget HDF5", "Gadget binary (format 1, big-endian)", ...
    SnapshotHeader header;
    Particles particles;                       ///< host memory, file order: type by type; numbers as stored
    std::optional<StatedSoftening> softening;  ///< nothing when the file states none above 0
    std::vector<std::string>
        dropped_fields;              ///< what the file holds and Particles does not, as /PartType0/Density
    bool has_velocities = true;      ///< false: the file holds none for some type; they are zero
    std::vector<std::string> notes;  ///< what was assumed or odd, one sentence each
    std::optional<double> mass_of_all{};  ///< in the file's unit, where `particles` are some of them
};

/// The least id that two particles share, if there is any.
std::optional<std::uint64_t> repeated_id(std::span<const std::uint64_t> ids);
/// What the user is told of it.
std::string repeated_id_note(std::uint64_t id);

/// Tipsy has G = 1 and text tables say nothing of a box: neither has the units of Gadget, which the mean
/// density may tell.
bool of_gadget_family(const Snapshot& snapshot);

/// Reads a file of any format in the table of snapshot_format.hpp, told by content and never by name. Throws
/// IoError naming file, block and particle: for truncated or corrupt files, counts that contradict the size,
/// non-finite numbers, repeated or missing parts. Allocates no more than the file's size explains. Units that
/// a file of the Gadget family does not name are decided by its mean density where that is known.
Snapshot read_snapshot(const std::filesystem::path& file);

/// Brings particles, time and box of a snapshot with header.nbody_scales back to the run's numbers, with G =
/// 1; other snapshots stay as they are. header.units and nbody_scales stay those of the file: what was
/// multiplied by a scale comes back within its last bit, and multiplying it again gives the bits of the file.
/// Throws IoError when a number would not be finite.
void restore_nbody_numbers(Snapshot& snapshot);

/// Particle numbers by type; all count as type 1 where types are absent. `host`: in host memory. Throws
/// ArgumentError for a type beyond 5.
std::array<std::uint64_t, n_particle_types> count_by_type(ConstParticlesView host);

/// Sets time (the scale factor a) and redshift (z) of a comoving header from what the file states. Where one
/// is missing it follows from the other; z = 0 is taken where both are missing, or where the scale factor
/// stands alone and is not between 0 and 1. Where both are stated they are kept. `notes` tell what was
/// assumed, and when the two differ by more than 1e-3 of a = 1 / (1 + z). Throws IoError naming `file` for a
/// redshift of -1 or less.
void complete_scale_factor(SnapshotHeader& header, std::optional<double> scale_factor,
                           std::optional<double> redshift, const std::string& file,
                           std::vector<std::string>& notes);

/// Which arrays the particles of a snapshot have; masses, ids and types always. An array that is left out is
/// empty, and absent in views.
struct SnapshotArrays {
    /// false: what completes an earlier reading, so that units are not decided again, nor ids compared. A
    /// format may bring positions all the same.
    bool positions = true;
    bool components = true;  ///< false: only where the file has them
    bool forces = true;      ///< accelerations and potentials: zeros, for those who compute them
    bool velocities = true;  ///< false: as with positions

    /// What a computation that only reads particles asks for.
    static SnapshotArrays reading() { return {true, true, false}; }
};

/// New particles in host memory, as Particles makes them, with these arrays; components are absent unless
/// asked for.
Particles new_particles(std::size_t n, const SnapshotArrays& arrays);

/// Reads as read_snapshot(file) does, which takes all arrays. Throws the same.
Snapshot read_snapshot(const std::filesystem::path& file, const SnapshotArrays& arrays);

}  // namespace aureole::io
