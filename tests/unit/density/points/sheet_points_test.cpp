// The sheet at points: by hand, against all tetrahedra one by one in long double, against the deposit's
// counts, the exact density of a plane wave, and what must not matter.
#include "density/points/sheet_points.hpp"

#include <gtest/gtest.h>

#include <omp.h>

#include <algorithm>
#include <limits>
#include <random>

#include "density/points/point_search.hpp"
#include "density/sheet/orientation.hpp"
#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/reference_overlap.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::sheet_points_test {
namespace {

constexpr Box box{side};

StreamsAtPoints found(Particles& host, std::span<const Vec3> points, LatticeChoice choice = {})
{
    const Lattice lattice = make_lattice(host.view(), box, choice);
    return streams_at({}, {host.view(), box, lattice}, points);
}

std::vector<Vec3> random_places(std::size_t n, double low = 0, double high = side)
{
    return random_points(n, 11, low, high);
}

TEST(SheetPoints, AnUndisturbedLatticeIsOneStreamOfTheMeanDensity)
{
    // velocities linear in x but for the seam: the interpolation is exact
    Particles host = sheet(
        4,
        [](Vec3 q) {
            return q + Vec3{0.1, 0.2, 0.3};
        },
        [](Vec3 q) {
            return Vec3{3 * q.x - q.y, 5, q.z};
        });
    const std::vector<Vec3> points{{0.1, 0.2, 0.3}, {2.6, 2.7, 2.8}, {1, 2, 3}, {7, 0.5, 4}, {-3, 10.5, 14}};
    const StreamsAtPoints streams = found(host, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PointField field = field_of(streams.at(i));
        EXPECT_EQ(field.streams, 1u);
        EXPECT_NEAR(field.density, 0.192, 1e-14);
        EXPECT_NEAR(field.velocity.y, 5, 1e-14);
        EXPECT_EQ(field.dispersion, 0);
        EXPECT_EQ(streams.at(i)[0].orientation, 1);
    }
    for (const std::size_t i : {0, 1, 2, 3}) {
        const Vec3 q = points[i] - Vec3{0.1, 0.2, 0.3};
        EXPECT_NEAR(field_of(streams.at(i)).velocity.x, 3 * q.x - q.y, 1e-12);
        EXPECT_NEAR(field_of(streams.at(i)).velocity.z, q.z, 1e-12);
    }
    EXPECT_NEAR(field_of(streams.at(4)).velocity.x, 3 * 6.9 - 0.3, 1e-12) << "an image is the point inside";
}

TEST(SheetPoints, FieldsAreMassWeightedOverStreams)
{
    const std::vector<Stream> streams{{0, 1, {2, 0, 0}, 1}, {1, 3, {6, 0, 1}, -1}};
    const PointField field = field_of(streams);
    EXPECT_EQ(field.streams, 2u);
    EXPECT_EQ(field.density, 4);
    EXPECT_EQ(field.velocity.x, 5);
    EXPECT_EQ(field.velocity.z, 0.75);
    EXPECT_NEAR(field.dispersion, std::sqrt((1 * (9 + 0.5625) + 3 * (1 + 0.0625)) / 4 / 3), 1e-15);
    const PointField none = field_of({});
    EXPECT_EQ(none.streams, 0u);
    EXPECT_EQ(none.density, 0);
    EXPECT_TRUE(std::isnan(none.velocity.x) && std::isnan(none.dispersion));
}

/// Every tetrahedron and every image, by barycentric coordinates in long double.
std::vector<PointField> slow_fields(Particles& host, const std::vector<Vec3>& points)
{
    const Lattice lattice = make_lattice(host.view(), box);
    const Grid grid = whole_box(1);
    std::vector<std::vector<Stream>> streams(points.size());
    for_each_cube(host, lattice, CellCoordinates(grid), [&](const LatticeCube& cube, const Vec3* velocity) {
        for (int t = 0; t < tetrahedra_per_cube; ++t) {
            const Tetrahedron tetrahedron = cube.tetrahedron(t);
            const CornerVelocities v = cube.velocities(velocity, t, 1);
            Point corner[4];
            for (int c = 0; c < 4; ++c) {
                const Vec3 x = side * tetrahedron.corner[c];
                corner[c] = {x.x, x.y, x.z};
            }
            const auto volume = [](const Point& a, const Point& b, const Point& c, const Point& d) {
                return determinant(difference(b, a), difference(c, a), difference(d, a)) / 6;
            };
            const Real whole = volume(corner[0], corner[1], corner[2], corner[3]);
            for (std::size_t i = 0; i < points.size(); ++i)
                for (int image = 0; image < 27; ++image) {
                    const Point p{points[i].x + side * (image / 9 - 1),
                                  points[i].y + side * (image / 3 % 3 - 1),
                                  points[i].z + side * (image % 3 - 1)};
                    Real weight[4];
                    bool inside = true;
                    Vec3 mean{};
                    for (int c = 0; c < 4; ++c) {
                        Point moved[4] = {corner[0], corner[1], corner[2], corner[3]};
                        moved[c] = p;
                        weight[c] = volume(moved[0], moved[1], moved[2], moved[3]) / whole;
                        inside = inside && weight[c] > 0;
                        mean = mean + static_cast<double>(weight[c]) * v.corner[c];
                    }
                    if (inside)
                        streams[i].push_back(
                            {0, static_cast<double>(lattice.tetrahedron_mass / std::fabs(whole)), mean, 0});
                }
        }
    });
    std::vector<PointField> fields;
    for (const auto& all : streams) fields.push_back(field_of(all));
    return fields;
}

TEST(SheetPoints, AgreesWithAllTetrahedraOneByOne)
{
    Particles host = sheet(6, crossed, swirl);
    const std::vector<Vec3> points = random_places(60);
    const StreamsAtPoints streams = found(host, points);
    const std::vector<PointField> slow = slow_fields(host, points);
    Index most = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PointField field = field_of(streams.at(i));
        most = std::max(most, field.streams);
        EXPECT_EQ(field.streams, slow[i].streams);
        EXPECT_NEAR(field.density, slow[i].density, 1e-9 * slow[i].density);
        EXPECT_NEAR(field.velocity.x, slow[i].velocity.x, 1e-9);
        EXPECT_NEAR(field.velocity.z, slow[i].velocity.z, 1e-9);
        EXPECT_NEAR(field.dispersion, slow[i].dispersion, 1e-8);
    }
    EXPECT_GE(most, 3u);
}

TEST(SheetPoints, StreamsAtCellCentresAreThoseOfTheDeposit)
{
    std::mt19937_64 engine(4);
    std::uniform_real_distribution<double> uniform(-1, 1);
    // coarse numbers: many centres lie on faces exactly
    const auto jump = [&] { return std::rint(4 * uniform(engine)) / 4 * side / 8; };
    Particles coarse = sheet(8, [&](Vec3 q) { return q + Vec3{jump(), jump(), jump()}; });
    Particles smooth = sheet(8, crossed);
    for (auto& [host, cells] : {std::pair(&coarse, 16), {&smooth, 16}, {&smooth, 11}}) {
        const DensityGrid grid = deposited(*host, config_of(whole_box(cells), {.streams = true}));
        std::vector<Vec3> centres;
        for (std::int64_t i = 0; i < cells; ++i)
            for (std::int64_t j = 0; j < cells; ++j)
                for (std::int64_t k = 0; k < cells; ++k)
                    centres.push_back({grid.grid().axis[0].centre(i), grid.grid().axis[1].centre(j),
                                       grid.grid().axis[2].centre(k)});
        const StreamsAtPoints streams = found(*host, centres);
        for (std::size_t c = 0; c < centres.size(); ++c) {
            ASSERT_EQ(streams.at(c).size(), grid.streams(static_cast<std::int64_t>(c)));
            int sum = 0;
            for (const Stream& stream : streams.at(c)) sum += stream.orientation;
            ASSERT_EQ(sum, 1);
        }
    }
}

TEST(SheetPoints, APlaneWaveHasTheDensityOfItsIntervals)
{
    constexpr Index n = 16;
    constexpr double amplitude = 3;
    Particles host = sheet(
        n,
        [](Vec3 q) {
            return Vec3{q.x, wave(q.y, amplitude), q.z};
        },
        [](Vec3 q) {
            return Vec3{0, std::sin(2 * M_PI * q.y / side), 0};
        });
    const std::vector<Vec3> points = random_places(200);
    const StreamsAtPoints streams = found(host, points);
    for (std::size_t i = 0; i < points.size(); ++i) {
        double density = 0, momentum = 0;
        Index count = 0;
        for (Index k = 0; k < n; ++k) {
            const double q = side / n * k, next = side / n * (k + 1), a = wave(q, amplitude),
                         b = wave(next, amplitude);
            for (const double y : {points[i].y - side, points[i].y, points[i].y + side}) {
                if (!(std::min(a, b) < y && y < std::max(a, b))) continue;
                const double here = 3.0 * n * n * n / (side * side * side) * (side / n) / std::fabs(b - a);
                const double along = (y - a) / (b - a);
                density += here;
                momentum += here * ((1 - along) * std::sin(2 * M_PI * q / side) +
                                    along * std::sin(2 * M_PI * next / side));
                ++count;
            }
        }
        const PointField field = field_of(streams.at(i));
        EXPECT_EQ(field.streams, count);
        EXPECT_NEAR(field.density, density, 1e-12 * density);
        EXPECT_NEAR(field.velocity.y, momentum / density, 1e-12);
    }
}

TEST(SheetPoints, OrderOfParticlesPointsAndThreadsChangeNoBit)
{
    Particles host = sheet(17, crossed, swirl);  // several blocks
    std::vector<Index> order(host.size());
    for (Index i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::shuffle(order, std::mt19937_64(1));
    Particles permuted = host.gathered(order);
    const std::vector<Vec3> points = random_places(300, -side, 2 * side);
    const std::vector<Vec3> reversed(points.rbegin(), points.rend());
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const StreamsAtPoints one = found(host, points);
    omp_set_num_threads(5);
    const StreamsAtPoints five = found(permuted, reversed);
    omp_set_num_threads(threads);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const PointField a = field_of(one.at(i)), b = field_of(five.at(points.size() - 1 - i));
        ASSERT_EQ(a.streams, b.streams);
        ASSERT_EQ(a.density, b.density);
        ASSERT_EQ(a.velocity.y, b.velocity.y);
        ASSERT_EQ(a.dispersion, b.dispersion);
        ASSERT_TRUE(std::ranges::is_sorted(five.at(points.size() - 1 - i), {}, &Stream::tetrahedron));
    }
}

TEST(SheetPoints, ParticlesThemselvesAndCornersOfTheBoxAreHeldOddly)
{
    Particles host = sheet(6, crossed);
    std::vector<Vec3> points{{0, 0, 0}, {side, side, side}, {-side, 2 * side, 0}, {side, 0, side}};
    for (Index i = 0; i < host.size(); ++i) points.push_back(host.position.load(i));
    const StreamsAtPoints streams = found(host, points);
    for (std::size_t i = 0; i < points.size(); ++i) EXPECT_EQ(streams.at(i).size() % 2, 1u);
    for (const std::size_t i : {1, 2, 3})
        EXPECT_EQ(field_of(streams.at(i)).density, field_of(streams.at(0)).density);
    EXPECT_TRUE(found(host, {}).streams.empty());
}

TEST(SheetPoints, ASheetWithoutVolumeHoldsNothing)
{
    Particles plane = sheet(4, [](Vec3 q) { return Vec3{5, q.y, q.z}; });
    const StreamsAtPoints streams = found(plane, random_places(20), {.axes = "xyz"});
    EXPECT_TRUE(streams.streams.empty());
    EXPECT_EQ(streams.first.size(), 21u);
}

TEST(SheetPoints, NumbersThatAreNoneAreRefused)
{
    Particles host = sheet(4, crossed);
    const auto said = [&](std::vector<Vec3> points) {
        return message_of<Error>([&] { found(host, points); });
    };
    EXPECT_TRUE(contains(said({{1, 1, 1}, {1, 31, 1}}), "point 1 is at (1, 31, 1)"));
    EXPECT_TRUE(contains(said({{1, std::numeric_limits<double>::quiet_NaN(), 1}}), "point 0 is at"));
    host.velocity.z.data()[7] = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(contains(said({{1, 1, 1}}), "particle 7 (id 7) has the velocity"));
}

TEST(PointTree, FindsWhatABoxHoldsAndNothingElse)
{
    for (const std::size_t n : {1u, 8u, 9u, 17u, 1000u}) {
        std::vector<Vec3> points = random_places(n);
        for (std::size_t i = 0; i + 3 < n; i += 3) points[i] = points[i + 1];  // coincident ones
        const PointTree tree(points);
        const std::vector<Vec3> ends = random_places(40);
        for (std::size_t b = 0; b + 1 < ends.size(); b += 2) {
            BoundingBox<double> wanted{ends[b], ends[b]};
            wanted.include(ends[b + 1]);
            std::vector<std::size_t> inside, expected;
            tree.for_each_inside(wanted, [&](std::size_t i, Vec3 x) {
                EXPECT_EQ(x.y, points[i].y);
                inside.push_back(i);
            });
            for (std::size_t i = 0; i < n; ++i)
                if (wanted.meets(BoundingBox<double>::at(points[i]))) expected.push_back(i);
            std::ranges::sort(inside);
            EXPECT_EQ(inside, expected);
        }
        std::size_t all = 0;
        tree.for_each_inside(tree.bounds(), [&](std::size_t, Vec3) { ++all; });
        EXPECT_EQ(all, n);
    }
    EXPECT_TRUE(contains(message_of<Error>([] { PointTree(std::vector<Vec3>{}); }), "a tree of 0 points"));
}

TEST(Barycentric, WeightsAndVolumesOfTheFlattestTetrahedraAreRight)
{
    constexpr double quantum = 0x1p-52;
    std::mt19937_64 engine(3);
    std::uniform_int_distribution<std::int64_t> number(-(1ll << 50), 1ll << 50);
    const auto draw = [&] {
        return Vec3{number(engine) * quantum, number(engine) * quantum, number(engine) * quantum};
    };
    for (int trial = 0; trial < 200; ++trial) {
        // d one quantum off the plane of a, b, c
        const Vec3 a = draw(), ab = draw(), ac = draw();
        const Tetrahedron t{{a, a + 4.0 * ab, a + 4.0 * ac, a + ab + ac + Vec3{0, 0, quantum}}};
        const PlaceInTetrahedron at = place_in(t, t.corner[3], {quantum, quantum, quantum});
        const auto xy = static_cast<long double>(ab.x) * ac.y - static_cast<long double>(ab.y) * ac.x;
        const auto volume =
            static_cast<double>(std::fabs(16 * xy) / (static_cast<long double>(quantum) * quantum) / 6);
        EXPECT_NEAR(at.volume, volume, 1e-15 * volume);
        for (int c = 0; c < 3; ++c) EXPECT_EQ(at.weight[c], 0);
        EXPECT_EQ(at.weight[3], 1);
        const PlaceInTetrahedron base =
            place_in(t, a + ab + ac, {quantum, quantum, quantum});  // half, quarter, quarter of the base
        EXPECT_NEAR(base.weight[0], 0.5, 1e-15);
        EXPECT_NEAR(base.weight[1], 0.25, 1e-15);
        EXPECT_NEAR(base.weight[2], 0.25, 1e-15);
        EXPECT_EQ(base.weight[3], 0);
    }
}

}  // namespace
}  // namespace aureole::test::sheet_points_test
