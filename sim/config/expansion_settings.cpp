#include "sim/config/expansion_settings.hpp"

#include <algorithm>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

using gravity::scf::Mode;

std::size_t n_components(const Config& config)
{
    return std::max<std::size_t>(1, config.initial_conditions.components.size());
}

}  // namespace

ExpansionConfig expansion_of(const Config& config, std::size_t component)
{
    const auto& components = config.initial_conditions.components;
    return gravity::scf::merged(
        config.gravity.scf(), component < components.size() ? components[component].scf : ExpansionConfig());
}

void expect_expansions_possible(const Config& config)
{
    if (config.gravity.solver != "scf") {
        if (config.output.coefficients.any())
            throw ConfigError(
                fmt::format("{}: output.coefficients.every or .times is given, but gravity.solver is {}, "
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
        if (file && keys.coefficients == config.gravity.scf().coefficients && ++of_common_file > 1)
            refuse(
                "gravity.scf.coefficients is the field of one component; name a file for each under "
                "initial_conditions");
    }
}

gravity::scf::Config expansion_settings(const Config& internal)
{
    gravity::scf::Config settings;
    settings.defaults = gravity::scf::field_config(internal.gravity.scf());
    settings.subtract_mean_acceleration =
        internal.gravity.solvers.get<gravity::scf::Keys>().subtract_mean_acceleration;
    const auto& components = internal.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k) {
        const ExpansionConfig keys = expansion_of(internal, k);
        AUREOLE_EXPECT(keys.coefficients.empty() || components[k].coefficients, "{} is not loaded",
                       keys.coefficients.string());
        settings.components.push_back(gravity::scf::field_config(keys));
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
