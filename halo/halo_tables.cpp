#include "halo/halo_tables.hpp"

#include <algorithm>
#include <cmath>

#include "halo/halo_parameters.hpp"
#include "halo/overdensity.hpp"
#include "halo/table_builder.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

using Rows = std::vector<HaloProperties>;
using PerType = std::array<std::int64_t, n_particle_types>;

/// Spheres of every row at every threshold.
struct Overdensities {
    std::span<const DensityThreshold> threshold;
    std::vector<OverdensitySphere> sphere;

    /// Column of 200c, or the number of thresholds.
    std::size_t crit200() const
    {
        const auto found = std::find_if(threshold.begin(), threshold.end(),
                                        [](const DensityThreshold& t) { return t.column == "Crit200"; });
        return static_cast<std::size_t>(found - threshold.begin());
    }
    OverdensitySphere of(std::size_t row, std::size_t k) const
    {
        return k < threshold.size() ? sphere[row * threshold.size() + k]
                                    : OverdensitySphere{unknown, unknown};
    }
};

Overdensities overdensities_of(const TableInput& input, const Rows& rows)
{
    std::vector<Vec3> centre;
    std::vector<double> mass, density;
    for (const HaloProperties& row : rows) {
        centre.push_back(row.centre);
        mass.push_back(row.mass);
    }
    for (const DensityThreshold& threshold : input.thresholds) density.push_back(threshold.density);
    return {input.thresholds, overdensity_spheres({input.particles, input.box, centre, density, mass})};
}

void add_masses(TableBuilder& table, const Rows& rows, const std::vector<PerType>& offset)
{
    table.number("Len", "Number of members", is_count, [&](std::size_t r) { return rows[r].length; });
    table.array("LenType", "Number of members of each type", is_count,
                [&](std::size_t r) { return rows[r].length_by_type; });
    table.array("OffsetType", "First member among the particles of each type", is_count,
                [&](std::size_t r) { return offset[r]; });
    table.number("Mass", "Sum of the members' masses", is_mass, [&](std::size_t r) { return rows[r].mass; });
    table.array("MassType", "Mass of the members of each type", is_mass,
                [&](std::size_t r) { return rows[r].mass_by_type; });
}

void add_centres(TableBuilder& table, const Rows& rows)
{
    table.vector("Pos", "Centre", is_length, [&](std::size_t r) { return rows[r].centre; });
    table.vector("CM", "Centre of mass", is_length, [&](std::size_t r) { return rows[r].centre_of_mass; });
    table.vector("CMOffset", "Centre minus centre of mass", is_length,
                 [&](std::size_t r) { return rows[r].offset; });
}

void add_motion(TableBuilder& table, const Rows& rows)
{
    table.vector("Vel", "Velocity of the centre of mass", is_velocity,
                 [&](std::size_t r) { return rows[r].velocity; });
    table.number("VelDisp", "One-dimensional velocity dispersion, mass-weighted", is_velocity,
                 [&](std::size_t r) { return rows[r].dispersion; });
    table.array("DispersionTensor", "Velocity dispersion tensor: xx, yy, zz, xy, xz, yz", {.velocity = 2},
                [&](std::size_t r) {
                    const SymmetricTensor& t = rows[r].velocity_dispersion;
                    return std::array{t.xx, t.yy, t.zz, t.xy, t.xz, t.yz};
                });
    table.number("Vmax", "Largest circular velocity of the members about the centre", is_velocity,
                 [&](std::size_t r) { return rows[r].max_velocity; });
    table.vector("Spin", "Angular momentum per mass", {.length = 1, .velocity = 1},
                 [&](std::size_t r) { return rows[r].angular_momentum; });
}

void add_radii(TableBuilder& table, const Rows& rows, const char* half_mass_name)
{
    table.number("VmaxRad", "Radius of the largest circular velocity", is_length,
                 [&](std::size_t r) { return rows[r].max_velocity_radius; });
    table.number("Radius", "Distance of the farthest member from the centre", is_length,
                 [&](std::size_t r) { return rows[r].extent; });
    table.number(half_mass_name, "Radius about the centre that holds half of the mass", is_length,
                 [&](std::size_t r) { return rows[r].half_mass_radius; });
}

void add_shape(TableBuilder& table, const std::string& name, const std::string& tensor,
               const std::vector<Shape>& shape)
{
    table.array(name + "AxisRatios", "b/a and c/a of the " + tensor, is_count, [&](std::size_t r) {
        return std::array{shape[r].b_to_a, shape[r].c_to_a};
    });
    table.array(name + "Axes", "Unit vectors along a, b and c of the " + tensor, is_count,
                [&](std::size_t r) {
                    const auto& [a, b, c] = shape[r].axis;
                    return std::array{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
                });
}

void add_shapes(TableBuilder& table, const Rows& rows)
{
    std::vector<Shape> plain, reduced;
    for (const HaloProperties& row : rows) {
        plain.push_back(row.shape);
        reduced.push_back(row.reduced_shape);
    }
    add_shape(table, "", "tensor of sum m x x", plain);
    add_shape(table, "Reduced", "tensor of sum m x x / r^2", reduced);
}

void add_energies(TableBuilder& table, const Rows& rows, bool potential)
{
    constexpr Dimension energy{.mass = 1, .velocity = 2};
    table.number("KineticEnergy", "Kinetic energy about the mean velocity", energy,
                 [&](std::size_t r) { return rows[r].kinetic_energy; });
    if (!potential) return;
    table.number("PotentialEnergy", "Half of the sum of mass times potential", energy,
                 [&](std::size_t r) { return rows[r].potential_energy; });
    table.number("VirialRatio", "-2 K / W", is_count, [&](std::size_t r) { return rows[r].virial_ratio; });
}

/// What relates to R_200c where that is known, else to the extent of the members.
void add_relative(TableBuilder& table, const Rows& rows, const std::vector<OverdensitySphere>& sphere,
                  double gravitational_constant)
{
    table.number("RelativeOffset", "Distance of centre and centre of mass over R_200c or the extent",
                 is_count, [&](std::size_t r) {
                     const double offset = std::sqrt(dot(rows[r].offset, rows[r].offset));
                     return sphere[r].radius > 0 ? offset / sphere[r].radius : unknown;
                 });
    table.number("SpinBullock", "Spin parameter of Bullock et al. (2001), at R_200c or the extent", is_count,
                 [&](std::size_t r) { return bullock_spin(rows[r], sphere[r], gravitational_constant); });
}

void add_peebles_spin(TableBuilder& table, const Rows& rows, double gravitational_constant)
{
    table.number("SpinPeebles", "Spin parameter of Peebles (1969)", is_count,
                 [&](std::size_t r) { return peebles_spin(rows[r], gravitational_constant); });
}

void add_overdensities(TableBuilder& table, const Rows& rows, const Overdensities& over,
                       double gravitational_constant)
{
    for (std::size_t k = 0; k < over.threshold.size(); ++k) {
        const DensityThreshold& t = over.threshold[k];
        const std::string of = fmt::format(" of the sphere of overdensity {}, in all particles", t.name);
        table.number("_M_" + t.column, "Mass" + of, is_mass,
                     [&](std::size_t r) { return over.of(r, k).mass; });
        table.number("_R_" + t.column, "Radius" + of, is_length,
                     [&](std::size_t r) { return over.of(r, k).radius; });
    }
    const std::size_t crit200 = over.crit200();
    if (crit200 == over.threshold.size()) return;
    table.number("Concentration", "R_200c / r_s of the NFW profile with this V_max / V_200c", is_count,
                 [&](std::size_t r) {
                     return concentration_of_velocities(rows[r], over.of(r, crit200), gravitational_constant);
                 });
    table.number("ConcentrationRmax", "2.1626 R_200c / R_max", is_count,
                 [&](std::size_t r) { return concentration_of_radii(rows[r], over.of(r, crit200)); });
}

void add_subhalo_links(TableBuilder& table, const Subhalos& subhalos, std::size_t n_groups)
{
    std::vector<std::int64_t> first(n_groups, -1), count(n_groups, 0);
    for (std::size_t s = subhalos.size(); s-- > 0;) {
        const auto group = static_cast<std::size_t>(subhalos.group[s]);
        first[group] = static_cast<std::int64_t>(s);
        ++count[group];
    }
    table.number("FirstSub", "Row of the first subhalo, -1 for none", is_count,
                 [&](std::size_t r) { return first[r]; });
    table.number("Nsubs", "Number of subhalos", is_count, [&](std::size_t r) { return count[r]; });
}

void add_subhalo_rows(TableBuilder& table, const Particles& particles, const Subhalos& subhalos)
{
    const auto integer = [](auto value) { return static_cast<std::int64_t>(value); };
    table.number("GroupNr", "Row of the group", is_count,
                 [&](std::size_t r) { return integer(subhalos.group[r]); });
    table.number("RankInGr", "Rank of the subhalo in its group, 0 for the most massive", is_count,
                 [&](std::size_t r) { return integer(subhalos.rank[r]); });
    table.number("Parent", "Row of the subhalo that it lies in, -1 for none", is_count,
                 [&](std::size_t r) { return integer(subhalos.parent[r]); });
    table.number("IDMostbound", "Id of the most bound particle", is_count, [&](std::size_t r) {
        const std::span<const Index> members = subhalos.members.of(r);
        return members.empty() ? std::int64_t{-1} : integer(particles.id.host()[members[0]]);
    });
}

/// Where each list begins among the particles of each type, when list follows list.
std::vector<PerType> running_offsets(const Rows& rows)
{
    std::vector<PerType> result;
    PerType end{};
    for (const HaloProperties& row : rows) {
        result.push_back(end);
        for (std::size_t t = 0; t < end.size(); ++t) end[t] += row.length_by_type[t];
    }
    return result;
}

/// Numbers of particles of each type in every group.
std::vector<PerType> group_types(const TableInput& input)
{
    std::vector<PerType> result(input.groups.length.size());
    const auto type = input.particles.type.host();
    for (std::size_t i = 0; i < input.groups.label.size(); ++i)
        if (const std::int32_t label = input.groups.label[i]; label >= 0)
            ++result[static_cast<std::size_t>(label)][type[i]];
    return result;
}

/// In member_order subhalos follow one another inside their group, and the group's other members follow them.
std::vector<PerType> subhalo_offsets(const TableInput& input, const Rows& rows)
{
    const std::vector<PerType> of_group = group_types(input);
    std::vector<PerType> result;
    PerType group_begin{}, next{};
    std::size_t group = 0;
    for (std::size_t s = 0; s < rows.size(); ++s) {
        for (; group < static_cast<std::size_t>(input.subhalos->group[s]); ++group) {
            for (std::size_t t = 0; t < next.size(); ++t) group_begin[t] += of_group[group][t];
            next = group_begin;
        }
        result.push_back(next);
        for (std::size_t t = 0; t < next.size(); ++t) next[t] += rows[s].length_by_type[t];
    }
    return result;
}

void expect_labels(const TableInput& input)
{
    AUREOLE_EXPECT(input.groups.label.size() == input.particles.size(), "{} labels for {} particles",
                   input.groups.label.size(), input.particles.size());
    if (!input.subhalos) return;
    const auto n_groups = static_cast<std::int64_t>(input.groups.length.size());
    std::int64_t last = 0;
    for (std::size_t s = 0; s < input.subhalos->size(); ++s) {
        const std::int64_t group = input.subhalos->group[s];
        AUREOLE_EXPECT(group >= last && group < n_groups,
                       "subhalo {} is in group {}, expected rising numbers below {}", s, group, n_groups);
        last = group;
    }
}

}  // namespace

Table group_properties(const TableInput& input)
{
    expect_labels(input);
    const double G = input.gravitational_constant;
    const Rows rows = halo_properties(
        {input.particles, input.box, input.group_centre, input.group_potential, G}, members_of(input.groups));
    const Overdensities over = overdensities_of(input, rows);
    std::vector<OverdensitySphere> sphere;
    for (std::size_t r = 0; r < rows.size(); ++r)
        sphere.push_back(sphere_or_members(over.of(r, over.crit200()), rows[r]));

    TableBuilder table("Group", rows.size());
    add_masses(table, rows, running_offsets(rows));
    add_centres(table, rows);
    add_motion(table, rows);
    add_radii(table, rows, "HalfMassRad");
    add_shapes(table, rows);
    add_energies(table, rows, !input.group_potential.empty());
    add_relative(table, rows, sphere, G);
    if (!input.group_potential.empty()) add_peebles_spin(table, rows, G);
    add_overdensities(table, rows, over, G);
    if (input.subhalos) add_subhalo_links(table, *input.subhalos, rows.size());
    return table.take();
}

Table subhalo_properties(const TableInput& input)
{
    expect_labels(input);
    AUREOLE_EXPECT(input.subhalos != nullptr, "no subhalos were given");
    const double G = input.gravitational_constant;
    const Subhalos& subhalos = *input.subhalos;
    const Rows rows = halo_properties(
        {input.particles, input.box, input.subhalo_centre, input.subhalo_potential, G}, subhalos.members);
    std::vector<OverdensitySphere> sphere;
    for (const HaloProperties& row : rows) sphere.push_back({row.mass, row.extent});

    TableBuilder table("Subhalo", rows.size());
    add_masses(table, rows, subhalo_offsets(input, rows));
    add_centres(table, rows);
    add_motion(table, rows);
    add_radii(table, rows, "HalfmassRad");
    add_shapes(table, rows);
    add_energies(table, rows, !input.subhalo_potential.empty());
    add_relative(table, rows, sphere, G);
    if (!input.subhalo_potential.empty()) add_peebles_spin(table, rows, G);
    add_subhalo_rows(table, input.particles, subhalos);
    return table.take();
}

}  // namespace aureole::halo
