#include "halo/fof/linking_length.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "halo/particle_summary.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr double boundary_constant =
    0.653;                     // n l^3 at the boundary (More et al. 2011, percolation threshold)
constexpr double flat = 1e-6;  // of the longest axis

double extent_along(std::span<const double> x, std::span<const ParticleType> type, std::uint8_t linking_types)
{
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (!type_links(linking_types, type[i])) continue;
        low = std::min(low, x[i]);
        high = std::max(high, x[i]);
    }
    return high - low;
}

}  // namespace

std::size_t number_linking(const Particles& host, std::uint8_t linking_types)
{
    const auto type = host.type.host();
    return static_cast<std::size_t>(std::count_if(
        type.begin(), type.end(), [&](ParticleType t) { return type_links(linking_types, t); }));
}

double mean_separation(const Box& box, std::size_t n_linking)
{
    AUREOLE_EXPECT(box.periodic(), "a mean separation needs a periodic box: give an absolute linking length");
    AUREOLE_EXPECT(n_linking > 0, "no particle links, so there is no mean separation: check the types");
    return box.side / std::cbrt(static_cast<double>(n_linking));
}

double bounding_box_separation(const Particles& host, std::uint8_t linking_types)
{
    const std::size_t n = number_linking(host, linking_types);
    AUREOLE_EXPECT(n > 0, "no particle links, so there is no mean separation: check the types");
    const auto type = host.type.host();
    const std::array<double, 3> extent{extent_along(host.position.x.host(), type, linking_types),
                                       extent_along(host.position.y.host(), type, linking_types),
                                       extent_along(host.position.z.host(), type, linking_types)};
    const double longest = *std::max_element(extent.begin(), extent.end());
    AUREOLE_EXPECT(longest > 0 && std::isfinite(longest),
                   "the {} linking particles span {}: give an absolute linking length", n, longest);
    double relative_volume = 1;  // in units of the longest axis, so that it cannot overflow
    int dimensions = 0;
    for (const double e : extent)
        if (e > flat * longest) {
            relative_volume *= e / longest;
            ++dimensions;
        }
    return longest * std::pow(relative_volume / static_cast<double>(n), 1.0 / dimensions);
}

double length_of_boundary_density(double number_density)
{
    AUREOLE_EXPECT(number_density > 0 && std::isfinite(number_density),
                   "boundary density {}, expected a positive, finite number per volume", number_density);
    return std::cbrt(boundary_constant / number_density);
}

}  // namespace aureole::halo
