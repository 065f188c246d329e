#include "sim/pictures/camera_path.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>

#include "sim/config/quantity.hpp"
#include "sim/core/error.hpp"
#include "sim/io/atomic_file.hpp"

namespace aureole::run {
namespace {

using density::Camera;

constexpr unsigned most_frames = 100000;

class PathReader {
public:
    explicit PathReader(const std::filesystem::path& file) : name_(file.string()) {}

    std::vector<Camera> read(const Camera& first);

private:
    struct Key {
        unsigned frame;
        Camera camera;
    };

    [[noreturn]] void refuse(const YAML::Node& node, const std::string& what) const
    {
        const int line = std::max(node.Mark().line, 0);  // none of what is empty
        throw ConfigError(fmt::format("{}:{}: {}", name_, line + 1, what));
    }
    double number(const YAML::Node& node, const std::string& key) const
    {
        if (!node.IsScalar()) refuse(node, fmt::format("key '{}': expected a number", key));
        try {
            return parse_number(node.Scalar());
        } catch (const ConfigError&) {
            refuse(node, fmt::format("key '{}': found '{}', expected a number", key, node.Scalar()));
        }
    }
    Vec3 vector(const YAML::Node& node, const std::string& key) const
    {
        if (!node.IsSequence() || node.size() != 3)
            refuse(node, fmt::format("key '{}': expected three numbers, as [1, 2, 3]", key));
        return {number(node[0], key), number(node[1], key), number(node[2], key)};
    }
    unsigned frame_number(const YAML::Node& node, const std::string& key, unsigned most) const
    {
        const double value = number(node, key);
        if (!(value >= 0 && value <= most && value == std::floor(value)))
            refuse(node,
                   fmt::format("key '{}': found {}, expected a whole number up to {}", key, value, most));
        return static_cast<unsigned>(value);
    }
    Key key_of(const YAML::Node& node, const Camera& before, unsigned frames) const;
    void add_key(const YAML::Node& node, unsigned frames);

    std::string name_;
    std::vector<Key> keys_;
};

PathReader::Key PathReader::key_of(const YAML::Node& node, const Camera& before, unsigned frames) const
{
    if (!node.IsMap() || !node["frame"])
        refuse(node, "expected a key with its frame, as {frame: 0, position: [1, 2, 3]}");
    Key key{0, before};
    for (const auto& entry : node) {
        const std::string name = entry.first.Scalar();
        if (name == "frame")
            key.frame = frame_number(entry.second, name, frames - 1);
        else if (name == "position")
            key.camera.position = vector(entry.second, name);
        else if (name == "look_at")
            key.camera.look_at = vector(entry.second, name);
        else if (name == "up")
            key.camera.up = vector(entry.second, name);
        else if (name == "field_of_view")
            key.camera.field_of_view = number(entry.second, name);
        else if (name == "height")
            key.camera.height = number(entry.second, name);
        else
            refuse(entry.first,
                   fmt::format("found '{}', expected frame, position, look_at, up, field_of_view or height",
                               name));
    }
    try {
        camera_view(key.camera, 1, 1);
    } catch (const Error& error) {
        refuse(node, error.what());
    }
    return key;
}

std::vector<Camera> PathReader::read(const Camera& first)
{
    YAML::Node root;
    std::ifstream in(io::without_waiting(name_));
    if (!in || std::filesystem::is_directory(name_))
        throw IoError(fmt::format("{}: cannot be read; expected key frames in YAML", name_));
    try {
        root = YAML::Load(in);
    } catch (const YAML::Exception& error) {
        throw ConfigError(fmt::format("{}:{}: not valid YAML: {}", name_, error.mark.line + 1, error.msg));
    }
    if (!root.IsMap() || !root["frames"] || !root["keys"] || root.size() != 2 || !root["keys"].IsSequence())
        refuse(root, "expected `frames: N` and a list `keys:`");
    const unsigned frames = frame_number(root["frames"], "frames", most_frames);
    if (frames == 0 || root["keys"].size() == 0) refuse(root, "no frames, or no keys: expected one at least");
    Camera before = first;
    for (const YAML::Node& node : root["keys"]) {
        keys_.push_back(key_of(node, before, frames));
        if (keys_.size() > 1 && keys_[keys_.size() - 2].frame >= keys_.back().frame)
            refuse(node, fmt::format("key 'frame': found {} after {}, expected frames that grow",
                                     keys_.back().frame, keys_[keys_.size() - 2].frame));
        if ((before.height > 0) != (keys_.back().camera.height > 0) && keys_.size() > 1)
            refuse(node, "key 'height': expected parallel rays in all keys, or in none");
        before = keys_.back().camera;
    }
    std::vector<Camera> path;
    std::size_t next = 0;
    for (unsigned frame = 0; frame < frames; ++frame) {
        while (next < keys_.size() && keys_[next].frame < frame) ++next;
        if (next == 0 || next == keys_.size()) {
            path.push_back(next == 0 ? keys_.front().camera : keys_.back().camera);
            continue;
        }
        const Key &a = keys_[next - 1], &b = keys_[next];
        path.push_back(
            between(a.camera, b.camera, static_cast<double>(frame - a.frame) / (b.frame - a.frame)));
    }
    return path;
}

Vec3 turned_about(Vec3 v, Vec3 axis, double angle)
{
    const double s = std::sin(angle), c = std::cos(angle);
    return c * v + s * cross(axis, v) + ((1 - c) * dot(axis, v)) * axis;
}

}  // namespace

std::vector<Camera> read_camera_path(const std::filesystem::path& file, const Camera& first)
{
    return PathReader(file).read(first);
}

std::vector<Camera> zoom_path(const Camera& first, const ZoomRequest& zoom)
{
    if (!(zoom.factor > 0 && std::isfinite(zoom.factor)))
        throw ConfigError(fmt::format("--zoom: found {}, expected a factor above 0", zoom.factor));
    if (zoom.frames < 1 || zoom.frames > most_frames)
        throw ConfigError(fmt::format("--frames: found {}, expected 1 to {}", zoom.frames, most_frames));
    const double length = std::sqrt(dot(first.up, first.up));
    const Vec3 up = (1 / length) * first.up;
    std::vector<Camera> path;
    for (unsigned k = 0; k < zoom.frames; ++k) {
        const double t = zoom.frames > 1 ? static_cast<double>(k) / (zoom.frames - 1) : 1;
        const double share = t * t * (3 - 2 * t);  // at rest at both ends
        Camera last = first;
        last.look_at = zoom.target;
        last.position = zoom.target + (1 / zoom.factor) * (first.position - first.look_at);
        last.height = first.height / zoom.factor;
        Camera camera = between(first, last, share);
        const double angle = share * zoom.turn * std::numbers::pi / 180;
        camera.position = camera.look_at + turned_about(camera.position - camera.look_at, up, angle);
        path.push_back(camera);
    }
    return path;
}

}  // namespace aureole::run
