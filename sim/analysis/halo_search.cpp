#include "sim/analysis/halo_search.hpp"

#include <numeric>

#include "halo/fof/linking_length.hpp"

namespace aureole::run {

std::uint8_t linking_types(const HalosConfig& halos)
{
    if (halos.types.empty()) return 0x3f;
    unsigned mask = 0;
    for (int type : halos.types) mask |= 1u << type;
    return static_cast<std::uint8_t>(mask);
}

halo::FofConfig finder_settings(const HalosConfig& halos, const Box& box)
{
    halo::FofConfig fof;
    fof.min_members = halos.min_members;
    fof.linking_types = linking_types(halos);
    fof.box = box;
    if (halos.linking_velocity) fof.linking_velocity = *halos.linking_velocity;
    fof.relative_linking_velocity = halos.relative_linking_velocity.value_or(0);
    fof.min_friends = halos.min_friends.value_or(1);
    fof.border = halos.border;
    fof.leaf_size = halos.leaf_size;
    fof.max_depth = halos.max_depth;
    return fof;
}

namespace {

void expect_compatible(const HalosConfig& halos)
{
    if (halos.linking_velocity && halos.relative_linking_velocity)
        throw ConfigError(
            "found halos.linking_velocity and halos.relative_linking_velocity, expected one of them");
    if (halos.method == "spanning_tree" && halos.min_friends.value_or(1) > 1)
        throw ConfigError(fmt::format(
            "halos.min_friends: found {}, expected 1 with halos.method spanning_tree, which joins all "
            "particles; the other methods know core ones",
            *halos.min_friends));
}

}  // namespace

HaloSearch plan_halo_search(const HalosConfig& halos, std::size_t n_linking, const Box& box)
{
    expect_compatible(halos);
    HaloSearch search{finder_settings(halos, box), {}, halos.method, halos.finders};
    if (halos.absolute_linking_length) {
        search.fof.linking_length = *halos.absolute_linking_length;
        search.origin = "given";
    } else if (halos.boundary_density) {
        search.fof.linking_length = halo::length_of_boundary_density(*halos.boundary_density);
        search.origin = fmt::format("from the boundary density {:.6g}", *halos.boundary_density);
    } else if (halos.linking_length) {
        if (!halos.mean_separation && !box.periodic())
            throw ConfigError(fmt::format(
                "halos.linking_length is {} in units of the mean separation, which needs a periodic box "
                "or halos.mean_separation; halos.absolute_linking_length takes a length instead",
                *halos.linking_length));
        const double separation =
            halos.mean_separation ? *halos.mean_separation : halo::mean_separation(box, n_linking);
        search.fof.linking_length = *halos.linking_length * separation;
        search.origin =
            fmt::format("{:.6g} times the mean separation {:.6g}", *halos.linking_length, separation);
    } else {
        throw ConfigError(
            "no linking length: expected one of halos.linking_length, halos.absolute_linking_length and "
            "halos.boundary_density");
    }
    return search;
}

std::string find_summary(std::size_t n_particles, const std::vector<Index>& n_members,
                         const HaloSearch& search, const std::string& length_unit)
{
    const std::uint64_t members = std::accumulate(n_members.begin(), n_members.end(), std::uint64_t{0});
    const std::string unit = length_unit.empty() ? "" : " " + length_unit;
    std::string text = fmt::format("{} group(s) of at least {}, {} of {} particles in them", n_members.size(),
                                   search.fof.min_members, members, n_particles);
    if (!n_members.empty()) text += fmt::format(", the largest {}", n_members[0]);
    if (n_members.empty() && search.fof.linking_length > 0)
        text += fmt::format("; linking length {:.6g}{} ({}): a longer one, or fewer members, finds more",
                            search.fof.linking_length, unit, search.origin);
    if (!n_members.empty() && 2 * std::uint64_t{n_members[0]} > n_particles)
        text += "; more than half of all particles are in one group";
    return text;
}

}  // namespace aureole::run
