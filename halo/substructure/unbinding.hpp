// Which of its particles a subhalo holds: those with v^2 / 2 + phi <= 0 relative to its core, phi the
// potential of the members themselves. What is not bound is removed, and the rest is tested again until all
// are bound. Subhalos inside do not count: their potential wells would hold the most bound particles of
// others. Cost: a potential of all members, then that of the particles removed in each iteration.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gravity/solver_config.hpp"
#include "halo/substructure/group_points.hpp"
#include "halo/substructure/phase_profile.hpp"

namespace aureole::halo {

/// The bound members, the most bound first (ties: smaller number).
struct BoundMembers {
    std::vector<Index> member;
    std::vector<double> energy;  ///< v^2 / 2 + phi of each
    /// Means over the most bound of them, a tenth and at least 10; energies are relative to this velocity.
    PhaseCentre centre{};
};

/// Computes potentials with solvers; one object for each thread.
class Unbinder {
public:
    /// Few members are summed directly, many by the solver that `gravity` names.
    explicit Unbinder(const gravity::Config& gravity);
    ~Unbinder();

    /// When fewer than `least` are bound, the result is empty.
    BoundMembers bound_of(const GroupPoints& points, std::span<const Index> candidates, std::size_t least);

    /// The same without leave: all candidates, at least one.
    BoundMembers all_of(const GroupPoints& points, std::span<const Index> candidates);

private:
    enum class Sources { all, others };
    std::vector<double> potential(const GroupPoints& points, std::span<const Index> targets,
                                  std::span<const Index> others, Sources sources);

    std::unique_ptr<gravity::Solver> direct_, solver_;
};

}  // namespace aureole::halo
