// The state from which a run starts: it reads files, determines the units, makes the initial conditions and
// shifts them to the frame of a perturber. Everything is in internal units.
#pragma once

#include <functional>

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

// The units of a file that neither names them nor has a mean density that tells them: assumed_units.cpp.

/// The virial ratio 2 T / |W| of the particles with G = 1, with W = -0.4 M^2 / r_h of a sphere in equilibrium
/// (Spitzer 1969) and the half-number radius about the mean position: 1 in equilibrium, and right to a factor
/// of some ten for what is bound. Nothing for particles at rest or without mass or extent.
std::optional<double> virial_ratio_estimate(const io::Snapshot& file);

/// Whether a tipsy file looks like a comoving box: positions fill [-1/2, 1/2]^3, the time is a scale factor.
bool looks_like_tipsy_box(const io::Snapshot& file);

/// G = 1 for text tables and tipsy, else kpc, 1e10 Msun and km/s, with a note. Throws ConfigError that says
/// what would settle it for a tipsy file that looks like a comoving box (units and cosmology are in a .param
/// file), and for an isolated file of another format whose particles are in equilibrium with G = 1 and not in
/// those units.
RunUnits assumed_units(const io::Snapshot& file, std::vector<std::string>& notes);

/// Throws ConfigError when the file is comoving or periodic, for what takes particles as an isolated system
/// in physical coordinates: `what` says who, as "runs integrate isolated systems". One rule for all commands.
void expect_isolated(const std::filesystem::path& file, const io::SnapshotHeader& header,
                     std::string_view what);

/// How a file of particles is read.
using SnapshotReader = std::function<io::Snapshot(const std::filesystem::path&)>;

/// Reads and checks everything, and makes no particles yet: their number is known, so that a run that does
/// not fit into memory can be refused. Throws ConfigError when a file is comoving or periodic (Redshift,
/// Omega0, BoxSize or tipsy's flags say so) and the configuration has no universe or box, unless
/// `as_isolated`; when it contradicts these; when particles lie outside of the box.
StartingState plan_starting_state(const Config& config, bool as_isolated, const SnapshotReader& read = {});

/// Makes the particles of a plan, and forgets the files. `tell` hears what came out of each component.
void make_particles(StartingState& planned, const ics::ReportListener& tell = {});

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
