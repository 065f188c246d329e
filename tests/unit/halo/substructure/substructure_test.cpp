// Subhalos of groups, whole searches. Larger cases: tests/physics/substructure_test.cpp.
#include <gtest/gtest.h>
#include <omp.h>

#include <numeric>
#include <random>

#include "halo/substructure/group_search.hpp"
#include "halo/substructure/substructure.hpp"
#include "sim/core/random.hpp"
#include "tests/support/halo/mock_halos.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::substructure_test {
namespace {

halo::SubhaloConfig config_with(double softening, double box_side = 0)
{
    halo::SubhaloConfig config;
    config.softening = softening;
    config.box.side = box_side;
    return config;
}

/// A host, a satellite on a circular orbit, and a satellite of the satellite, in one group.
Particles host_with_nested_satellites()
{
    ics::Component host = nfw_halo(4000, 1, 1, 8);
    ics::Component satellite = nfw_halo(800, 0.2, 0.4, 10);
    satellite.position = {1, 0, 0};
    satellite.velocity = {0, 1, 0};
    ics::Component moon = plummer_halo(80, 0.02, 0.015);
    moon.position = {1, 0, 0.2};
    moon.velocity = {0, 1, 0.7};
    return make_mock(5, {host, satellite, moon});
}

/// Everything that was found, with ids for particles.
struct Answer {
    std::vector<std::uint64_t> id, begin;
    std::vector<std::int32_t> group, rank, parent;
    std::vector<double> energy;

    Answer(const Particles& p, const halo::Subhalos& s)
        : begin(s.members.begin), group(s.group), rank(s.rank), parent(s.parent), energy(s.binding_energy)
    {
        for (const Index i : s.members.particle) id.push_back(p.id.host()[i]);
    }
    bool operator==(const Answer&) const = default;
};

void expect_well_formed(const Particles& p, const halo::Subhalos& found)
{
    std::vector<int> count(p.size(), 0);
    for (const Index i : found.members.particle) ++count[i];
    EXPECT_LE(*std::ranges::max_element(count), 1) << "a particle is in one list at most";
    ASSERT_EQ(found.binding_energy.size(), found.members.particle.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        const std::span energies =
            std::span(found.binding_energy).subspan(found.members.begin[k], found.members.size(k));
        EXPECT_TRUE(std::ranges::is_sorted(energies));
        EXPECT_LE(energies.back(), 0);
    }
}

TEST(Subhalos, ASatelliteOfASatelliteHasTheSatelliteAsParent)
{
    Particles p = host_with_nested_satellites();
    const auto found = find_subhalos(p.view(), one_group(p), config_with(0.005));
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found.parent, (std::vector<std::int32_t>{-1, 0, 1}));
    EXPECT_EQ(found.rank, (std::vector<std::int32_t>{0, 1, 2}));
    EXPECT_EQ(found.group, (std::vector<std::int32_t>{0, 0, 0}));
    for (std::size_t k = 0; k < 3; ++k) {
        const Recovery r = recovery_of(p, found.members.of(k), static_cast<Component>(k));
        EXPECT_GE(r.completeness, 0.9) << k;
        EXPECT_GE(r.purity, 0.9) << k;
    }
    expect_well_formed(p, found);
    const Vec3 off = found.core_position[1] - found.core_position[0];
    EXPECT_NEAR(std::sqrt(dot(off, off)), 1, 0.05);
    EXPECT_NEAR(found.core_velocity[1].y - found.core_velocity[0].y, 1, 0.2);
}

TEST(Subhalos, OrderOfParticlesAndThreadsChangeNoBit)
{
    Particles p = host_with_nested_satellites();
    const Answer expected(p, find_subhalos(p.view(), one_group(p), config_with(0.005)));
    std::vector<Index> order(p.size());
    std::iota(order.begin(), order.end(), 0u);
    std::shuffle(order.begin(), order.end(), std::mt19937(3));
    Particles shuffled = p.gathered(order);
    const int threads = omp_get_max_threads();
    for (const int n : {1, 3}) {
        omp_set_num_threads(n);
        EXPECT_EQ(Answer(shuffled, find_subhalos(shuffled.view(), one_group(p), config_with(0.005))),
                  expected)
            << n << " threads";
    }
    omp_set_num_threads(threads);
}

TEST(Subhalos, AcrossTheCornerOfABoxTheSameAreFound)
{
    const double side = 16;  // a power of two, and shifts that keep all digits but the last
    Particles p = make_mock(6, {plummer_halo(300, 1, 0.5), plummer_halo(60, 0.2, 0.05)});
    for (Index i = 300; i < 360; ++i) {
        p.view().position.x[i] += 1.5;
        p.view().velocity.y[i] += 0.8;
    }
    const auto open = find_subhalos(p.view(), one_group(p), config_with(0.01));
    ASSERT_EQ(open.size(), 2u);
    const Box box{side};
    for (Index i = 0; i < p.size(); ++i) {
        const Vec3 shift{-0.7, -0.2, 15.9};
        p.view().position.store(i, box.wrap(p.view().position.load(i) + shift));
    }
    const auto wrapped = find_subhalos(p.view(), one_group(p), config_with(0.01, side));
    ASSERT_EQ(wrapped.size(), 2u);
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(wrapped.members.size(k), open.members.size(k));
        EXPECT_EQ(wrapped.members.of(k)[0], open.members.of(k)[0]);
        for (const double x :
             {wrapped.core_position[k].x, wrapped.core_position[k].y, wrapped.core_position[k].z}) {
            EXPECT_GE(x, 0);
            EXPECT_LT(x, side);
        }
    }
}

TEST(Subhalos, RowsFollowTheGroups)
{
    Particles p =
        make_mock(7, {plummer_halo(200, 1, 0.3), plummer_halo(100, 0.5, 0.3), plummer_halo(15, 0.1, 0.1)});
    halo::Groups groups;
    for (Index i = 0; i < p.size(); ++i) groups.label.push_back(p.view().component[i]);
    groups.n_members = {200, 100, 15};
    const auto found = find_subhalos(p.view(), halo::members_of(groups), config_with(0.01));
    EXPECT_EQ(found.group, (std::vector<std::int32_t>{0, 1})) << "the third has too few members";
    EXPECT_EQ(found.rank, (std::vector<std::int32_t>{0, 0}));
    EXPECT_EQ(found.parent, (std::vector<std::int32_t>{-1, -1}));
}

TEST(Subhalos, AFastStreamIsDroppedOrKeptAsAsked)
{
    // too fast for its own mass: a piece of phase space, and no halo
    Particles p = make_mock(8, {plummer_halo(500, 1, 1), plummer_halo(60, 1e-5, 0.2)});
    Random random(1, 1, 1);
    for (Index i = 500; i < 560; ++i)
        p.view().velocity.store(i, {3 + 0.1 * random.normal(), 0.1 * random.normal(), 0.1 * random.normal()});
    auto config = config_with(0.01);
    const auto bound = find_subhalos(p.view(), one_group(p), config);
    ASSERT_EQ(bound.size(), 1u);
    EXPECT_GE(recovery_of(p, bound.members.of(0), 0).purity, 1);
    config.unbinding = false;
    const auto all = find_subhalos(p.view(), one_group(p), config);
    ASSERT_GE(all.size(), 2u);
    EXPECT_EQ(all.members.particle.size(), p.size());
    bool stream = false;
    for (std::size_t k = 1; k < all.size(); ++k)
        stream = stream || recovery_of(p, all.members.of(k), 1).completeness > 0.9;
    EXPECT_TRUE(stream);
}

TEST(Subhalos, EdgesAreNoTrouble)
{
    Particles none(Backend::cpu, 0);
    EXPECT_EQ(find_subhalos(none.view(), {}, config_with(0)).size(), 0u);
    for (const Index n : {1u, 2u, 20u, 200u}) {
        for (const double mass : {0.0, 1.0})
            for (const double softening : {0.0, 0.1}) {
                Particles p(Backend::cpu, n);  // coincident and at rest
                for (Index i = 0; i < n; ++i) p.view().mass[i] = mass;
                auto config = config_with(softening);
                const auto found = find_subhalos(p.view(), one_group(p), config);
                EXPECT_EQ(found.size(), n >= 20 ? 1u : 0u) << n;
                EXPECT_EQ(found.members.particle.size(), n >= 20 ? n : 0u);
                config.min_members = 1;
                EXPECT_EQ(find_subhalos(p.view(), one_group(p), config).size(), 1u) << n;
                config.unbinding = false;
                EXPECT_EQ(find_subhalos(p.view(), one_group(p), config).size(), 1u) << n;
            }
    }
}

TEST(Subhalos, AtRestTwoClumpsAreTwoSubhalos)
{
    Particles p = make_mock(9, {plummer_halo(150, 1, 0.1), plummer_halo(100, 0.66, 0.1)});
    for (Index i = 0; i < p.size(); ++i) p.view().velocity.store(i, {});
    for (Index i = 150; i < 250; ++i) p.view().position.x[i] += 3;
    const auto found = find_subhalos(p.view(), one_group(p), config_with(0.01));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found.members.size(0), 150u);
    EXPECT_EQ(found.members.size(1), 100u);
}

TEST(Subhalos, RankByMassThenByMembersThenByTheLowerBranch)
{
    const halo::Standing halo{2.0, 30, 5};
    for (const halo::Standing& lesser : {halo::Standing{1.5, 90, 1}, {2.0, 29, 1}, {2.0, 30, 6}}) {
        EXPECT_TRUE(outranks(halo, lesser));
        EXPECT_FALSE(outranks(lesser, halo));
    }
    EXPECT_FALSE(outranks(halo, halo));
}

TEST(Subhalos, HoldWhatIsAskedForOfWhatTheyAreOffered)
{
    Particles p = make_mock(9, {plummer_halo(300, 1, 0.3), plummer_halo(100, 0.1, 0.1)});
    for (Index i = 300; i < 400; ++i) p.view().position.x[i] += 2;
    auto config = config_with(0.01);
    config.min_members = 10;
    ASSERT_EQ(find_subhalos(p.view(), one_group(p), config).size(), 2u);
    config.least_bound_fraction = 1;
    EXPECT_EQ(find_subhalos(p.view(), one_group(p), config).size(), 1u)
        << "some of its members are not bound";
    for (Index i = 0; i < 400; ++i) p.view().velocity.store(i, {});
    EXPECT_EQ(find_subhalos(p.view(), one_group(p), config).size(), 2u) << "at rest all are";
}

TEST(Subhalos, AskForLessBeforeTheLastRound)
{
    const auto expect = [](const halo::Terms& terms, std::size_t members, double fraction, bool main_halo,
                           double last_part) {
        EXPECT_EQ(terms.least_members, members);
        EXPECT_EQ(terms.least_fraction, fraction);
        EXPECT_EQ(terms.main_halo, main_halo);
        EXPECT_EQ(terms.last_part, last_part);
    };
    auto config = config_with(0);
    config.min_members = 30;
    config.least_bound_fraction = 0.75;
    config.rounds = 3;
    config.hierarchy.min_piece = 12;
    expect(terms_of_pieces(config), 6, 0, false, 0.01);
    for (const int round : {1, 2}) expect(terms_of_round(config, round), 15, 0.375, false, 0.01);
    expect(terms_of_round(config, 3), 30, 0.75, true, 0);
    config.min_members = config.hierarchy.min_piece = 1;
    expect(terms_of_pieces(config), 1, 0, false, 0.01);
    expect(terms_of_round(config, 1), 1, 0.375, false, 0.01);
}

TEST(Subhalos, TheMainHaloStaysWhereFewOfItsGroupAreBound)
{
    Particles p = make_mock(3, {plummer_halo(100, 1, 0.1), plummer_halo(300, 1e-3, 1)});
    Random random(4, 4, 4);
    for (Index i = 100; i < 400; ++i)
        p.view().velocity.store(i, {20 * random.normal(), 20 * random.normal(), 20 * random.normal()});
    const auto found = find_subhalos(p.view(), one_group(p), config_with(0.01));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found.rank[0], 0);
    EXPECT_GE(recovery_of(p, found.members.of(0), 0).completeness, 0.9);
    EXPECT_LT(found.members.size(0), 200u) << "less than half of the group";
}

TEST(Subhalos, BadInputIsNamed)
{
    Particles p(Backend::cpu, 3);
    const auto groups = one_group(p);
    const auto message = [&](auto change) {
        auto config = config_with(0);
        change(config);
        return message_of<Error>([&] { find_subhalos(p.view(), groups, config); });
    };
    EXPECT_NE(message([](auto& c) { c.min_members = 0; }).find("min_members is 0"), std::string::npos);
    EXPECT_NE(message([](auto& c) { c.rounds = 0; }).find("rounds is 0"), std::string::npos);
    EXPECT_NE(message([](auto& c) { c.hierarchy.linked_fraction = 1; }).find("linked_fraction is 1"),
              std::string::npos);
    EXPECT_NE(message([](auto& c) { c.softening = -1; }).find("softening is -1"), std::string::npos);
    p.view().velocity.y[2] = NAN;
    EXPECT_NE(message([](auto&) {}).find("particle 2 (id 3)"), std::string::npos);
    p.view().velocity.y[2] = 0;
    Particles fewer(Backend::cpu, 2);
    EXPECT_NE(
        message_of<Error>([&] { find_subhalos(fewer.view(), groups, config_with(0)); }).find("particle 2"),
        std::string::npos);
}

}  // namespace
}  // namespace aureole::test::substructure_test
