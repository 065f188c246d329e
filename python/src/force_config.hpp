// The settings of a solver from the arguments of aureole.forces().
#pragma once

#include <array>
#include <string>

#include "gravity/solver_config.hpp"
#include "gravity/tree/tree_config.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::python {

inline gravity::Config force_config(const std::string& solver,
                                    const std::array<double, n_particle_types>& softening, bool spline,
                                    double accuracy, double opening_angle, bool mixed)
{
    gravity::Config config;
    config.solver = solver;
    config.softening = {spline ? gravity::SofteningKernel::spline : gravity::SofteningKernel::plummer,
                        softening};
    config.precision = mixed ? Precision::mixed : Precision::double_precision;
    auto& tree = config.plugins.get<gravity::tree::Config>();
    tree.force_accuracy = accuracy;
    tree.opening_angle = opening_angle;
    return config;
}

}  // namespace aureole::python
