#include "halo/catalogue/halo_tables.hpp"

#include <algorithm>
#include <cmath>

#include "halo/catalogue/halo_parameters.hpp"
#include "halo/catalogue/table_builder.hpp"
#include "halo/overdensity/overdensity.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

using Rows = std::span<const HaloProperties>;

/// Spheres of every row at every threshold.
struct Overdensities {
    std::span<const DensityThreshold> threshold;
    std::span<const OverdensitySphere> sphere;

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

void add_masses(TableBuilder& table, Rows rows, std::vector<PerType> offset)
{
    table.number("Len", "Number of members", is_count, [=](std::size_t r) { return rows[r].n_members; });
    table.array("LenType", "Number of members of each type", is_count,
                [=](std::size_t r) { return rows[r].n_members_by_type; });
    table.array("OffsetType", "First member among the particles of each type", is_count,
                [offset = std::move(offset)](std::size_t r) { return offset[r]; });
    table.number("Mass", "Sum of the members' masses", is_mass, [=](std::size_t r) { return rows[r].mass; });
    table.array("MassType", "Mass of the members of each type", is_mass,
                [=](std::size_t r) { return rows[r].mass_by_type; });
}

void add_centres(TableBuilder& table, Rows rows)
{
    table.vector("Pos", "Centre", is_length, [=](std::size_t r) { return rows[r].centre; });
    table.vector("CM", "Centre of mass", is_length, [=](std::size_t r) { return rows[r].centre_of_mass; });
    table.vector("CMOffset", "Centre minus centre of mass", is_length,
                 [=](std::size_t r) { return rows[r].offset; });
}

void add_motion(TableBuilder& table, Rows rows)
{
    table.vector("Vel", "Peculiar velocity of the centre of mass", is_velocity,
                 [=](std::size_t r) { return rows[r].velocity; });
    table.number("VelDisp", "One-dimensional velocity dispersion, mass-weighted", is_velocity,
                 [=](std::size_t r) { return rows[r].dispersion; });
    table.array("DispersionTensor", "Velocity dispersion tensor: xx, yy, zz, xy, xz, yz", {.velocity = 2},
                [=](std::size_t r) {
                    const SymmetricTensor& t = rows[r].velocity_dispersion;
                    return std::array{t.xx, t.yy, t.zz, t.xy, t.xz, t.yz};
                });
    table.number("Vmax", "Largest circular velocity of the members about the centre", is_velocity,
                 [=](std::size_t r) { return rows[r].max_velocity; });
    table.vector("Spin", "Angular momentum per mass", {.length = 1, .velocity = 1},
                 [=](std::size_t r) { return rows[r].angular_momentum; });
}

void add_radii(TableBuilder& table, Rows rows, const char* half_mass_name)
{
    table.number("VmaxRad", "Radius of the largest circular velocity", is_length,
                 [=](std::size_t r) { return rows[r].max_velocity_radius; });
    table.number("Radius", "Distance of the farthest member from the centre", is_length,
                 [=](std::size_t r) { return rows[r].extent; });
    table.number(half_mass_name, "Radius about the centre that holds half of the mass", is_length,
                 [=](std::size_t r) { return rows[r].half_mass_radius; });
}

void add_shape(TableBuilder& table, const std::string& name, const std::string& tensor, Rows rows,
               Shape HaloProperties::*shape)
{
    table.array(name + "AxisRatios", "b/a and c/a of the " + tensor + "; NaN where all x are 0", is_count,
                [=](std::size_t r) {
                    return std::array{(rows[r].*shape).b_to_a, (rows[r].*shape).c_to_a};
                });
    table.array(name + "Axes", "Unit vectors along a, b and c of the " + tensor, is_count,
                [=](std::size_t r) {
                    const auto& [a, b, c] = (rows[r].*shape).axis;
                    return std::array{a.x, a.y, a.z, b.x, b.y, b.z, c.x, c.y, c.z};
                });
}

void add_shapes(TableBuilder& table, Rows rows)
{
    add_shape(table, "", "tensor of sum m x x, x from the centre (Pos) to a member", rows,
              &HaloProperties::shape);
    add_shape(table, "Reduced",
              "tensor of sum m x x / r^2, x from the centre (Pos) to a member, r its length", rows,
              &HaloProperties::reduced_shape);
}

void add_energies(TableBuilder& table, Rows rows, bool potential)
{
    constexpr Dimension energy{.mass = 1, .velocity = 2};
    table.number("KineticEnergy", "Kinetic energy about the mean velocity", energy,
                 [=](std::size_t r) { return rows[r].kinetic_energy; });
    if (!potential) return;
    table.number("PotentialEnergy", "Half of the sum of mass times potential", energy,
                 [=](std::size_t r) { return rows[r].potential_energy; });
    table.number("VirialRatio", "-2 K / W; NaN where W is not below 0", is_count,
                 [=](std::size_t r) { return rows[r].virial_ratio; });
}

/// What relates to the sphere of a row; `radius` says which its is.
template <class SphereOf>
void add_relative(TableBuilder& table, Rows rows, SphereOf sphere_of, const std::string& radius,
                  double gravitational_constant)
{
    table.number("RelativeOffset",
                 "Distance of centre and centre of mass over " + radius + "; NaN where that is 0", is_count,
                 [=](std::size_t r) {
                     const double offset = std::sqrt(dot(rows[r].offset, rows[r].offset));
                     const double extent = sphere_of(r).radius;
                     return extent > 0 ? offset / extent : unknown;
                 });
    table.number("SpinBullock",
                 "Spin parameter of Bullock et al. (2001), at " + radius + "; NaN where that is 0", is_count,
                 [=](std::size_t r) { return bullock_spin(rows[r], sphere_of(r), gravitational_constant); });
}

void add_peebles_spin(TableBuilder& table, Rows rows, double gravitational_constant)
{
    table.number("SpinPeebles", "Spin parameter of Peebles (1969)", is_count,
                 [=](std::size_t r) { return peebles_spin(rows[r], gravitational_constant); });
}

/// `source`: which particles count.
void add_overdensities(TableBuilder& table, Rows rows, Overdensities over, const char* source,
                       double gravitational_constant)
{
    for (std::size_t k = 0; k < over.threshold.size(); ++k) {
        const DensityThreshold& t = over.threshold[k];
        const std::string of = fmt::format(
            " of the sphere of overdensity {}, in {}; NaN where it would be wider than the periodic box, 0 "
            "where no particle reaches the density",
            t.name, source);
        table.number("_M_" + t.column, "Mass" + of, is_mass,
                     [=](std::size_t r) { return over.of(r, k).mass; });
        table.number("_R_" + t.column, "Radius" + of, is_length,
                     [=](std::size_t r) { return over.of(r, k).radius; });
    }
    const std::size_t crit200 = over.crit200();
    if (crit200 == over.threshold.size()) return;
    table.number("Concentration",
                 "R_200c / r_s of the NFW profile with this V_max / V_200c; NaN where V_max is below V_200c",
                 is_count, [=](std::size_t r) {
                     return concentration_of_velocities(rows[r], over.of(r, crit200), gravitational_constant);
                 });
    table.number("ConcentrationRmax", "2.1626 R_200c / R_max; NaN where either is 0 or not known", is_count,
                 [=](std::size_t r) { return concentration_of_radii(rows[r], over.of(r, crit200)); });
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
                 [first = std::move(first)](std::size_t r) { return first[r]; });
    table.number("Nsubs", "Number of subhalos", is_count,
                 [count = std::move(count)](std::size_t r) { return count[r]; });
}

void add_subhalo_rows(TableBuilder& table, const SubhaloTableInput& input)
{
    const Subhalos* const subhalos = &input.subhalos;
    table.number("TidalRad",
                 "Radius within which the bound members outweigh the tide of the parent, on a circular orbit "
                 "(King 1962), at most the extent; NaN without a parent and where that raises no tide",
                 is_length, [of = &input.spheres.tidal_radius](std::size_t r) { return (*of)[r]; });
    const auto number = [&](const char* name, const char* description, std::span<const std::int32_t> of) {
        table.number(name, description, is_count, [of](std::size_t r) { return std::int64_t{of[r]}; });
    };
    number("GroupNr", "Row of the group", subhalos->group);
    number("RankInGr", "Rank of the subhalo in its group, 0 for the most massive", subhalos->rank);
    number("Parent", "Row of the subhalo that it lies in, -1 for none", subhalos->parent);
    table.number("IDMostbound", "Id of the most bound particle", is_count,
                 [subhalos, id = input.most_bound_id](std::size_t r) {
                     return subhalos->members.size(r) == 0 ? std::int64_t{-1}
                                                           : static_cast<std::int64_t>(id[r]);
                 });
}

/// Where each list begins among the particles of each type, when list follows list.
std::vector<PerType> running_offsets(Rows rows)
{
    std::vector<PerType> result;
    result.reserve(rows.size());
    PerType end{};
    for (const HaloProperties& row : rows) {
        result.push_back(end);
        for (std::size_t t = 0; t < end.size(); ++t) end[t] += row.n_members_by_type[t];
    }
    return result;
}

/// In member_order subhalos follow one another inside their group, and the group's other members follow them.
std::vector<PerType> subhalo_offsets(const SubhaloTableInput& input)
{
    std::vector<PerType> result;
    PerType group_begin{}, next{};
    std::size_t group = 0;
    for (std::size_t s = 0; s < input.rows.size(); ++s) {
        for (; group < static_cast<std::size_t>(input.subhalos.group[s]); ++group) {
            for (std::size_t t = 0; t < next.size(); ++t) group_begin[t] += input.types_of_groups[group][t];
            next = group_begin;
        }
        result.push_back(next);
        for (std::size_t t = 0; t < next.size(); ++t) next[t] += input.rows[s].n_members_by_type[t];
    }
    return result;
}

/// Subhalos of group after group, none of a group that is not there.
void expect_subhalos(const Subhalos& subhalos, std::size_t n_groups)
{
    std::int64_t last = 0;
    for (std::size_t s = 0; s < subhalos.size(); ++s) {
        const std::int64_t group = subhalos.group[s];
        AUREOLE_EXPECT(group >= last && group < static_cast<std::int64_t>(n_groups),
                       "subhalo {} is in group {}, expected rising numbers below {}", s, group, n_groups);
        last = group;
    }
}

void expect_spheres(std::size_t n_spheres, std::size_t n_rows, std::span<const DensityThreshold> thresholds)
{
    AUREOLE_EXPECT(n_spheres == n_rows * thresholds.size(), "{} spheres for {} rows and {} thresholds",
                   n_spheres, n_rows, thresholds.size());
    for (auto t = thresholds.begin(); t != thresholds.end(); ++t)
        AUREOLE_EXPECT(std::none_of(thresholds.begin(), t,
                                    [&](const DensityThreshold& other) { return other.column == t->column; }),
                       "the overdensity {} is asked for twice", t->name);
}

void expect_input(const GroupTableInput& input)
{
    expect_spheres(input.spheres.size(), input.rows.size(), input.thresholds);
}

void expect_input(const SubhaloTableInput& input)
{
    AUREOLE_EXPECT(input.rows.size() == input.subhalos.size(), "{} rows for {} subhalos", input.rows.size(),
                   input.subhalos.size());
    AUREOLE_EXPECT(input.most_bound_id.size() == input.rows.size(), "{} most bound particles for {} subhalos",
                   input.most_bound_id.size(), input.rows.size());
    expect_spheres(input.spheres.sphere.size(), input.rows.size(), input.thresholds);
    AUREOLE_EXPECT(input.spheres.tidal_radius.size() == input.rows.size(), "{} tidal radii for {} subhalos",
                   input.spheres.tidal_radius.size(), input.rows.size());
    expect_subhalos(input.subhalos, input.types_of_groups.size());
}

}  // namespace

TableBuilder group_table_builder(const GroupTableInput& input)
{
    expect_input(input);
    const double G = input.gravitational_constant;
    const Rows rows = input.rows;
    const Overdensities over{input.thresholds, input.spheres};
    const std::size_t crit200 = over.crit200();
    const auto sphere_of = [=](std::size_t r) { return sphere_or_members(over.of(r, crit200), rows[r]); };

    TableBuilder table("Group", rows.size());
    add_masses(table, rows, running_offsets(rows));
    add_centres(table, rows);
    add_motion(table, rows);
    add_radii(table, rows, "HalfMassRad");
    add_shapes(table, rows);
    add_energies(table, rows, input.potentials);
    table.begin_late_columns();
    add_relative(table, rows, sphere_of, "R_200c or the extent", G);
    if (input.potentials) add_peebles_spin(table, rows, G);
    add_overdensities(table, rows, over, "all particles", G);
    return table;
}

Table group_table(TableBuilder table, const Subhalos* subhalos, std::size_t n_groups)
{
    if (subhalos) {
        expect_subhalos(*subhalos, n_groups);
        add_subhalo_links(table, *subhalos, n_groups);
    }
    return table.take();
}

Table group_table(const GroupTableInput& input)
{
    return group_table(group_table_builder(input), input.subhalos, input.rows.size());
}

Table subhalo_table(const SubhaloTableInput& input)
{
    expect_input(input);
    const double G = input.gravitational_constant;
    const Rows rows = input.rows;
    const auto sphere_of = [=](std::size_t r) { return OverdensitySphere{rows[r].mass, rows[r].extent}; };

    TableBuilder table("Subhalo", rows.size());
    add_masses(table, rows, subhalo_offsets(input));
    add_centres(table, rows);
    add_motion(table, rows);
    add_radii(table, rows, "HalfmassRad");
    add_shapes(table, rows);
    add_energies(table, rows, input.potentials);
    add_relative(table, rows, sphere_of, "the extent", G);
    if (input.potentials) add_peebles_spin(table, rows, G);
    add_overdensities(table, rows, {input.thresholds, input.spheres.sphere}, "the bound members alone", G);
    add_subhalo_rows(table, input);
    return table.take();
}

}  // namespace aureole::halo
