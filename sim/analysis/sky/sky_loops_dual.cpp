#include "sim/analysis/sky/sky_loops.hpp"

#include <cmath>
#include <limits>

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::run {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// term(sums, particle) for the particles of each piece of the lines that `counts`.
template <class Counts, class Term>
void sum_pieces(Exec exec, const SkyLines& lines, Counts counts, Term term)
{
    for_each(exec, lines.n_pieces, [=] AUREOLE_HD(Index k) {
        const LinePiece piece = lines.piece[k];
        const SkyLine& line = lines.line[piece.line];
        if (!counts(line)) return;
        double sums[line_terms] = {0, 0, 0, 0, 0};
        for (Index i = piece.begin; i < piece.end; ++i) term(sums, line, lines.mass[i], lines.velocity[i]);
        for (Index t = 0; t < line_terms; ++t) lines.sums[std::size_t{line_terms} * k + t] = sums[t];
    });
}

/// visit(line, sums of its pieces in order) for each line that `counts`.
template <class Counts, class Visit>
void for_each_line(Exec exec, const SkyLines& lines, Counts counts, Visit visit)
{
    for_each(exec, lines.n_lines, [=] AUREOLE_HD(Index k) {
        SkyLine& line = lines.line[k];
        if (!counts(line)) return;
        double sums[line_terms] = {0, 0, 0, 0, 0};
        for (Index p = line.first; p < line.last; ++p)
            for (Index t = 0; t < line_terms; ++t) sums[t] += lines.sums[std::size_t{line_terms} * p + t];
        visit(line, sums);
    });
}

/// One step to h1 = h2 = 0 from g h0 to g h4, to first order in both.
AUREOLE_HD inline void improve(SkyLine& line, const double* h)
{
    constexpr double small = 1e-8, root2 = 1.4142135623730951;
    if (!(h[0] > 0)) {
        line.shape = {nan, nan, nan, nan};
        line.fitting = 0;
        return;
    }
    const double h1 = h[1] / h[0], h2 = h[2] / h[0];
    if (std::abs(h1) < small && std::abs(h2) < small) {
        line.shape.h3 = h[3] / h[0];
        line.shape.h4 = h[4] / h[0];
        line.fitting = 0;
        return;
    }
    line.shape.velocity += root2 * h1 * line.shape.dispersion;
    line.shape.dispersion *= std::fmin(2.0, std::fmax(0.5, 1 + root2 * h2));
}

AUREOLE_HD inline EllipticalRing ring_of_piece(const SkyPoints& sky, const RingTask& task, Index piece)
{
    EllipticalRing ring{0, 0, 0, 0, 0, 0};
    const Index begin = piece * ring_piece, end = sky.n - begin < ring_piece ? sky.n : begin + ring_piece;
    for (Index i = begin; i < end; ++i) {
        const double x = sky.x[i], y = sky.y[i];
        const double along = task.cosine * x + task.sine * y;
        const double across = (task.cosine * y - task.sine * x) / task.ratio;
        const double a2 = along * along + across * across;
        if (!(a2 >= task.a0 * task.a0 && a2 < task.a1 * task.a1)) continue;
        const double m = sky.mass[i], two = (along * along - across * across) / a2, weight = m / a2;
        add(ring, {m, weight * x * x, weight * x * y, weight * y * y, m * (2 * two * two - 1), 1});
    }
    return ring;
}

/// The last task whose sums or groups, as `begin` says, begin at `k` or before.
AUREOLE_HD inline RingTask task_at(Index n_tasks, const RingTask* tasks, Index RingTask::*begin, Index k)
{
    Index low = 0, high = n_tasks;
    while (high - low > 1) {
        const Index middle = low + (high - low) / 2;
        if (tasks[middle].*begin <= k)
            low = middle;
        else
            high = middle;
    }
    return tasks[low];
}

AUREOLE_HD inline double distance_squared(const SkyPoints& sky, Index i)
{
    return sky.x[i] * sky.x[i] + sky.y[i] * sky.y[i];
}

}  // namespace

void project(Exec exec, const DiskView& disk, const SkyAxes& axes, const SkyTargets& to)
{
    for_each(exec, disk.n, [=] AUREOLE_HD(Index i) {
        const Vec3 d = disk.position[i] - axes.centre;
        to.mass[i] = disk.mass[i];
        to.x[i] = dot(d, axes.right);
        to.y[i] = dot(d, axes.up);
        to.velocity[i] = -dot(disk.velocity[i] - axes.velocity, axes.towards);
    });
}

void find_pixels(Exec exec, const SkyPoints& sky, double width, int side, std::uint64_t* pixel, Index* order)
{
    const double scale = side / width;
    const auto row = static_cast<std::uint64_t>(side);
    for_each(exec, sky.n, [=] AUREOLE_HD(Index i) {
        const double x = (sky.x[i] + width / 2) * scale, y = (sky.y[i] + width / 2) * scale;
        const bool inside = x >= 0 && y >= 0 && x < side && y < side;
        pixel[i] = inside ? static_cast<std::uint64_t>(y) * row + static_cast<std::uint64_t>(x) : row * row;
        order[i] = i;
    });
}

void find_distances(Exec exec, const SkyPoints& sky, std::uint64_t* distance, Index* order)
{
    for_each(exec, sky.n, [=] AUREOLE_HD(Index i) {
        distance[i] = ordered_bits(distance_squared(sky, i));
        order[i] = i;
    });
}

void find_firsts(Exec exec, Index n, const std::uint64_t* sorted, Index n_keys, Index* first)
{
    for_each(exec, n_keys + 1, [=] AUREOLE_HD(Index k) {
        Index low = 0, high = n;
        while (low < high) {
            const Index middle = low + (high - low) / 2;
            if (sorted[middle] < k)
                low = middle + 1;
            else
                high = middle;
        }
        first[k] = low;
    });
}

void find_moments(Exec exec, const SkyLines& lines)
{
    const auto all = [] AUREOLE_HD(const SkyLine&) { return true; };
    sum_pieces(exec, lines, all, [] AUREOLE_HD(double* s, const SkyLine&, double m, double v) {
        s[0] += m;
        s[1] += m * v;
    });
    for_each_line(exec, lines, all, [] AUREOLE_HD(SkyLine & line, const double* s) {
        line.mass = s[0];
        line.mean = s[0] > 0 ? s[1] / s[0] : nan;
    });
    sum_pieces(exec, lines, all, [] AUREOLE_HD(double* s, const SkyLine& line, double m, double v) {
        s[0] += m * (v - line.mean) * (v - line.mean);
    });
    for_each_line(exec, lines, all, [] AUREOLE_HD(SkyLine & line, const double* s) {
        line.dispersion = line.mass > 0 && line.end - line.begin > 1 ? std::sqrt(s[0] / line.mass) : nan;
        line.shape = {line.mean, line.dispersion, nan, nan};
        if (!(line.dispersion > 0)) line.fitting = 0;
    });
}

void improve_shapes(Exec exec, const SkyLines& lines)
{
    const auto fitting = [] AUREOLE_HD(const SkyLine& line) { return line.fitting != 0; };
    sum_pieces(exec, lines, fitting, [] AUREOLE_HD(double* s, const SkyLine& line, double m, double v) {
        const double y = (v - line.shape.velocity) / line.shape.dispersion, y2 = y * y,
                     w = m * std::exp(-y2 / 2);
        s[0] += w;
        s[1] += w * 1.4142135623730951 * y;
        s[2] += w * (2 * y2 - 1) * 0.70710678118654752;
        s[3] += w * (2 * y2 - 3) * y * 0.57735026918962576;
        s[4] += w * ((4 * y2 - 12) * y2 + 3) * 0.20412414523193151;
    });
    for_each_line(exec, lines, fitting,
                  [] AUREOLE_HD(SkyLine & line, const double* sums) { improve(line, sums); });
}

void count_fitting(Exec exec, const SkyLines& lines, Index* n)
{
    for_each(exec, lines.n_lines, [=] AUREOLE_HD(Index k) {
        if (lines.line[k].fitting) atomic_add(n, Index{1});
    });
}

void find_edges(Exec exec, const SkyPoints& sky, double* edge)
{
    for_each(exec, sky.n > 0 ? (sky.n - 1) / ring_piece + 1 : 0,
             [=] AUREOLE_HD(Index k) { edge[k] = distance_squared(sky, k * ring_piece); });
}

void sum_rings(Exec exec, const SkyPoints& sky, Index n_tasks, const RingTask* tasks, Index n_sums,
               EllipticalRing* sums, Index n_groups, EllipticalRing* groups)
{
    for_each(exec, n_sums, [=] AUREOLE_HD(Index k) {
        const RingTask task = task_at(n_tasks, tasks, &RingTask::sums, k);
        sums[k] = ring_of_piece(sky, task, task.first + (k - task.sums));
    });
    for_each(exec, n_groups, [=] AUREOLE_HD(Index g) {
        const RingTask task = task_at(n_tasks, tasks, &RingTask::groups, g);
        const Index n = task.last - task.first, begin = (g - task.groups) * ring_group;
        const Index end = n - begin < ring_group ? n : begin + ring_group;
        EllipticalRing all{0, 0, 0, 0, 0, 0};
        for (Index k = begin; k < end; ++k) add(all, sums[task.sums + k]);
        groups[g] = all;
    });
}

}  // namespace aureole::run
