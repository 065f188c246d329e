// Ellipses of a disk on the sky: the shape of each ring is iterated on the host, its sums are added where the
// particles are.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/analysis/disk_loops.hpp"
#include "sim/analysis/sky/sky_loops.hpp"
#include "sim/analysis/sky/sky_map.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/key_order.hpp"
#include "sim/core/table_columns.hpp"

namespace aureole::run {
namespace {

using std::numbers::pi;
constexpr std::int64_t least_in_ellipse = 100;

/// (1 - q^2) / (1 + q^2) times the cosine and the sine of twice the position angle: what second moments give.
struct Ellipse {
    double plus = 0, cross = 0;

    double strength() const { return std::hypot(plus, cross); }
    double ratio() const { return std::sqrt((1 - strength()) / (1 + strength())); }
    double angle() const
    {
        const double half = std::atan2(cross, plus) / 2;
        return half < 0 ? half + pi : half;
    }
};

/// The shape of a ring's own moments less `shape`.
Ellipse step_from(const Ellipse& shape, const EllipticalRing& ring)
{
    const double trace = ring.xx + ring.yy;
    return {(ring.xx - ring.yy) / trace - shape.plus, 2 * ring.xy / trace - shape.cross};
}

/// Iterates the shape of a ring, with steps that learn from the last two how much too short they are (Irons &
/// Tuck 1969): where the density falls slowly the moments of a ring are mostly those of its own edges.
class FittedRing {
public:
    FittedRing(double a0, double a1) : a0_(a0), a1_(a1) {}

    bool ends() const { return ends_; }
    bool converged() const { return converged_; }
    const Ellipse& shape() const { return shape_; }
    const EllipticalRing& ring() const { return ring_; }

    RingTask task() const
    {
        return {std::cos(shape_.angle()), std::sin(shape_.angle()), shape_.ratio(), a0_, a1_, 0, 0, 0, 0};
    }

    /// What lies in the ring of the present shape, and the next one.
    void add(const EllipticalRing& ring)
    {
        constexpr int most_steps = 60;
        constexpr double small = 1e-4, roundest = 0.98, longest = 20;
        ring_ = ring;
        const Ellipse step = ring.count < least_in_ellipse ? Ellipse{} : step_from(shape_, ring);
        converged_ = ring.count >= least_in_ellipse &&
                     step.strength() < std::fmax(small, 1.0 / static_cast<double>(ring.count));
        ends_ = converged_ || ring.count < least_in_ellipse || n_ == most_steps;
        if (ends_) return;
        const double plus = step.plus - before_.plus, cross = step.cross - before_.cross;
        const double change = plus * plus + cross * cross;
        if (n_ > 0 && change > 0)
            factor_ = std::fmin(
                longest, std::fmax(0.3, -factor_ * (before_.plus * plus + before_.cross * cross) / change));
        const Ellipse next{shape_.plus + factor_ * step.plus, shape_.cross + factor_ * step.cross};
        const double shrink = std::fmin(1.0, roundest / std::fmax(1e-300, next.strength()));
        shape_ = {shrink * next.plus, shrink * next.cross};
        before_ = step;
        ++n_;
    }

private:
    double a0_, a1_, factor_ = 1;
    Ellipse shape_, before_;
    EllipticalRing ring_{0, 0, 0, 0, 0, 0};
    int n_ = 0;
    bool ends_ = false, converged_ = false;
};

/// Particles in the order of their distances from the centre.
class SortedSky {
public:
    SortedSky(Exec exec, const SkyPoints& sky)
        : exec_(exec), n_(sky.n), mass_(exec.backend, n_), x_(exec.backend, n_), y_(exec.backend, n_)
    {
        KeyOrder order(exec, n_);
        find_distances(exec, sky, order.keys(), order.order());
        order.sort(64);
        gather(exec, n_, order.order(), {{sky.mass, sky.x, sky.y}, {mass_.data(), x_.data(), y_.data()}});
        Buffer<double> edge(exec.backend, (std::size_t{n_} + ring_piece - 1) / ring_piece);
        find_edges(exec, view(), edge.data());
        edge_ = edge.to_vector();
    }

    /// What lies in each of the rings.
    std::vector<EllipticalRing> sums(std::vector<RingTask> tasks)
    {
        Index n_sums = 0, n_groups = 0;
        for (RingTask& task : tasks) {
            set_pieces(task);
            task.sums = n_sums;
            task.groups = n_groups;
            n_sums += task.last - task.first;
            n_groups += groups_of(task);
        }
        tasks_.require(exec_.backend, tasks.size());
        sums_.require(exec_.backend, n_sums);
        groups_.require(exec_.backend, n_groups);
        std::vector<EllipticalRing> parts(n_groups);
        copy(tasks_.data(), tasks.data(), tasks.size());
        sum_rings(exec_, view(), static_cast<Index>(tasks.size()), tasks_.data(), n_sums, sums_.data(),
                  n_groups, groups_.data());
        copy(parts.data(), groups_.data(), parts.size());
        if (exec_.backend == Backend::cuda) device::wait(exec_.stream);
        std::vector<EllipticalRing> rings;
        for (const RingTask& task : tasks) {
            EllipticalRing ring{0, 0, 0, 0, 0, 0};
            for (Index g = 0; g < groups_of(task); ++g) add(ring, parts[task.groups + g]);
            rings.push_back(ring);
        }
        return rings;
    }

private:
    static Index groups_of(const RingTask& task)
    {
        return (task.last - task.first + ring_group - 1) / ring_group;
    }

    /// Those that can hold particles of the ring, of which none is nearer than its least semi-minor axis.
    void set_pieces(RingTask& task) const
    {
        constexpr double rounding = 1e-9;
        const double inner = task.ratio * task.a0;
        const auto first = std::ranges::upper_bound(edge_, inner * inner * (1 - rounding));
        const auto last = std::ranges::upper_bound(edge_, task.a1 * task.a1 * (1 + rounding));
        const auto place = [&](auto at) { return static_cast<Index>(at - edge_.begin()); };
        task.first = first == edge_.begin() ? 0 : place(first) - 1;
        task.last = place(last);
    }

    /// Between the memories of host and backend, in the order of the stream.
    template <class T>
    void copy(T* to, const T* from, std::size_t n) const
    {
        if (exec_.backend == Backend::cpu)
            std::copy_n(from, n, to);
        else if (n > 0)
            device::copy(exec_.stream, to, from, n * sizeof(T));
    }

    SkyPoints view() const { return {n_, mass_.data(), x_.data(), y_.data(), nullptr}; }

    Exec exec_;
    Index n_;
    Buffer<double> mass_, x_, y_;
    std::vector<double> edge_;  ///< squares of the distances at which pieces begin
    Buffer<RingTask> tasks_;
    Buffer<EllipticalRing> sums_, groups_;
};

/// All rings at once, a pass over the particles for each step.
void fit(std::vector<FittedRing>& rings, SortedSky& sky)
{
    for (;;) {
        std::vector<FittedRing*> left;
        std::vector<RingTask> tasks;
        for (FittedRing& ring : rings)
            if (!ring.ends()) {
                left.push_back(&ring);
                tasks.push_back(ring.task());
            }
        if (left.empty()) return;
        const std::vector<EllipticalRing> sums = sky.sums(std::move(tasks));
        for (std::size_t k = 0; k < left.size(); ++k) left[k]->add(sums[k]);
    }
}

}  // namespace

Table ellipse_table(Exec exec, const SkyPoints& sky, double inner, double outer, int rings)
{
    AUREOLE_EXPECT(inner > 0 && outer > inner && std::isfinite(outer) && rings > 0,
                   "{} ellipses between {} and {}, expected growing radii above 0", rings, inner, outer);
    Table table{static_cast<std::size_t>(rings), {}};
    table.columns.reserve(7);
    auto& axis = add_column(table, "SemiMajorAxis", "Geometric mean of both edges.", {.length = 1});
    auto& count = add_column<std::int64_t>(table, "Count", "Particles.");
    auto& density = add_column(table, "SurfaceDensity", "Mass over area.", {.length = -2, .mass = 1});
    auto& ratio = add_column(table, "AxisRatio", "b/a (Zemp et al. 2011).");
    auto& angle = add_column(table, "PositionAngle", "Of the major axis, radians from x.");
    auto& a4 = add_column(table, "A4", "Mean of cos(4 psi): pointed above 0, boxy below.");
    auto& converged = add_column<std::int64_t>(table, "Converged", "1 where the iteration ended.");
    const double step = std::log(outer / inner) / rings;
    std::vector<FittedRing> fits;
    for (std::size_t k = 0; k < table.rows; ++k) {
        const double a0 = inner * std::exp(static_cast<double>(k) * step);
        fits.emplace_back(a0, a0 * std::exp(step));
    }
    SortedSky sorted(exec, sky);
    fit(fits, sorted);
    for (std::size_t k = 0; k < table.rows; ++k) {
        const double a0 = inner * std::exp(static_cast<double>(k) * step), a1 = a0 * std::exp(step);
        const Ellipse& shape = fits[k].shape();
        const EllipticalRing& ring = fits[k].ring();
        axis[k] = std::sqrt(a0 * a1);
        converged[k] = fits[k].converged();
        count[k] = ring.count;
        density[k] = ring.mass / (pi * shape.ratio() * (a1 * a1 - a0 * a0));
        if (ring.count < least_in_ellipse) continue;
        ratio[k] = shape.ratio();
        angle[k] = shape.angle();
        a4[k] = ring.cos4 / ring.mass;
    }
    return table;
}

}  // namespace aureole::run
