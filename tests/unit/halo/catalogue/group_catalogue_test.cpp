// The whole way from particles to the table of groups equals its parts on the host, and its bits repeat.
#include "halo/catalogue/group_catalogue.hpp"

#include <bit>

#include "halo/catalogue/halo_tables.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test {
namespace {

class GroupCatalogueTest : public OnEachBackend {
protected:
    Table table_of(const Particles& host, const halo::CatalogueQuery& query)
    {
        Particles particles = host.copy_to(exec().backend);
        return catalogue_.find(exec(), particles.view(), query);
    }

    halo::GroupCatalogue catalogue_;
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

Table expected_table(Particles& host, const halo::CatalogueQuery& query)
{
    const halo::Groups groups = halo::FriendsOfFriends().find({}, host.view(), query.groups);
    const halo::Centres centres =
        find_centres(host.view(), members_of(groups), query.groups.box, query.centre);
    return halo::group_properties({.particles = host,
                                   .groups = groups,
                                   .box = query.groups.box,
                                   .group_centre = centres.position,
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

halo::CatalogueQuery query_in(double side)
{
    halo::CatalogueQuery query;
    query.groups.linking_length = 0.015;
    query.groups.min_members = 5;
    query.groups.box = {side};
    query.centre.softening = 1e-4;
    query.gravitational_constant = 3;
    return query;
}

TEST_P(GroupCatalogueTest, EqualsItsPartsOnTheHost)
{
    Particles host = clustered_particles(8000);
    const auto thresholds = halo::usual_thresholds(halo::reference_densities(1.0));
    for (const double side : {0.0, 1.0}) {
        halo::CatalogueQuery query = query_in(side);
        query.thresholds = thresholds;
        const Table expected = expected_table(host, query), found = table_of(host, query);
        ASSERT_GT(expected.rows, 50u);
        ASSERT_EQ(found.rows, expected.rows);
        ASSERT_EQ(found.columns.size(), expected.columns.size());
        for (std::size_t k = 0; k < found.columns.size(); ++k)
            expect_column(found.columns[k], expected.columns[k]);
        EXPECT_EQ(catalogue_.groups().n_groups, expected.rows);
        const Table again = table_of(host, query);
        for (std::size_t k = 0; k < found.columns.size(); ++k)
            EXPECT_EQ(bits_of(again.columns[k]), bits_of(found.columns[k])) << found.columns[k].name;
    }
}

TEST_P(GroupCatalogueTest, MayHaveNoGroups)
{
    halo::CatalogueQuery query = query_in(0);
    EXPECT_EQ(table_of(Particles(Backend::cpu, 0), query).rows, 0u);
    query.groups.min_members = 3;
    const Table none = table_of(particles_at({{0, 0, 0}, {1, 1, 1}}), query);
    EXPECT_EQ(none.rows, 0u);
    EXPECT_NE(none.find("GroupReducedAxes"), nullptr);
    EXPECT_EQ(table_of(clustered_particles(300), query_in(0)).rows > 0, true) << "and some the next time";
}

}  // namespace
}  // namespace aureole::test
