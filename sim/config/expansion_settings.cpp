#include "sim/config/expansion_settings.hpp"

#include <algorithm>

#include "ics/model.hpp"
#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

using gravity::scf::Mode;

std::size_t n_components(const Config& config)
{
    return std::max<std::size_t>(1, config.initial_conditions.components.size());
}

const gravity::components::Config& by_component(const Config& config)
{
    return config.gravity.solvers.get<gravity::components::Config>();
}

/// " (disk, bulge, halo)" where every component has a name.
std::string names_in(const InitialConditionsConfig& conditions)
{
    std::string names;
    for (const ComponentConfig& component : conditions.components) {
        if (component.component.name.empty()) return {};
        names += (names.empty() ? " (" : ", ") + component.component.name;
    }
    return names + ")";
}

void expect_solver_for_each(const Config& config)
{
    if (config.gravity.solver != "components") return;
    const auto refuse = [&](const std::string& what) {
        throw ConfigError(fmt::format("{}: {}", config.file.string(), what));
    };
    const std::size_t n = config.initial_conditions.components.size(),
                      n_solvers = by_component(config).solvers.size();
    try {
        gravity::components::expect_valid(by_component(config));
    } catch (const ConfigError& error) {
        refuse(error.what());
    }
    if (n > 0 && n != n_solvers)
        refuse(
            fmt::format("gravity.components.solvers has {} entries, and initial_conditions has {} "
                        "components{}; expected a solver for each",
                        n_solvers, n, names_in(config.initial_conditions)));
    if (config.box || config.cosmology.given())
        refuse("gravity.solver is components, which knows open space only; expected no box and no cosmology");
}

}  // namespace

bool is_expanded(const Config& config, std::size_t component)
{
    if (config.gravity.solver == "scf") return true;
    return config.gravity.solver == "components" && by_component(config).is_expanded(component);
}

ExpansionConfig expansion_of(const Config& config, std::size_t component)
{
    const auto& components = config.initial_conditions.components;
    return gravity::scf::merged(
        config.gravity.scf(), component < components.size() ? components[component].scf : ExpansionConfig());
}

void expect_expansions_possible(const Config& config)
{
    expect_solver_for_each(config);
    std::size_t of_common_file = 0, n_expanded = 0;
    for (std::size_t k = 0; k < std::max(n_components(config), by_component(config).solvers.size()); ++k) {
        if (!is_expanded(config, k)) continue;
        ++n_expanded;
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
    if (n_expanded == 0 && config.output.coefficients.any())
        throw ConfigError(
            fmt::format("{}: output.coefficients.every or .times is given, but gravity.solver is {}, "
                        "which has no coefficients; expected scf, or components with one of scf",
                        config.file.string(), config.gravity.solver));
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
        AUREOLE_EXPECT(!is_expanded(internal, k) || keys.coefficients.empty() || components[k].coefficients,
                       "{} is not loaded", keys.coefficients.string());
        settings.components.push_back(gravity::scf::field_config(keys));
        settings.components.back().series = components[k].coefficients;
        if (!keys.coefficients.empty()) settings.components.back().series_name = keys.coefficients.string();
    }
    return settings;
}

gravity::components::Config component_solvers(const Config& internal)
{
    gravity::components::Config settings = by_component(internal);
    settings.particles.clear();
    for (const ComponentConfig& component : internal.initial_conditions.components) {
        if (component.component.model == ics::Model::file) {
            settings.particles.clear();
            break;
        }
        settings.particles.push_back(ics::make_model(component.component)->particles(component.component));
    }
    return settings;
}

std::optional<std::vector<int>> logged_expansions(const Config& config)
{
    if (config.gravity.solver != "components") return {};
    std::vector<int> expanded;
    for (std::size_t k = 0; k < by_component(config).solvers.size(); ++k)
        if (is_expanded(config, k)) expanded.push_back(static_cast<int>(k));
    return expanded;
}

std::vector<std::string> doubtful_expansions(const Config& config)
{
    std::vector<std::string> doubts;
    if (config.gravity.solver != "components") return doubts;
    const auto& choice = by_component(config);
    for (std::size_t k = 0; k < choice.solvers.size(); ++k) {
        if (!is_expanded(config, k)) {
            if (choice.cross_of(k) == gravity::components::Cross::mixed)
                doubts.push_back(fmt::format(
                    "gravity.components.cross is mixed for component {}: two kernels act between it and the "
                    "expansions, and the energy drifts steadily; expansion or particles conserve it",
                    k));
            continue;
        }
        const gravity::scf::FieldConfig field = gravity::scf::field_config(expansion_of(config, k));
        const bool has_dipole = field.basis.l_max >= 1 && !field.symmetry.even_l && !field.symmetry.spherical;
        if (field.mode == Mode::live && choice.solvers.size() > 1 && !has_dipole)
            doubts.push_back(fmt::format(
                "the expansion of component {} has no functions of l = 1 (l_max {}{}): it does not answer "
                "when other components move off its centre",
                k, field.basis.l_max,
                field.symmetry.spherical ? ", spherical"
                : field.symmetry.even_l  ? ", even_l"
                                         : ""));
    }
    return doubts;
}

double smallest_scale_radius(const Config& config)
{
    double least = *expansion_of(config, 0).scale_radius;
    for (std::size_t k = 1; k < n_components(config); ++k)
        least = std::min(least, *expansion_of(config, k).scale_radius);
    return least;
}

}  // namespace aureole::run
