#include "sim/config/expansion_settings.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

using gravity::scf::Mode;

template <class T>
void replace(std::optional<T>& value, const std::optional<T>& by)
{
    if (by) value = by;
}

std::size_t n_components(const Config& config)
{
    return std::max<std::size_t>(1, config.initial_conditions.components.size());
}

gravity::scf::FieldConfig field_config(const ExpansionConfig& keys)
{
    gravity::scf::FieldConfig field;
    const ExpansionConfig defaults = ExpansionConfig::defaults();
    const auto value = [&](auto member) { return (keys.*member).value_or(*(defaults.*member)); };
    using E = ExpansionConfig;
    field.basis = {value(&E::family), value(&E::n_max), value(&E::l_max), value(&E::scale_radius)};
    field.symmetry = {value(&E::even_l), value(&E::even_m), value(&E::axisymmetric), value(&E::spherical)};
    field.mode = value(&E::mode);
    field.centre = keys.centre;
    field.recenter_every = value(&E::recenter_every);
    field.recenter_on = value(&E::recenter_on);
    field.smoothing = {value(&E::smoothing_samples), value(&E::smoothing_snr), value(&E::smoothing_power)};
    return field;
}

}  // namespace

ExpansionConfig ExpansionConfig::defaults()
{
    ExpansionConfig keys;
    const gravity::scf::FieldConfig field;
    keys.n_max = field.basis.n_max;
    keys.l_max = field.basis.l_max;
    keys.scale_radius = field.basis.scale_radius;
    keys.family = field.basis.family;
    keys.even_l = keys.even_m = keys.axisymmetric = keys.spherical = false;
    keys.mode = field.mode;
    keys.recenter_every = field.recenter_every;
    keys.recenter_on = field.recenter_on;
    keys.smoothing_samples = field.smoothing.samples;
    keys.smoothing_snr = field.smoothing.snr;
    keys.smoothing_power = field.smoothing.power;
    return keys;
}

ExpansionConfig expansion_of(const Config& config, std::size_t component)
{
    ExpansionConfig keys = config.gravity.scf;
    if (component >= config.initial_conditions.components.size()) return keys;
    const ExpansionConfig& own = config.initial_conditions.components[component].scf;
    if (own.mode && own.mode != keys.mode) {
        keys.coefficients.clear();
        keys.recenter_every = 0;
        if (own.mode != Mode::live) keys.smoothing_samples = 0;
        if (own.mode == Mode::playback) keys.centre.reset();
    }
    const auto take = [&](auto... members) { (replace(keys.*members, own.*members), ...); };
    using E = ExpansionConfig;
    take(&E::n_max, &E::l_max, &E::scale_radius, &E::family, &E::even_l, &E::even_m, &E::axisymmetric,
         &E::spherical, &E::mode, &E::centre, &E::recenter_every, &E::recenter_on, &E::smoothing_samples,
         &E::smoothing_snr, &E::smoothing_power);
    if (!own.coefficients.empty()) keys.coefficients = own.coefficients;
    return keys;
}

void expect_expansions_possible(const Config& config)
{
    if (config.gravity.solver != "scf") {
        if (config.output.coefficients_every > 0)
            throw ConfigError(
                fmt::format("{}: output.coefficients.every is given, but gravity.solver is {}, "
                            "which has no coefficients; expected scf",
                            config.file.string(), config.gravity.solver));
        return;
    }
    std::size_t of_common_file = 0;
    for (std::size_t k = 0; k < n_components(config); ++k) {
        const ExpansionConfig keys = expansion_of(config, k);
        const auto refuse = [&](const std::string& what) {
            throw ConfigError(
                fmt::format("{}: the expansion of component {} (gravity.scf and "
                            "initial_conditions.components.{}.scf): {}",
                            config.file.string(), k, k, what));
        };
        const bool file = !keys.coefficients.empty();
        if (keys.mode == Mode::playback && !file) refuse("mode playback needs the key coefficients, a file");
        if (keys.mode == Mode::live && file)
            refuse(
                "the key coefficients is given, but mode live makes them of the particles; choose frozen or "
                "playback");
        if (keys.mode == Mode::playback && keys.centre)
            refuse("the key centre is given, but mode playback takes it from the file");
        if (keys.mode != Mode::live && keys.recenter_every.value_or(0) > 0)
            refuse("the key recenter_every is given, but only mode live recentres");
        if (file && keys.smoothing_samples.value_or(0) > 0)
            refuse("the key smoothing.samples is given, but coefficients of a file are not smoothed");
        if (file && keys.coefficients == config.gravity.scf.coefficients && ++of_common_file > 1)
            refuse(
                "gravity.scf.coefficients is the field of one component; name a file for each under "
                "initial_conditions");
    }
}

gravity::scf::Config expansion_settings(const Config& internal)
{
    gravity::scf::Config settings;
    settings.defaults = field_config(internal.gravity.scf);
    settings.subtract_mean_acceleration = internal.gravity.subtract_mean_acceleration;
    const auto& components = internal.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const ExpansionConfig keys = expansion_of(internal, k);
        AUREOLE_EXPECT(keys.coefficients.empty() || components[k].coefficients, "{} is not loaded",
                       keys.coefficients.string());
        settings.components.push_back(field_config(keys));
        settings.components.back().series = components[k].coefficients;
        if (!keys.coefficients.empty()) settings.components.back().series_name = keys.coefficients.string();
    }
    return settings;
}

double smallest_scale_radius(const Config& config)
{
    double least = *expansion_of(config, 0).scale_radius;
    for (std::size_t k = 1; k < n_components(config); ++k)
        least = std::min(least, *expansion_of(config, k).scale_radius);
    return least;
}

}  // namespace aureole::run
