// What initial conditions are made of: components, each a model with its size, place and motion.
// Fields are spelled as their configuration keys; internal units (G = 1), angles in degrees.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/core/particles.hpp"
#include "sim/core/plugin_configs.hpp"

namespace aureole::ics {

/// The name of a registered model, see model.hpp. These come with Aureole:
struct Model {
    std::string name;

    static const Model two_body;   ///< a Kepler pair, described by `elements`
    static const Model plummer;    ///< Plummer (1911)
    static const Model hernquist;  ///< Hernquist (1990)
    static const Model nfw;  ///< Navarro, Frenk & White (1996), with a smooth tail from truncation_radius on
    static const Model table;           ///< any spherical density, in `table`, with the same tail
    static const Model uniform_sphere;  ///< constant density inside scale_radius
    static const Model
        lattice;  ///< particles of a displaced lattice in a periodic box, described by `lattice`
    static const Model cosmological;  ///< a Gaussian field in a periodic box (cosmological.hpp)
    static const Model file;          ///< the caller's particles, in `given`

    bool operator==(const Model&) const = default;
};
inline const Model Model::two_body{"two_body"}, Model::plummer{"plummer"}, Model::hernquist{"hernquist"},
    Model::nfw{"nfw"}, Model::table{"table"}, Model::uniform_sphere{"uniform_sphere"},
    Model::lattice{"lattice"}, Model::cosmological{"cosmological"}, Model::file{"file"};

enum class Velocities {
    /// Sampled from the model's distribution function: isotropic unless anisotropy_radius is set; the uniform
    /// sphere has no isotropic one and takes Polyachenko & Shukhman's (1973).
    equilibrium,
    cold  ///< at rest
};

/// Whose field a distribution function balances.
enum class Potential {
    own,   ///< the component's alone
    total  ///< of all spheres with the same centre: equal position and velocity, not placed by an orbit
};

/// Density at radii, for model table: rows with growing radius in units of scale_radius, density in any unit.
struct DensityTable {
    std::vector<double> radius{}, density{};
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

/// How the sites of a lattice are displaced, see displaced_lattice.cpp.
struct LatticeWaves {
    double box_side = 0;              ///< of the periodic box that it fills
    double growth_factor = 0;         ///< D; a wave alone folds at 1
    std::vector<int> wave_vectors{};  ///< three integers for each wave, in units of 2 pi / box_side
    bool random_phases = false;       ///< drawn by seed; otherwise 0
    double wave_velocity = 0;  ///< largest speed that one wave along the box gives; velocities go with s
    double random_offset = 0;  ///< largest along each axis, in lattice spacings, evenly drawn
};

struct Component {
    Model model = Model::plummer;
    std::uint64_t particles = 0;  ///< how many; two_body has 2, file as many as given

    /// Total mass of the *untruncated* model. The particles share what lies inside truncation_radius, so that
    /// M(<r), the force there and the equilibrium are the model's own: a hernquist cut at 100 scale radii
    /// carries 0.980 of `mass`. nfw and table: the mass inside truncation_radius; the tail outside comes on
    /// top, and the particles share both.
    double mass = 1;
    double scale_radius = 1;  ///< the uniform sphere's radius; the unit of `table`'s radii

    /// plummer, hernquist: no particle beyond it, default 100 scale radii. nfw, table: where the tail begins;
    /// nfw needs it, a table's default is its last radius. Not for uniform_sphere.
    std::optional<double> truncation_radius{};
    std::optional<double> truncation_width{};  ///< nfw, table: decay length of the tail; default a tenth
                                               ///< of the truncation radius
    std::optional<double>
        anisotropy_radius{};               ///< Osipkov-Merritt: beta = r^2 / (r^2 + it^2); none: isotropic
    std::optional<Potential> potential{};  ///< default: total for nfw and table, own for the others
    DensityTable table{};                  ///< model table

    Velocities velocities = Velocities::equilibrium;
    double velocity_factor = 1;  ///< multiplies velocities within the component, before `velocity` is added

    Vec3 position{}, velocity{};  ///< of the model's analytic centre, or added to the file's particles
    std::optional<int> type{};    ///< 0..5; default 1, and for a file the types its particles have

    KeplerElements elements{};         ///< model two_body
    LatticeWaves lattice{};            ///< model lattice; `particles` is a cube, `mass` is that of all
    const Particles* given = nullptr;  ///< model file: host particles, borrowed until the conditions are made
    bool recenter = false;             ///< model file: see make_initial_conditions()
    PluginConfigs own{};               ///< settings that registered models brought along

    std::string name{};          ///< for people: "halo"; may be empty
    std::optional<int> group{};  ///< components of one group are one body for an orbit: the parts of a galaxy
};

/// Whose closest approach `Orbit::pericentre` is.
enum class PericentreOf {
    points,  ///< of two points on a conic
    spheres  ///< of rigid spheres of the bodies' masses, which overlap and attract each other less
};

/// A two-body orbit that places the centres of two bodies: relative motion of point masses with the masses
/// that they carry, inbound at `separation`, barycentre at rest at the origin. A body is a component, with
/// all components of its group where it has one. Exactly one of eccentricity and energy.
struct Orbit {
    std::array<std::size_t, 2> components{0, 1};  ///< one of each body
    double separation = 0;                        ///< of the centres at the start
    double pericentre = 0;                        ///< their closest approach
    PericentreOf pericentre_of = PericentreOf::points;
    std::optional<double> eccentricity{};  ///< below 1 ellipse, 1 parabola, above 1 hyperbola
    std::optional<double> energy{};        ///< v^2 / 2 - (m1 + m2) / r of the relative motion
    double inclination = 0, ascending_node = 0, argument_of_pericentre = 0;  ///< degrees; default: xy plane
};

}  // namespace aureole::ics
