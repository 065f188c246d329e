#include "sim/core/shrinking_sphere/shrinking_sphere.hpp"

#include <gtest/gtest.h>
#include <omp.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace aureole::test::shrinking_sphere_test {
namespace {

struct Points {
    std::vector<double> mass, x, y, z;

    void add(double m, Vec3 at)
    {
        mass.push_back(m);
        x.push_back(at.x);
        y.push_back(at.y);
        z.push_back(at.z);
    }
    PointMasses view() const { return {mass, x, y, z}; }
    memory::CountedVector<Index> all() const
    {
        memory::CountedVector<Index> members(mass.size());
        std::iota(members.begin(), members.end(), Index{0});
        return members;
    }
};

TEST(ShrinkingSphere, OfFewPointsIsTheirCentreOfMass)
{
    Points points;
    points.add(1, {0, 0, 0});
    points.add(3, {4, -8, 12});
    const InnerSphere inner = shrinking_sphere(points.view(), points.all());
    EXPECT_DOUBLE_EQ(inner.centre.x, 3);
    EXPECT_DOUBLE_EQ(inner.centre.y, -6);
    EXPECT_EQ(inner.members, (memory::CountedVector<Index>{0, 1}));
}

TEST(ShrinkingSphere, EndsWherePointsAreAtExactlyOnePlace)
{
    Points points;
    for (int k = 0; k < 100; ++k) points.add(1, {0, 0, 0});
    for (int k = 1; k <= 50; ++k)
        for (const int side : {-1, 1}) points.add(1, {1.0 * side * k, 0, 0});
    const InnerSphere inner = shrinking_sphere(points.view(), points.all());
    EXPECT_EQ(inner.centre.x, 0);
    EXPECT_EQ(inner.members.size(), 100u);
}

TEST(ShrinkingSphere, EndsInTheDenserOfTwoClumpsAndLooksAtMembersOnly)
{
    Points points;
    for (int k = 0; k < 400; ++k) {  // a small ball at (5, 0, 0), a wide one at the origin, others far away
        const double angle = 2.4 * k, r = 0.1 * std::sqrt(k / 400.0), h = 0.1 * (k % 20 - 9.5) / 10;
        points.add(1, {5 + r * std::cos(angle), r * std::sin(angle), h});
        points.add(1, {20 * r * std::cos(angle), 20 * r * std::sin(angle), 20 * h});
        points.add(9, {-50, 0, 0});
    }
    memory::CountedVector<Index> members;
    for (Index i = 0; i < 1200; ++i)
        if (i % 3 != 2) members.push_back(i);
    const InnerSphere inner = shrinking_sphere(points.view(), members);
    EXPECT_NEAR(inner.centre.x, 5, 0.05);
    EXPECT_GE(inner.members.size(), 50u);
    EXPECT_LT(inner.members.size(), 60u);
    for (Index i : inner.members) EXPECT_EQ(i % 3, 0u);
}

TEST(ShrinkingSphere, HasTheSameBitsForAnyNumberOfThreads)
{
    Points points;
    for (int k = 0; k < 30000; ++k) {
        const double angle = 2.4 * k, r = 1 / (0.01 + k % 777);
        points.add(1 + k % 3, {r * std::cos(angle), r * std::sin(angle), 0.3 * r * std::cos(7.0 * k)});
    }
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const InnerSphere one = shrinking_sphere(points.view(), points.all());
    omp_set_num_threads(3);
    const InnerSphere three = shrinking_sphere(points.view(), points.all());
    omp_set_num_threads(threads);
    EXPECT_EQ(one.centre.x, three.centre.x);
    EXPECT_EQ(one.centre.y, three.centre.y);
    EXPECT_EQ(one.centre.z, three.centre.z);
    EXPECT_EQ(one.members, three.members);
    EXPECT_NEAR(one.centre.x, 0, 2e-3) << "the densest point";
}

TEST(ShrinkingSphere, EndsAtTheSamePlaceForNumbersOfAnySize)
{
    const auto ball = [](double length, double mass) {
        Points points;
        for (int k = 0; k < 300; ++k) {
            const double angle = 2.4 * k, r = length * (0.01 + k % 7);
            points.add(mass, {length + r * std::cos(angle), r * std::sin(angle), 0});
        }
        return points;
    };
    const Points usual = ball(1, 1);
    const InnerSphere expected = shrinking_sphere(usual.view(), usual.all());
    // by powers of two nothing is rounded; 5e-324 is the smallest number there is
    for (const double length : {0x1p530, 0x1p1000, 0x1p-300})
        for (const double mass : {1.0, 5e-324, 0x1p900}) {
            const Points points = ball(length, mass);
            const InnerSphere inner = shrinking_sphere(points.view(), points.all());
            EXPECT_NEAR(inner.centre.x / length, expected.centre.x, 1e-12) << length << " " << mass;
            EXPECT_EQ(inner.members, expected.members) << length << " " << mass;
        }
}

TEST(ShrinkingSphere, EndsForWhatIsNotFinite)
{
    for (const double odd :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()})
        for (const bool in_mass : {false, true}) {
            Points points;
            for (int k = 0; k < 200; ++k) points.add(1, {std::cos(2.4 * k), std::sin(2.4 * k), 0.01 * k});
            (in_mass ? points.mass : points.x)[7] = odd;
            EXPECT_LE(shrinking_sphere(points.view(), points.all()).members.size(), 200u);
        }
    Points light;  // nearly all of the mass is one point, far from where the others are densest
    for (int k = 0; k < 300; ++k)
        light.add(5e-324, {1 + 1e-3 * std::cos(2.4 * k), 1e-3 * std::sin(2.4 * k), 0});
    light.add(1, {-100, 0, 0});
    EXPECT_TRUE(finite(shrinking_sphere(light.view(), light.all()).centre));
}

TEST(ShrinkingSphere, OfNothingIsTheOrigin)
{
    const InnerSphere inner = shrinking_sphere({}, {});
    EXPECT_EQ(inner.centre.x, 0);
    EXPECT_TRUE(inner.members.empty());
}

}  // namespace
}  // namespace aureole::test::shrinking_sphere_test
