#include "density/rendering/volume.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "sim/core/device.hpp"
#include "sim/core/error.hpp"

namespace aureole::density {
namespace {

// Of a picture: (side + 15)^2 threads, its squares being filled up, then have numbers that fit an Index.
constexpr std::size_t most_pixels = std::size_t{1} << 30;
constexpr unsigned most_pixels_a_side = 1u << 26;
constexpr Index rows_between_reports = 256;

// How far a camera may be, in the smallest cells: places on its rays are then right to 1/32 of a cell, so
// within a brick and its ghosts.
constexpr double farthest = 0x1p48;

template <class T>
Buffer<T> placed(Backend where, const std::vector<T>& values)
{
    return Buffer<T>(where, std::span<const T>(values));
}

/// How many of the bins before each one emit or absorb.
std::vector<Index> seen_counts(const TransferFunction& transfer)
{
    std::vector<Index> counts{0};
    for (const Medium& m : transfer.bins)
        counts.push_back(counts.back() +
                         (m.red > 0 || m.green > 0 || m.blue > 0 || m.extinction > 0 ? 1 : 0));
    return counts;
}

void expect_near(const CameraView& camera, const BrickView& tree, double finest)
{
    const Vec3 away = camera.position - tree.low;
    const double distance = std::sqrt(dot(away, away)) + std::sqrt(dot(tree.size, tree.size));
    const double cells = distance / std::min({tree.size.x, tree.size.y, tree.size.z}) * finest;
    AUREOLE_EXPECT(cells <= farthest,
                   "a camera at ({}, {}, {}), {:.3g} of the smallest cells away from the field: expected at "
                   "most {:.3g}",
                   camera.position.x, camera.position.y, camera.position.z, cells, farthest);
}

}  // namespace

Volume::Volume(Backend where, BrickTree tree)
    : where_(where),
      walked_(where, tree.links.size()),
      tree_{tree.low, tree.size, tree.extent, tree.cells, walked_.data(), nullptr},
      finest_(tree.finest)
{
    AUREOLE_EXPECT(
        !tree.links.empty() && tree.smallest.size() == tree.links.size() &&
            tree.largest.size() == tree.links.size(),
        "the brick tree has {} nodes with {} lower and {} upper bounds, expected one of each for a node",
        tree.links.size(), tree.smallest.size(), tree.largest.size());
    nodes_.n = static_cast<Index>(tree.links.size());
    if (where == Backend::cpu)
        keep(std::move(tree));
    else
        copy(tree);
}

void Volume::keep(BrickTree tree)
{
    kept_ = std::move(tree);
    nodes_ = {kept_.links.data(), kept_.smallest.data(), kept_.largest.data(), nodes_.n};
    tree_.values = kept_.values.data();
}

void Volume::copy(const BrickTree& tree)
{
    links_ = placed(where_, tree.links);
    smallest_ = placed(where_, tree.smallest);
    largest_ = placed(where_, tree.largest);
    values_ = placed(where_, tree.values);
    nodes_ = {links_.data(), smallest_.data(), largest_.data(), nodes_.n};
    tree_.values = values_.data();
}

std::size_t Volume::bytes() const
{
    return (values_.size() + kept_.values.size()) * sizeof(float) +
           nodes_.n * (2 * sizeof(Index) + 2 * sizeof(float));
}

void Volume::set_transfer(Exec exec, const TransferFunction& transfer)
{
    AUREOLE_EXPECT(
        exec.backend == where_,
        "the volume is in {} memory, its transfer function is set on {}; expected the same backend",
        name_of(where_), name_of(exec.backend));
    bins_ = placed(where_, transfer_table(transfer));
    seen_before_ = placed(where_, seen_counts(transfer));
    const auto n = static_cast<Index>(bins_.size());
    transfer_ = {bins_.data(), n, static_cast<float>(transfer.low),
                 static_cast<float>(n / (transfer.high - transfer.low)), seen_before_.data()};
    mark_visible(exec, nodes_, transfer_, walked_.data());
}

void Volume::cast(Exec exec, const View& view, Buffer<Radiance>& light, const Progress& progress) const
{
    const CastOptions& options = view.options;
    const CameraView& camera = view.camera;
    AUREOLE_EXPECT(transfer_.bins != nullptr,
                   "the volume has no transfer function; set_transfer() must be called before cast()");
    AUREOLE_EXPECT(exec.backend == where_,
                   "the volume is in {} memory, rays are cast on {}; expected the same backend",
                   name_of(where_), name_of(exec.backend));
    const std::size_t pixels = std::size_t{camera.width} * camera.height;
    AUREOLE_EXPECT(
        pixels > 0 && pixels <= most_pixels && std::max(camera.width, camera.height) <= most_pixels_a_side,
        "a picture of {} x {} pixels: expected 1 to {} along each side, {} together", camera.width,
        camera.height, most_pixels_a_side, most_pixels);
    expect_near(camera, tree_, finest_);
    AUREOLE_EXPECT(options.samples_per_cell >= 0.01f && options.samples_per_cell <= 100,
                   "{} samples per cell: expected 0.01 to 100", options.samples_per_cell);
    AUREOLE_EXPECT(options.opaque >= 0 && options.opaque < 1,
                   "rays that end at a transmittance of {}: expected 0 to 1", options.opaque);
    if (light.where() != exec.backend || light.size() != pixels)
        light = Buffer<Radiance>(exec.backend, pixels);
    const Scene scene{tree_, transfer_, camera, options, view.interpolate};
    const bool watched = progress.report || progress.stop;
    const Index band = watched ? rows_between_reports : camera.height;
    for (Index row = 0; row < camera.height; row += band) {
        progress.at(static_cast<double>(row) / camera.height, "rays");
        cast_rays(exec, scene, {row, row + std::min<Index>(band, camera.height - row)}, light.data());
        if (watched && exec.backend != Backend::cpu) device::wait(exec.stream);
    }
    progress.at(1, "rays");
}

void develop(Exec exec, const Buffer<Radiance>& light, const Exposure& exposure, Buffer<Index>& rgb)
{
    AUREOLE_EXPECT(exec.backend == light.where(),
                   "the light is in {} memory, its colours are computed on {}; expected the same backend",
                   name_of(light.where()), name_of(exec.backend));
    const Vec3f& background = exposure.background;
    AUREOLE_EXPECT(exposure.gain > 0 && std::isfinite(exposure.gain) &&
                       std::min({background.x, background.y, background.z}) >= 0 &&
                       std::isfinite(background.x + background.y + background.z),
                   "an exposure of {} on a background of ({}, {}, {}): expected a finite gain above 0 and "
                   "finite light of 0 or more",
                   exposure.gain, background.x, background.y, background.z);
    if (rgb.where() != light.where() || rgb.size() != light.size())
        rgb = Buffer<Index>(light.where(), light.size());
    develop(exec, light.data(), static_cast<Index>(light.size()), exposure, rgb.data());
}

}  // namespace aureole::density
