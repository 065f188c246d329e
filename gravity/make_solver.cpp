// From the configured name to a solver: the only place that knows them all.
#include <cmath>

#include "gravity/direct/direct.hpp"
#include "gravity/scf/scf.hpp"
#include "gravity/tree/tree.hpp"
#include "sim/core/error.hpp"

namespace aureole::gravity {

std::string known_solvers() { return "direct, tree, scf"; }

std::unique_ptr<Solver> make_solver(const Config& config)
{
    for (int type = 0; type < n_particle_types; ++type) {
        const double eps = config.softening.length[static_cast<std::size_t>(type)];
        if (!(eps >= 0) || !std::isfinite(eps))
            throw ConfigError(
                fmt::format("the softening length of particle type {} is {}; it must be a finite "
                            "number that is zero or positive",
                            type, eps));
    }
    if (config.solver == "direct") return std::make_unique<Direct>(config);
    if (config.solver == "tree") return std::make_unique<tree::Tree>(config);
    if (config.solver == "scf") return std::make_unique<scf::Scf>(config);
    throw ConfigError(
        fmt::format("unknown gravity solver '{}'; the known ones are: {}", config.solver, known_solvers()));
}

}  // namespace aureole::gravity
