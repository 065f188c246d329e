// The whole way from particles to the table of groups equals its parts on the host, and its bits repeat.
#include "halo/catalogue/group_catalogue.hpp"

#include <bit>

#include "halo/catalogue/halo_tables.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::group_catalogue_test {
namespace {

struct CatalogueOf {
    halo::FofConfig groups;
    halo::CatalogueQuery query;
};

class GroupCatalogueTest : public OnEachBackend {
protected:
    Table table_of(const Particles& host, const CatalogueOf& input)
    {
        const Particles particles = host.copy_to(exec().backend);
        const auto finder = halo::make_finder("kd_tree", input.groups);
        groups_ = catalogue_.find(exec(), particles.view(), *finder);
        catalogue_.compute(exec(), particles.view(), groups_, input.query);
        return catalogue_.table();
    }

    halo::GroupCatalogue catalogue_;
    halo::GroupsView groups_;
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(GroupCatalogueTest);

Particles clustered_particles(Index n)
{
    Uniform u(7);
    Particles p = particles_at(clustered_points(n, 5));
    for (Index i = 0; i < n; ++i) {
        p.mass.host()[i] = (0.5 + u()) / n;
        for (const auto v : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) (p.velocity.*v).host()[i] = u();
        p.type.host()[i] = static_cast<ParticleType>(6 * u());
    }
    return p;
}

Table expected_table(Particles& host, const CatalogueOf& input)
{
    const halo::CatalogueQuery& query = input.query;
    const halo::Groups groups = halo::FriendsOfFriends().find({}, host.view(), input.groups);
    const halo::Members members = members_of(groups);
    Particles scaled = host.copy_to(Backend::cpu);
    for (double& mass : scaled.mass.host()) mass *= query.gravitational_constant;
    const halo::Centres centres = find_centres(scaled.view(), members, query.box, query.centre);
    const std::vector<double> of_members =
        halo::member_potentials(scaled.view(), members, {query.centre.softening}, query.box);
    std::vector<double> potential(host.size());
    for (std::size_t k = 0; k < of_members.size(); ++k) potential[members.particle[k]] = of_members[k];
    return halo::group_properties({.particles = host,
                                   .groups = groups,
                                   .box = query.box,
                                   .group_centre = centres.position,
                                   .group_potential = potential,
                                   .thresholds = query.thresholds,
                                   .gravitational_constant = query.gravitational_constant});
}

void expect_column(const Column& found, const Column& expected)
{
    ASSERT_EQ(found.name, expected.name);
    if (const auto* counts = std::get_if<std::vector<std::int64_t>>(&expected.values)) {
        EXPECT_EQ(std::get<std::vector<std::int64_t>>(found.values), *counts) << found.name;
        return;
    }
    constexpr Tolerance rounding{1e-8, "rounding, enlarged where axes are alike or V_max is near V_200c"};
    const auto& is = std::get<std::vector<double>>(found.values);
    const auto& was = std::get<std::vector<double>>(expected.values);
    ASSERT_EQ(is.size(), was.size()) << found.name;
    double scale = 1e-300;
    for (const double value : was)
        if (std::isfinite(value)) scale = std::max(scale, std::abs(value));
    for (std::size_t k = 0; k < is.size(); ++k) {
        if (std::isnan(was[k])) {
            EXPECT_TRUE(std::isnan(is[k])) << found.name << " " << k;
        } else {
            EXPECT_TRUE(close_to(is[k], was[k], scale, rounding)) << found.name << " " << k;
        }
    }
}

/// As texts of bits: NaN equals NaN.
std::vector<std::uint64_t> bits_of(const Column& column)
{
    return std::visit(
        [](const auto& values) {
            std::vector<std::uint64_t> bits;
            for (const auto value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
            return bits;
        },
        column.values);
}

CatalogueOf input_in(double side)
{
    CatalogueOf input;
    input.groups.linking_length = 0.015;
    input.groups.min_members = 5;
    input.groups.box = input.query.box = {side};
    input.query.centre.softening = 1e-4;
    input.query.gravitational_constant = 3;
    return input;
}

TEST_P(GroupCatalogueTest, EqualsItsPartsOnTheHost)
{
    Particles host = clustered_particles(8000);
    const auto thresholds = halo::usual_thresholds(halo::reference_densities(1.0));
    for (const double side : {0.0, 1.0}) {
        CatalogueOf input = input_in(side);
        input.query.thresholds = thresholds;
        const Table expected = expected_table(host, input), found = table_of(host, input);
        ASSERT_GT(expected.rows, 50u);
        ASSERT_EQ(found.rows, expected.rows);
        ASSERT_EQ(found.columns.size(), expected.columns.size());
        for (std::size_t k = 0; k < found.columns.size(); ++k)
            expect_column(found.columns[k], expected.columns[k]);
        EXPECT_EQ(groups_.n_groups, expected.rows);
        const Table again = table_of(host, input);
        for (std::size_t k = 0; k < found.columns.size(); ++k)
            EXPECT_EQ(bits_of(again.columns[k]), bits_of(found.columns[k])) << found.columns[k].name;
    }
}

TEST_P(GroupCatalogueTest, MayHaveNoGroups)
{
    CatalogueOf input = input_in(0);
    EXPECT_EQ(table_of(Particles(Backend::cpu, 0), input).rows, 0u);
    input.groups.min_members = 3;
    const Table none = table_of(particles_at({{0, 0, 0}, {1, 1, 1}}), input);
    EXPECT_EQ(none.rows, 0u);
    EXPECT_NE(none.find("GroupReducedAxes"), nullptr);
    EXPECT_EQ(table_of(clustered_particles(300), input_in(0)).rows > 0, true) << "and some the next time";
}

}  // namespace
}  // namespace aureole::test::group_catalogue_test
