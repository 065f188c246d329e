#include "sim/pictures/picture_surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/support/close_to.hpp"
#include "tests/unit/sim/pictures/particles_at.hpp"

namespace aureole::test {
namespace {

constexpr Tolerance rounding{1e-12, "fixed point of 2^-61 and rounding"};

SurfaceDensity projected_surface_density(const Particles& host, const PictureField& field, unsigned n_parts)
{
    return aureole::projected_surface_density({}, host.view(), field, n_parts);
}

template <class Distribution>
std::vector<Vec3> scattered(std::size_t n, Distribution distribution)
{
    std::mt19937_64 random(42);
    std::vector<Vec3> positions(n);
    for (Vec3& x : positions) x = {distribution(random), distribution(random), distribution(random)};
    return positions;
}

double mass_in(const std::vector<double>& density, const PictureField& field)
{
    return std::accumulate(density.begin(), density.end(), 0.0) * field.pixel_size() * field.pixel_size();
}

struct Found {
    double x, y;
};

/// Centre of mass of the picture in pixels.
Found middle(const std::vector<double>& density, unsigned pixels)
{
    double mass = 0, x = 0, y = 0;
    for (std::size_t k = 0; k < density.size(); ++k) {
        mass += density[k];
        x += density[k] * (static_cast<double>(k % pixels) + 0.5);
        y += density[k] * (static_cast<double>(k / pixels) + 0.5);
    }
    return {x / mass, y / mass};
}

TEST(PictureSurface, APointMassLandsInItsPixelForEachAxis)
{
    const std::vector<Vec3> at(200, Vec3{1.5, 2.5, -3.5});
    const auto found = [&](char axis) {
        const PictureField field{axis, {}, 10, 0, 100};  // ten pixels to the unit
        const std::vector<double> density = projected_surface_density(particles_at(at), field, 0).total;
        EXPECT_LE(std::count_if(density.begin(), density.end(), [](double d) { return d > 0; }), 9)
            << "many particles at one point are not smeared out";
        return middle(density, field.pixels);
    };
    EXPECT_NEAR(found('z').x, 50 + 15, 1e-9) << "x to the right";
    EXPECT_NEAR(found('z').y, 50 - 25, 1e-9) << "y up";
    EXPECT_NEAR(found('y').x, 50 + 15, 1e-9) << "x to the right";
    EXPECT_NEAR(found('y').y, 50 + 35, 1e-9) << "z up";
    EXPECT_NEAR(found('x').x, 50 + 25, 1e-9) << "y to the right";
    EXPECT_NEAR(found('x').y, 50 + 35, 1e-9) << "z up";
}

TEST(PictureSurface, ALoneParticleIsAWideBellAroundItsPlace)
{
    const PictureField field{'z', {}, 10, 0, 400};
    const std::vector<double> density =
        projected_surface_density(particles_at({{1.23, -0.77, 0}}), field, 0).total;
    const Found at = middle(density, field.pixels);
    EXPECT_NEAR(at.x, 200 + 1.23 * 40, 1e-6) << "no grid shifts it";
    EXPECT_NEAR(at.y, 200 + 0.77 * 40, 1e-6);
    EXPECT_GT(std::count_if(density.begin(), density.end(), [](double d) { return d > 0; }), 2000);
}

TEST(PictureSurface, MassIsConserved)
{
    const Particles p = particles_at(scattered(20000, std::normal_distribution<double>(3, 0.5)), 1.0 / 20000);
    const PictureField field{'z', {3, 3, 3}, 16, 0, 256};
    const SurfaceDensity surface = projected_surface_density(p, field, 3);
    EXPECT_TRUE(close_to(mass_in(surface.total, field), 1, 1, rounding));
    ASSERT_EQ(surface.parts.size(), 3u);
    EXPECT_TRUE(close_to(mass_in(surface.parts[0], field), 1, 1, rounding)) << "all are of component 0";
    EXPECT_EQ(mass_in(surface.parts[1], field), 0);
}

TEST(PictureSurface, APeriodicBoxKeepsTheMassThatLeavesOverAnEdge)
{
    const Particles p = particles_at(scattered(3000, std::uniform_real_distribution<double>(0, 5)));
    for (const double shift : {0.0, 5.0, -1.7}) {
        const PictureField field{'z', {2.5 + shift, 2.5, 2.5}, 5, 5, 200};
        const std::vector<double> density = projected_surface_density(p, field, 0).total;
        EXPECT_TRUE(close_to(mass_in(density, field), 3000, 3000, rounding));
    }
}

TEST(PictureSurface, AUniformSheetIsSmoothAndAsDenseAsItIs)
{
    const std::vector<Vec3> positions = scattered(40000, std::uniform_real_distribution<double>(-2, 2));
    const PictureField field{'z', {}, 2, 0, 400};
    const std::vector<double> density = projected_surface_density(particles_at(positions), field, 0).total;
    double sum2 = 0;
    for (const double d : density) sum2 += std::pow(d / 2500 - 1, 2);
    EXPECT_NEAR(mass_in(density, field) / 4, 2500, 5 * std::sqrt(2500.0 * 4) / 4);
    EXPECT_LT(std::sqrt(sum2 / static_cast<double>(density.size())), 0.2)
        << "16 particles in a cell; unsmoothed, 0.06 in a pixel scatter by a factor 4";
}

}  // namespace
}  // namespace aureole::test
