// Halos with known members, built from the models of the initial conditions; G = 1.
#pragma once

#include <cmath>

#include "halo/groups.hpp"
#include "ics/make_initial_conditions.hpp"

namespace aureole::test {

/// NFW inside `radius`, with its smooth tail outside.
inline ics::Component nfw_halo(std::uint64_t n, double mass, double radius, double concentration)
{
    ics::Component halo;
    halo.model = ics::Model::nfw;
    halo.particles = n;
    halo.mass = mass;
    halo.scale_radius = radius / concentration;
    halo.truncation_radius = radius;
    return halo;
}

/// The spheres of Pearce et al.'s mocks (Knebe et al. 2011, section 3): rho ~ (1 + (r / core)^2)^(-3/2) with
/// core = 0.06 radius, cut at `radius`, here with a tail of 5 % of that so that it has a distribution
/// function.
inline ics::Component king_halo(std::uint64_t n, double mass, double radius)
{
    constexpr double core = 0.06;
    ics::Component halo;
    halo.model = ics::Model::table;
    halo.particles = n;
    halo.mass = mass;
    halo.scale_radius = core * radius;
    halo.truncation_width = 0.05 * radius;
    constexpr int n_rows = 60;
    for (int k = 0; k <= n_rows; ++k) {
        const double r = 0.03 * std::pow(1 / core / 0.03, static_cast<double>(k) / n_rows);
        halo.table.radius.push_back(r);
        halo.table.density.push_back(std::pow(1 + r * r, -1.5));
    }
    return halo;
}

/// A Plummer sphere cut at 5 scale radii.
inline ics::Component plummer_halo(std::uint64_t n, double mass, double scale_radius)
{
    ics::Component halo;
    halo.model = ics::Model::plummer;
    halo.particles = n;
    halo.mass = mass;
    halo.scale_radius = scale_radius;
    halo.truncation_radius = 5 * scale_radius;
    return halo;
}

inline Particles make_mock(std::uint64_t seed, std::vector<ics::Component> components)
{
    ics::Config config;
    config.seed = seed;
    config.components = std::move(components);
    return ics::make_initial_conditions(config);
}

/// All particles in one group.
inline halo::Members one_group(const Particles& particles)
{
    const auto n = static_cast<Index>(particles.size());
    return halo::members_of({.label = std::vector<std::int32_t>(n, 0), .n_members = {n}});
}

/// How well a list of particles recovers a component.
struct Recovery {
    double completeness;  ///< share of the component that is in the list
    double purity;        ///< share of the list that is of the component
    double mass_ratio;    ///< of the list and the component
};

inline Recovery recovery_of(const Particles& particles, std::span<const Index> members, Component component)
{
    double total = 0, mass = 0, n_total = 0, n_common = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
        if (particles.component.host()[i] != component) continue;
        total += particles.mass.host()[i];
        ++n_total;
    }
    for (const Index i : members) {
        mass += particles.mass.host()[i];
        if (particles.component.host()[i] == component) ++n_common;
    }
    return {n_common / n_total, n_common / static_cast<double>(members.size()), mass / total};
}

}  // namespace aureole::test
