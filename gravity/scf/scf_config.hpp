// What the expansion solver is told: for each component of the particle set a basis, a centre, and where its
// coefficients come from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gravity/scf/coefficients.hpp"
#include "sim/core/settings.hpp"

namespace aureole::gravity::scf {

/// live: coefficients of the present particles. frozen: those of the first evaluation, or of the first moment
/// of `series`; the field never changes. playback: `series` interpolated in time, its centre too.
enum class Mode { live, frozen, playback };

/// What a recentred expansion follows: the shrinking sphere of its particles, or the one of least potential
/// in their own field.
enum class Recentring { shrinking_sphere, most_bound };

/// Hall smoothing of live coefficients, see smoothing.hpp.
struct Smoothing {
    int samples = 0;  ///< sub-samples that show the noise; 0: no smoothing
    double snr = 1;   ///< larger smooths more
    double power = 1;

    bool operator==(const Smoothing&) const = default;
};

/// One component: particles + basis + centre.
struct FieldConfig {
    Basis basis;
    Symmetry symmetry;
    Mode mode = Mode::live;

    /// Nothing: that of `series`, else the shrinking sphere of the component's particles at the first
    /// evaluation. Initial conditions are shifted to their barycentre, which particles far out carry away
    /// from the densest point; an expansion belongs on that point.
    std::optional<Vec3> centre;
    double recenter_every = 0;  ///< interval of time; 0: the centre stays
    Recentring recenter_on = Recentring::shrinking_sphere;
    Smoothing smoothing;
    std::optional<CoefficientSeries> series;
    std::string series_name = "its file of coefficients";  ///< for messages
};

struct Config {
    FieldConfig defaults;                 ///< of component numbers beyond those listed
    std::vector<FieldConfig> components;  ///< by component number
    /// Takes the mass-weighted mean acceleration off every particle. An expansion does not know Newton's
    /// third law, so the total momentum wanders; with this it stays.
    bool subtract_mean_acceleration = false;
};

// What a user may set of the expansion solver: `gravity.scf.*`, and `scf.*` of a component, which replaces
// the former key by key.

/// Keys of one expansion; without a value where they are not given. Numbers as in FieldConfig.
struct ExpansionKeys {
    std::optional<int> n_max, l_max;
    std::optional<double> scale_radius;
    std::optional<Family> family;
    std::optional<bool> even_l, even_m, axisymmetric, spherical;
    std::optional<Mode> mode;
    std::filesystem::path coefficients;  ///< file of frozen coefficients, or of those to be played back
    std::optional<Vec3> centre;
    std::optional<double> recenter_every;
    std::optional<Recentring> recenter_on;
    std::optional<int> smoothing_samples;
    std::optional<double> smoothing_snr, smoothing_power;

    static ExpansionKeys defaults();
};

/// Below `gravity.scf.`: the expansion of every component that does not say otherwise.
struct Keys {
    ExpansionKeys expansion = ExpansionKeys::defaults();
    bool subtract_mean_acceleration = false;
};

/// Of one expansion; paths as below `gravity.scf.`
std::vector<Setting<ExpansionKeys>> expansion_key_settings();

/// Of the solver, for its registration.
PluginSettings settings();

/// The expansion that `keys` describe, defaults where they say nothing.
FieldConfig field_config(const ExpansionKeys& keys);

/// The keys of a component: its own where it has them, else the common ones. A component that chooses a mode
/// of its own does not inherit what contradicts it (a file, an interval of recentring, smoothing).
ExpansionKeys merged(const ExpansionKeys& common, const ExpansionKeys& own);

}  // namespace aureole::gravity::scf
