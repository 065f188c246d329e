// A disk in equilibrium with all that shares its centre: its motions, and particles drawn from them.
#pragma once

#include <memory>
#include <optional>

#include "ics/disk/planar_distribution.hpp"
#include "ics/disk/vertical_distribution.hpp"
#include "ics/model.hpp"
#include "ics/quiet_start.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"

namespace aureole::ics {

class MassTable;

/// Between which radii a disk has orbits, in scale lengths; 5e-6 of an exponential lie beyond.
inline constexpr double first_orbit = 1e-3, last_orbit = 15;

class DiskEquilibrium {
public:
    /// Of a component that check_config() accepts. Takes a few seconds of one core, in parallel; equal bit
    /// for bit for any number of threads. Throws ConfigError where circular orbits are unstable.
    DiskEquilibrium(const Config& config, std::size_t component);
    ~DiskEquilibrium();
    DiskEquilibrium(const DiskEquilibrium&) = delete;
    DiskEquilibrium& operator=(const DiskEquilibrium&) = delete;

    /// A particle about the disk's centre, drawn from the streams of its id.
    PhaseSpacePoint sample(std::uint64_t seed, std::uint64_t id) const;

    /// The same for an orbit of a quiet start, whose velocity is drawn from the stream of `id`.
    PhaseSpacePoint sample_quiet(const QuietStart& quiet, std::uint64_t orbit, std::uint64_t seed,
                                 std::uint64_t id) const;

    /// Axis ratio of the equipotential of all that shares the centre through (2 R_d, 0); nothing without
    /// round companions.
    std::optional<double> flatness() const;

    PlanarMoments planar_moments(double radius) const;
    double sigma_z(double radius) const;   ///< in the plane
    double toomre_q(double radius) const;  ///< of the particles' sigma_R
    double sigma_0() const { return sigma_0_; }

    const DiskProfile& profile() const { return profile_; }
    const GalacticField& field() const { return field_; }
    const RotationCurve& curve() const { return curve_; }
    const VerticalDistribution& vertical() const { return vertical_; }

    /// What came out, by radius, and what a user should know of it.
    Report report() const;

private:
    /// At shares of the mass inside R, of a turn, and of the column above and below.
    PhaseSpacePoint at(std::array<double, 3> place, Random& motion) const;
    PlanarVelocity planar_velocity(double radius, Random& random) const;
    double asked_sigma(double radius) const;
    double central_dispersion() const;
    /// Throws ConfigError for a disk that is too cold for its distribution function.
    void expect_warm(const std::string& place) const;

    DiskConfig config_;
    double velocity_factor_;
    DiskProfile profile_;
    GalacticField field_;
    RotationCurve curve_;
    double sigma_0_;
    PlanarTarget target_;
    std::optional<PlanarDistribution> planar_;  ///< none: moments
    VerticalDistribution vertical_;
    std::unique_ptr<MassTable> radii_;  ///< M(<R) of the particles
};

}  // namespace aureole::ics
