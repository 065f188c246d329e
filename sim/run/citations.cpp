#include "sim/run/citations.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "gravity/external/field_registry.hpp"
#include "gravity/solver_registry.hpp"
#include "halo/centres/centre_method.hpp"
#include "halo/finder.hpp"
#include "ics/cosmological.hpp"
#include "ics/model.hpp"
#include "integrators/integrator.hpp"
#include "sim/config/expansion_settings.hpp"
#include "sim/core/bibliography/bibliography.hpp"

namespace aureole::run {
namespace {

class Methods {
public:
    std::vector<UsedMethod> take() { return std::move(methods_); }

    void add(std::string key, std::string documentation)
    {
        UsedMethod method{std::move(key), std::move(documentation)};
        const bool known = std::ranges::any_of(methods_, [&](const UsedMethod& other) {
            return other.key == method.key && other.documentation == method.documentation;
        });
        if (!known) methods_.push_back(std::move(method));
    }
    void add_if(bool used, const char* key, const char* documentation)
    {
        if (used) add(key, documentation);
    }
    template <class Registry>
    void add_plugin(const std::string& key, const Registry& registry, const std::string& name)
    {
        const auto& plugin = registry.at(name);
        add(fmt::format("{}: {}", key, plugin.name), plugin.documentation);
    }

private:
    std::vector<UsedMethod> methods_;
};

void add_initial_conditions(Methods& methods, const InitialConditionsConfig& config)
{
    bool draws = false;
    for (const ComponentConfig& component : config.components) {
        const ics::Component& c = component.component;
        methods.add_plugin("initial_conditions.model", ics::models(), c.model.name);
        draws |= ics::make_model(c)->has_profile() || c.model == ics::Model::cosmological;
        methods.add_if(c.own.get<ics::CosmologicalField>().fixed, "initial_conditions.field.fixed",
                       "amplitudes without scatter (Angulo & Pontzen 2016)");
        methods.add_if(c.own.get<ics::CosmologicalField>().lattice_until.has_value(),
                       "initial_conditions.field.lattice_until",
                       "a start that makes up for the growth of waves on a lattice (Garrison et al. 2016)");
        methods.add_if(c.anisotropy_radius.has_value(), "initial_conditions.anisotropy_radius",
                       "velocities with radial anisotropy (Osipkov 1979; Merritt 1985)");
    }
    methods.add_if(config.orbit.has_value(), "initial_conditions.orbit",
                   "Kepler orbits (Murray & Dermott 1999)");
    methods.add_if(draws, "seed", "counter-based random numbers (Salmon et al. 2011)");
}

void add_cosmology(Methods& methods, const Config& config)
{
    const bool field = std::ranges::any_of(config.initial_conditions.components, [](const auto& component) {
        return component.component.model == ics::Model::cosmological;
    });
    methods.add_if(field && config.cosmology.spectrum == SpectrumSource::eisenstein_hu,
                   "cosmology.spectrum: eisenstein_hu", "linear spectrum (Eisenstein & Hu 1998)");
    methods.add_if(
        config.output.power.any(), "output.power",
        "spectra on interlaced meshes (Hockney & Eastwood 1981; Sefusatti et al. 2016) and of folded "
        "boxes (Jenkins et al. 1998)");
    methods.add_if(config.output.density.any() && config.density.method == density::Method::tetrahedra,
                   "density.method: tetrahedra",
                   "density of the phase-space sheet (Abel, Hahn & Kaehler 2012)");
    methods.add_if(
        config.output.mass_functions, "output.halos.mass_functions",
        "fits beside the counts (Press & Schechter 1974; Sheth & Tormen 1999; Jenkins et al. 2001; "
        "Warren et al. 2006; Tinker et al. 2008; Crocce et al. 2010; Watson et al. 2013)");
    methods.add_if(config.box && config.gravity.solver == "direct", "gravity.solver: direct",
                   "sums over all images (Ewald 1921)");
}

void add_gravity(Methods& methods, const Config& config)
{
    using gravity::SofteningKernel;
    const GravityConfig& gravity = config.gravity;
    if (gravity::solvers().find(gravity.solver))  // `auto` is settled when the run starts
        methods.add_plugin("gravity.solver", gravity::solvers(), gravity.solver);
    if (gravity.solver == "components")
        for (const std::string& name : gravity.solvers.get<gravity::components::Config>().solvers)
            methods.add_plugin("gravity.components.solvers", gravity::solvers(), name);
    methods.add_if(gravity.softening_kernel == SofteningKernel::spline, "gravity.softening_kernel: spline",
                   "cubic spline (Monaghan & Lattanzio 1985)");
    methods.add_if(gravity.scf().smoothing_samples.value_or(0) > 0 && is_expanded(config, 0),
                   "gravity.scf.smoothing", "coefficients weighted by their noise (Weinberg 1996)");
    for (const gravity::FieldConfig& field : gravity.fields)
        methods.add_plugin("gravity.external.fields", gravity::fields(), field.name);
    methods.add_if(gravity.perturber.mass.has_value(), "gravity.perturber",
                   "a body on a Kepler orbit (Murray & Dermott 1999)");
    methods.add_plugin("integrator.method", integrators::integrators(), config.integrator.method);
    methods.add_if(config.integrator.eta.has_value(), "integrator.adaptive",
                   "steps by acceleration (Power et al. 2003)");
}

void add_halos(Methods& methods, const HalosConfig& halos)
{
    methods.add_plugin("halos.method", halo::finders(), halos.method);
    methods.add_plugin("halos.centre", halo::centre_methods(), halos.centre.name);
    methods.add("halos.overdensities",
                "spherical overdensities (Lacey & Cole 1994; virial: Bryan & Norman 1998)");
    methods.add("halos", "potentials of long lists by expansions between cells (Dehnen 2002)");
    methods.add_if(halos.substructure, "halos.substructure",
                   "subhalos in phase space, after ideas of Rockstar (Behroozi, Wechsler & Wu 2013)");
}

}  // namespace

Config configuration_of_run(const std::filesystem::path& run)
{
    if (!std::filesystem::is_directory(run)) return load_config(run, {});
    const std::filesystem::path resolved = run / "config.resolved.yaml";
    if (!std::filesystem::exists(resolved))
        throw IoError(
            fmt::format("{}: holds no config.resolved.yaml, expected the directory of a run", run.string()));
    return load_config(resolved, {});
}

std::vector<UsedMethod> methods_of(const Config& config)
{
    Methods methods;
    add_initial_conditions(methods, config.initial_conditions);
    add_cosmology(methods, config);
    add_gravity(methods, config);
    if (config.output.halos.any()) add_halos(methods, config.halos);
    return methods.take();
}

std::string bibtex_of(const std::vector<UsedMethod>& methods, const std::string& version)
{
    std::string all;
    for (const UsedMethod& method : methods) all += method.documentation + "\n";
    std::string text = fmt::format(
        "@software{{Aureole,\n  author    = {{The Aureole authors}},\n  title     = {{Aureole: N-body "
        "simulations "
        "with a built-in halo finder}},\n  version   = {{{}}}\n}}\n",
        version);
    for (const Paper* paper : papers_in(all)) text += fmt::format("{}", paper->bibtex);
    return text;
}

std::string citation_text(const std::vector<UsedMethod>& methods, const std::string& version)
{
    std::string text = fmt::format("Aureole {}, with\n", version);
    for (const UsedMethod& method : methods)
        if (!papers_in(method.documentation).empty())
            text += fmt::format("  {:<36} {}\n", method.key, method.documentation);
    return text + "\n" + bibtex_of(methods, version);
}

}  // namespace aureole::run
