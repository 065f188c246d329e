// What a user may set of the expansion solver: `gravity.scf.*`, and `scf.*` of a component, which replaces
// the former key by key.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "gravity/scf/scf_config.hpp"
#include "sim/core/settings.hpp"

namespace aureole::gravity::scf {

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
