// The state from which a run starts: it reads files, determines the units, makes the initial conditions and
// shifts them to the frame of a perturber. Everything is in internal units.
#pragma once

#include "ics/make_initial_conditions.hpp"
#include "sim/config/config.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

struct StartingState {
    Config config;        ///< in the units of the run, which a file may determine; with galaxy_mass
    Particles particles;  ///< host, internal units
    std::uint64_t n_particles = 0;
    RunUnits units;
    double box_side = 0;     ///< internal; above 0 where particles fill a periodic box, also in open runs
    double mass_factor = 1;  ///< by which masses are multiplied, see mass_correction()
    double time = 0;         ///< internal; a run from one file starts at the file's time
    std::optional<double> time_of_file;  ///< internal
    std::string doubt;  ///< about units that a file does not name, for when energy is not kept; or ""
    std::vector<std::string> notes;  ///< the assumptions that were made, one sentence each

    // what the particles are made of
    ics::Config conditions;                ///< refers to `files`
    std::vector<io::Snapshot> files;       ///< of the components; empty ones for those that have none
    std::optional<PhaseSpacePoint> shift;  ///< to the frame of a perturber
};

/// The units in which a file speaks: nbody for a file of a run in these (header.nbody_scales), unless
/// `configured` (configuration or --units) are physical; the file's own; else `configured`, else those that
/// its mean density fits, else nbody for text tables and galactic for other files. An assumption is added to
/// `notes`. Where they are nbody, io::restore_nbody_numbers() brings the numbers there. Throws ConfigError
/// when `configured` contradicts the mean density and other units fit it.
RunUnits file_units(const io::Snapshot& file, const std::optional<RunUnits>& configured,
                    std::vector<std::string>& notes);

/// Throws ConfigError when the file is comoving or periodic, for what takes particles as an isolated system
/// in physical coordinates: `what` says who, as "runs integrate isolated systems". One rule for all commands.
void expect_isolated(const std::filesystem::path& file, const io::SnapshotHeader& header,
                     std::string_view what);

/// Reads and checks everything, and makes no particles yet: their number is known, so that a run that does
/// not fit into memory can be refused. Throws ConfigError when a file is comoving or periodic (Redshift,
/// Omega0, BoxSize or tipsy's flags say so) and the configuration has no universe or box, unless
/// `as_isolated`; when it contradicts these; when particles lie outside of the box.
StartingState plan_starting_state(const Config& config, bool as_isolated);

/// Makes the particles of a plan, and forgets the files.
void make_particles(StartingState& planned);

/// The most bytes that are held on the host while the `n` particles of an internal configuration are made,
/// they themselves included.
std::size_t bytes_at_start(const Config& internal, std::uint64_t n);

/// The plan with its particles.
StartingState make_starting_state(const Config& config, bool as_isolated);

/// Puts the solver that gravity.solver: auto stands for, on `where` and for `n` particles, in its place, so
/// that a resumed run has the same. Returns a note of it, or nothing where another solver is given.
std::string settle_solver(Config& config, Backend where, std::uint64_t n);

/// Reads the coefficient file of every component that names one (its own, or that of gravity.scf) into
/// ComponentConfig::coefficients, in internal units. Files without units are taken as numbers with G = 1, or
/// with the G that they state. Does nothing unless the solver is scf. Throws IoError or ConfigError naming
/// the file.
void load_coefficients(Config& internal, const RunUnits& units);

}  // namespace aureole::run
