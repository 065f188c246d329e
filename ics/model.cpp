#include "ics/model.hpp"

#include <algorithm>

#include "ics/contraction.hpp"
#include "ics/density.hpp"
#include "ics/galaxy_spheres.hpp"
#include "ics/quiet_start.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::ics {
namespace {

Rule<int> particle_type()
{
    return {[](int t) { return t >= 0 && t < n_particle_types; }, "a particle type from 0 to 5"};
}

/// Of models whose particles are drawn from a density.
std::vector<Setting<Component>> profile_settings()
{
    using C = Component;
    constexpr auto length = Quantity::length;
    std::vector<Setting<Component>> result{
        setting("particles", Quantity::number, &C::particles, "how many", at_least<std::uint64_t>(1)),
        setting("mass", Quantity::mass, &C::mass,
                "total mass of the model before truncation, of which the particles carry what lies inside; "
                "nfw, table: "
                "mass inside truncation_radius, and the particles carry the tail too; likewise burkert",
                not_negative()),
        setting("scale_radius", length, &C::scale_radius,
                "of the profile; radius of the uniform sphere; unit of a table's radii", positive()),
        setting("truncation_radius", length, &C::truncation_radius,
                "no particle lies beyond it, default 100 scale radii; nfw, burkert, table: the tail "
                "begins here, needed by nfw and burkert, default the last radius of a table",
                positive()),
        setting("truncation_width", length, &C::truncation_width,
                "decay length of the tail of nfw, burkert and table; default a tenth of truncation_radius",
                positive()),
        setting("anisotropy_radius", length, &C::anisotropy_radius,
                "r_a of Osipkov-Merritt velocities, beta = r^2 / (r^2 + r_a^2); isotropic when absent",
                positive()),
        choice(
            "potential", &C::potential, {{"own", Potential::own}, {"total", Potential::total}},
            "in which velocities are an equilibrium: own, or total, of all spheres with the same position "
            "and "
            "velocity; default total for nfw, einasto, sersic, burkert and table, and for disks, else own"),
        choice("velocities", &C::velocities,
               {{"equilibrium", Velocities::equilibrium}, {"cold", Velocities::cold}},
               "from the distribution function, or at rest"),
    };
    append_settings<Component, ContractionConfig>(
        result, "",
        {choice("contraction", &ContractionConfig::contraction,
                {{"none", Contraction::none},
                 {"blumenthal", Contraction::blumenthal},
                 {"gnedin", Contraction::gnedin}},
                "of a halo that keeps r M(<r) of its shells as the mass of others about its centre gathers "
                "(Blumenthal et al. 1986), or with radii averaged over orbits (Gnedin et al. 2004)"),
         setting("contraction_radius", length, &ContractionConfig::radius,
                 "virial radius of contraction: gnedin; default truncation_radius", positive())},
        [](auto& component) -> auto& { return component.own.template get<ContractionConfig>(); });
    append_settings<Component, QuietConfig>(
        result, "",
        {setting(
            "quiet", Quantity::number, &QuietConfig::copies,
            "quiet start: each orbit so many times at equal azimuths, and as often mirrored, with places "
            "that are spread evenly; 0: independent draws",
            {[](int n) { return n == 0 || (n >= 2 && n <= most_copies); }, "0, or 2 to 64"})},
        [](auto& component) -> auto& { return component.own.template get<QuietConfig>(); });
    return result;
}

std::vector<Setting<Component>> common_settings()
{
    using C = Component;
    return {
        setting("velocity_factor", Quantity::number, &C::velocity_factor,
                "multiplies the velocities inside the component", not_negative()),
        setting("position", Quantity::length, &C::position, "of the centre"),
        setting("velocity", Quantity::velocity, &C::velocity, "of the centre"),
        setting("type", Quantity::number, &C::type, "particle type; default 1, and for a file its own",
                particle_type()),
        setting("name", Quantity::number, &C::name, "of the component, for people; none of its own"),
        setting("group", Quantity::number, &C::group,
                "components with the same number are one body for the orbit, as the parts of a galaxy are",
                at_least(0)),
    };
}

bool names(const std::vector<Setting<Component>>& settings, const std::string& path)
{
    return std::ranges::find(settings, path, &Setting<Component>::path) != settings.end();
}

}  // namespace

Registry<ModelPlugin>& models()
{
    static Registry<ModelPlugin> registry(
        "model",
        {{"plummer", "sphere with a core (Plummer 1911)", make_plummer_model},
         {"hernquist", "sphere with a cusp (Hernquist 1990)", make_hernquist_model},
         {"nfw",
          "halo (Navarro, Frenk & White 1996) with a smooth tail (Kazantzidis, Magorrian & Moore 2004)",
          make_nfw_model, nfw_settings()},
         {"table", "sphere of the density in a file", make_table_model},
         {"uniform_sphere",
          "sphere of constant density (Polyachenko & Shukhman 1973; Binney & Tremaine 2008, problem 4.11)",
          make_uniform_sphere_model},
         {"dehnen", "bulge with a cusp r^-gamma (Dehnen 1993)", make_dehnen_model, dehnen_settings()},
         {"einasto", "halo (Einasto 1965)", make_einasto_model, einasto_settings()},
         {"sersic", "bulge that is seen as Sersic's law (Prugniel & Simien 1997)", make_sersic_model,
          sersic_settings()},
         {"burkert", "halo with a core (Burkert 1995) and a smooth tail", make_burkert_model},
         {"disk", "exponential disk in equilibrium with all that shares its centre (Dehnen 1999)",
          make_disk_model, disk_settings()},
         {"black_hole", "a point with a softened field (Plummer 1911), felt by spheres and disks about it",
          make_black_hole_model, black_hole_settings()},
         {"two_body", "two bodies on a Kepler orbit (Murray & Dermott 1999)", make_two_body_model,
          two_body_settings()},
         {"lattice", "displaced lattice in a periodic box (Zel'dovich 1970)", make_lattice_model,
          lattice_settings()},
         {"cosmological",
          "lattice displaced by a Gaussian field of the universe of `cosmology` (Bouchet et al. 1995)",
          make_cosmological_model, cosmological_settings()},
         {"file", "particles of a snapshot", make_file_model, file_settings()}});
    return registry;
}

std::unique_ptr<Density> ComponentModel::monopole(const Component&) const { return nullptr; }

std::unique_ptr<ComponentModel> make_model(const Component& component)
{
    return models().at(component.model.name).make();
}

std::vector<Setting<Component>> component_settings()
{
    std::vector<Setting<Component>> all = profile_settings();
    const auto add = [&all](const std::vector<Setting<Component>>& more) {
        all.insert(all.end(), more.begin(), more.end());
    };
    add(common_settings());
    for (const ModelPlugin& model : models().entries()) add(model.settings);
    return all;
}

std::vector<Setting<Orbit>> orbit_settings()
{
    using O = Orbit;
    constexpr auto number = Quantity::number;
    return {
        setting(
            "components", number, &O::components,
            "the two that it places, counted from 0, each with all of its group; default the first two of "
            "the list, galaxies or components"),
        setting("separation", Quantity::length, &O::separation, "of the centres at the start, approaching",
                positive()),
        setting("pericentre", Quantity::length, &O::pericentre, "closest approach of the centres",
                not_negative()),
        choice("pericentre_of", &O::pericentre_of,
               {{"points", PericentreOf::points}, {"spheres", PericentreOf::spheres}},
               "the pericentre of two points on the conic, or of rigid spheres of the bodies' masses that "
               "begin on that of points with this eccentricity or energy"),
        setting("eccentricity", number, &O::eccentricity, "of the relative orbit; or energy", not_negative()),
        setting("energy", Quantity::specific_energy, &O::energy,
                "of the relative orbit per unit mass; or eccentricity"),
        setting("inclination", number, &O::inclination, "tilt of the orbit's plane, degrees"),
        setting("ascending_node", number, &O::ascending_node, "longitude of the node, degrees"),
        setting("argument_of_pericentre", number, &O::argument_of_pericentre, "from the node, degrees"),
    };
}

bool has_setting(const Component& component, const std::string& path)
{
    const auto model = make_model(component);
    if (path == "file") return model->reads_file();
    if (names(profile_settings(), path)) return model->takes_profile_key(path);
    for (const ModelPlugin& other : models().entries())
        if (names(other.settings, path)) return other.name == component.model.name;
    return true;
}

}  // namespace aureole::ics
