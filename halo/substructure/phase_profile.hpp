// The density of a halo in phase space, f(x, v) = rho(r) N(v; sigma(r)): spherical about its centre, with
// Maxwellian velocities of the local dispersion, cut off at the velocity of escape. It tells which of two
// halos a particle belongs to more likely.
//
// Members are counted in 64 bins of r^2, two to a factor of two, whose number can be read from the bits of
// r^2: sums of integers, in any order. Bins become shells of about equal count (of few members a Plummer
// sphere is made), and these a table of the bins' edges, so that a density is one look-up. The same code runs
// on both backends and rounds each operation once.
#pragma once

#include <cstdint>
#include <cstring>

#include "halo/substructure/unbinding.hpp"
#include "sim/core/numerics/portable_math.hpp"

namespace aureole::halo {

inline constexpr int profile_bins = 64;

/// Smallest length and speed that count, so that coincident and cold members have a density too.
struct PhaseFloor {
    double length = 1, speed = 1;
};

/// Which bin r^2 is in, and how far in it, from 0 to 1. r^2 is normal.
struct RadialPlace {
    int bin;
    double fraction;
};

AUREOLE_HD inline RadialPlace radial_place(double squared_radius)
{
    std::uint64_t bits;
    std::memcpy(&bits, &squared_radius, sizeof bits);
    constexpr int below = 51;
    return {static_cast<int>(bits >> below),
            static_cast<double>(bits & ((std::uint64_t{1} << below) - 1)) * 0x1p-51};
}

/// r^2 where a bin begins.
AUREOLE_HD inline double bin_edge(int bin)
{
    const std::uint64_t bits = static_cast<std::uint64_t>(bin) << 51;
    double edge;
    std::memcpy(&edge, &bits, sizeof edge);
    return edge;
}

/// Powers of two that bring masses and m v^2 of a group's members into integers.
struct ProfileUnits {
    double mass, motion;
    bool massive;  ///< else every member has a weight of 1
};

/// Members by bins; members without mass count as all the others do.
struct ProfileSums {
    std::uint64_t count[profile_bins];   ///< in 2^-32
    std::uint64_t weight[profile_bins];  ///< in 1 / ProfileUnits::mass
    std::uint64_t motion[profile_bins];  ///< weight v^2, in 1 / ProfileUnits::motion
    std::uint64_t farthest;              ///< ordered_bits of r^2
};

struct PhaseProfile {
    PhaseCentre centre;
    double squared_reach;  ///< no particle farther from the centre belongs to the halo
    double squared_floor;
    double n;                               ///< members; 0: does not take part
    double n_before;                        ///< of the fit before
    bool has_mass;                          ///< without, it holds everything
    int base;                               ///< number of the first bin
    double log_density[profile_bins + 1];   ///< ln rho - 3 ln sigma at the edges of the bins
    double per_variance[profile_bins + 1];  ///< 1 / (2 sigma^2) there
    double potential[profile_bins];         ///< no deeper within the bin

    AUREOLE_HD RadialPlace place(double squared_radius) const
    {
        RadialPlace at = radial_place(squared_radius > squared_floor ? squared_radius : squared_floor);
        at.bin -= base;
        if (at.bin < 0) return {0, 0};
        if (at.bin >= profile_bins) return {profile_bins - 1, 1};
        return at;
    }
    /// ln f, less the constant of the normal distribution.
    AUREOLE_HD double log_density_at(const RadialPlace& at, double squared_speed) const
    {
        const double a = log_density[at.bin], b = log_density[at.bin + 1];
        const double c = per_variance[at.bin], d = per_variance[at.bin + 1];
        return (a + at.fraction * (b - a)) - squared_speed * (c + at.fraction * (d - c));
    }
    /// Whether a particle is slower than the velocity of escape from the members, taken as spherical, G = 1:
    /// within a bin the potential is that of the next shell's inner side or deeper, which leaves the choice
    /// to the potential of all members.
    AUREOLE_HD bool holds(const RadialPlace& at, double squared_speed) const
    {
        return !has_mass || 0.5 * squared_speed + potential[at.bin] <= 0;
    }
};

/// Counts a member with some probability. `bin` is the one of its place in the profile.
template <class Add>
AUREOLE_HD void add_member(ProfileSums& sums, int bin, double probability, double mass, double squared_speed,
                           const ProfileUnits& units, Add add)
{
    const double weight = probability * mass;
    add(&sums.count[bin], static_cast<std::uint64_t>(probability * 0x1p32));
    add(&sums.weight[bin], static_cast<std::uint64_t>(weight * units.mass));
    add(&sums.motion[bin], static_cast<std::uint64_t>(weight * squared_speed * units.motion));
}

/// Between counts and a table.
struct ProfileShell {
    double log_radius, log_density, log_sigma;  ///< of r^2, rho, sigma
    double outer_radius, mass;                  ///< of the members in it
    double potential;                           ///< at the outer radius
};
struct ProfileShells {
    static constexpr int most = 52;
    int n;
    ProfileShell shell[most];
};

/// Profiles of groups that are active from what was counted in their bins. `least_top`: per profile, an r^2
/// that the table has to reach.
void fit_profiles(Exec exec, Index n_profiles, const ProfileSums* sums, const Index* group,
                  const PhaseFloor* floor, const ProfileUnits* units, const double* least_top,
                  const std::uint8_t* active, ProfileShells* shells, PhaseProfile* profile);

}  // namespace aureole::halo
