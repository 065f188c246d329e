// What a user sets of one external field: its name, its own settings, and where and when it is; and of a
// perturber. Without the fields themselves, so that the configuration does not depend on their interface.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/core/plugin_configs.hpp"
#include "sim/core/vec3.hpp"

namespace aureole::gravity {

/// Internal units; the angle in degrees.
struct FieldPlacement {
    Vec3 centre{}, velocity{};                           ///< at time 0, and from then on
    std::vector<double> path_times{}, path_positions{};  ///< instead: a cubic spline through x, y, z at times
    double angle = 0;                                    ///< of the field's x axis at time 0, about z
    double pattern_speed = 0;                            ///< radians per time
    std::optional<double> growth_start{}, growth_end{};
    double growth_from = 0, growth_to = 1;  ///< amplitudes before and after

    bool operator==(const FieldPlacement&) const = default;
};

struct FieldConfig {
    std::string name;  ///< of a registered field, see field_registry.hpp
    PluginConfigs own;
    FieldPlacement placement;
};

/// The coordinates of the particles beside a perturber; both have axes fixed in inertial space.
enum class PerturberFrame {
    /// Moves with the point-mass galaxy, which rests at the origin: not inertial. The field is the softened
    /// acceleration less that of the frame, m r / |r|^3, so that the galaxy stays near the origin.
    galaxy,
    /// Inertial: galaxy and perturber move about their common barycentre, which rests at the origin.
    barycentric
};

/// A body on a Kepler ellipse (kepler_perturber.hpp). Internal units, angles in degrees.
struct KeplerPerturberConfig {
    double mass = 0;
    double galaxy_mass = 0;  ///< the relative orbit is that of mass + galaxy_mass
    double semi_major_axis = 0;
    double eccentricity = 0;  ///< 0 <= e < 1
    double inclination = 0, ascending_node = 0, argument_of_pericentre = 0;
    double mean_anomaly = 180;  ///< at time 0; 180 is apocentre
    double softening = 0;       ///< Plummer length of its force on particles; the orbit is that of points
    PerturberFrame frame = PerturberFrame::galaxy;
};

}  // namespace aureole::gravity
