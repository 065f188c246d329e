// The errors of a solver: its accelerations and potentials of some sampled particles against the direct sum
// in double precision over all particles. Cost O(K N) for K samples.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "gravity/softening.hpp"
#include "sim/core/particles.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::gravity {
class Solver;
}

namespace aureole::run {

/// Every index below n once: first min(k, n) drawn without repeats by (n, k, seed) alone and ascending, then
/// the others, nearly all at their own place. Throws Error for k = 0.
std::vector<Index> sampled_first(std::size_t n, std::size_t k, std::uint64_t seed);

/// Accelerations and potentials of some of a set's particles, G = 1.
struct ForceSample {
    std::vector<Index> particle;  ///< ascending indices into the set
    std::vector<Vec3> acceleration;
    std::vector<double> potential;
    double wall_seconds = 0;  ///< that the evaluation took
};

/// Evaluates the targets with potentials, all sources, at `time`, and returns the wall-clock seconds from the
/// call until the device is done: ordering and building count, transfers of particles between memories do
/// not.
double timed_evaluation(Exec exec, gravity::Solver& solver, const ParticlesView& particles,
                        IndexRange targets = {}, double time = 0, const Box& box = {});

/// The direct sum in double precision over all particles of `host`, on min(k, n) of them, run on `exec`, in a
/// periodic box on the CPU.
/// Takes a second copy of the set in host memory and one on the device while it works. Throws ConfigError for
/// k = 0.
ForceSample direct_sample(Exec exec, const Particles& host, const gravity::Softening& softening,
                          std::size_t k, std::uint64_t seed, const Box& box = {});

/// Relative errors of one quantity over the sampled targets. A percentile is the smallest error that so many
/// per cent of the targets do not exceed (nearest rank). All are NaN where no target has a relative error.
struct ErrorSpread {
    double median = std::numeric_limits<double>::quiet_NaN(), percent_90 = median, percent_99 = median,
           percent_99_9 = median, largest = median;
    std::size_t n_targets = 0;  ///< that count: all but those of `n_zero`
    std::size_t n_infinite =
        0;                   ///< of them: a value of either side is not finite; counts as an infinite error
    std::size_t n_zero = 0;  ///< the direct sum is exactly zero there: no relative error
    double largest_at_zero = 0;  ///< of the solver's magnitudes at those
};

struct ForceComparison {
    ErrorSpread acceleration;       ///< |a - a_direct| / |a_direct|
    ErrorSpread potential;          ///< |phi - phi_direct| / |phi_direct|
    std::vector<Index> not_finite;  ///< all particles with such a value from the solver, sampled or not
};

/// `host` holds what the solver found for all particles, in the order that `reference` counts in.
ForceComparison compare_forces(const Particles& host, const ForceSample& reference);

/// Relative errors of `values` to `reference`, magnitudes of vectors; lists of equal length.
ErrorSpread error_spread(const std::vector<Vec3>& values, const std::vector<Vec3>& reference);
ErrorSpread error_spread(const std::vector<double>& values, const std::vector<double>& reference);

/// An aligned table with a line per quantity, and one for whatever has no finite relative error.
std::string comparison_table(const ForceComparison& comparison);

}  // namespace aureole::run
