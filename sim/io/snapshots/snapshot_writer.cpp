#include "sim/io/snapshots/snapshot_writer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace aureole::io {

SnapshotContent with_exponents(SnapshotContent content, double h_exponent, double velocity_a_exponent)
{
    SnapshotHeader& header = content.header;
    if (!header.comoving) return content;
    const auto power = [](double base, double exponent) {
        return exponent == 0 || base <= 0 ? 1 : std::pow(base, exponent);
    };
    const double h = power(header.hubble, header.h_exponent - h_exponent);
    content.scales.length *= h;
    content.scales.mass *= h;
    header.box_size *= h;
    content.scales.velocity *= power(header.time, header.velocity_a_exponent - velocity_a_exponent);
    header.h_exponent = h_exponent;
    header.velocity_a_exponent = velocity_a_exponent;
    return content;
}

IndexRange SnapshotPart::rows(std::uint64_t n) const
{
    const auto cut = [&](std::uint64_t at) {
        return static_cast<Index>(at * (n / of) + std::min(at, n % of));
    };
    return {cut(number), cut(number + std::uint64_t{1})};
}

bool has_several_components(ConstParticlesView host)
{
    if (!host.component) return false;
    const std::span components(host.component, host.n);
    return std::ranges::adjacent_find(components, std::ranges::not_equal_to()) != components.end();
}

bool fits_single_precision(ConstParticlesView host, const UnitScales& scales)
{
    const auto fits = [&](const double* values, double scale) {
        return !values || std::all_of(values, values + host.n, [&](double x) {
            return std::abs(scale * x) <= double{std::numeric_limits<float>::max()} &&
                   double{static_cast<float>(scale * x)} == scale * x;
        });
    };
    return fits(host.mass, scales.mass) && fits(host.position.x, scales.length) &&
           fits(host.position.y, scales.length) && fits(host.position.z, scales.length) &&
           fits(host.velocity.x, scales.velocity) && fits(host.velocity.y, scales.velocity) &&
           fits(host.velocity.z, scales.velocity);
}

std::vector<Index> sorted_by_type(ConstParticlesView host)
{
    const auto counts = count_by_type(host);
    std::array<std::uint64_t, n_particle_types> next{};
    std::exclusive_scan(counts.begin(), counts.end(), next.begin(), std::uint64_t{0});
    std::vector<Index> order(host.n);
    for (Index i = 0; i < host.n; ++i) order[next[host.type_of(i)]++] = i;
    return order;
}

}  // namespace aureole::io
