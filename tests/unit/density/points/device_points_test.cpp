// The sheet at points on each backend against that of the CPU: the same streams to the last bit.
#include <gtest/gtest.h>

#include "density/points/sheet_points.hpp"
#include "tests/support/backends.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test::device_points_test {
namespace {

class DevicePoints : public OnEachBackend {
protected:
    /// Returns how many streams there are.
    std::size_t expect_those_of_the_cpu(Particles& host, std::span<const Vec3> points)
    {
        const Lattice lattice = make_lattice(host.view(), {side});
        const SampledSheet sheet{host.view(), {side}, lattice};
        double told = 0;
        const StreamsAtPoints found = streams_at(exec(), sheet, points,
                                                 {[&](double done, std::string_view) { told = done; }}),
                              expected = streams_at({}, sheet, points);
        EXPECT_EQ(told, points.empty() ? 0 : 1);
        EXPECT_EQ(found.first, expected.first);
        if (found.streams.size() != expected.streams.size()) return 0;
        for (std::size_t k = 0; k < found.streams.size(); ++k) {
            const Stream &a = found.streams[k], &b = expected.streams[k];
            EXPECT_EQ(a.tetrahedron, b.tetrahedron);
            EXPECT_EQ(a.orientation, b.orientation);
            EXPECT_EQ(a.density, b.density);
            EXPECT_EQ(a.velocity.x, b.velocity.x);
            EXPECT_EQ(a.velocity.z, b.velocity.z);
            if (testing::Test::HasFailure()) return 0;
        }
        return found.streams.size();
    }
};

std::vector<Vec3> random_places(std::size_t n, double low, double high)
{
    return random_points(n, 8, low, high);
}

TEST_P(DevicePoints, InManyStreamsInsideAndOutsideTheBox)
{
    Particles host = sheet(13, crossed, swirl);
    EXPECT_GT(expect_those_of_the_cpu(host, random_places(900, -side, 2 * side)), 1000u);
}

TEST_P(DevicePoints, OnFacesEdgesAndCornersOfTetrahedra)
{
    std::mt19937_64 engine(9);
    std::uniform_int_distribution<int> coarse(-2, 2);
    Particles host = sheet(8, [&](Vec3 q) {
        return q + Vec3{coarse(engine) * side / 16, coarse(engine) * side / 16, 0};
    });
    std::vector<Vec3> points;
    for (Index i = 0; i < 200; ++i) points.push_back(host.view().position.load(i));
    for (int i = 0; i < 32; ++i) points.push_back({i * side / 32, 3 * side / 16, i * side / 16});
    EXPECT_GE(expect_those_of_the_cpu(host, points), points.size());
}

TEST_P(DevicePoints, MoreThanTheListHasRoomForAtOnce)
{
    Particles host = sheet(4, crossed, swirl);
    EXPECT_GE(expect_those_of_the_cpu(host, std::vector<Vec3>(70000, Vec3{5, 5.1, 4.9})), 70000u);
}

TEST_P(DevicePoints, OfManyChunks)
{
    Particles host = sheet(81, crossed, swirl);  // 11^3 blocks
    EXPECT_GE(expect_those_of_the_cpu(host, random_places(800, 0, side)), 800u);
}

TEST_P(DevicePoints, NoneAndOne)
{
    Particles host = sheet(4, crossed, swirl);
    EXPECT_EQ(expect_those_of_the_cpu(host, {}), 0u);
    EXPECT_GE(expect_those_of_the_cpu(host, random_places(1, 0, side)), 1u);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(DevicePoints);

}  // namespace
}  // namespace aureole::test::device_points_test
