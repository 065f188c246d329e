// Where the rays of a camera go, and the way from one camera to the next.
#include "density/rendering/camera.hpp"

#include <gtest/gtest.h>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::density {
namespace {

void expect_close(Vec3 a, Vec3 b, double tolerance = 1e-14)
{
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Camera, TheMiddleLooksAheadAndTheEdgesAtTheFieldOfView)
{
    const Camera camera{.position = {0, -2, 0}, .look_at = {0, 0, 0}, .field_of_view = 90};
    const CameraView view = camera_view(camera, 200, 100);
    const double root = std::sqrt(0.5), sixth = 1 / std::sqrt(6.0);
    expect_close(view.ray(100, 50).direction, {0, 1, 0});
    expect_close(view.ray(100, 0).direction, {0, root, root});   // upper edge
    expect_close(view.ray(150, 50).direction, {root, root, 0});  // as far to the right: x
    expect_close(view.ray(200, 100).direction, {2 * sixth, sixth, -sixth});
    expect_close(view.ray(3, 99).origin, {0, -2, 0});
}

TEST(Camera, ParallelRaysStartSideBySide)
{
    const Camera camera{.position = {0, 0, 5}, .look_at = {0, 0, 0}, .up = {0, 1, 0}, .height = 4};
    const CameraView view = camera_view(camera, 40, 20);
    for (const double x : {0.0, 13.0, 40.0}) expect_close(view.ray(x, 4).direction, {0, 0, -1});
    expect_close(view.ray(0, 0).origin, {-4, 2, 5});
    expect_close(view.ray(40, 20).origin, {4, -2, 5});
}

TEST(Camera, TheWholeBoxIsSeenByDefault)
{
    const CameraView view = camera_view(camera_on({0, 0, 0}, {3, 3, 3}), 1000, 1000);
    for (int corner = 0; corner < 8; ++corner) {
        const Vec3 x{corner & 1 ? 3.0 : 0.0, corner & 2 ? 3.0 : 0.0, corner & 4 ? 3.0 : 0.0};
        const Vec3 d = x - view.position;
        EXPECT_LT(std::abs(dot(d, view.up) / dot(d, view.forward)), view.half_height);
        EXPECT_LT(std::abs(dot(d, view.right) / dot(d, view.forward)), view.half_height);
    }
}

TEST(Camera, AZoomShrinksDistancesByEqualFactorsAndKeepsItsAimInSight)
{
    const Camera far{.position = {0, -8, 0}, .look_at = {0, 0, 0}, .field_of_view = 40};
    const Camera near{.position = {1, 0.875, 0}, .look_at = {1, 1, 0}, .field_of_view = 40};  // 1/8 away
    for (int k = 0; k <= 6; ++k) {
        const Camera camera = between(far, near, k / 6.0);
        const Vec3 d = camera.position - camera.look_at;
        EXPECT_NEAR(std::sqrt(dot(d, d)), 8 * std::pow(0.5, k), 1e-12);
        // the aim moves through the picture evenly: from its first place to the middle
        const Vec3 offset = near.look_at - camera.look_at;
        EXPECT_NEAR(std::sqrt(dot(offset, offset)) / std::sqrt(dot(d, d)), (1 - k / 6.0) * std::sqrt(2) / 8,
                    1e-12);
        const Camera back = between(near, far, 1 - k / 6.0);
        expect_close(back.position, camera.position, 1e-12);
    }
}

TEST(Camera, ATurnGoesEvenlyAroundWhatIsLookedAt)
{
    const Camera from{.position = {2, 0, 0}, .look_at = {0, 0, 0}},
        to{.position = {0, 2, 0}, .look_at = {0, 0, 0}};
    expect_close(between(from, to, 1.0 / 3).position, {2 * std::cos(M_PI / 6), 2 * std::sin(M_PI / 6), 0});
    const Camera opposite{.position = {-2, 0, 0}, .look_at = {0, 0, 0}};
    const Vec3 half = between(from, opposite, 0.5).position;
    EXPECT_NEAR(dot(half, half), 4, 1e-12);
    EXPECT_NEAR(half.x, 0, 1e-12);
}

TEST(Camera, CamerasWithoutADirectionAreRefused)
{
    using test::contains;
    using test::message_of;
    const auto message = [](Camera camera) {
        return message_of<Error>([&] { camera_view(camera, 10, 10); });
    };
    EXPECT_TRUE(contains(message({.position = {1, 1, 1}, .look_at = {1, 1, 1}}), "expected two places"));
    EXPECT_TRUE(contains(message({.position = {0, 0, 0}, .look_at = {0, 0, 1}}), "along its line of sight"));
    EXPECT_TRUE(contains(message({.position = {0, 0, 0}, .look_at = {1, 0, 0}, .field_of_view = 180}),
                         "180 degrees"));
    EXPECT_TRUE(contains(message({.position = {0, 0, 0}, .look_at = {1, 0, 0}, .height = -1}), "height -1"));
    EXPECT_TRUE(contains(message_of<Error>([] {
                             between({.position = {1, 0, 0}, .height = 1}, {.position = {2, 0, 0}}, 0.5);
                         }),
                         "parallel rays"));
}

}  // namespace
}  // namespace aureole::density
