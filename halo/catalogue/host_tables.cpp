// Tables of particles on the host: rows and spheres are computed first.
#include "halo/catalogue/halo_tables.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

std::vector<OverdensitySphere> spheres_of(const TableInput& input, std::span<const HaloProperties> rows)
{
    std::vector<Vec3> centre;
    std::vector<double> mass, density;
    for (const HaloProperties& row : rows) {
        centre.push_back(row.centre);
        mass.push_back(row.mass);
    }
    for (const DensityThreshold& threshold : input.thresholds) density.push_back(threshold.density);
    return overdensity_spheres({input.particles, input.box, centre, density, mass, input.crossing});
}

/// Numbers of particles of each type in every group.
std::vector<PerType> types_of_groups(const TableInput& input)
{
    std::vector<PerType> result(input.groups.size());
    const auto type = input.particles.type.host();
    for (std::size_t i = 0; i < input.groups.label.size(); ++i)
        if (const std::int32_t label = input.groups.label[i]; label >= 0)
            ++result[static_cast<std::size_t>(label)][type[i]];
    return result;
}

std::vector<std::uint64_t> most_bound_ids(const TableInput& input)
{
    std::vector<std::uint64_t> id(input.subhalos->size());
    for (std::size_t s = 0; s < id.size(); ++s)
        if (const auto members = input.subhalos->members.of(s); !members.empty())
            id[s] = input.particles.id.host()[members[0]];
    return id;
}

void expect_labels(const TableInput& input)
{
    AUREOLE_EXPECT(input.groups.label.size() == input.particles.size(), "{} labels for {} particles",
                   input.groups.label.size(), input.particles.size());
}

}  // namespace

Table group_properties(const TableInput& input)
{
    expect_labels(input);
    const double G = input.gravitational_constant;
    const std::vector<HaloProperties> rows = halo_properties(
        {input.particles, input.box, input.group_centre, input.group_potential, G}, members_of(input.groups));
    const std::vector<OverdensitySphere> spheres = spheres_of(input, rows);
    return group_table({.rows = rows,
                        .thresholds = input.thresholds,
                        .spheres = spheres,
                        .potentials = !input.group_potential.empty(),
                        .subhalos = input.subhalos,
                        .gravitational_constant = G});
}

Table subhalo_properties(const TableInput& input)
{
    expect_labels(input);
    AUREOLE_EXPECT(input.subhalos != nullptr, "no subhalos were given");
    const double G = input.gravitational_constant;
    const std::vector<HaloProperties> rows =
        halo_properties({input.particles, input.box, input.subhalo_centre, input.subhalo_potential, G},
                        input.subhalos->members);
    const std::vector<PerType> types = types_of_groups(input);
    const std::vector<std::uint64_t> id = most_bound_ids(input);
    const SubhaloSpheres spheres = subhalo_spheres({}, {.particles = input.particles.reading_view(),
                                                        .members = view_of(input.subhalos->members),
                                                        .parent = input.subhalos->parent,
                                                        .rows = rows,
                                                        .thresholds = input.thresholds,
                                                        .box = input.box,
                                                        .crossing = input.crossing});
    return subhalo_table({.rows = rows,
                          .subhalos = *input.subhalos,
                          .types_of_groups = types,
                          .most_bound_id = id,
                          .thresholds = input.thresholds,
                          .spheres = spheres,
                          .potentials = !input.subhalo_potential.empty(),
                          .gravitational_constant = G});
}

}  // namespace aureole::halo
