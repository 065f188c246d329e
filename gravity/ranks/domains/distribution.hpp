// Particles on their way to the domains that own them, in the order along the curve.
#pragma once

#include "gravity/ranks/domains/cuts.hpp"
#include "gravity/ranks/domains/particles.hpp"
#include "gravity/ranks/domains/phase_clock.hpp"
#include "gravity/tree/build.hpp"

namespace aureole::gravity::domains {

/// What all parts know of all particles.
struct Whole {
    tree::Frame frame{};
    std::uint64_t n = 0, work = 0;        ///< work: every particle counts as one at least
    bool any_acceleration = false;        ///< one is not zero
    std::vector<std::uint64_t> cuts;      ///< places where domains begin, and n: parts + 1 of them
    std::vector<std::uint64_t> key_cuts;  ///< first keys of the domains but the first, for the next time
    std::vector<std::uint64_t> work_of;   ///< of each domain, as `work`
    bool is_recut = true;                 ///< the cuts of the time before did not serve

    std::uint64_t size_of(int part) const
    {
        const auto p = static_cast<std::size_t>(part);
        return cuts[p + 1] - cuts[p];
    }
    /// The next part in this direction, +1 or -1, that holds particles, or -1.
    int neighbour(int part, int direction) const;
};

/// The particles of a domain, along the curve.
struct OrderedDomain {
    DomainParticles particles;
    Untouched<tree::Likeness> likeness;  ///< of each particle and the one before it; 0 for the first of all
};

/// Moves particles, each of them on any part, to the parts that own them. Two exchanges: by key, so that all
/// of a cell of 2^-21 of the extent come together and are put in order there; then by place, so that cuts are
/// global multiples of cut_unit. Order and likenesses are those of one tree over all of them: by both keys,
/// the key of a run, id and serial. `held` is emptied; `before` is what the last call returned, or a default.
/// Throws ArgumentError for 2^32 - 1 particles or more, and for places that are no such cuts. Collective.
Whole distribute(comm::Parts& parts, std::vector<DomainParticles>& held, const CutRule& rule,
                 const Whole& before, std::vector<OrderedDomain>& domains, PhaseClock& clock);

}  // namespace aureole::gravity::domains
