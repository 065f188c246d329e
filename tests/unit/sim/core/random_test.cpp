#include "sim/core/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace aureole::test::random_test {
namespace {

using Block = std::array<std::uint32_t, 4>;

TEST(Philox, GivesThePublishedAnswers)  // Random123's kat_vectors, philox4x32 10
{
    EXPECT_EQ(philox_block({0, 0, 0, 0}, {0, 0}), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    constexpr std::uint32_t ones = 0xffffffff;
    EXPECT_EQ(philox_block({ones, ones, ones, ones}, {ones, ones}),
              (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
              (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStreams, UniformsComeFromTheBlocksInOrder)
{
    // seed 0x299f31d0a4093822, id 0x85a308d3243f6a88, purpose 0x13198a2e: the counter's last word is the draw
    Random random(0x299f31d0a4093822, 0x85a308d3243f6a88, 0x13198a2e);
    for (std::uint32_t draw = 0; draw < 3; ++draw) {
        const Block b = philox_block({0x243f6a88, 0x85a308d3, 0x13198a2e, draw}, {0xa4093822, 0x299f31d0});
        for (int half = 0; half < 2; ++half) {
            const double bits = b[2 * half + 1] * 0x1p20 + (b[2 * half] >> 12);  // the upper 52 of 64
            EXPECT_EQ(random.uniform(), (bits + 0.5) * 0x1p-52);
        }
    }
}

TEST(RandomStreams, SeedIdAndPurposeEachMakeAnother)
{
    std::set<double> first;
    for (std::uint64_t seed : {1ull, 2ull, 1ull << 32})
        for (std::uint64_t id : {1ull, 2ull, 1ull << 32})
            for (std::uint32_t purpose : {0u, 1u}) first.insert(Random(seed, id, purpose).uniform());
    EXPECT_EQ(first.size(), 18u);
}

TEST(RandomStreams, DoNotDependOnTheOrderOfUse)
{
    Random a(7, 1, 0), b(7, 2, 0);
    std::vector<double> interleaved, apart;
    for (int i = 0; i < 9; ++i) {
        interleaved.push_back(a.normal());
        b.direction();
    }
    Random again(7, 1, 0);
    for (int i = 0; i < 9; ++i) apart.push_back(again.normal());
    EXPECT_EQ(interleaved, apart);
}

/// Moments of n draws, one stream each as particles use them; bounds are 5 sigma.
constexpr int n = 200000;

TEST(RandomStreams, UniformsAreEvenAndOpen)
{
    double sum = 0, squares = 0;
    for (int i = 0; i < n; ++i) {
        const double u = Random(42, i, 3).uniform();
        ASSERT_GT(u, 0);
        ASSERT_LT(u, 1);
        sum += u;
        squares += u * u;
    }
    EXPECT_NEAR(sum / n, 0.5, 5 * std::sqrt(1 / 12.0 / n));
    EXPECT_NEAR(squares / n, 1 / 3.0, 5 * std::sqrt(4 / 45.0 / n));
}

TEST(RandomStreams, NormalsHaveTheMomentsOfAGaussian)
{
    double m1 = 0, m2 = 0, m3 = 0, m4 = 0;
    for (int i = 0; i < n; ++i) {
        const double g = Random(42, i, 4).normal();
        m1 += g / n;
        m2 += g * g / n;
        m3 += g * g * g / n;
        m4 += g * g * g * g / n;
    }
    EXPECT_NEAR(m1, 0, 5 * std::sqrt(1.0 / n));
    EXPECT_NEAR(m2, 1, 5 * std::sqrt(2.0 / n));
    EXPECT_NEAR(m3, 0, 5 * std::sqrt(15.0 / n));
    EXPECT_NEAR(m4, 3, 5 * std::sqrt(96.0 / n));
}

TEST(RandomStreams, DirectionsAreUnitVectorsWithoutPreference)
{
    Vec3 sum{};
    double xx = 0, yy = 0, zz = 0, xy = 0;
    for (int i = 0; i < n; ++i) {
        const Vec3 d = Random(42, i, 5).direction();
        ASSERT_NEAR(dot(d, d), 1, 1e-15);
        sum = sum + d;
        xx += d.x * d.x / n;
        yy += d.y * d.y / n;
        zz += d.z * d.z / n;
        xy += d.x * d.y / n;
    }
    for (double mean : {sum.x / n, sum.y / n, sum.z / n}) EXPECT_NEAR(mean, 0, 5 * std::sqrt(1 / 3.0 / n));
    for (double square : {xx, yy, zz}) EXPECT_NEAR(square, 1 / 3.0, 5 * std::sqrt(4 / 45.0 / n));
    EXPECT_NEAR(xy, 0, 5 * std::sqrt(1 / 15.0 / n));
}

}  // namespace
}  // namespace aureole::test::random_test
