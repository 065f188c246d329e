// Direct summation on the CPU: orders particles along a space-filling curve, cuts them into tiles of targets
// and chunks of sources, and lets the kernels of the machine's instruction set (direct_cpu_simd.cpp)
// evaluate one tile after the other, each by one thread. Cost O(N_targets N_sources) plus O(N log N).
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gravity/direct/direct_task.hpp"
#include "gravity/direct/morton_order.hpp"
#include "sim/core/progress_blocks.hpp"

namespace aureole::gravity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Lengths in units of the system's extent that float pair arithmetic takes: the third power of the inverse,
/// times the number of sources, stays below 1e38.
constexpr double least_float_length = 0x1p-33;

/// Pairs below which a second thread costs more than it gives.
constexpr double parallel_pairs = 1 << 17;

/// Pairs of a block between two reports: most are about a second of one thread.
constexpr double most_pairs = 1 << 30;

/// What the particles at hand span; the reductions are exact in any order.
struct Survey {
    Vec3 low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
    double least_mass = infinity, largest_mass = 0;
    unsigned types = 0;  ///< bit t is set when a particle of type t is there
};

Survey survey_of(const ConstParticlesView& p, const Selection& selection, Survey survey)
{
    double x0 = survey.low.x, y0 = survey.low.y, z0 = survey.low.z;
    double x1 = survey.high.x, y1 = survey.high.y, z1 = survey.high.z;
    double light = survey.least_mass, heavy = survey.largest_mass;
    unsigned types = survey.types;
#pragma omp parallel for if (selection.size() > parallel_threshold) reduction(min                  \
                                                                              : x0, y0, z0, light) \
    reduction(max                                                                                  \
              : x1, y1, z1, heavy) reduction(|                                                     \
                                             : types)
    for (Index k = 0; k < selection.size(); ++k) {
        const Index i = selection[k];
        const Vec3 x = p.position.load(i);
        x0 = std::min(x0, x.x), x1 = std::max(x1, x.x);
        y0 = std::min(y0, x.y), y1 = std::max(y1, x.y);
        z0 = std::min(z0, x.z), z1 = std::max(z1, x.z);
        light = std::min(light, p.mass[i]), heavy = std::max(heavy, p.mass[i]);
        types |= 1u << p.type_of(i);
    }
    return {{x0, y0, z0}, {x1, y1, z1}, light, heavy, types};
}

/// A power of two that brings `x` into [1/2, 1); 1 where there is nothing to scale.
double scale_of(double x)
{
    if (!(x > 0) || !std::isfinite(x)) return 1;
    int exponent;
    std::frexp(x, &exponent);
    return std::ldexp(1, std::clamp(-exponent, -900, 900));
}

Index chunks_of(Index n) { return (n + chunk_sources - 1) / chunk_sources; }

/// Hands out 64-byte aligned pieces of the scratch; with a null base it only counts.
struct Carver {
    std::byte* base;
    std::size_t used = 0;

    template <class T>
    void take(T*& piece, std::size_t n)
    {
        piece = base ? reinterpret_cast<T*>(base + used) : nullptr;
        used += (n * sizeof(T) + 63) / 64 * 64;
    }
};

struct SourceScratch {
    MortonItem* items;
    SourceTiles tiles;
};

std::size_t carve(const DirectTask& task, std::byte* base, SourceScratch& scratch)
{
    const Index n = task.sources.size();
    Carver carver{base};
    carver.take(scratch.items, 2 * std::size_t{n});
    SourceTiles& s = scratch.tiles;
    s.n = n;
    for (double** array : {&s.x, &s.y, &s.z, &s.mass, &s.soft}) carver.take(*array, n);
    carver.take(s.index, n);
    carver.take(s.bounds, chunks_of(n));
    return carver.used;
}

/// Used where the targets are not the sources.
struct TargetScratch {
    MortonItem* items;  ///< null where those of the sources serve
    Index* order;
};

std::size_t carve(const DirectTask& task, std::byte* base, TargetScratch& scratch)
{
    scratch = {};
    const Index n = task.targets.size();
    Carver carver{base};
    if (task.targets == task.sources) return 0;
    if (n > task.sources.size()) carver.take(scratch.items, 2 * std::size_t{n});
    carver.take(scratch.order, n);
    return carver.used;
}

/// Softening as the kernels want it, and which sources may be taken in float.
void set_softening(const DirectTask& task, unsigned types, DirectTiles& tiles)
{
    double least = infinity, largest = 0;
    for (int type = 0; type < n_particle_types; ++type) {
        const double eps = tiles.length_scale * task.softening.length[type];
        const double h = spline_support * eps;
        tiles.type_soft[type] = !tiles.spline ? eps * eps : h > 0 ? 1 / h : infinity;
        if (!(types >> type & 1)) continue;
        least = std::min(least, eps);
        largest = std::max(largest, eps);
    }
    const bool full = task.precision == Precision::double_precision;
    tiles.near_in_double = full || !(least >= least_float_length);
    tiles.far_gap = full           ? infinity
                    : tiles.spline ? std::max(least_float_length, 1.001 * spline_support * largest)
                                   : least_float_length;
    tiles.far_by_type = !tiles.spline && least != largest;
    tiles.far_eps2 = tiles.spline ? 0 : largest * largest;
}

/// Copies the sources in the order of s.index, scaled, and finds the box of each chunk.
void gather_sources(const DirectTiles& tiles, double mass_scale, const SourceTiles& s)
{
    const ConstParticlesView& p = tiles.particles;
    const Index n_chunks = chunks_of(s.n);
#pragma omp parallel for if (s.n > parallel_threshold)
    for (Index chunk = 0; chunk < n_chunks; ++chunk) {
        Bounds box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
        for (Index j = chunk * chunk_sources; j < std::min(s.n, (chunk + 1) * chunk_sources); ++j) {
            const Index i = s.index[j];
            const Vec3 x = tiles.length_scale * p.position.load(i);
            s.x[j] = x.x;
            s.y[j] = x.y;
            s.z[j] = x.z;
            s.mass[j] = mass_scale * p.mass[i];
            s.soft[j] = tiles.type_soft[p.type_of(i)];
            const double at[3] = {x.x, x.y, x.z};
            for (int k = 0; k < 3; ++k) {
                box.low[k] = std::min(box.low[k], at[k]);
                box.high[k] = std::max(box.high[k], at[k]);
            }
        }
        s.bounds[chunk] = box;
    }
}

}  // namespace

DirectBytes direct_cpu_bytes(const DirectTask& task)
{
    SourceScratch sources;
    TargetScratch targets;
    return {carve(task, nullptr, sources), carve(task, nullptr, targets)};
}

DirectTiles prepare_direct_cpu(const DirectTask& task, std::byte* base)
{
    const ConstParticlesView& p = task.particles;
    SourceScratch scratch;
    carve(task, base, scratch);

    const Survey sources = survey_of(p, task.sources, {});
    const Survey survey =
        task.sources.covers(task.targets, p.n) ? sources : survey_of(p, task.targets, sources);
    const Vec3 span = survey.high - survey.low;
    const double extent = std::max({span.x, span.y, span.z});
    double length = extent;
    for (int type = 0; type < n_particle_types; ++type)
        if (survey.types >> type & 1) length = std::max(length, task.softening.length[type]);
    const double mass_scale = scale_of(sources.largest_mass);

    DirectTiles tiles{};
    tiles.particles = p;
    tiles.low = survey.low;
    tiles.extent = extent;
    tiles.spline = task.softening.kernel == SofteningKernel::spline;
    tiles.length_scale = scale_of(length);
    tiles.potential_unit = tiles.length_scale / mass_scale;
    tiles.force_unit = tiles.length_scale * tiles.potential_unit;
    tiles.common_mass = sources.least_mass == sources.largest_mass ? mass_scale * sources.least_mass : 0;
    set_softening(task, survey.types, tiles);

    morton_order(p.position, task.sources, survey.low, extent, scratch.items, scratch.tiles.index);
    gather_sources(tiles, mass_scale, scratch.tiles);
    tiles.sources = scratch.tiles;
    return tiles;
}

void evaluate_direct_cpu(const DirectTask& task, Slice slice, DirectTiles tiles, std::byte* sources,
                         std::byte* evaluation, const Progress& progress)
{
    const TileEvaluation evaluate =
        for_path(chosen_cpu_path(), tile_evaluation_baseline, tile_evaluation_avx2, tile_evaluation_avx512)();
    tiles.particles = task.particles;
    tiles.outputs = task.outputs;
    tiles.targets = tiles.sources.index;
    tiles.n_targets = task.targets.size();
    if (task.targets != task.sources) {
        SourceScratch source_scratch;
        TargetScratch scratch;
        carve(task, sources, source_scratch);
        carve(task, evaluation, scratch);
        MortonItem* const items = scratch.items ? scratch.items : source_scratch.items;
        morton_order(task.particles.position, task.targets, tiles.low, tiles.extent, items, scratch.order);
        tiles.targets = scratch.order;
    }

    const IndexRange mine = slice.places(tiles.n_targets, tile_targets);
    const Index first_tile = mine.begin / tile_targets,
                n_tiles = (mine.end + tile_targets - 1) / tile_targets - first_tile;
    const double pairs = static_cast<double>(mine.size()) * static_cast<double>(tiles.sources.n);
    const auto threads = static_cast<std::size_t>(omp_get_max_threads());
    const auto most =
        static_cast<std::size_t>(most_pairs / (static_cast<double>(tiles.sources.n) * tile_targets));
    in_blocks(n_tiles, 4 * threads, most, progress, "sums over all pairs",
              [&](std::size_t first, std::size_t last) {
#pragma omp parallel for if (last - first > 1 && pairs > parallel_pairs) schedule(dynamic)
                  for (std::size_t tile = first; tile < last; ++tile)
                      evaluate(tiles, first_tile + static_cast<Index>(tile));
              });
}

}  // namespace aureole::gravity
