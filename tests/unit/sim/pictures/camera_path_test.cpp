// Films: key frames from YAML, and zooms.
#include "sim/pictures/camera_path.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "sim/core/error.hpp"
#include "tests/support/message_of.hpp"
#include "tests/support/temporary_folder.hpp"

namespace aureole::test {
namespace {

using density::Camera;

class CameraPath : public testing::Test {
protected:
    std::vector<Camera> read(const std::string& text)
    {
        std::ofstream(folder_ / "p.yaml") << text;
        return run::read_camera_path(folder_ / "p.yaml", first_);
    }
    std::string refusal(const std::string& text)
    {
        return message_of<ConfigError>([&] { read(text); });
    }

    const TemporaryFolder folder_;
    const Camera first_{.position = {0, -4, 0}, .look_at = {0, 0, 0}, .field_of_view = 25};
};

TEST_F(CameraPath, KeysAreMetAndTheCameraRestsAtTheEnds)
{
    const auto path = read(
        "frames: 7\n"
        "keys:\n"
        "  - {frame: 1}\n"
        "  - {frame: 5, position: [0, -1, 0], field_of_view: 50}\n");
    ASSERT_EQ(path.size(), 7u);
    EXPECT_EQ(path[0].position.y, -4);
    EXPECT_EQ(path[1].position.y, -4);
    EXPECT_NEAR(path[3].position.y, -2, 1e-14);  // half the way in the logarithm
    EXPECT_EQ(path[5].position.y, -1);
    EXPECT_EQ(path[6].position.y, -1);
    EXPECT_EQ(path[0].field_of_view, 25);
    EXPECT_EQ(path[6].field_of_view, 50);
}

TEST_F(CameraPath, MistakesAreNamedWithTheirLine)
{
    EXPECT_TRUE(contains(refusal("frames: 3\n"), "p.yaml:1: expected `frames: N` and a list `keys:`"));
    EXPECT_TRUE(contains(refusal("frames: 2.5\nkeys: [{frame: 0}]\n"), "p.yaml:1: key 'frames': found 2.5"));
    EXPECT_TRUE(contains(refusal("frames: 3\nkeys:\n  - {frame: 3}\n"), "p.yaml:3: key 'frame': found 3"));
    EXPECT_TRUE(contains(refusal("frames: 3\nkeys:\n  - {frame: 1}\n  - {frame: 1}\n"),
                         "p.yaml:4: key 'frame': found 1 after 1"));
    EXPECT_TRUE(contains(refusal("frames: 3\nkeys:\n  - {frame: 1, zoom: 2}\n"),
                         "p.yaml:3: found 'zoom', expected frame"));
    EXPECT_TRUE(contains(refusal("frames: 3\nkeys:\n  - {frame: 1, up: [1, 2]}\n"),
                         "key 'up': expected three numbers"));
    EXPECT_TRUE(contains(refusal("frames: 3\nkeys:\n  - {frame: 1, up: [1, 2, x]}\n"),
                         "key 'up': found 'x', expected a number"));
    EXPECT_TRUE(contains(refusal("frames: 3\nkeys:\n  - {frame: 1, look_at: [0, -4, 0]}\n"), "p.yaml:3: "));
    EXPECT_TRUE(contains(refusal("frames: 3\nkeys:\n  - {frame: 0}\n  - {frame: 1, height: 2}\n"),
                         "p.yaml:4: key 'height'"));
    EXPECT_TRUE(contains(refusal("frames: [\n"), "p.yaml:"));
    EXPECT_TRUE(contains(refusal(""), "p.yaml:1: expected `frames: N` and a list `keys:`"));
    for (const auto& file : {folder_ / "absent.yaml", folder_.path()})
        EXPECT_TRUE(contains(message_of<IoError>([&] { run::read_camera_path(file, first_); }),
                             file.string() + ": cannot be read; expected key frames"));
}

TEST_F(CameraPath, AZoomEndsBeforeItsTargetAfterItsTurn)
{
    const auto path = run::zoom_path(first_, {.target = {1, 2, 3}, .factor = 8, .turn = 90, .frames = 11});
    ASSERT_EQ(path.size(), 11u);
    EXPECT_EQ(path[0].position.y, -4);
    EXPECT_NEAR(path[10].look_at.z, 3, 1e-14);
    EXPECT_NEAR(path[10].position.x, 1 + 0.5, 1e-14);  // from -y to +x: 90 degrees about z
    EXPECT_NEAR(path[10].position.y, 2, 1e-14);
    const auto distance = [&](std::size_t k) {
        const Vec3 d = path[k].position - path[k].look_at;
        return std::sqrt(dot(d, d));
    };
    EXPECT_NEAR(distance(5), 4 / std::sqrt(8.0), 1e-13);
    for (std::size_t k = 1; k < 11; ++k) EXPECT_LT(distance(k), distance(k - 1));
    EXPECT_THROW(run::zoom_path(first_, {.target = {}, .factor = 0}), ConfigError);
    EXPECT_THROW(run::zoom_path(first_, {.target = {}, .frames = 0}), ConfigError);
}

}  // namespace
}  // namespace aureole::test
