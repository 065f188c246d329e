#include "halo/fof/linking_length.hpp"

#include "tests/support/close_to.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::linking_length_test {
namespace {

constexpr Tolerance rounding{1e-14, "a handful of double operations"};

TEST(LinkingLength, MeanSeparationIsThatOfALattice)
{
    EXPECT_TRUE(close_to(halo::mean_separation({40}, 32768), 1.25, 1, rounding));
    EXPECT_THROW(halo::mean_separation({}, 32768), Error);
    EXPECT_THROW(halo::mean_separation({40}, 0), Error);
}

TEST(LinkingLength, OnlyLinkingTypesCount)
{
    Particles p = particles_at({{0, 0, 0}, {1, 1, 1}, {50, 0, 0}});
    p.type.host()[2] = 4;
    EXPECT_EQ(halo::number_linking(p, 1 << 1), 2u);
    EXPECT_EQ(halo::number_linking(p, 0x3f), 3u);
    EXPECT_TRUE(close_to(halo::bounding_box_separation(p, 1 << 1), std::cbrt(0.5), 1, rounding));
}

TEST(LinkingLength, BoundingBoxesMayBeFlatOrLines)
{
    Particles solid = particles_at({{0, 0, 0}, {2, 4, 8}}), flat = particles_at({{0, 0, 7}, {2, 4, 7}}),
              line = particles_at({{3, 0, 7}, {3, 4, 7 + 1e-9}});
    EXPECT_TRUE(close_to(halo::bounding_box_separation(solid, 0x3f), std::cbrt(32.0), 1, rounding));
    EXPECT_TRUE(close_to(halo::bounding_box_separation(flat, 0x3f), 2, 1, rounding));
    EXPECT_TRUE(close_to(halo::bounding_box_separation(line, 0x3f), 2, 1, rounding));
    EXPECT_THROW(halo::bounding_box_separation(particles_at(Points(3, {1, 1, 1})), 0x3f), Error);
    EXPECT_THROW(halo::bounding_box_separation(solid, 1 << 5), Error);
}

TEST(LinkingLength, BoundaryDensityGivesItsLength)
{
    EXPECT_TRUE(close_to(halo::length_of_boundary_density(0.653 / 27), 3, 3, rounding));
    EXPECT_THROW(halo::length_of_boundary_density(0), Error);
    EXPECT_THROW(halo::length_of_boundary_density(std::nan("")), Error);
}

}  // namespace
}  // namespace aureole::test::linking_length_test
