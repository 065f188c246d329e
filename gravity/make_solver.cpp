// From the configured name to a solver, the list of the built-in ones, and what all solvers share.
#include <cmath>

#include "gravity/components/components.hpp"
#include "gravity/direct/direct.hpp"
#include "gravity/scf/scf.hpp"
#include "gravity/scf/scf_config.hpp"
#include "gravity/sliced_solver.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "gravity/solver_registry.hpp"
#include "gravity/tree/tree.hpp"
#include "gravity/treepm/treepm.hpp"
#include "sim/comm/parts.hpp"
#include "sim/core/error.hpp"

namespace aureole::gravity {

namespace {

template <class S>
std::unique_ptr<Solver> make(const Config& config)
{
    return std::make_unique<S>(config);
}

}  // namespace

Registry<SolverPlugin>& solvers()
{
    static Registry<SolverPlugin> registry(
        "gravity solver",
        {{"direct", "sum over all pairs, exact up to rounding", make<Direct>},
         {"tree", "octree with quadrupoles (Barnes & Hut 1986), accepted by their error (Springel 2005)",
          make<tree::Tree>, tree::settings()},
         {"treepm", "mesh (Hockney & Eastwood 1981) and tree in a periodic box (Bagla 2002)",
          make<treepm::TreePm>, treepm::settings()},
         {"scf", "expansion in basis functions (Hernquist & Ostriker 1992)", make<scf::Scf>, scf::settings()},
         {"components",
          "tree, direct sum or expansion for each component (Vine & Sigurdsson 1998; Hozumi, Nitadori & "
          "Iwasawa 2023)",
          make<components::Components>, components::settings()}});
    return registry;
}

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
    return solvers().at(config.solver).make(config);
}

IndexRange Slice::places(Index n, Index unit) const
{
    AUREOLE_EXPECT(part < of, "slice {} of {} slices of the targets", part, of);
    const comm::Piece piece = comm::piece_of(n, unit, part, of);
    if (piece.begin == piece.end) return {0, 0};  // not behind the last places: their unit is another's
    return {static_cast<Index>(piece.begin), static_cast<Index>(piece.end)};
}

void expect_no_state(std::span<const double> state)
{
    if (!state.empty())
        throw IoError(
            fmt::format("a state of {} numbers is given to a solver that keeps none", state.size()));
}

void expect_open_space(std::string_view solver, const Box& box)
{
    if (box.periodic())
        throw ConfigError(fmt::format(
            "{} knows open space only, and the box is periodic with side {}; expected one of the solvers "
            "treepm and direct, or an isolated system",
            solver, box.side));
}

void expect_same_memory(Exec exec, const ConstParticlesView& particles)
{
    AUREOLE_EXPECT(particles.where == exec.backend, "particles are on {}, asked to run on {}",
                   name_of(particles.where), name_of(exec.backend));
}

void accelerate(Solver& solver, Exec exec, const ParticlesView& particles, const ForceRequest& request)
{
    const TargetRequest targets{request.targets, particles.acceleration};
    solver.prepare(exec, particles, {request.time, request.sources, request.box}, targets);
    solver.evaluate(exec, particles, targets,
                    {particles.acceleration, request.potential ? particles.potential : nullptr});
}

std::size_t direct_up_to(Backend where, Precision precision)
{
    // Where an evaluation by the tree at its default accuracy takes as long as the direct sum, rounded
    // down: tests/bench/RESULTS.md, "Direct sum or tree".
    const bool mixed = precision == Precision::mixed;
    if (where == Backend::cuda) return mixed ? 20480 : 16384;
    return mixed ? 4096 : 2048;
}

std::string settled_solver(const std::string& name, Backend where, Precision precision, std::size_t n)
{
    if (name != automatic_solver) return name;
    return n <= direct_up_to(where, precision) ? "direct" : "tree";
}

}  // namespace aureole::gravity
