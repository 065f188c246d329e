// Initial conditions that several tests begin with.
#pragma once

#include "ics/make_initial_conditions.hpp"

namespace aureole::test {

inline ics::Component hernquist(std::uint64_t n) { return {.model = ics::Model::hernquist, .particles = n}; }

/// A bulge in a halo, a sphere of a table and an anisotropic one: everything that takes an inversion.
inline ics::Config inverted_config()
{
    ics::Config config;
    config.seed = 9;
    config.components = {hernquist(1000),
                         {.model = ics::Model::nfw, .particles = 1000, .mass = 10, .truncation_radius = 12},
                         {.model = ics::Model::table, .particles = 1000, .position = {30, 0, 0}},
                         {.model = ics::Model::plummer, .particles = 1000, .anisotropy_radius = 1.5}};
    config.components[0].potential = config.components[3].potential = ics::Potential::own;
    config.components[0].scale_radius = 0.3;
    for (double r = 0.0625; r <= 20; r *= 1.25) {
        config.components[2].table.radius.push_back(r);
        config.components[2].table.density.push_back(1 / ((1 + r * r) * (1 + r * r)));
    }
    return config;
}

}  // namespace aureole::test
