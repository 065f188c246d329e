#include "ics/overlapping_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ics/check_config.hpp"
#include "ics/distribution_function.hpp"
#include "ics/model.hpp"
#include "sim/core/numerics/gauss_legendre.hpp"

namespace aureole::ics {
namespace {

/// The potential energy of two rigid spheres over their reduced mass, by the distance of their centres.
class MutualPotential {
public:
    /// `length`: one to which tables reach far enough inwards and outwards.
    MutualPotential(const Field& first, const Field& second, double length)
    {
        constexpr double innermost = 1e-5, outermost = 1e3, ratio = 1 + 1.0 / 32;
        for (double r = innermost * length; r < outermost * length; r *= ratio) radius_.push_back(r);
        const std::size_t n = radius_.size();
        const double last = radius_.back();
        total_ = second.enclosed_mass(last);
        potential_.resize(n);
        slope_.resize(n);
        double before = 0;
        for (const double r : radius_) {
            const double inside = first.enclosed_mass(r);
            shells_.push_back(inside - before);
            before = inside;
        }
        first_total_ = before;
        for (std::size_t k = n; k-- > 0;) {
            slope_[k] = second.enclosed_mass(radius_[k]) / (radius_[k] * radius_[k]);
            potential_[k] = k + 1 == n
                                ? -total_ / last
                                : potential_[k + 1] - integral(radius_[k], radius_[k + 1], [&](double r) {
                                      return second.enclosed_mass(r) / (r * r);
                                  });
        }
        weighted_.assign(n, radius_[0] * radius_[0] / 2 * potential_[0]);
        for (std::size_t k = 1; k < n; ++k)
            weighted_[k] = weighted_[k - 1] + integral(radius_[k - 1], radius_[k],
                                                       [&](double r) { return r * potential_of_second(r); });
    }

    double at(double distance) const
    {
        double sum = 0;
        for (std::size_t k = 0; k < radius_.size(); ++k) {
            if (!(shells_[k] > 0)) continue;
            const double s = k == 0 ? 0 : std::sqrt(radius_[k - 1] * radius_[k]);
            constexpr double point = 1e-3;  // a shell so small is one
            const double mean =
                s < point * distance
                    ? potential_of_second(distance)
                    : (weighted(distance + s) - weighted(std::abs(distance - s))) / (2 * distance * s);
            sum += shells_[k] * mean;
        }
        return sum * (first_total_ + total_) / (first_total_ * total_);
    }

private:
    /// Hermite's cubic in cell k of values and slopes.
    double cubic(std::size_t k, double r, double v0, double v1, double d0, double d1) const
    {
        const double h = radius_[k + 1] - radius_[k], t = (r - radius_[k]) / h, u = 1 - t;
        return v0 + (v1 - v0) * t * t * (3 - 2 * t) + h * t * u * (d0 * u - d1 * t);
    }
    std::size_t cell(double r) const
    {
        const auto above = std::upper_bound(radius_.begin() + 1, radius_.end() - 1, r);
        return static_cast<std::size_t>(above - radius_.begin()) - 1;
    }
    double potential_of_second(double r) const
    {
        if (r >= radius_.back()) return -total_ / r;
        if (r <= radius_[0]) return potential_[0];
        const std::size_t k = cell(r);
        return cubic(k, r, potential_[k], potential_[k + 1], slope_[k], slope_[k + 1]);
    }
    /// The integral of r times the potential of the second, from 0 to r.
    double weighted(double r) const
    {
        if (r >= radius_.back()) return weighted_.back() - total_ * (r - radius_.back());
        if (r <= radius_[0]) return r * r / 2 * potential_[0];
        const std::size_t k = cell(r);
        return cubic(k, r, weighted_[k], weighted_[k + 1], radius_[k] * potential_[k],
                     radius_[k + 1] * potential_[k + 1]);
    }

    std::vector<double> radius_, shells_, potential_, slope_, weighted_;
    double first_total_ = 0, total_ = 0;
};

/// The masses of both bodies; nothing where they are not known.
std::optional<MutualPotential> mutual_potential(const Config& config)
{
    if (!config.orbit) return {};
    std::array<Field, 2> bodies;
    for (std::size_t k = 0; k < config.components.size(); ++k) {
        const auto body = body_on_orbit(config, k);
        if (!body) continue;
        if (!make_model(config.components[k])->joins_total_potential()) return {};
        bodies[*body].add(config.components[k], false);
    }
    return MutualPotential(bodies[0], bodies[1], config.orbit->separation);
}

double closest(const MutualPotential& potential, const PhaseSpacePoint& start)
{
    const double distance = std::sqrt(dot(start.position, start.position));
    const double v2 = dot(start.velocity, start.velocity), radial = dot(start.position, start.velocity);
    const double momentum2 = distance * distance * v2 - radial * radial;
    const double energy = v2 / 2 + potential.at(distance);
    // (r v_r)^2, which is 0 at the ends of the orbit
    const auto radial_square = [&](double r) { return 2 * (energy - potential.at(r)) * r * r - momentum2; };
    constexpr double step = 0.97, nothing = 1e-5;
    double outer = distance, inner = step * distance;
    while (inner > nothing * distance && radial_square(inner) > 0) {
        outer = inner;
        inner *= step;
    }
    constexpr int halvings = 40;
    for (int k = 0; k < halvings; ++k) {
        const double middle = (inner + outer) / 2;
        (radial_square(middle) > 0 ? outer : inner) = middle;
    }
    return outer;
}

double closest(const MutualPotential& potential, const Orbit& orbit, double mass)
{
    return closest(potential, relative_motion(orbit, mass));
}

/// The pericentre of points, from `low` on, with which rigid spheres come as near as `asked`: they come less
/// near than points.
double pericentre_of_points(const MutualPotential& potential, Orbit orbit, double mass, double low,
                            double asked)
{
    double high = asked;
    constexpr int halvings = 30;
    for (int k = 0; k < halvings; ++k) {
        orbit.pericentre = (low + high) / 2;
        (closest(potential, orbit, mass) < asked ? low : high) = orbit.pericentre;
    }
    return high;
}

/// The least pericentre of points whose orbit of this eccentricity comes out to the separation; with the same
/// energy all do that are nearer.
double least_pericentre(const Orbit& orbit)
{
    constexpr double nothing = 1e-4;
    const double least = nothing * orbit.pericentre, e = orbit.eccentricity.value_or(1);
    return e < 1 ? std::fmax(least, orbit.separation * (1 - e) / (1 + e)) : least;
}

}  // namespace

std::optional<double> rigid_pericentre(const Config& config)
{
    const auto potential = mutual_potential(config);
    if (!potential) return {};
    const auto [m1, m2] = masses_on_orbit(config);
    return closest(*potential, *config.orbit, m1 + m2);
}

Config with_orbit_of_points(const Config& config)
{
    if (!config.orbit || config.orbit->pericentre_of == PericentreOf::points || config.orbit->pericentre == 0)
        return config;
    const auto potential = mutual_potential(config);
    if (!potential)
        refuse("orbit",
               "pericentre_of is spheres, expected bodies whose masses inside each radius are known: no "
               "part of them read from a file");
    const auto [m1, m2] = masses_on_orbit(config);
    Config result = config;
    Orbit& orbit = *result.orbit;
    const double asked = orbit.pericentre;
    orbit.pericentre = least_pericentre(orbit);
    if (const double nearest = closest(*potential, orbit, m1 + m2); nearest > asked)
        refuse("orbit",
               fmt::format("pericentre is {} and pericentre_of spheres, expected at least {:.4g}: orbits "
                           "of this eccentricity that come nearer do not reach separation {}",
                           asked, nearest, orbit.separation));
    orbit.pericentre = pericentre_of_points(*potential, orbit, m1 + m2, orbit.pericentre, asked);
    return result;
}

std::string pericentre_note(const Config& config)
{
    const auto potential = mutual_potential(config);
    if (!potential) return {};
    const auto [m1, m2] = masses_on_orbit(config);
    const Orbit& orbit = *config.orbit;
    const double asked = orbit.pericentre;
    std::string text = fmt::format(
        "the orbit's pericentre is {:.4g} for points, and {:.4g} for rigid spheres of the masses of the "
        "bodies",
        asked, closest(*potential, orbit, m1 + m2));
    if (orbit.pericentre_of == PericentreOf::spheres || !orbit.eccentricity || *orbit.eccentricity < 1)
        return text;
    return text + fmt::format(
                      "; with orbit.pericentre_of spheres it begins as that of points with pericentre {:.4g} "
                      "and these come as near as {:.4g}",
                      pericentre_of_points(*potential, orbit, m1 + m2, least_pericentre(orbit), asked),
                      asked);
}

}  // namespace aureole::ics
