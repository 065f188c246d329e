// The state a run starts from: files read, units settled, initial conditions made and put into the frame of a
// perturber, everything in internal units.
#pragma once

#include "sim/config/config.hpp"
#include "sim/io/snapshots/snapshot.hpp"

namespace aureole::run {

struct StartingState {
    Config config;        ///< read again in the run's units where a file brought them; galaxy_mass settled
    Particles particles;  ///< host, internal units
    std::uint64_t n_particles = 0;
    RunUnits units;
    double box_side = 0;             ///< internal; above 0 where a lattice fills a periodic box
    double time = 0;                 ///< internal; a run from one file starts at the file's time
    std::vector<std::string> notes;  ///< what was assumed, one sentence each
};

/// The units of a file's numbers: its own, else `said` (configuration or --units), else nbody for text tables
/// and galactic for the rest; adds the assumption to `notes`.
RunUnits file_units(const io::Snapshot& file, const std::optional<RunUnits>& said,
                    std::vector<std::string>& notes);

/// Throws ConfigError when a file is comoving or periodic (Redshift, Omega0, BoxSize or tipsy's flags say
/// so), unless `as_isolated`. `count_only` reads and checks everything but makes no particles.
StartingState make_starting_state(const Config& config, bool as_isolated, bool count_only = false);

}  // namespace aureole::run
