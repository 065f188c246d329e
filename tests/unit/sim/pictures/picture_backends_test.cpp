// Pictures of particles where they lie: each backend against the CPU.
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "sim/core/error.hpp"
#include "sim/pictures/picture.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test {
namespace {

/// Two clouds of different masses, one of them moving away, with a few particles that are no use.
Particles two_clouds(std::size_t n)
{
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    Particles p(Backend::cpu, n);
    for (Index i = 0; i < n; ++i) {
        const bool second = i % 3 == 0;
        p.mass.data()[i] = (second ? 0.3 : 1.7) * (1 + 0.1 * (i % 7)) / static_cast<double>(n);
        const Vec3 centre{second ? 4.0 : -1.0, second ? 1.5 : 0.0, 0};
        p.position.view().store(i, centre + Vec3{normal(random), normal(random), normal(random)});
        p.velocity.view().store(i, {0, 0, (second ? -1.0 : 1.0) + 0.2 * normal(random)});
        p.component.data()[i] = second ? 1 : 0;
    }
    p.mass.data()[5] = 0;
    p.position.x.data()[6] = std::numeric_limits<double>::quiet_NaN();
    p.position.y.data()[8] = 1e300;
    return p;
}

std::vector<std::int32_t> two_halos(const Particles& host)
{
    std::vector<std::int32_t> labels(host.size(), -1);
    for (std::size_t i = 0; i < labels.size(); ++i)
        if (i % 5 != 0) labels[i] = host.component.data()[i];
    return labels;
}

class PicturesOnEachBackend : public OnEachBackend {
protected:
    io::Image drawn_there(const Particles& host, const PictureOptions& options)
    {
        const Particles there = host.copy_to(exec().backend);
        const Buffer<std::int32_t> labels(exec().backend, std::span<const std::int32_t>(two_halos(host)));
        return finished_picture(painter_.draw(exec(), there.view(), options, labels.data()));
    }
    static io::Image drawn_here(const Particles& host, const PictureOptions& options)
    {
        return make_picture(host, options, two_halos(host).data());
    }

    PicturePainter painter_;
};

std::size_t different_pixels(const io::Image& a, const io::Image& b)
{
    std::size_t n = 0;
    for (std::size_t k = 0; k < std::size_t{a.width()} * a.height(); ++k) n += a.data()[k] != b.data()[k];
    return n;
}

TEST_P(PicturesOnEachBackend, AreThoseOfTheCpuPixelByPixelForEveryColouring)
{
    const Particles host = two_clouds(30000);
    for (const ColourBy colours :
         {ColourBy::density, ColourBy::component, ColourBy::velocity, ColourBy::halo})
        for (const char axis : {'x', 'y', 'z'}) {
            const PictureOptions options{.axis = axis, .pixels = 301, .colour_by = colours};
            EXPECT_EQ(different_pixels(drawn_there(host, options), drawn_here(host, options)), 0u)
                << static_cast<int>(colours) << axis
                << ": integer sums, and arithmetic without fused operations";
        }
}

TEST_P(PicturesOnEachBackend, SurfaceDensitiesAreThoseOfTheCpuBitForBit)
{
    const Particles host = two_clouds(30000), there = host.copy_to(exec().backend);
    for (const double side : {0.0, 8.0}) {
        const PictureField field{'z', {1, 0.5, 0}, side > 0 ? side : 6, side, 200};
        const SurfaceDensity here = projected_surface_density({}, host.view(), field, 2);
        const SurfaceDensity found = projected_surface_density(exec(), there.view(), field, 2);
        EXPECT_EQ(found.total, here.total);
        EXPECT_EQ(found.parts, here.parts);
    }
}

TEST_P(PicturesOnEachBackend, HaveTheFrameAndTheRangesOfTheCpu)
{
    const Particles host = two_clouds(100000), there = host.copy_to(exec().backend);
    const PictureOptions options{.pixels = 200, .colour_by = ColourBy::velocity};
    const PictureOptions here = with_fixed_frame(host, options);
    const PictureOptions found = painter_.with_fixed_frame(exec(), there.view(), options);
    EXPECT_EQ(found.width, here.width);
    EXPECT_EQ(found.centre->x, here.centre->x);
    EXPECT_EQ(found.centre->y, here.centre->y);
    ASSERT_TRUE(found.range && here.range && found.velocities && here.velocities);
    EXPECT_EQ(found.range->low, here.range->low);
    EXPECT_EQ(found.range->high, here.range->high);
    EXPECT_EQ(found.velocities->middle, here.velocities->middle);
    EXPECT_EQ(found.velocities->spread, here.velocities->spread);
}

TEST_P(PicturesOnEachBackend, APainterForgetsThePictureBefore)
{
    const Particles host = two_clouds(5000);
    const PictureOptions large{.pixels = 300, .colour_by = ColourBy::halo}, small{.pixels = 100};
    const io::Image first = drawn_there(host, small);
    drawn_there(host, large);
    EXPECT_EQ(different_pixels(drawn_there(host, small), first), 0u);
    EXPECT_EQ(different_pixels(drawn_there(Particles(), small), make_picture(Particles(), small)), 0u);
}

/// For a person with a GPU: --gtest_filter=*PrintsHowLong* says what a picture takes.
TEST_P(PicturesOnEachBackend, PrintsHowLongAPictureTakes)
{
    for (const std::size_t n : {std::size_t{1} << 14, std::size_t{1} << 20}) {
        if (exec().backend == Backend::cpu && n > 100000) continue;
        const Particles host = two_clouds(n), there = host.copy_to(exec().backend);
        for (const ColourBy colours : {ColourBy::density, ColourBy::component}) {
            const PictureOptions options{.pixels = 800, .colour_by = colours};
            const PictureOptions fixed = painter_.with_fixed_frame(exec(), there.view(), options);
            double least = 1e9;
            for (int round = 0; round < 5; ++round) {
                const auto begin = std::chrono::steady_clock::now();
                painter_.draw(exec(), there.view(), fixed);
                const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
                least = std::min(least, taken.count());
            }
            std::printf("%s, %zu particles, %s: %.2f ms\n", name_of(exec().backend), n,
                        colour_by_names[static_cast<std::size_t>(colours)].c_str(), 1e3 * least);
        }
    }
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(PicturesOnEachBackend);

}  // namespace
}  // namespace aureole::test
