// Whether initial conditions can be made as asked, and the checks that models share.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "ics/make_initial_conditions.hpp"

namespace aureole::ics {

/// Throws ConfigError naming component and key of the first value that is not possible. Whether spheres have
/// distribution functions is found by make_sphere().
void check_config(const Config& config);

/// The mass that the particles of a component carry together.
double carried_mass(const Component& component);

/// The component as messages name it: "component 2 (halo, nfw)", "component 2 (nfw)" without a name.
std::string place_of(const Config& config, std::size_t component);

/// Which of the bodies on the orbit the component belongs to, 0 or 1: it is named there, or is of the group
/// of the one that is. Nothing for the others, and without an orbit.
std::optional<std::size_t> body_on_orbit(const Config& config, std::size_t component);

/// The masses that the two bodies on the orbit carry.
std::array<double, 2> masses_on_orbit(const Config& config);

inline const std::string& name_of(const Model& model) { return model.name; }

/// Throws ConfigError "initial_conditions, WHERE: WHAT".
[[noreturn]] void refuse(const std::string& where, const std::string& what);

/// These refuse what their names do not say; `key` stands in the message.
void expect_finite_value(const std::string& where, const char* key, double value);
void expect_finite_value(const std::string& where, const char* key, Vec3 value);
void expect_positive(const std::string& where, const char* key, double value);
void expect_eccentricity(const std::string& where, double eccentricity);

/// Inclination, node and argument of pericentre of a pair's elements or of an orbit.
template <class T>
void expect_angles(const std::string& where, const T& orbit)
{
    expect_finite_value(where, "inclination", orbit.inclination);
    expect_finite_value(where, "ascending_node", orbit.ascending_node);
    expect_finite_value(where, "argument_of_pericentre", orbit.argument_of_pericentre);
}

}  // namespace aureole::ics
