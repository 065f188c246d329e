// The density of a halo in phase space, f(x, v) = rho(r) N(v; sigma(r)): spherical about its centre, with
// Maxwellian velocities of the local dispersion, cut off at the velocity of escape, read from the members in
// shells of equal count (of few members a Plummer sphere is made). It tells which of two halos a particle
// belongs to more likely.
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

    /// Whether a particle is slower than the velocity of escape from the members, taken as spherical, G = 1.
    /// Members without mass hold everything.
    bool holds(Vec3 position, Vec3 velocity) const;

    const PhaseCentre& centre() const { return centre_; }
    double reach() const { return reach_; }  ///< no particle farther from the centre belongs to the halo

private:
    struct Shell {
        double log_radius, log_density, log_sigma;
        double outer_radius, mass;  ///< of the members in it
        double potential;           ///< at the outer radius
    };
    struct Member;
    double dispersion(std::span<const Member> members) const;
    static std::size_t end_of(std::span<const Member> members, std::size_t begin, double count);
    void make_shells(std::span<const Member> members, double count, double n_shells);
    void make_plummer(std::span<const Member> members, double half_count);
    void add_shell(double radius, double density, double sigma, double outer, double mass);
    void find_potential();

    PhaseCentre centre_;
    PhaseFloor floor_;
    bool has_mass_ = false;
    double reach_ = 0;
    std::vector<Shell> shells_;  ///< from the centre outwards
};

}  // namespace aureole::halo
