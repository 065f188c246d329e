// What a user sets of one external field: its name, its own settings, and where and when it is.
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

}  // namespace aureole::gravity
