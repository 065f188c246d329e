// Light through volumes on each backend: analytic answers, a slow reference that cuts rays at all faces of
// the finest cells, octrees against grids, rays along faces and through corners, refusals.
#include "density/rendering/volume.hpp"

#include <gtest/gtest.h>

#include <omp.h>

#include <algorithm>

#include "sim/core/error.hpp"
#include "sim/core/memory/ledger.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/message_of.hpp"
#include "tests/unit/density/deposit/cell_fields.hpp"

namespace aureole::test::volume_test {
namespace {

TransferFunction constant(Medium medium) { return {0, 1, {medium}}; }

/// Bins on [0, 1], emission and extinction growing unlike each other.
TransferFunction ramp(int n = 64)
{
    TransferFunction transfer{0, 1, {}};
    for (int k = 0; k < n; ++k) {
        const float t = (static_cast<float>(k) + 0.5f) / static_cast<float>(n);
        transfer.bins.push_back({3 * t, t * t, 1 - t, 4 * t * t});
    }
    return transfer;
}

class Volumes : public OnEachBackend {
protected:
    std::vector<Radiance> light(const CellField& field, const TransferFunction& transfer,
                                const Volume::View& view) const
    {
        Volume volume(exec().backend, brick_tree(field, as_it_is));
        volume.set_transfer(exec(), transfer);
        Buffer<Radiance> pixels;
        volume.cast(exec(), view, pixels);
        return pixels.to_vector();
    }
};

Camera from(Vec3 position, double field_of_view = 40)
{
    return {.position = position,
            .look_at = {0.5, 0.5, 0.5},
            .up = {0.1, 0.2, 1},
            .field_of_view = field_of_view};
}

/// The length of a ray within the unit cube.
double length_in_cube(const Ray& ray)
{
    double first = 0, last = 1e300;
    for (int a = 0; a < 3; ++a) {
        const double x = along(ray.origin, a), d = along(ray.direction, a);
        if (d == 0) {
            if (x < 0 || x > 1) return 0;
            continue;
        }
        first = std::max(first, std::min(-x / d, (1 - x) / d));
        last = std::min(last, std::max(-x / d, (1 - x) / d));
    }
    return std::max(last - first, 0.0);
}

TEST_P(Volumes, AUniformCubeEmitsOneMinusItsTransmittance)
{
    const CellField field = random_octree(4, 2, [](Vec3) { return 0.5; });
    for (const Vec3 position :
         {Vec3{3, -2, 1.5}, Vec3{0.5, 0.5, 4}, Vec3{0.4, 0.3, 0.6}})  // the last is inside
        for (const double extinction : {0.0, 1e-4, 0.7, 6.0})
            for (const bool interpolate : {false, true}) {
                const Camera camera = position.z == 4 ? Camera{.position = position,
                                                               .look_at = {0.5, 0.5, 0},
                                                               .up = {0, 1, 0},
                                                               .height = 1.5}
                                                      : from(position);
                const CameraView view = camera_view(camera, 33, 27);
                const auto k = static_cast<float>(extinction);
                const auto pixels = light(field, constant({2, 1, 0, k}), {view, {.opaque = 0}, interpolate});
                for (unsigned y = 0; y < 27; ++y)
                    for (unsigned x = 0; x < 33; ++x) {
                        const double length = length_in_cube(view.ray(x + 0.5, y + 0.5));
                        const double depth = k * length;
                        const double expected = depth > 0 ? -2 / double{k} * std::expm1(-depth) : 2 * length;
                        const Radiance& p = pixels[std::size_t{y} * 33 + x];
                        ASSERT_NEAR(p.red, expected, 5e-6 * expected + 1e-7);
                        ASSERT_NEAR(p.green, expected / 2, 5e-6 * expected + 1e-7);
                        ASSERT_EQ(p.blue, 0);
                        ASSERT_NEAR(p.transmittance, std::exp(-depth), 5e-6);
                    }
            }
}

/// Light along a ray through constant cells, in double: cut at every face of the finest cells.
std::array<double, 4> reference_light(const CellField& field, const TransferFunction& transfer,
                                      const Ray& ray, int finest)
{
    std::vector<double> cuts{0};
    for (int a = 0; a < 3; ++a)
        for (int k = 0; k <= finest; ++k) {
            const double at =
                (static_cast<double>(k) / finest - along(ray.origin, a)) / along(ray.direction, a);
            if (std::isfinite(at) && at > 0) cuts.push_back(at);
        }
    std::sort(cuts.begin(), cuts.end());
    std::array<double, 4> light{0, 0, 0, 1};
    for (std::size_t k = 1; k < cuts.size(); ++k) {
        const Vec3 x = ray.origin + (0.5 * (cuts[k - 1] + cuts[k])) * ray.direction;
        if (!(x.x > 0 && x.y > 0 && x.z > 0 && x.x < 1 && x.y < 1 && x.z < 1)) continue;
        const Index leaf = leaf_at(field, x);
        const FieldPatch& p = field.patches[leaf];
        const double value = field.values[field.at(leaf, cell_at(field, p, 0, x.x), cell_at(field, p, 1, x.y),
                                                   cell_at(field, p, 2, x.z))];
        const double n = static_cast<double>(transfer.bins.size());
        const Medium m = transfer.bins[static_cast<std::size_t>(
            std::clamp((value - transfer.low) / (transfer.high - transfer.low) * n, 0.0, n - 1))];
        const double length = cuts[k] - cuts[k - 1], depth = length * m.extinction;
        const double gain = light[3] * (depth > 0 ? -std::expm1(-depth) / m.extinction : length);
        light[0] += gain * m.red;
        light[1] += gain * m.green;
        light[2] += gain * m.blue;
        light[3] *= std::exp(-depth);
    }
    return light;
}

TEST_P(Volumes, ConstantCellsOfAnOctreeAreIntegratedExactly)
{
    // few values, off the edges of the bins
    const CellField field =
        random_octree(3, 3, [](Vec3 x) { return (std::floor(64 * noise(x)) + 0.5) / 64; });
    for (const Vec3 position : {Vec3{2, 3, 1}, Vec3{-1, 0.3, 0.2}, Vec3{0.51, 0.26, 0.77}}) {
        const CameraView view = camera_view(from(position), 40, 30);
        const auto pixels = light(field, ramp(), {view, {.opaque = 0}, false});
        for (unsigned y = 0; y < 30; ++y)
            for (unsigned x = 0; x < 40; ++x) {
                const auto expected = reference_light(field, ramp(), view.ray(x + 0.5, y + 0.5), 24);
                const Radiance& p = pixels[std::size_t{y} * 40 + x];
                ASSERT_NEAR(p.red, expected[0], 2e-5);
                ASSERT_NEAR(p.green, expected[1], 2e-5);
                ASSERT_NEAR(p.blue, expected[2], 2e-5);
                ASSERT_NEAR(p.transmittance, expected[3], 1e-5);
            }
    }
}

TEST_P(Volumes, RaysAlongFacesAndThroughCornersAreAsLongAsTheCube)
{
    const CellField field = random_octree(2, 4, noise);
    for (const bool interpolate : {false, true})
        for (const Vec3 towards :
             {Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{1, 1, 1}, Vec3{-1, 1, 0}, Vec3{1, 1e-17, -1e-9}}) {
            Camera camera{.position = Vec3{0.5, 0.5, 0.5} - 2.0 * towards,
                          .look_at = {0.5, 0.5, 0.5},
                          .up = {0, 0, 1},
                          .height = 1};
            const CameraView view = camera_view(camera, 65, 65);  // pixel centres hit faces of all levels
            const auto pixels = light(field, constant({1, 1, 1, 0}), {view, {}, interpolate});
            for (unsigned y = 0; y < 65; ++y)
                for (unsigned x = 0; x < 65; ++x)
                    ASSERT_NEAR(pixels[std::size_t{y} * 65 + x].red,
                                length_in_cube(view.ray(x + 0.5, y + 0.5)), 2e-6);
        }
}

TEST_P(Volumes, ValuesThatGrowEvenlyAreInterpolatedExactly)
{
    // 20 cells a side: two bricks, the second one reaches out of the grid; their seam must not show
    const CellField field = grid_of({20, 12, 9}, {0, 0, 0}, {1, 1, 1},
                                    [](Vec3 x) { return 0.1 + 0.5 * x.x + 0.3 * x.y + 0.05 * x.z; });
    TransferFunction transfer{0, 1, {}};
    for (int k = 0; k < 1024; ++k) transfer.bins.push_back({(static_cast<float>(k) + 0.5f) / 1024, 0, 0, 0});
    const Camera camera{
        .position = {-1, 0.5, 0.5}, .look_at = {0.5, 0.5, 0.5}, .up = {0, 0, 1}, .height = 0.6};
    const CameraView view = camera_view(camera, 21, 21);
    const auto pixels = light(field, transfer, {view});
    for (unsigned y = 0; y < 21; ++y)
        for (unsigned x = 0; x < 21; ++x) {
            const Ray ray = view.ray(x + 0.5, y + 0.5);
            const double mean =
                0.1 + 0.25 + 0.3 * ray.origin.y + 0.05 * ray.origin.z;  // ends cancel: flat half cells
            ASSERT_NEAR(pixels[std::size_t{y} * 21 + x].red, mean, 3e-4);
        }
}

TEST_P(Volumes, AnOctreeLooksAsTheGridOfItsCells)
{
    for (const bool interpolate : {false, true}) {
        const CellField tree = octree_of(
            4, {0, 0, 0}, {1, 1, 1}, [](const FieldPatch& p) { return p.level < 2; }, bumps);
        const CellField grid = grid_of({16, 16, 16}, {0, 0, 0}, {1, 1, 1}, bumps);
        const Volume::View view{
            camera_view(from({2, 3, 1.3}), 50, 50), {.samples_per_cell = 4, .opaque = 0}, interpolate};
        TransferFunction transfer = ramp(1024);
        transfer.high = 2.4;
        // samples lie elsewhere on the rays: leaves of other sizes are parted into other steps
        const double tolerance = interpolate ? 3e-4 : 1e-5;
        const auto a = light(tree, transfer, view), b = light(grid, transfer, view);
        for (std::size_t k = 0; k < a.size(); ++k) {
            ASSERT_NEAR(a[k].red, b[k].red, tolerance);
            ASSERT_NEAR(a[k].transmittance, b[k].transmittance, tolerance);
        }
    }
}

TEST_P(Volumes, WhatIsInFrontHidesWhatIsBehind)
{
    const CellField field =
        grid_of({2, 1, 1}, {0, 0, 0}, {1, 1, 1}, [](Vec3 x) { return x.x < 0.5 ? 0.25 : 0.75; });
    const TransferFunction transfer{0, 1, {{200, 0, 0, 200}, {0, 30, 0, 30}}};
    const Camera left{.position = {-2, 0.5, 0.5}, .look_at = {0.5, 0.5, 0.5}, .height = 0.1};
    Camera right = left;
    right.position.x = 3;
    const Radiance a = light(field, transfer, {camera_view(left, 1, 1), {}, false})[0];
    EXPECT_NEAR(a.red, 1, 1e-6);
    EXPECT_NEAR(a.green, 0, 1e-6);
    const Radiance b = light(field, transfer, {camera_view(right, 1, 1), {.opaque = 0}, false})[0];
    EXPECT_NEAR(b.green, 1 - std::exp(-15.0), 1e-6);
    EXPECT_NEAR(b.red, std::exp(-15.0), 1e-7);
    EXPECT_LT(light(field, transfer, {camera_view(right, 1, 1), {.opaque = 1e-3f}, false})[0].transmittance,
              1e-3);
}

TEST_P(Volumes, NodesWithoutLightAreSkippedWithoutATrace)
{
    const CellField field = random_octree(4, 3, [](Vec3 x) { return noise(x) < 0.9 ? 0.0 : noise(x + x); });
    TransferFunction skips{0, 1, std::vector<Medium>(16, {1, 1, 1, 2})}, walks = skips;
    skips.bins[0] = {0, 0, 0, 0};
    walks.bins[0] = {0, 0, 0, 1e-30f};
    for (const bool interpolate : {false, true}) {
        const Volume::View view{camera_view(from({2, -3, 1.3}), 50, 50), {}, interpolate};
        const auto a = light(field, skips, view), b = light(field, walks, view);
        float brightest = 0;
        for (std::size_t k = 0; k < a.size(); ++k) {
            ASSERT_EQ(a[k].red, b[k].red);
            ASSERT_EQ(a[k].transmittance, b[k].transmittance);
            brightest = std::max(brightest, a[k].red);
        }
        EXPECT_GT(brightest, 0.1);
    }
}

TEST_P(Volumes, VoidsAndMissingValuesAreTheFloorOfTheScale)
{
    std::vector<double> values(64, 0.0);
    values[5] = std::numeric_limits<double>::quiet_NaN();
    values[6] = std::numeric_limits<double>::infinity();
    const CellField field = grid_field({4, 4, 4}, {0, 0, 0}, {1, 1, 1}, values);
    const ValueScale scale{.logarithmic = true, .floor = 0.01};
    EXPECT_EQ(scale(0), -2);
    EXPECT_EQ(scale(std::numeric_limits<double>::quiet_NaN()), -2);
    EXPECT_EQ(scale(100), 2);
    Volume volume(exec().backend, brick_tree(field, scale));
    volume.set_transfer(exec(), {-3, 3, std::vector<Medium>(12, {1, 0, 0, 1})});
    Buffer<Radiance> pixels;
    volume.cast(exec(), {camera_view(from({2, 3, 4}), 9, 9)}, pixels);
    for (const Radiance& p : pixels.to_vector()) EXPECT_NEAR(p.red + p.transmittance, 1, 1e-5);
}

TEST_P(Volumes, AnyUnitOfLengthGivesTheSameBits)
{
    // a box of 25 Mpc in cm, and one of an atom's size in Mpc: powers of two change no digit
    for (const double unit : {0x1p86, 0x1p-100}) {
        CellField field = random_octree(4, 2, noise), scaled = field;
        for (FieldPatch& p : scaled.patches) p.low = unit * p.low, p.high = unit * p.high;
        TransferFunction transfer = ramp(), per_length = transfer;
        for (Medium& m : per_length.bins) m = static_cast<float>(1 / unit) * m;
        Camera near = from({2, -3, 1.3}), far = near;
        far.position = unit * near.position;
        far.look_at = unit * near.look_at;
        for (const bool interpolate : {false, true}) {
            const auto a = light(field, transfer, {camera_view(near, 40, 30), {}, interpolate});
            const auto b = light(scaled, per_length, {camera_view(far, 40, 30), {}, interpolate});
            EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(Radiance))) << unit;
        }
    }
}

TEST_P(Volumes, ARepeatedPictureHasTheSameBits)
{
    const CellField field = random_octree(4, 3, noise);
    const Volume::View view{camera_view(from({2, -3, 1.3}), 70, 50)};
    const int before = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto a = light(field, ramp(), view);
    omp_set_num_threads(3);
    const auto b = light(field, ramp(), view);
    omp_set_num_threads(before);
    EXPECT_EQ(0, std::memcmp(a.data(), b.data(), a.size() * sizeof(Radiance)));
}

TEST_P(Volumes, LightIsDevelopedToScreenColours)
{
    const std::vector<Radiance> light{
        {0, 0, 0, 1}, {1e9f, 0, 0, 0}, {0, std::log(2.0f), 0, 0}, {0, 0, 0, 0.5f}};
    Buffer<Index> rgb;
    develop(exec(), Buffer<Radiance>(exec().backend, std::span(light)),
            {.gain = 1, .background = {0, 0, 1e9f}}, rgb);
    // 1 - 1/2 is 188 in sRGB
    EXPECT_EQ(rgb.to_vector(), (std::vector<Index>{0xff0000, 0x0000ff, 188u << 8, 0xff0000}));
}

TEST_P(Volumes, TheCpuKeepsTheTreeThatItIsGivenAndADeviceACopy)
{
    const CellField field = grid_of({40, 40, 40}, {0, 0, 0}, {1, 1, 1}, bumps);
    const std::size_t before = memory::held_bytes(exec().backend);
    BrickTree tree = brick_tree(field, as_it_is);
    const std::size_t nodes = tree.links.size(), bytes = tree.values.size() * sizeof(float) + 16 * nodes;
    Volume volume(exec().backend, std::move(tree));
    const bool kept = exec().backend == Backend::cpu;
    EXPECT_EQ(memory::held_bytes(exec().backend) - before, kept ? 4 * nodes : bytes);
    EXPECT_EQ(volume.bytes(), bytes);
    volume.set_transfer(exec(), ramp());
    const Volume moved = std::move(volume);
    Buffer<Radiance> pixels;
    moved.cast(exec(), {camera_view(from({2, 3, 4}), 9, 9)}, pixels);
    const auto first = light(field, ramp(), {camera_view(from({2, 3, 4}), 9, 9)});
    EXPECT_EQ(pixels.to_vector()[40].red, first[40].red);
}

TEST_P(Volumes, WhatCannotBeLookedAtIsRefused)
{
    const CellField field = grid_of({2, 2, 2}, {0, 0, 0}, {1, 1, 1}, bumps);
    EXPECT_TRUE(contains(message_of<Error>([&] { brick_tree(field, {.logarithmic = true, .floor = 0}); }),
                         "a logarithmic scale with the floor 0: expected a finite number above 0"));
    Volume volume(exec().backend, brick_tree(field, as_it_is));
    Buffer<Radiance> pixels;
    const Volume::View view{camera_view(from({2, 3, 4}), 9, 9)};
    EXPECT_TRUE(contains(message_of<Error>([&] { volume.cast(exec(), view, pixels); }),
                         "set_transfer() must be called before cast()"));
    const auto message = [&](const TransferFunction& transfer) {
        return message_of<Error>([&] { volume.set_transfer(exec(), transfer); });
    };
    EXPECT_TRUE(contains(message({1, 1, {{}}}), "from 1 to 1: expected a range"));
    EXPECT_TRUE(contains(message({0, 1, {}}), "0 bins"));
    EXPECT_TRUE(
        contains(message({0, 1, {{}, {0, 0, 0, -1}}}), "bin 1 of a transfer function holds (0, 0, 0, -1)"));
    volume.set_transfer(exec(), ramp());
    EXPECT_TRUE(contains(message_of<Error>([&] {
                             volume.cast(exec(), {view.camera, {.samples_per_cell = 0}}, pixels);
                         }),
                         "0 samples per cell"));
    const auto refusal = [&](const CameraView& camera) {
        return message_of<Error>([&] { volume.cast(exec(), {camera}, pixels); });
    };
    const Camera camera = from({2, 3, 4});
    EXPECT_TRUE(contains(refusal(camera_view(camera, 1u << 28, 1)), "a picture of 268435456 x 1 pixels"));
    EXPECT_TRUE(contains(refusal(camera_view(camera, 1, 1u << 28)), "a picture of 1 x 268435456 pixels"));
    EXPECT_TRUE(contains(refusal(camera_view(from({1e16, 3, 4}), 9, 9)), "a camera at (1e+16, 3, 4)"));
    Buffer<Index> rgb;
    const float infinite = std::numeric_limits<float>::infinity();
    for (const Exposure& exposure :
         {Exposure{.gain = infinite}, Exposure{.background = {0, infinite, 0}}, Exposure{.gain = 0}})
        EXPECT_TRUE(contains(
            message_of<Error>([&] { develop(exec(), Buffer<Radiance>(exec().backend, 4), exposure, rgb); }),
            "expected a finite gain above 0"));
}

TEST(GlowStyle, NumbersThatAreNoneAreRefused)
{
    const std::vector<Vec3f> colours{{0, 0, 1}, {1, 1, 1}};
    const auto refusal = [&](const GlowStyle& style) {
        return message_of<Error>([&] { glowing(0, 1, colours, style); });
    };
    EXPECT_EQ(glowing(0, 1, colours, {}).bins.size(), 1024u);
    for (const double number : {0.0, -1.0, std::numeric_limits<double>::infinity()})
        for (double GlowStyle::*setting :
             {&GlowStyle::opacity, &GlowStyle::reach, &GlowStyle::steepness, &GlowStyle::glow}) {
            GlowStyle style;
            style.*setting = number;
            if (number == 0 && setting == &GlowStyle::steepness) continue;
            EXPECT_TRUE(contains(refusal(style), "expected finite numbers above 0")) << number;
        }
    EXPECT_TRUE(contains(message_of<Error>([&] { glowing(0, 1, std::span(colours).first(1), {}); }),
                         "found 1 colours, expected two or more"));
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(Volumes);

}  // namespace
}  // namespace aureole::test::volume_test
