// What initial conditions are made of: components, each a model with its size, place and motion.
// Fields are spelled as their configuration keys; internal units (G = 1), angles in degrees.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sim/core/particles.hpp"

namespace aureole::ics {

enum class Model {
    two_body,        ///< a Kepler pair, described by `elements`
    plummer,         ///< Plummer (1911)
    hernquist,       ///< Hernquist (1990)
    uniform_sphere,  ///< constant density inside scale_radius
    file             ///< the caller's particles, in `given`
};

enum class Velocities {
    /// Sampled from the model's distribution function: isotropic for plummer and hernquist; the uniform
    /// sphere has no isotropic one and takes Polyachenko & Shukhman's (1973).
    equilibrium,
    cold  ///< at rest
};

/// An orbit of two bodies about their barycentre. Exactly one of semi_major_axis and pericentre; at most one
/// anomaly (none: at pericentre). eccentricity >= 1 needs pericentre, and knows no mean anomaly.
struct KeplerElements {
    std::array<double, 2> masses{1, 1};
    std::optional<double> semi_major_axis{}, pericentre{};
    double eccentricity = 0;
    std::optional<double> true_anomaly{}, mean_anomaly{};                    ///< degrees
    double inclination = 0, ascending_node = 0, argument_of_pericentre = 0;  ///< degrees
};

struct Component {
    Model model = Model::plummer;
    std::uint64_t particles = 0;  ///< how many; two_body has 2, file as many as given

    /// Total mass of the *untruncated* model. The particles share what lies inside truncation_radius, so that
    /// M(<r), the force there and the equilibrium are the model's own: a hernquist cut at 100 scale radii
    /// carries 0.980 of `mass`.
    double mass = 1;
    double scale_radius = 1;                    ///< the uniform sphere's radius
    std::optional<double> truncation_radius{};  ///< default 100 scale radii; not for uniform_sphere

    Velocities velocities = Velocities::equilibrium;
    double velocity_factor = 1;  ///< multiplies velocities within the component, before `velocity` is added

    Vec3 position{}, velocity{};  ///< of the model's analytic centre, or added to the file's particles
    std::optional<int> type{};    ///< 0..5; default 1, and for a file the types its particles have

    KeplerElements elements{};         ///< model two_body
    const Particles* given = nullptr;  ///< model file: host particles, borrowed until the conditions are made
    bool recenter = false;             ///< model file: see make_initial_conditions()
};

/// A two-body orbit that places the centres of two components: relative motion of point masses with the
/// masses the components carry, inbound at `separation`, barycentre at rest at the origin. Exactly one of
/// eccentricity and energy.
struct Orbit {
    std::array<std::size_t, 2> components{0, 1};
    double separation = 0;                 ///< of the centres at the start
    double pericentre = 0;                 ///< their closest approach
    std::optional<double> eccentricity{};  ///< below 1 ellipse, 1 parabola, above 1 hyperbola
    std::optional<double> energy{};        ///< v^2 / 2 - (m1 + m2) / r of the relative motion
    double inclination = 0, ascending_node = 0, argument_of_pericentre = 0;  ///< degrees; default: xy plane
};

}  // namespace aureole::ics
