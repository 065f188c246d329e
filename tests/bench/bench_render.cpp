// Times pictures of an octree by ray casting: clumps on filaments, refined down to cells of 1/256 of the box,
// or a full grid of 256^3. usage: bench_render cpu|cuda [--cells 256] [--patch 8] [--full 0|1] [--width 1920]
//        [--height 1080] [--samples 1] [--constant 0|1] [--repeat 20]
// Prints one JSON line: median milliseconds of a frame from the call to colours in host memory, and of the
// rays alone, while the camera turns; what the field takes; cells, leaves and the cells that rays pass on
// average.
//
// Floor on an H200 (132 multiprocessors at 1.7 GHz or more, 4.8 TB/s, 50 MB of L2): 256^3 cells in bricks of
// 16 with ghosts are 96 MB (131 MB in bricks of 8), 20 to 27 us to read once. Of 1920 x 1080 rays some 0.7e6
// hit the box, on 0.62 of its side: 160 samples and 30 leaves each, 1.3e8 samples of 8 loads, a lookup of 32
// bytes and about 120 instructions. Instructions: 1.3e8 * 120 / (132 * 128 lanes * 1.7e9) = 0.55 ms.
// Loads: 1.3e8 / 32 * 10 warp-wide gathers of some 8 sectors, at 4 sectors a clock and multiprocessor, 0.4 ms
// if all hit L1. Descents: 30 leaves, 5 dependent loads of 4 bytes and some 60 double operations each, 0.2
// ms. The picture: 33 MB written and read, 8 MB over PCIe: 0.4 ms. So 1.5 ms for a full grid without empty
// space; expected 3 to 6 ms with divergence, L2 misses and the longest rays at the end; wanted 20 ms. 80
// registers: 24 warps a multiprocessor.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "density/rendering/volume.hpp"
#include "sim/core/device.hpp"
#include "sim/core/random.hpp"
#include "tests/bench/options.hpp"

namespace {

using namespace aureole;
using namespace aureole::density;

struct Options {
    Exec exec;
    int cells, patch, width, height, repeat;
    bool full, constant;
    double samples;
};

Options options_of(const bench::Options& words)
{
    Options options;
    options.exec.backend = words.input() == "cuda" ? Backend::cuda : Backend::cpu;
    options.cells = words.count("--cells");
    options.patch = words.count("--patch");
    options.width = words.count("--width");
    options.height = words.count("--height");
    options.repeat = words.repeats();
    options.full = words.flag("--full");
    options.constant = words.flag("--constant");
    options.samples = words.number("--samples");
    return options;
}

/// Clumps with r^-2 profiles on a background of waves: about as uneven as matter is.
class Web {
public:
    Web()
    {
        for (std::uint64_t k = 0; k < 300; ++k) {
            Random random(7, k, 0);
            const Vec3 at{random.uniform(), random.uniform(), random.uniform()};
            // onto walls and filaments: towards whole multiples of 1/3, along one axis or two
            const auto pulled = [&](double x) { return x + 0.8 * (std::round(3 * x) / 3 - x); };
            centre_.push_back({pulled(at.x), k % 2 ? pulled(at.y) : at.y, at.z});
            mass_.push_back(1e-4 * std::pow(random.uniform(), -0.7));
        }
    }
    double operator()(Vec3 x) const
    {
        const auto wall = [](double u) {
            return std::exp(-200 * std::pow(std::sin(3 * std::numbers::pi * u), 2));
        };
        const double a = wall(x.x + 0.05 * std::sin(6 * x.z)), b = wall(x.y + 0.04 * std::sin(7 * x.x));
        double density = 0.2 + 2 * (a + b) + 40 * a * b;
        for (std::size_t k = 0; k < centre_.size(); ++k) {
            const Vec3 d = x - centre_[k];
            const double r2 = dot(d, d);
            if (r2 < 0.01) density += mass_[k] / (r2 + 1e-6) / (1 + 1e4 * r2);
        }
        return density;
    }

private:
    std::vector<Vec3> centre_;
    std::vector<double> mass_;
};

/// The densities at the cells' centres; patches with anything dense in them are split.
CellField field_of(const Options& options)
{
    const Web web;
    const auto n = static_cast<Index>(options.full ? options.cells : options.patch);
    CellField field{{n, n, n}, {FieldPatch{.low = {0, 0, 0}, .high = {1, 1, 1}}}, {}};
    const std::size_t cells = field.cells_per_patch();
    Index deepest = 0;
    while (!options.full && (options.patch << deepest) < options.cells) ++deepest;
    for (std::size_t p = 0; p < field.patches.size();) {
        const std::size_t end = field.patches.size();  // level by level
        field.values.resize(end * cells);
#pragma omp parallel for schedule(dynamic, 1)
        for (std::size_t row = p * n; row < end * n; ++row) {
            const FieldPatch& patch = field.patches[row / n];
            const double size = (patch.high.x - patch.low.x) / n;
            for (Index j = 0; j < n; ++j)
                for (Index k = 0; k < n; ++k)
                    field.values[(row * n + j) * n + k] =
                        web(patch.low + size * Vec3{static_cast<double>(row % n) + 0.5, j + 0.5, k + 0.5});
        }
        for (; p < end; ++p) {
            const FieldPatch parent = field.patches[p];
            double largest = 0;
            for (std::size_t c = p * cells; c < (p + 1) * cells; ++c)
                largest = std::max(largest, field.values[c]);
            if (parent.level >= deepest || largest < 2 * (1 << parent.level) / 4.0) continue;
            field.patches[p].first_child = static_cast<Index>(field.patches.size());
            const double half = (parent.high.x - parent.low.x) / 2;
            for (Index o = 0; o < 8; ++o) {
                const Vec3 low =
                    parent.low + half * Vec3{static_cast<double>(o >> 2 & 1), static_cast<double>(o >> 1 & 1),
                                             static_cast<double>(o & 1)};
                field.patches.push_back(
                    {.low = low, .high = low + Vec3{half, half, half}, .level = parent.level + 1});
            }
        }
    }
    return field;
}

TransferFunction look()
{
    const std::vector<Vec3f> colours{{0.1f, 0.2f, 1}, {1, 0.3f, 0.4f}, {1, 0.8f, 0.3f}, {1, 1, 1}};
    return glowing(std::log10(0.5), std::log10(500), colours,
                   {.opacity = 400, .reach = 1, .steepness = 4, .glow = 3});
}

/// Light and colours of rays that only measure their way: a medium that emits 1 everywhere.
double mean_length(Exec exec, Volume& volume, const Volume::View& view)
{
    volume.set_transfer(exec, {-10, 10, {{1, 0, 0, 0}}});
    Buffer<Radiance> light;
    volume.cast(exec, view, light);
    double sum = 0;
    std::size_t hits = 0;
    for (const Radiance& p : light.to_vector()) {
        sum += p.red;
        hits += p.red > 0;
    }
    return sum / static_cast<double>(std::max<std::size_t>(hits, 1));
}

void run(const Options& options)
{
    const CellField field = field_of(options);
    const BrickTree tree = brick_tree(field, {.logarithmic = true, .floor = 0.5});
    Volume volume(options.exec.backend, tree);
    const Camera first = camera_on({0, 0, 0}, {1, 1, 1});
    const auto view_at = [&](double turn) {
        Camera camera = first;
        const Vec3 d = first.position - first.look_at;
        camera.position = first.look_at + Vec3{std::cos(turn) * d.x - std::sin(turn) * d.y,
                                               std::sin(turn) * d.x + std::cos(turn) * d.y, d.z};
        return Volume::View{
            camera_view(camera, static_cast<unsigned>(options.width), static_cast<unsigned>(options.height)),
            {.samples_per_cell = static_cast<float>(options.samples)},
            !options.constant};
    };
    const double length = mean_length(options.exec, volume, view_at(0));
    volume.set_transfer(options.exec, look());
    std::vector<double> frame, rays;
    Buffer<Radiance> light;
    Buffer<Index> rgb;
    std::uint64_t bits = 0;
    for (int k = 0; k <= options.repeat; ++k) {  // the first one warms up
        const double begin = omp_get_wtime();
        volume.cast(options.exec, view_at(2 * std::numbers::pi * k / options.repeat), light);
        if (options.exec.backend == Backend::cuda) device::synchronize();
        const double cast = omp_get_wtime();
        develop(options.exec, light, {}, rgb);
        const std::vector<Index> picture = rgb.to_vector();
        if (k > 0) frame.push_back(omp_get_wtime() - begin);
        if (k > 0) rays.push_back(cast - begin);
        for (const Index c : picture) bits = bits * 31 + c;
    }
    std::size_t leaves = 0;
    for (const FieldPatch& p : field.patches) leaves += p.leaf();
    std::printf(
        "{\"benchmark\": \"render\", \"backend\": \"%s\", \"cells_per_side\": %d, \"field\": \"%s\", "
        "\"leaves\": %zu, "
        "\"leaf_cells\": %zu, \"megabytes\": %.1f, \"width\": %d, \"height\": %d, \"samples_per_cell\": %g, "
        "\"interpolated\": %d, \"mean_way\": %.3f, \"threads\": %d, \"repeat\": %d, \"ms_per_frame\": %.3f, "
        "\"ms_of_rays\": %.3f, \"bits\": \"%016llx\"}\n",
        name_of(options.exec.backend), options.cells, options.full ? "grid" : "octree", leaves,
        leaves * field.cells_per_patch(), static_cast<double>(volume.bytes()) / 1e6, options.width,
        options.height, options.samples, options.constant ? 0 : 1, length, omp_get_max_threads(),
        options.repeat, bench::median_ms(frame), bench::median_ms(rays),
        static_cast<unsigned long long>(bits));
}

}  // namespace

int main(int argc, char** argv)
{
    return aureole::bench::run(
        argc, argv, "cpu|cuda",
        "--cells 256 --patch 8 --full 0 --width 1920 --height 1080 --samples 1 --constant 0 --repeat 20",
        [](const aureole::bench::Options& words) { run(options_of(words)); });
}
