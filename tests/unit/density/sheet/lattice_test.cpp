// Lagrangian order from ids: found in every order of axes, refused with numbers when it is none.
#include "density/sheet/lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "sim/core/error.hpp"
#include "sim/core/particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test::lattice_test {
namespace {

using density::Lattice;
using density::make_lattice;

constexpr double side = 10;

/// n^3 particles displaced by up to `offset` spacings, ids in the order of `axes` (slowest first) from
/// `first`.
Particles lattice(Index n, const std::string& axes, std::uint64_t first, double offset)
{
    Particles host(Backend::cpu, std::size_t{n} * n * n);
    std::mt19937_64 engine(3);
    std::uniform_real_distribution<double> uniform(-offset, offset);
    for (Index i = 0; i < host.size(); ++i) {
        const Index along[3] = {i / (n * n), i / n % n, i % n};
        double x[3];
        for (std::size_t k = 0; k < 3; ++k)
            x[axes[k] - 'x'] = Box{side}.wrap(side / n * (along[k] + uniform(engine)));
        host.view().position.store(i, {x[0], x[1], x[2]});
        host.mass.data()[i] = 2;
        host.id.data()[i] = first + i;
    }
    return host;
}

Particles shuffled(const Particles& host)
{
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, std::mt19937_64(5));
    return host.gathered(order);
}

std::string refusal(Particles& host, const density::LatticeChoice& choice = {}, Box box = {side})
{
    return message_of<Error>([&] { make_lattice(host.view(), box, choice); });
}

TEST(Lattice, EveryOrderOfAxesAndBothFirstIdsAreFound)
{
    for (const std::string axes : {"xyz", "xzy", "yxz", "yzx", "zxy", "zyx"})
        for (const std::uint64_t first : {0, 1}) {
            Particles host = shuffled(lattice(6, axes, first, 0.9));
            const Lattice found = make_lattice(host.view(), {side});
            EXPECT_EQ(found.axes, axes);
            EXPECT_EQ(found.first_id, first);
            EXPECT_EQ(found.side, 6u);
            for (Index site = 0; site < host.size(); ++site) {
                const Index along[3] = {site / 36, site / 6 % 6, site % 6};
                std::uint64_t id = 0;
                for (const char axis : axes) id = id * 6 + along[axis - 'x'];
                EXPECT_EQ(host.id.data()[found.particle.data()[site]], first + id);
            }
        }
}

TEST(Lattice, AnUndisturbedOneIsFound)
{
    Particles host = lattice(3, "zxy", 1, 0);
    EXPECT_EQ(make_lattice(host.view(), {side}).axes, "zxy");
}

TEST(Lattice, WhatIsGivenIsTaken)
{
    Particles host = lattice(2, "xyz", 17, 0);
    const Lattice found = make_lattice(host.view(), {side}, {.axes = "zyx", .first_id = 17});
    EXPECT_EQ(found.axes, "zyx");
    EXPECT_EQ(found.particle.data()[1], 4u);
    EXPECT_TRUE(contains(refusal(host, {.axes = "xyy", .first_id = 17}), "'xyy'"));
}

TEST(Lattice, ASubLatticeTakesEveryKthSiteWithItsMass)
{
    Particles host = lattice(6, "xyz", 0, 0.2);
    const Lattice found = make_lattice(host.view(), {side}, {.every = 3});
    ASSERT_EQ(found.side, 2u);
    EXPECT_EQ(found.particle.data()[0], 0u);
    EXPECT_EQ(found.particle.data()[1], 3u);
    EXPECT_EQ(found.particle.data()[2], 18u);
    EXPECT_EQ(found.particle.data()[4], 108u);
    EXPECT_EQ(found.tetrahedron_mass, 2 * 27 / 6.0);
    EXPECT_TRUE(contains(refusal(host, {.every = 4}), "every 4-th of 6 sites"));
    EXPECT_TRUE(contains(refusal(host, {.every = 6}), "at least 2"));
}

TEST(Lattice, NumbersThatAreNoCubeAreRefused)
{
    Particles host(Backend::cpu, 26), none(Backend::cpu, 0), one(Backend::cpu, 1);
    EXPECT_TRUE(
        contains(refusal(host), "26 particles are no complete lattice, expected a cube number as 3^3 = 27"));
    EXPECT_TRUE(contains(refusal(none), "0 particles"));
    EXPECT_TRUE(contains(refusal(one), "at least 2^3"));
}

TEST(Lattice, MissingAndRepeatedIdsAreCountedAndNamed)
{
    Particles host = lattice(3, "xyz", 1, 0.1);
    host.id.data()[4] = 9;
    host.id.data()[11] = 9;
    host.id.data()[20] = 1000;
    const std::string said = refusal(host);
    EXPECT_TRUE(contains(said, "of 1 to 27, 3 are missing, the first is 5"));
    EXPECT_TRUE(contains(said, "2 ids repeat others, the first is 9"));
    EXPECT_TRUE(contains(said, "1 are outside, the first is 1000"));
}

TEST(Lattice, TypesMassesAndPositionsAreChecked)
{
    Particles typed = lattice(3, "xyz", 1, 0.1);
    typed.type.data()[5] = 4;
    EXPECT_TRUE(contains(refusal(typed), "several types, 1 (id 1) and 4 (id 6)"));
    Particles heavy = lattice(3, "xyz", 1, 0.1);
    heavy.mass.data()[5] = 3;
    EXPECT_TRUE(contains(refusal(heavy), "masses are 2 (id 1) and 3 (id 6)"));
    Particles nowhere = lattice(3, "xyz", 1, 0.1);
    nowhere.position.y.data()[5] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(contains(refusal(nowhere), "particle 5 (id 6) is at"));
    Particles far = lattice(3, "xyz", 1, 0.1);
    far.position.y.data()[5] = 35;
    EXPECT_TRUE(contains(refusal(far), "outside the box of side 10"));
    Particles host = lattice(3, "xyz", 1, 0.1);
    EXPECT_TRUE(contains(refusal(host, {}, {0}), "periodic box"));
}

TEST(Lattice, IdsThatNumberNoLatticeAreRefused)
{
    Particles host = lattice(6, "xyz", 1, 0.1);
    std::ranges::shuffle(host.id.host(), std::mt19937_64(1));
    EXPECT_TRUE(contains(refusal(host), "lattice spacings apart in the mean"));
    Particles half = lattice(6, "xyz", 1, 0.1);
    EXPECT_TRUE(contains(refusal(half, {}, {2 * side}), "ids do not number a lattice of the box of side 20"));
}

}  // namespace
}  // namespace aureole::test::lattice_test
