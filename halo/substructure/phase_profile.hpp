// The density of a halo in phase space, f(x, v) = rho(r) N(v; sigma(r)): spherical about its centre, with
// Maxwellian velocities of the local dispersion, read from the members in shells of equal count. It answers
// which of two halos a particle belongs to more likely.
#pragma once

#include <span>
#include <vector>

#include "halo/substructure/group_points.hpp"

namespace aureole::halo {

/// Smallest length and speed that count, so that coincident and cold members have a density too.
struct PhaseFloor {
    double length = 1, speed = 1;
};

/// Where a halo is and how it moves.
struct PhaseCentre {
    Vec3 position{}, velocity{};
};

/// A particle that belongs to a halo with some probability.
struct Share {
    Index particle;
    double probability;  ///< above 0
};

class PhaseProfile {
public:
    /// `members`: at least one. Members without mass count as all the others do.
    PhaseProfile(const GroupPoints& points, std::span<const Share> members, const PhaseCentre& centre,
                 const PhaseFloor& floor);

    /// ln f, less the constant of the normal distribution.
    double log_density(Vec3 position, Vec3 velocity) const;

    const PhaseCentre& centre() const { return centre_; }
    double reach() const { return reach_; }  ///< no particle farther from the centre belongs to the halo

private:
    struct Shell {
        double log_radius, log_density, log_sigma;
    };
    struct Member;
    void add_shell(std::span<const Member> members, double inner, double outer, const PhaseFloor& floor);

    PhaseCentre centre_;
    double reach_ = 0;
    double least_radius_ = 0;
    std::vector<Shell> shells_;  ///< from the centre outwards
};

}  // namespace aureole::halo
