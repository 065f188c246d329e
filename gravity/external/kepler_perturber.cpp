#include "gravity/external/kepler_perturber.hpp"

#include <cmath>
#include <numbers>

#include "gravity/external/field_passes.hpp"
#include "sim/core/error.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"

namespace aureole::gravity {
namespace {

void expect(bool holds, const char* key, double value, const char* expected)
{
    if (holds && std::isfinite(value)) return;
    throw ConfigError(fmt::format("gravity.external.perturber.{} is {}, expected {}", key, value, expected));
}

void check(const KeplerPerturberConfig& c)
{
    expect(c.mass >= 0, "mass", c.mass, "a number of at least 0");
    expect(c.galaxy_mass > 0, "galaxy_mass", c.galaxy_mass,
           "a number above 0; by default it is the mass of all particles");
    expect(c.semi_major_axis > 0, "semi_major_axis", c.semi_major_axis, "a number above 0");
    expect(c.eccentricity >= 0 && c.eccentricity < 1, "eccentricity", c.eccentricity,
           "a number from 0 to below 1: the perturber moves on an ellipse");
    expect(c.softening >= 0, "softening", c.softening, "a number of at least 0");
    expect(true, "inclination", c.inclination, "degrees");
    expect(true, "ascending_node", c.ascending_node, "degrees");
    expect(true, "argument_of_pericentre", c.argument_of_pericentre, "degrees");
    expect(true, "mean_anomaly", c.mean_anomaly, "degrees");
}

PhaseSpacePoint scaled(double factor, const PhaseSpacePoint& p)
{
    return {factor * p.position, factor * p.velocity};
}

/// The field in the coordinates of the particles, with the perturber at `r` from the galaxy.
PointMass field(const KeplerPerturberConfig& config, Vec3 r, Vec3 position)
{
    Vec3 frame_acceleration{};
    if (config.frame == PerturberFrame::galaxy)
        frame_acceleration = config.mass * plummer_pair(dot(r, r), 0.0).force * r;
    return {config.mass, config.softening * config.softening, position, frame_acceleration};
}

}  // namespace

KeplerPerturber::KeplerPerturber(const KeplerPerturberConfig& config) : config_(config) { check(config); }

PhaseSpacePoint KeplerPerturber::relative_motion(double time) const
{
    const double a = config_.semi_major_axis, total = config_.galaxy_mass + config_.mass;
    const double turns_per_time = std::sqrt(total / a) / a / (2 * std::numbers::pi);
    const portable::SinCos anomaly =
        true_anomaly(config_.mean_anomaly / 360 + turns_per_time * time, config_.eccentricity);
    return aureole::relative_motion(Conic{.total_mass = total,
                                          .pericentre = a * (1 - config_.eccentricity),
                                          .eccentricity = config_.eccentricity,
                                          .cos_true_anomaly = anomaly.cos,
                                          .sin_true_anomaly = anomaly.sin,
                                          .inclination = config_.inclination,
                                          .ascending_node = config_.ascending_node,
                                          .argument_of_pericentre = config_.argument_of_pericentre});
}

std::optional<PhaseSpacePoint> KeplerPerturber::body(double time) const
{
    const PhaseSpacePoint relative = relative_motion(time);
    if (config_.frame == PerturberFrame::galaxy) return relative;
    return scaled(config_.galaxy_mass / (config_.galaxy_mass + config_.mass), relative);
}

PhaseSpacePoint KeplerPerturber::galaxy(double time) const
{
    if (config_.frame == PerturberFrame::galaxy) return {};
    return scaled(-config_.mass / (config_.galaxy_mass + config_.mass), relative_motion(time));
}

void KeplerPerturber::add_acceleration(Exec exec, const ConstParticlesView& particles,
                                       const Selection& targets, double time, const Vec3View& acceleration)
{
    expect_same_memory(exec, particles);
    const PointMass now = field(config_, relative_motion(time).position, body(time)->position);
    gravity::add_acceleration(exec, particles, targets.clipped(particles.n), now, acceleration);
}

double KeplerPerturber::power(Exec exec, const ConstParticlesView& particles, double time)
{
    expect_same_memory(exec, particles);
    const PointMass now = field(config_, relative_motion(time).position, body(time)->position);
    return scratch_.result(exec, particles.n,
                           [&](double* partial) { gravity::power(exec, particles, now, partial); });
}

std::size_t KeplerPerturber::scratch_bytes(std::size_t n) const { return SumScratch::bytes(n); }

}  // namespace aureole::gravity
