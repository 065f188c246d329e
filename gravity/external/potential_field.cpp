#include "gravity/external/potential_field.hpp"

#include <cmath>
#include <numbers>

#include "sim/core/error.hpp"

namespace aureole::gravity {
namespace {

struct Amplitude {
    double value, rate;
};

/// Dehnen's (2000) growth, whose first two derivatives vanish at both ends.
Amplitude amplitude_at(const FieldPlacement& p, double time)
{
    if (!p.growth_start) return {1, 0};
    const double start = *p.growth_start, end = *p.growth_end;
    if (time <= start) return {p.growth_from, 0};
    if (time >= end) return {p.growth_to, 0};
    const double xi = 2 * (time - start) / (end - start) - 1, xi2 = xi * xi;
    const double share = ((3.0 / 16 * xi2 - 5.0 / 8) * xi2 + 15.0 / 16) * xi + 0.5;
    const double slope = 15.0 / 16 * (1 - xi2) * (1 - xi2) * 2 / (end - start);
    const double rise = p.growth_to - p.growth_from;
    return {p.growth_from + rise * share, rise * slope};
}

void expect_growth(const FieldPlacement& p)
{
    if (!p.growth_start && !p.growth_end) {
        if (p.growth_from == 0 && p.growth_to == 1) return;
        throw ConfigError("growth.from or growth.to is given without growth.start and growth.end");
    }
    if (!p.growth_start || !p.growth_end)
        throw ConfigError("one of growth.start and growth.end is given, expected both");
    if (!(*p.growth_end > *p.growth_start))
        throw ConfigError(fmt::format("growth.end is {}, expected a time after growth.start, {}",
                                      *p.growth_end, *p.growth_start));
}

std::vector<CubicSpline> path_of(const FieldPlacement& p)
{
    const std::size_t n = p.path_times.size();
    if (n == 0 && p.path_positions.empty()) return {};
    if (n < 2 || p.path_positions.size() != 3 * n)
        throw ConfigError(
            fmt::format("path.times has {} times and path.positions {} numbers, expected two or more times "
                        "and x, y, z of each",
                        n, p.path_positions.size()));
    const auto zero = [](Vec3 v) { return v.x == 0 && v.y == 0 && v.z == 0; };
    if (!zero(p.centre) || !zero(p.velocity))
        throw ConfigError("path is given beside centre or velocity, expected one of them");
    std::vector<CubicSpline> path;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<double> values;
        for (std::size_t i = 0; i < n; ++i) values.push_back(p.path_positions[3 * i + axis]);
        path.emplace_back(p.path_times, values);
    }
    return path;
}

void expect_together(Exec exec, const ConstParticlesView& particles) { expect_same_memory(exec, particles); }

}  // namespace

FieldMotion::FieldMotion(const FieldPlacement& placement) : placement_(placement), path_(path_of(placement))
{
    expect_growth(placement);
}

FieldState FieldMotion::at(double time) const
{
    const FieldPlacement& p = placement_;
    FieldState state;
    state.velocity = p.velocity;
    state.centre = p.centre + time * p.velocity;
    if (!path_.empty()) {
        const auto x = path_[0].at(time), y = path_[1].at(time), z = path_[2].at(time);
        state.centre = {x.value, y.value, z.value};
        state.velocity = {x.slope, y.slope, z.slope};
    }
    const double angle = p.angle * (std::numbers::pi / 180) + p.pattern_speed * time;
    state.cosine = std::cos(angle);
    state.sine = std::sin(angle);
    state.pattern_speed = p.pattern_speed;
    const Amplitude amplitude = amplitude_at(p, time);
    state.amplitude = amplitude.value;
    state.amplitude_rate = amplitude.rate;
    return state;
}

bool FieldMotion::changes() const { return !path_.empty() || placement_.growth_start || at(0).changes(); }

PotentialField::PotentialField(const FieldPotential& potential, const FieldPlacement& placement)
    : potential_(potential), motion_(placement)
{
}

void PotentialField::add_acceleration(Exec exec, const ConstParticlesView& particles,
                                      const Selection& targets, double time, const Vec3View& acceleration)
{
    expect_together(exec, particles);
    gravity::add_acceleration(exec, particles, targets.clipped(particles.n), potential_, motion_.at(time),
                              acceleration);
}

void PotentialField::add_potential(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                                   double time, double* potential)
{
    expect_together(exec, particles);
    gravity::add_potential(exec, particles, targets.clipped(particles.n), potential_, motion_.at(time),
                           potential);
}

double PotentialField::energy(Exec exec, const ConstParticlesView& particles, double time)
{
    expect_together(exec, particles);
    return scratch_.result(exec, particles.n, [&](double* partial) {
        sum_energy(exec, particles, potential_, motion_.at(time), partial);
    });
}

double PotentialField::power(Exec exec, const ConstParticlesView& particles, double time)
{
    expect_together(exec, particles);
    const FieldState now = motion_.at(time);
    if (!now.changes()) return 0;
    return scratch_.result(exec, particles.n, [&](double* partial) {
        sum_energy_rate(exec, particles, potential_, now, partial);
    });
}

}  // namespace aureole::gravity
