// Unit systems. Inside the program G = 1; files and users have physical units.
#pragma once

namespace aureole {

/// What one unit of length, mass and velocity is in cgs. Time is length / velocity.
struct UnitSystem {
    double length_cm, mass_g, velocity_cm_per_s;

    double time_s() const { return length_cm / velocity_cm_per_s; }

    /// G in these units: G_cgs mass / (length velocity^2).
    double gravitational_constant() const;

    /// Whether all, and time and G in them, are positive and finite.
    bool usable() const;

    bool operator==(const UnitSystem&) const = default;
};

/// Newton's constant, cm^3 g^-1 s^-2 (CODATA 2018).
inline constexpr double gravitational_constant_cgs = 6.6743e-8;
inline constexpr double seconds_per_myr = 3.15576e13;  ///< Julian years
inline constexpr double kpc_cm = 3.085678e21;
inline constexpr double solar_mass_g = 1.989e33;

/// kpc, 1e10 Msun, km/s: the units of every file the program writes, and of files that do not say.
inline constexpr UnitSystem galactic_units{kpc_cm, 1e10 * solar_mass_g, 1e5};

/// Factors from internal numbers (G = 1) to those of another system, given the system's length and mass as
/// the internal ones: velocity = sqrt(G), time = 1 / sqrt(G), potential = G.
struct UnitScales {
    double length = 1, mass = 1, velocity = 1, time = 1, potential = 1;
};

/// Scales from a G = 1 system whose units of length and mass are those of `internal` to `target`.
UnitScales scales_from_internal(const UnitSystem& internal, const UnitSystem& target);

}  // namespace aureole
