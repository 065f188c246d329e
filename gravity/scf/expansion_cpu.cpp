// The expansion on the CPU: constants rounded to the numbers of the kernels, particles dealt out in pieces to
// threads, sums of the pieces in order. The kernels (expand_kernel.hpp, field_kernel.hpp) are those of the
// machine's instruction set. Cost O(N n_max l_max^2) both ways.
#include <omp.h>

#include <algorithm>
#include <cmath>

#include "gravity/scf/expansion_kernels.hpp"
#include "sim/core/progress_blocks.hpp"

namespace aureole::gravity::scf {
namespace {

/// Into how many pieces particles are cut: as many as keep a large machine busy, unless the particles are few
/// or the sums many. Depends on nothing but the sizes, so that equal input gives equal bits.
constexpr std::size_t few_pieces = 64, many_pieces = 256;
constexpr Index particles_for_many = 1 << 18;
constexpr std::size_t coefficients_for_few = 4096;

template <class T>
LaneKernels<T> chosen_kernels()
{
    return for_path(chosen_cpu_path(), lane_kernels_baseline<T>, lane_kernels_avx2<T>,
                    lane_kernels_avx512<T>)();
}

template <class T>
std::size_t tiled_size(const LaneKernels<T>& kernels, const Basis& basis)
{
    int tiles = 0;
    for (int l = 0; l <= basis.l_max; ++l) tiles += parts_of(2 * l + 1, kernels.rows);
    tiles *= parts_of(basis.n_max + 1, kernels.columns);
    return static_cast<std::size_t>(tiles * kernels.rows * kernels.columns);
}

/// Calls visit(coefficient index, index in the tiles) for every coefficient.
template <class T, class Visit>
void for_each_in_tiles(const LaneKernels<T>& kernels, const Basis& basis, Visit visit)
{
    std::size_t tile = 0;
    const int width = basis.n_max + 1, across = parts_of(width, kernels.columns);
    for (int l = 0; l <= basis.l_max; ++l)
        for (int i = 0, down = parts_of(2 * l + 1, kernels.rows); i < down; ++i)
            for (int j = 0; j < across; ++j, tile += static_cast<std::size_t>(kernels.rows * kernels.columns))
                for (int row = part_begin(2 * l + 1, i, down); row < part_begin(2 * l + 1, i + 1, down);
                     ++row)
                    for (int n = part_begin(width, j, across); n < part_begin(width, j + 1, across); ++n) {
                        const int cell = (row - part_begin(2 * l + 1, i, down)) * kernels.columns + n -
                                         part_begin(width, j, across);
                        visit(basis.index(n, l * l + row), tile + static_cast<std::size_t>(cell));
                    }
}

/// Hands out 64-byte aligned pieces of the scratch; with a null base it only counts.
struct Carver {
    std::byte* base;
    std::size_t used = 0;

    template <class T>
    T* take(std::size_t n)
    {
        T* piece = base ? reinterpret_cast<T*>(base + used) : nullptr;
        used += (n * sizeof(T) + 63) / 64 * 64;
        return piece;
    }
};

template <class T>
struct Scratch {
    T *alpha, *axial, *rise_z, *rise_r, *coefficients;
    double* sums;  ///< [pieces][tiled size]
    T* work;       ///< [threads][work size]
    std::size_t bytes;

    Scratch(const LaneKernels<T>& kernels, const Basis& basis, std::byte* base, unsigned parts)
    {
        Carver carver{base};
        if (base) carver.used = (64 - reinterpret_cast<std::uintptr_t>(base) % 64) % 64;
        const auto width = static_cast<std::size_t>(basis.n_max + 1),
                   side = static_cast<std::size_t>(basis.l_max + 1);
        alpha = carver.take<T>(side * width);
        axial = carver.take<T>(side * side);
        rise_z = carver.take<T>(side * side);
        rise_r = carver.take<T>(side * side);
        coefficients = carver.take<T>(basis.size());
        const std::size_t pieces = pieces_cpu(basis, particles_for_many) + parts - 1;
        sums = carver.take<double>(pieces * tiled_size(kernels, basis));
        work = carver.take<T>(work_size<T>(basis) * static_cast<std::size_t>(omp_get_max_threads()));
        bytes = carver.used + 64;
    }
    T* work_of_thread(const Basis& basis) const
    {
        return work + work_size<T>(basis) * static_cast<std::size_t>(omp_get_thread_num());
    }
};

template <class T>
LaneTask<T> lane_task(const ConstParticlesView& particles, Vec3 centre, const Tables& tables,
                      Scratch<T>& scratch)
{
    const auto round = [](const std::vector<double>& from, T* to) {
        std::transform(from.begin(), from.end(), to, [](double x) { return static_cast<T>(x); });
    };
    round(tables.alpha, scratch.alpha);
    round(tables.axial, scratch.axial);
    round(tables.rise_z, scratch.rise_z);
    round(tables.rise_r, scratch.rise_r);
    const Basis& basis = tables.basis;
    LaneTask<T> task{};
    task.particles = particles;
    task.family = basis.family;
    task.n_max = basis.n_max;
    task.l_max = basis.l_max;
    task.centre[0] = centre.x;
    task.centre[1] = centre.y;
    task.centre[2] = centre.z;
    task.scale_radius = basis.scale_radius;
    task.alpha = scratch.alpha;
    task.axial = scratch.axial;
    task.rise_z = scratch.rise_z;
    task.rise_r = scratch.rise_r;
    task.component = -1;
    return task;
}

template <class T>
PieceSums sum_pieces(const ExpandTask& task, const Tables& tables, std::byte* base, const Progress& progress)
{
    const Basis& basis = tables.basis;
    const LaneKernels<T> kernels = chosen_kernels<T>();
    Scratch<T> scratch(kernels, basis, base, task.slice.of);
    LaneTask<T> lanes = lane_task(task.particles, task.centre, tables, scratch);
    lanes.component = task.component;
    const std::uint64_t n = task.n_all;
    const std::size_t n_pieces = pieces_cpu(basis, task.n_all), size = tiled_size(kernels, basis);
    const std::size_t own = first_of_part(n_pieces, task.slice, task.slice.part),
                      n_own = first_of_part(n_pieces, task.slice, task.slice.part + 1) - own;
    const auto cut = [&](std::size_t piece) {
        return task.range.begin +
               static_cast<Index>(piece_begin_cpu(n, piece, n_pieces) - piece_begin_cpu(n, own, n_pieces));
    };
    const auto least = static_cast<std::size_t>(omp_get_max_threads());
    in_blocks(n_own, least, n_own, progress, "coefficients", [&](std::size_t first, std::size_t last) {
#pragma omp parallel for schedule(dynamic) if (task.range.size() > parallel_threshold)
        for (std::size_t piece = own + first; piece < own + last; ++piece) {
            double* sums = scratch.sums + piece * size;
            std::fill_n(sums, size, 0.0);
            kernels.expand(lanes, cut(piece), cut(piece + 1), sums, scratch.work_of_thread(basis));
        }
    });
    return {scratch.sums, pieces_in_part(n_pieces, task.slice.of), size};
}

template <class T>
void add_pieces(const ExpandTask& task, const Tables& tables, std::byte* base)
{
    const Basis& basis = tables.basis;
    const LaneKernels<T> kernels = chosen_kernels<T>();
    const Scratch<T> scratch(kernels, basis, base, task.slice.of);
    const std::size_t n_pieces = pieces_cpu(basis, task.n_all), size = tiled_size(kernels, basis);
    const auto samples = static_cast<std::size_t>(task.samples);
    for (std::size_t sample = 0; sample < samples; ++sample) {
        double* first = scratch.sums + sample * size;
        double* result = task.coefficients + sample * basis.size();
        if (sample >= n_pieces) {
            std::fill_n(result, basis.size(), 0.0);
            continue;
        }
        for (std::size_t piece = sample + samples; piece < n_pieces; piece += samples) {
            const double* sums = scratch.sums + piece * size;
            for (std::size_t k = 0; k < size; ++k) first[k] += sums[k];
        }
        for_each_in_tiles(kernels, basis, [&](std::size_t coefficient, std::size_t at) {
            result[coefficient] = tables.weight[coefficient] * first[at];
        });
    }
}

/// The kernels read and write neighbours: positions and results of the entries [begin, end) of a list, a
/// block of them, are copied to the stack and back.
template <class T>
void field_of_list(const LaneKernels<T>& kernels, const LaneTask<T>& lanes, const Selection& list,
                   Index begin, Index end, T* work)
{
    constexpr int size = block_particles<T>;
    double position[3][size], acceleration[3][size], potential[size];
    const Index n = end - begin;
    const ForceOutputs& to = lanes.outputs;
    for (Index k = 0; k < n; ++k) {
        const Index i = list[begin + k];
        const Vec3 x = lanes.particles.position.load(i);
        position[0][k] = x.x, position[1][k] = x.y, position[2][k] = x.z;
        if (!lanes.add) continue;
        const Vec3 a = to.acceleration.x ? to.acceleration.load(i) : Vec3{};
        acceleration[0][k] = a.x, acceleration[1][k] = a.y, acceleration[2][k] = a.z;
        if (to.potential) potential[k] = to.potential[i];
    }
    LaneTask<T> block = lanes;
    block.particles.position = {position[0], position[1], position[2]};
    block.outputs = {{acceleration[0], acceleration[1], acceleration[2]}, to.potential ? potential : nullptr};
    kernels.field(block, 0, n, work);
    for (Index k = 0; k < n; ++k) {
        const Index i = list[begin + k];
        if (to.acceleration.x)
            to.acceleration.store(i, {acceleration[0][k], acceleration[1][k], acceleration[2][k]});
        if (to.potential) to.potential[i] = potential[k];
    }
}

template <class T>
void add_field(const FieldTask& task, const Tables& tables, std::byte* base)
{
    const Basis& basis = tables.basis;
    const LaneKernels<T> kernels = chosen_kernels<T>();
    Scratch<T> scratch(kernels, basis, base, 1);
    LaneTask<T> lanes = lane_task(task.particles, task.centre, tables, scratch);
    double largest = 0;
    for (std::size_t k = 0; k < basis.size(); ++k)
        largest = std::max(largest, std::abs(task.coefficients[k] * tables.weight[k]));
    lanes.coefficient_unit = largest > 1e-300 ? largest : 1;
    for (std::size_t k = 0; k < basis.size(); ++k)
        scratch.coefficients[k] =
            static_cast<T>(task.coefficients[k] * tables.weight[k] / lanes.coefficient_unit);
    lanes.coefficients = scratch.coefficients;
    lanes.outputs = task.outputs;
    lanes.add = task.add;
    constexpr Index step = block_particles<T>;
    const Index n = task.targets.size();
    const IndexRange mine = task.slice.places(n, step);
    const Index last = mine.end / step + (mine.end % step != 0);
#pragma omp parallel for schedule(dynamic, 4) if (mine.size() > parallel_threshold)
    for (Index block = mine.begin / step; block < last; ++block) {
        const Index begin = block * step, end = n - begin < step ? n : begin + step;
        if (task.targets.list)
            field_of_list(kernels, lanes, task.targets, begin, end, scratch.work_of_thread(basis));
        else
            kernels.field(lanes, task.targets.range.begin + begin, task.targets.range.begin + end,
                          scratch.work_of_thread(basis));
    }
}

}  // namespace

std::size_t pieces_cpu(const Basis& basis, Index n)
{
    return n < particles_for_many || basis.size() > coefficients_for_few ? few_pieces : many_pieces;
}

std::size_t expansion_scratch_bytes_cpu(const Tables& tables, unsigned parts)
{
    return std::max(Scratch<float>(chosen_kernels<float>(), tables.basis, nullptr, parts).bytes,
                    Scratch<double>(chosen_kernels<double>(), tables.basis, nullptr, parts).bytes);
}

PieceSums sum_pieces_cpu(const ExpandTask& task, const Tables& tables, std::byte* scratch,
                         const Progress& progress)
{
    if (task.precision == Precision::mixed) return sum_pieces<float>(task, tables, scratch, progress);
    return sum_pieces<double>(task, tables, scratch, progress);
}

void add_pieces_cpu(const ExpandTask& task, const Tables& tables, std::byte* scratch)
{
    if (task.precision == Precision::mixed)
        add_pieces<float>(task, tables, scratch);
    else
        add_pieces<double>(task, tables, scratch);
}

void add_field_cpu(const FieldTask& task, const Tables& tables, std::byte* scratch)
{
    if (task.precision == Precision::mixed)
        add_field<float>(task, tables, scratch);
    else
        add_field<double>(task, tables, scratch);
}

}  // namespace aureole::gravity::scf
