// The keys of `halos.`, once: finders, centres, overdensities, substructure.
#include "halo/centres/centre_method.hpp"
#include "halo/finder.hpp"
#include "halo/overdensity/overdensity_threshold.hpp"
#include "sim/config/config_rows.hpp"

namespace aureole::run {
namespace {

using namespace rows;

void add_finder_keys(std::vector<Key<Config>>& keys)
{
    using C = Config;
    using halo::Border;
    keys.push_back(plugin_choice<C>(
        "halos.method", AUREOLE_FIELD(halos.method), halo::finders(),
        with_list("how groups are found; all but dbscan give the same groups", halo::finders())));
    add_plugins(keys, "halos.", halo::finders(), AUREOLE_FIELD(halos.finders));
    const std::vector<Key<C>> rows{
        row<C>("halos.linking_length", number, AUREOLE_FIELD(halos.linking_length),
               "b, in units of the mean separation; needs a periodic box or halos.mean_separation",
               positive()),
        row<C>("halos.absolute_linking_length", length, AUREOLE_FIELD(halos.absolute_linking_length),
               "l: particles at most this far apart are friends", positive()),
        row<C>("halos.boundary_density", Quantity::number_density, AUREOLE_FIELD(halos.boundary_density),
               "particles per volume at a group's edge: l = (0.653 / n)^(1/3)", positive()),
        row<C>("halos.mean_separation", length, AUREOLE_FIELD(halos.mean_separation),
               "what halos.linking_length multiplies", positive()),
        row<C>("halos.linking_velocity", velocity, AUREOLE_FIELD(halos.linking_velocity),
               "psi: friends in phase space, (dx / l)^2 + (dv / psi)^2 <= 1; in space alone when absent",
               positive()),
        row<C>("halos.relative_linking_velocity", number, AUREOLE_FIELD(halos.relative_linking_velocity),
               "psi in units of the velocity dispersion (1-D) of the group in space that a particle is in",
               positive()),
        row<C>("halos.min_members", number, AUREOLE_FIELD(halos.min_members),
               "smaller groups are not reported", at_least<std::uint32_t>(1)),
        row<C>("halos.types", number, AUREOLE_FIELD(halos.types),
               "types that link, as [1, 2]; the others join their nearest linked neighbour; all link when "
               "absent",
               particle_types()),
        row<C>("halos.min_friends", number, AUREOLE_FIELD(halos.min_friends),
               "only particles with as many friends link (DBSCAN's minPts - 1); 1: all",
               at_least<std::uint32_t>(1)),
        choice_key<C>("halos.border",
                      "particles with fewer friends: alone, or with their nearest linking friend",
                      AUREOLE_FIELD(halos.border),
                      std::vector<Choice<Border>>{{"none", Border::excluded}, {"nearest", Border::nearest}}),
        row<C>("halos.leaf_size", number, AUREOLE_FIELD(halos.leaf_size),
               "most particles in a leaf of the kd-tree: speed only", at_least<std::uint32_t>(1)),
        row<C>("halos.max_depth", number, AUREOLE_FIELD(halos.max_depth),
               "most levels of the kd-tree, whatever its leaves hold then: speed only",
               Rule<int>{[](int n) { return n >= 0 && n <= halo::FofConfig{}.max_depth; },
                         fmt::format("a number of levels from 0 to {}", halo::FofConfig{}.max_depth)}),
    };
    keys.insert(keys.end(), rows.begin(), rows.end());
}

bool names_overdensity(const std::string& name)
{
    try {
        static_cast<void>(halo::density_threshold(name, halo::unknown_reference_densities()));
        return true;
    } catch (const ConfigError&) {
        return false;
    }
}

Rule<std::vector<std::string>> overdensity_names()
{
    return {
        [](const std::vector<std::string>& names) {
            for (const std::string& name : names)
                if (!names_overdensity(name)) return false;
            return !names.empty();
        },
        "a list of overdensities: vir, or numbers with c (critical) or m (mean), as [200c, 500c, 200m, vir]"};
}

void add_property_keys(std::vector<Key<Config>>& keys)
{
    using C = Config;
    keys.push_back(plugin_choice<C>("halos.centre", AUREOLE_FIELD(halos.centre.name), halo::centre_methods(),
                                    with_list("of a group", halo::centre_methods())));
    add_plugins(keys, "halos.", halo::centre_methods(), AUREOLE_FIELD(halos.centres));
    const std::vector<Key<C>> rows{
        row<C>("halos.overdensities", number, AUREOLE_FIELD(halos.overdensities),
               "spheres to measure, as [200c, 500c, 200m, vir]: these four when absent, where densities are "
               "known",
               overdensity_names()),
        choice_key<C>(
            "halos.overdensity_crossing",
            "outermost: a sphere ends behind the last particle within whose distance the mean density "
            "is reached; innermost: before the first gap in which it falls below",
            AUREOLE_FIELD(halos.overdensity_crossing),
            std::vector<Choice<halo::Crossing>>{{"outermost", halo::Crossing::outermost},
                                                {"innermost", halo::Crossing::innermost}}),
        row<C>("halos.reference_density", Quantity::mass_density, AUREOLE_FIELD(halos.reference_density),
               "mass per volume that stands for critical and mean density where there is no cosmology",
               positive()),
        row<C>("halos.substructure", number, AUREOLE_FIELD(halos.substructure),
               "looks for bound subhalos in each group"),
        row<C>("halos.subhalo_min_members", number, AUREOLE_FIELD(halos.subhalo_min_members),
               "smaller subhalos are not reported", at_least<std::uint32_t>(1)),
        row<C>("halos.mass_bins", number, AUREOLE_FIELD(halos.mass_bins),
               "of mass functions, in each factor of ten",
               Rule<std::uint32_t>{[](std::uint32_t n) { return n >= 1 && n <= 100; }, "from 1 to 100"}),
    };
    keys.insert(keys.end(), rows.begin(), rows.end());
}

}  // namespace

void add_halo_keys(std::vector<Key<Config>>& keys)
{
    add_finder_keys(keys);
    add_property_keys(keys);
}

}  // namespace aureole::run
