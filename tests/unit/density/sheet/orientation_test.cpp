// Sides of planes where doubles are sure, where they are not, and on the plane; sums in fixed point.
#include "density/sheet/orientation.hpp"

#include <gtest/gtest.h>

#include <random>

#include "density/sheet/tessellation.hpp"

namespace aureole::test::orientation_test {
namespace {

using namespace density;

constexpr double quantum = 0x1p-44;
constexpr Vec3 quanta{quantum, quantum, quantum};

TEST(Orientation, SidesAreRightByHand)
{
    const Vec3 a{0, 0, 0}, b{1, 0, 0}, c{0, 1, 0};
    EXPECT_EQ(side_of(a, b, c, {0.2, 0.2, 1}, quanta), 1);
    EXPECT_EQ(side_of(a, b, c, {0.2, 0.2, -1}, quanta), -1);
    EXPECT_EQ(side_of(a, b, c, {5, 7, quantum}, quanta), 1);
    EXPECT_EQ(side_of(a, b, c, {5, 7, -quantum}, quanta), -1);
    EXPECT_EQ(side_of(a, b, c, {5, 7, 0}, quanta, true), 0);
    EXPECT_EQ(side_of(a, b, c, {5, 7, 0}, quanta), 1) << "moved towards its normal";
    EXPECT_EQ(side_of(a, c, b, {5, 7, 0}, quanta), -1);
    EXPECT_EQ(side_of(a, b, {2, 0, 0}, {5, 7, 0}, quanta), 0) << "no plane";
}

TEST(Orientation, OneQuantumOffAPlaneIsSeenAnywhere)
{
    // p = a + s ab + t ac with integers s and t lies on the plane exactly
    std::mt19937_64 engine(2);
    std::uniform_int_distribution<std::int64_t> number(-(1ll << 48), 1ll << 48);
    const auto draw = [&] {
        return Vec3{number(engine) * quantum, number(engine) * quantum, number(engine) * quantum};
    };
    for (int trial = 0; trial < 1000; ++trial) {
        const Vec3 a = draw(), ab = draw(), ac = draw();
        const Vec3 p = a + 3.0 * ab + -2.0 * ac;
        EXPECT_EQ(side_of(a, a + ab, a + ac, p, quanta, true), 0);
        const double nx = static_cast<double>(ab.y * static_cast<long double>(ac.z) -
                                              ab.z * static_cast<long double>(ac.y));
        const int turn = nx > 0 ? 1 : -1;
        EXPECT_EQ(side_of(a, a + ab, a + ac, p + Vec3{quantum, 0, 0}, quanta), turn);
        EXPECT_EQ(side_of(a, a + ab, a + ac, p - Vec3{quantum, 0, 0}, quanta), -turn);
        EXPECT_EQ(side_of(a, a + ab, a + ac, p, quanta), turn);
        EXPECT_EQ(side_of(a, a + ac, a + ab, p, quanta), -turn);
    }
}

TEST(Orientation, PointsOnSharedFacesEdgesAndCornersAreInOneTetrahedron)
{
    // 27 cubes about the middle one: corners, edges, faces and diagonals of their tetrahedra
    for (int i = 0; i <= 4; ++i)
        for (int j = 0; j <= 4; ++j)
            for (int k = 0; k <= 4; ++k) {
                const Vec3 p{i * 0.25, j * 0.25, k * 0.25};
                int count = 0, sum = 0;
                for (int cube = 0; cube < 27; ++cube)
                    for (int t = 0; t < tetrahedra_per_cube; ++t) {
                        Tetrahedron tetrahedron;
                        const CubeCorners corners = kuhn_tetrahedron(t);
                        for (int c = 0; c < 4; ++c) {
                            const int bits = corners.corner[c];
                            tetrahedron.corner[c] = {cube / 9 - 1.0 + (bits >> 2),
                                                     cube / 3 % 3 - 1.0 + (bits >> 1 & 1),
                                                     cube % 3 - 1.0 + (bits & 1)};
                        }
                        const int held = holds(tetrahedron, p, quanta);
                        count += held != 0;
                        sum += held;
                    }
                EXPECT_EQ(count, 1) << i << j << k;
                EXPECT_EQ(sum, 1);
            }
}

TEST(Orientation, FlatTetrahedraHoldNothing)
{
    const Tetrahedron flat{{{0, 0, 0}, {2, 0, 0}, {0, 2, 0}, {1, 1, 0}}};
    EXPECT_EQ(holds(flat, {0.5, 0.5, 0}, quanta), 0);
    const Tetrahedron turned{{{0, 0, 0}, {0, 2, 0}, {2, 0, 0}, {0, 0, 2}}};
    EXPECT_EQ(holds(turned, {0.25, 0.25, 0.25}, quanta), -1);
    EXPECT_EQ(holds(turned, {1.25, 1.25, 0.25}, quanta), 0);
}

}  // namespace
}  // namespace aureole::test::orientation_test
