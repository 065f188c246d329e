#include "sim/cli/find/find_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "halo/fof/linking_length.hpp"
#include "sim/cli/file_roles.hpp"
#include "sim/core/error.hpp"

namespace aureole::cli {
namespace {

/// Default linking length in units of the mean separation, the usual value since Davis et al. (1985).
constexpr double default_b = 0.2;

/// The search where memberships are given and no particles are linked.
run::HaloSearch search_of_members(const FindCommand& command, const run::HalosConfig& halos, const Box& box)
{
    run::HaloSearch search;
    search.fof.min_members = halos.min_members;
    search.fof.box = box;
    search.origin = fmt::format("memberships of {}", command.members.string());
    return search;
}

void expect_velocities(const run::HalosConfig& halos, const io::Snapshot& snapshot)
{
    if (snapshot.has_velocities) return;
    const char* const key = halos.linking_velocity            ? "halos.linking_velocity (--linking-velocity)"
                            : halos.relative_linking_velocity ? "halos.relative_linking_velocity"
                                                              : nullptr;
    if (!key) return;
    throw ConfigError(
        fmt::format("{} asks for friends in phase space, but the snapshot holds no velocities; leave "
                    "it out to link in space alone",
                    key));
}

}  // namespace

void expect_types(const std::vector<int>& types)
{
    for (const int type : types)
        if (type < 0 || type >= n_particle_types)
            throw ConfigError(
                fmt::format("--types: found {}, expected types from 0 to {}", type, n_particle_types - 1));
}

Box box_of(std::optional<double> side, bool open, const io::SnapshotHeader& header)
{
    if (open) return {};
    if (!side) return {header.box_size};
    if (!(*side > 0) || !std::isfinite(*side))
        throw ConfigError(fmt::format("--box is {}, expected a length above 0", *side));
    return {*side};
}

void wrap_positions(Particles& host, const Box& box)
{
    if (!box.periodic()) return;
    for (auto* axis : {&host.position.x, &host.position.y, &host.position.z})
        for (double& x : axis->host()) x = box.wrap(x);
}

std::uint8_t types_of(const std::vector<int>& types)
{
    expect_types(types);
    run::HalosConfig halos;
    halos.types = types;
    return run::linking_types(halos);
}

run::Config find_settings(const FindCommand& command)
{
    std::vector<std::string> overrides = command.compute.overrides;
    overrides.insert(overrides.end(), command.settings.begin(), command.settings.end());
    run::Config config = config_from_overrides(overrides);
    run::HalosConfig& halos = config.halos;
    const bool subhalo_size_given = std::ranges::any_of(
        overrides, [](const std::string& text) { return text.starts_with("halos.subhalo_min_members="); });
    if (subhalo_size_given && !halos.substructure)
        throw ConfigError(
            "--subhalo-min-members is given, and no subhalos are looked for; expected --substructure beside "
            "it");
    if (command.linking_length || command.absolute_linking_length) {
        halos.linking_length = command.linking_length;
        halos.absolute_linking_length = command.absolute_linking_length;
        halos.boundary_density.reset();
    }
    if (command.min_members) halos.min_members = *command.min_members;
    if (!command.types.empty()) halos.types = command.types;
    expect_types(halos.types);
    return config;
}

run::HaloSearch plan_find(const FindCommand& command, const io::Snapshot& snapshot, const Box& box,
                          const std::string& unit)
{
    run::HalosConfig halos = find_settings(command).halos;
    if (!command.members.empty()) return search_of_members(command, halos, box);
    expect_velocities(halos, snapshot);
    const Particles& host = snapshot.particles;
    const bool length_given = halos.linking_length || halos.absolute_linking_length || halos.boundary_density;
    if (!length_given) halos.linking_length = default_b;
    const std::uint8_t types = run::linking_types(halos);
    const std::size_t n_linking = halo::number_linking(host, types);
    if (n_linking == 0)
        throw ConfigError(
            fmt::format("{}: holds no particle of the types that link", command.snapshot.string()));
    if (!length_given && !box.periodic() && !halos.mean_separation) {
        halos.mean_separation = halo::bounding_box_separation(host, types);
        fmt::print(
            "warning: no linking length given and no periodic box: taking {:.6g}{}{}, {} of the mean "
            "separation in the bounding box; --absolute-linking-length sets another\n",
            default_b * *halos.mean_separation, unit.empty() ? "" : " ", unit, default_b);
    }
    if (halos.linking_length && !box.periodic() && !halos.mean_separation)
        throw ConfigError(fmt::format(
            "{}: a linking length of {} mean separations needs a periodic box, which {}; expected --box with "
            "its side, --absolute-linking-length, or --set halos.mean_separation",
            command.snapshot.string(), *halos.linking_length,
            command.open ? "--open leaves out" : "the file does not have"));
    return run::plan_halo_search(halos, n_linking, box);
}

}  // namespace aureole::cli
