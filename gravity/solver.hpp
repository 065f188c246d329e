// The interface of gravity solvers: prepare() makes the field of some particles, evaluate() gives
// accelerations and potentials in it. G = 1, internal units. solver_config.hpp makes a solver from its
// configuration.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "gravity/energy_terms.hpp"
#include "gravity/force_request.hpp"

namespace aureole::gravity {

/// One solver serves one stream of calls. Arrays lie in the memory of `exec`; equal input gives equal bits on
/// one backend, for any number of threads. An implementation or a decorator has to define every function.
class Solver {
public:
    virtual ~Solver() = default;

    /// Makes the field of the sources: an order, a tree or an expansion. `expected` are the targets that will
    /// come (all particles where that is not known). Others may come; those outside of sources and expected
    /// targets may cost a second preparation. Throws ConfigError for a box that the solver cannot treat.
    virtual void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                         const TargetRequest& expected) = 0;

    /// a_i = sum over sources j != i, and potentials, of the targets. `particles` are those of prepare(),
    /// unchanged; any number of evaluations may follow one preparation.
    virtual void evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                          const ForceOutputs& outputs) = 0;

    /// Bytes of scratch kept on `where` when all of `n` particles are sources and targets, for the memory
    /// forecast.
    virtual std::size_t scratch_bytes(Backend where, std::size_t n) const = 0;

    virtual EnergyTerms energy_terms() const = 0;

    /// What later evaluations take from earlier ones beyond what the particles hold (accelerations among it),
    /// for checkpoints. Empty for a solver that keeps nothing.
    virtual std::vector<double> kept_state() const = 0;

    /// Continues bit for bit as the solver whose kept_state() `state` is; `particles` are those of its last
    /// evaluation. Throws IoError for a state of another solver or of other particles.
    virtual void restore_state(Exec exec, const ConstParticlesView& particles,
                               std::span<const double> state) = 0;
};

/// Throws IoError unless `state` is empty.
void expect_no_state(std::span<const double> state);

/// The base of solvers that keep nothing between evaluations. `Kind`: Solver, or an interface derived from it
/// (SlicedSolver, WatchedSolver). A decorator of any solver derives from Solver itself and passes states on.
template <class Kind>
class Stateless : public Kind {
public:
    std::vector<double> kept_state() const final { return {}; }
    void restore_state(Exec, const ConstParticlesView&, std::span<const double> state) final
    {
        expect_no_state(state);
    }
};

/// Throws ConfigError for a periodic box. `solver`: the subject of the message, such as "the tree code".
void expect_open_space(std::string_view solver, const Box& box);

/// Prepares and evaluates, with the accelerations that the particles hold as the previous ones; overwrites
/// accelerations (and potentials when asked for) of the targets.
void accelerate(Solver& solver, Exec exec, const ParticlesView& particles, const ForceRequest& request = {});

}  // namespace aureole::gravity
