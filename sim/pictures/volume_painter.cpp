#include "sim/pictures/volume_painter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/core/error.hpp"

namespace aureole::run {
namespace {

struct Sphere {
    Vec3 centre;
    double radius2 = HUGE_VAL;

    bool holds(Vec3 x) const { return dot(x - centre, x - centre) <= radius2; }
    bool touches(const density::FieldPatch& p) const
    {
        const Vec3 nearest{std::clamp(centre.x, p.low.x, p.high.x), std::clamp(centre.y, p.low.y, p.high.y),
                           std::clamp(centre.z, p.low.z, p.high.z)};
        return holds(nearest);
    }
};

/// Cells of leaves in a sphere, each `step`-th of them.
class CellsInSphere {
public:
    CellsInSphere(const density::CellField& field, Sphere sphere) : field_(field), sphere_(sphere)
    {
        constexpr std::size_t most_looked_at = std::size_t{1} << 19;
        for (std::size_t p = 0; p < field.patches.size(); ++p)
            if (field.patches[p].leaf() && sphere.touches(field.patches[p])) leaves_.push_back(p);
        // odd, and so prime to numbers of cells that are powers of two
        step_ = leaves_.size() * field.cells_per_patch() / most_looked_at | 1;
    }

    /// Calls visit(value, volume) with volumes in cells of the root.
    template <class Visit>
    void each(Visit visit) const
    {
        const auto [nx, ny, nz] = field_.cells;
        for (const std::size_t p : leaves_) {
            const density::FieldPatch& patch = field_.patches[p];
            const Vec3 side = patch.high - patch.low;
            const double volume = std::ldexp(1.0, -3 * static_cast<int>(patch.level));
            for (std::size_t k = 0; k < field_.cells_per_patch(); k += step_) {
                const Vec3 x{patch.low.x + side.x * (0.5 + static_cast<double>(k / nz / ny)) / nx,
                             patch.low.y + side.y * (0.5 + static_cast<double>(k / nz % ny)) / ny,
                             patch.low.z + side.z * (0.5 + static_cast<double>(k % nz)) / nz};
                if (sphere_.holds(x)) visit(field_.values[p * field_.cells_per_patch() + k], volume);
            }
        }
    }

private:
    const density::CellField& field_;
    Sphere sphere_;
    std::vector<std::size_t> leaves_;
    std::size_t step_ = 1;
};

/// Calls visit(value, volume) for all cells of leaves.
struct AllCells {
    const density::CellField& field;

    template <class Visit>
    void each(Visit visit) const
    {
        for (std::size_t p = 0; p < field.patches.size(); ++p) {
            if (!field.patches[p].leaf()) continue;
            const double volume = std::ldexp(1.0, -3 * static_cast<int>(field.patches[p].level));
            for (std::size_t k = p * field.cells_per_patch(); k < (p + 1) * field.cells_per_patch(); ++k)
                visit(field.values[k], volume);
        }
    }
};

template <class Cells>
ColourScale volume_scale(const Cells& cells, bool logarithmic)
{
    const auto number = [&](double v) { return logarithmic ? std::log10(v) : v; };
    const auto counts = [&](double v) { return std::isfinite(v) && (!logarithmic || v > 0); };
    double smallest = HUGE_VAL, largest = -HUGE_VAL;
    cells.each([&](double v, double) {
        if (!counts(v)) return;
        smallest = std::min(smallest, number(v));
        largest = std::max(largest, number(v));
    });
    if (!(smallest < largest)) {
        const double all = smallest > largest ? 0 : logarithmic ? std::pow(10, smallest) : smallest;
        return widened(all, all, logarithmic);
    }
    constexpr std::size_t n_bins = 4096;
    const double per_unit = n_bins / (largest - smallest);
    std::vector<double> volume(n_bins), amount(n_bins);
    cells.each([&](double v, double cell) {
        if (!counts(v)) return;
        const auto bin = std::min(static_cast<std::size_t>((number(v) - smallest) * per_unit), n_bins - 1);
        volume[bin] += cell;
        amount[bin] += cell * std::abs(v);
    });
    const double half = 0.5 * std::reduce(volume.begin(), volume.end());
    const double twentieth = 0.05 * std::reduce(amount.begin(), amount.end());
    std::size_t low = 0, high = n_bins;
    for (double below = 0; low < n_bins && (below += volume[low]) < half;) ++low;
    for (double above = 0; high > 0 && (above += amount[high - 1]) < twentieth;) --high;
    const auto value = [&](std::size_t bin) {
        const double x = smallest + static_cast<double>(bin) / per_unit;
        return logarithmic ? std::pow(10, x) : x;
    };
    return widened(value(std::min(low, high - 1)), value(high), logarithmic);
}

}  // namespace

ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic)
{
    return volume_scale(AllCells{field}, logarithmic);
}

ColourScale automatic_volume_scale(const density::CellField& field, bool logarithmic, Vec3 centre,
                                   double radius)
{
    constexpr std::size_t enough = 128;
    const Vec3 side = field.patches[0].high - field.patches[0].low;
    for (const double all = std::sqrt(dot(side, side)); radius < all; radius *= 2) {
        const CellsInSphere cells(field, {centre, radius * radius});
        std::size_t n = 0;
        cells.each([&](double, double) { ++n; });
        if (n >= enough) return volume_scale(cells, logarithmic);
    }
    return automatic_volume_scale(field, logarithmic);
}

namespace {

void expect_sound(const VolumeLook& look)
{
    const auto expect = [](const char* option, double value, double low, double high) {
        if (!(value >= low && value <= high))
            throw ConfigError(fmt::format("{}: found {}, expected {} to {}", option, value, low, high));
    };
    expect("--opacity", look.opacity, 1e-6, 1e9);
    expect("--steepness", look.steepness, 0, 20);
    expect("--glow", look.glow, 1e-6, 1e6);
    expect("--exposure", look.exposure, 1e-6, 1e6);
    expect("--samples", look.samples, 0.05, 20);
    expect("--oversampling", look.oversampling, 1, 8);
}

density::BrickTree tree_of(const density::CellField& field, const VolumeLook& look)
{
    expect_sound(look);
    // values below the first colour are not visible; one value for all of them keeps interpolation from
    // darkening bright cells beside a void
    return density::brick_tree(field, {.logarithmic = look.scale.logarithmic, .floor = look.scale.low});
}

/// The colours of the map at full brightness: the emission alone sets how bright a place is.
std::vector<Vec3f> full_colours(const std::string& name)
{
    std::vector<Vec3f> colours = NamedColours(name).linear(65);
    for (Vec3f& c : colours) {
        const float brightest = std::max({c.x, c.y, c.z, 1e-3f});
        c = (1 / brightest) * c;
    }
    colours[0] = colours[1];  // black has no colour
    return colours;
}

density::TransferFunction transfer_of(double reach, const VolumeLook& look)
{
    const auto number = [&](double v) { return look.scale.logarithmic ? std::log10(v) : v; };
    return density::glowing(
        number(look.scale.low), number(look.scale.high), full_colours(look.colours),
        {.opacity = look.opacity, .reach = reach, .steepness = look.steepness, .glow = look.glow});
}

double longest_side(const density::CellField& field)
{
    const Vec3 side = field.patches[0].high - field.patches[0].low;
    return std::max({side.x, side.y, side.z});
}

/// The mean light of n x n rays a pixel.
Buffer<density::Radiance> averaged(const std::vector<density::Radiance>& rays, unsigned width,
                                   unsigned height, unsigned n)
{
    Buffer<density::Radiance> light(Backend::cpu, std::size_t{width} * height);
    const std::size_t row = std::size_t{width} * n;
    const float share = 1 / static_cast<float>(n * n);
#pragma omp parallel for
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            density::Radiance sum{0, 0, 0, 0};
            for (unsigned k = 0; k < n * n; ++k) {
                const density::Radiance& ray =
                    rays[(std::size_t{y} * n + k / n) * row + std::size_t{x} * n + k % n];
                sum.red += share * ray.red;
                sum.green += share * ray.green;
                sum.blue += share * ray.blue;
                sum.transmittance += share * ray.transmittance;
            }
            light.data()[std::size_t{y} * width + x] = sum;
        }
    return light;
}

}  // namespace

std::size_t field_bytes(const density::CellField& shape)
{
    return shape.patches.size() * (shape.cells_per_patch() * sizeof(double) + sizeof(density::FieldPatch));
}

std::size_t VolumeMemory::host() const
{
    if (backend != Backend::cpu) return std::max(field + bricks, picture);
    return bricks + std::max(field, light + picture);
}

VolumeMemory volume_memory(Backend where, const density::CellField& shape, const VolumeLook& look,
                           unsigned width, unsigned height)
{
    expect_sound(look);
    VolumeMemory memory{.backend = where};
    memory.field = field_bytes(shape);
    memory.bricks = density::brick_tree_bytes(shape);
    const std::size_t pixels = std::size_t{width} * height;
    const std::size_t rays = pixels * look.oversampling * look.oversampling;
    memory.light = rays * sizeof(density::Radiance);
    // colours on the backend and on the host, the image, and its rows during compression
    memory.picture = pixels * (2 * sizeof(Index) + 2 * sizeof(io::Rgb));
    if (look.oversampling > 1) memory.picture += (rays + pixels) * sizeof(density::Radiance);
    return memory;
}

VolumePainter::VolumePainter(Exec exec, const density::CellField& field, VolumeLook look)
    : exec_(exec),
      look_(std::move(look)),
      reach_(longest_side(field)),
      volume_(exec.backend, tree_of(field, look_))
{
    volume_.set_transfer(exec, transfer_of(reach_, look_));
}

void VolumePainter::set_scale(const ColourScale& scale)
{
    look_.scale = scale;
    volume_.set_transfer(exec_, transfer_of(reach_, look_));
}

io::Image VolumePainter::picture(const density::Camera& camera, unsigned width, unsigned height,
                                 const Progress& progress)
{
    const unsigned n = look_.oversampling;
    density::Volume::View view{density::camera_view(camera, width * n, height * n)};
    view.options.samples_per_cell = static_cast<float>(look_.samples);
    view.interpolate = look_.interpolate;
    volume_.cast(exec_, view, light_, progress);
    const density::Exposure exposure{.gain = static_cast<float>(look_.exposure)};
    if (n > 1)
        develop({}, averaged(light_.to_vector(), width, height, n), exposure, rgb_);
    else
        develop(exec_, light_, exposure, rgb_);
    const std::vector<Index> rgb = rgb_.to_vector();
    io::Image image(width, height);
    for (unsigned y = 0; y < height; ++y)
        for (unsigned x = 0; x < width; ++x) {
            const Index c = rgb[std::size_t{y} * width + x];
            image.at(x, y) = {static_cast<std::uint8_t>(c), static_cast<std::uint8_t>(c >> 8),
                              static_cast<std::uint8_t>(c >> 16)};
        }
    return image;
}

}  // namespace aureole::run
