// What the hue of a picture of particles shows.
#pragma once

#include <string>
#include <vector>

namespace aureole {

/// Brightness shows the surface density in all of them.
enum class ColourBy { density, component, velocity, halo };

/// Their names in configurations and on the command line, in that order.
inline const std::vector<std::string> colour_by_names{"density", "component", "velocity", "halo"};

}  // namespace aureole
