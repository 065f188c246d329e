// Neighbours along the curve walk together: what they meet within the cut goes to two lists, bodies and
// cells, which each of them then sums in vector lanes, in double. Places are relative to the middle of the
// group. A node whose images may lie on several sides of the group is opened; a body of such a leaf enters
// the list once for each image that a target may meet, of which the cut, at most half of the box, leaves one.
#include "gravity/treepm/short_range.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "gravity/pair.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define AUREOLE_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define AUREOLE_VECTOR_CLONES
#endif

namespace aureole::gravity::treepm {
namespace {

constexpr Index group_size = short_range_group;
constexpr double least_distance = 1.3;  ///< of a cell, in its radii

struct Bodies {
    std::vector<double> x, y, z, mass, eps;
    std::vector<std::int64_t> index;

    void clear()
    {
        for (auto* list : {&x, &y, &z, &mass, &eps}) list->clear();
        index.clear();
    }
    void add(Vec3 at, double m, double e, Index i)
    {
        x.push_back(at.x);
        y.push_back(at.y);
        z.push_back(at.z);
        mass.push_back(m);
        eps.push_back(e);
        index.push_back(i);
    }
};

/// Places, masses and second moments.
struct Cells {
    std::vector<double> x, y, z, mass, xx, xy, xz, yy, yz, zz;

    void clear()
    {
        for (auto* list : {&x, &y, &z, &mass, &xx, &xy, &xz, &yy, &yz, &zz}) list->clear();
    }
};

struct Group {
    Vec3 middle, half;
    double least_acceleration;
    double eps;  ///< largest
};

struct Sum {
    Vec3 acceleration{};
    double potential = 0;
};

struct Target {
    Vec3 at;
    double eps;
    std::int64_t index;
};

/// Newtonian pairs, Plummer's where softened, less what the mesh has of them; no pairs inside `spline_reach`
/// (of 2.8 eps each) but for what the mesh has. Returns whether there were such.
AUREOLE_VECTOR_CLONES
bool sum_bodies(const Bodies& list, const Target& target, const SplitPair& pair, bool spline, Sum& sum)
{
    const auto n = static_cast<std::int64_t>(list.x.size());
    const double *const bx = list.x.data(), *const by = list.y.data(), *const bz = list.z.data(),
                        *const mass = list.mass.data(), *const soft = list.eps.data();
    const std::int64_t* const index = list.index.data();
    const double cut2 = pair.cut() * pair.cut();
    double ax = 0, ay = 0, az = 0, phi = 0, inside = 0;
#pragma omp simd reduction(+ : ax, ay, az, phi, inside)
    for (std::int64_t k = 0; k < n; ++k) {
        const double dx = bx[k] - target.at.x, dy = by[k] - target.at.y, dz = bz[k] - target.at.z;
        const double r2 = dx * dx + dy * dy + dz * dz;
        const double eps = target.eps > soft[k] ? target.eps : soft[k];
        const double reach = spline_support * eps;
        const bool counts = (r2 < cut2) & (index[k] != target.index);
        const bool close = spline & (r2 < reach * reach);
        const double softened = spline ? r2 : r2 + eps * eps;
        const bool newton = (softened > 0) & !close;
        const double inverse = newton ? 1 / std::sqrt(newton ? softened : 1.0) : 0.0;
        const double m = counts ? mass[k] : 0.0;
        const double smooth_r2 = counts ? r2 : 0.0;
        const double force = m * (inverse * inverse * inverse - pair.force(smooth_r2));
        ax += force * dx;
        ay += force * dy;
        az += force * dz;
        phi -= m * (inverse - pair.potential(smooth_r2));
        inside += counts & close ? 1.0 : 0.0;
    }
    sum.acceleration = sum.acceleration + Vec3{ax, ay, az};
    sum.potential += phi;
    return inside > 0;
}

/// The pairs within reach of the spline, which sum_bodies() left out.
void add_spline_pairs(const Bodies& list, const Target& target, Sum& sum)
{
    for (std::size_t k = 0; k < list.x.size(); ++k) {
        const Vec3 d = Vec3{list.x[k], list.y[k], list.z[k]} - target.at;
        const double r2 = dot(d, d), reach = spline_support * std::max(target.eps, list.eps[k]);
        if (!(r2 < reach * reach) || list.index[k] == target.index) continue;
        const PairKernel<double> whole = spline_pair(r2, reach);
        sum.acceleration = sum.acceleration + list.mass[k] * whole.force * d;
        sum.potential += list.mass[k] * whole.potential;
    }
}

/// Monopoles and quadrupoles of the same kernel: B_0 = 1/r - V, B_(n+1) = -2 dB_n / d(r^2).
AUREOLE_VECTOR_CLONES
void sum_cells(const Cells& list, const Target& target, const SplitPair& pair, Sum& sum)
{
    const auto n = static_cast<std::int64_t>(list.x.size());
    double ax = 0, ay = 0, az = 0, phi = 0;
#pragma omp simd reduction(+ : ax, ay, az, phi)
    for (std::int64_t k = 0; k < n; ++k) {
        const double dx = list.x[k] - target.at.x, dy = list.y[k] - target.at.y, dz = list.z[k] - target.at.z;
        const double r2 = dx * dx + dy * dy + dz * dz, i2 = 1 / r2, i1 = std::sqrt(i2);
        const SplitPair::Smooth s = pair.smooth(r2);
        const double b0 = i1 - pair.potential(r2), b1 = i1 * i2 - s.value;
        const double b2 = 3 * i1 * i2 * i2 + 2 * s.slope, b3 = 15 * i1 * i2 * i2 * i2 - 4 * s.curvature;
        const double qx = list.xx[k] * dx + list.xy[k] * dy + list.xz[k] * dz;
        const double qy = list.xy[k] * dx + list.yy[k] * dy + list.yz[k] * dz;
        const double qz = list.xz[k] * dx + list.yz[k] * dy + list.zz[k] * dz;
        const double q = qx * dx + qy * dy + qz * dz, trace = list.xx[k] + list.yy[k] + list.zz[k];
        const double along = list.mass[k] * b1 + 0.5 * (q * b3 - trace * b2);
        ax += along * dx - qx * b2;
        ay += along * dy - qy * b2;
        az += along * dz - qz * b2;
        phi -= list.mass[k] * b0 + 0.5 * (q * b2 - trace * b1);
    }
    sum.acceleration = sum.acceleration + Vec3{ax, ay, az};
    sum.potential += phi;
}

/// One thread's walks.
class Walker {
public:
    explicit Walker(const ShortRangeTask& task)
        : task_(task),
          length_(1 / task.tree.frame->length_scale),
          mass_(1 / task.tree.frame->mass_scale),
          spline_(task.softening.kernel == SofteningKernel::spline),
          largest_eps_(std::ranges::max(task.softening.length))
    {
    }

    void walk(Index begin, Index end, const ForceOutputs& outputs)
    {
        make_group(begin, end);
        bodies_.clear();
        cells_.clear();
        stack_.assign(1, tree::root_slot);
        while (!stack_.empty()) {
            const Index slot = stack_.back();
            stack_.pop_back();
            visit(slot);
        }
        for (const Target& target : targets_) {
            Sum sum;
            if (sum_bodies(bodies_, target, *task_.pair, spline_, sum))
                add_spline_pairs(bodies_, target, sum);
            sum_cells(cells_, target, *task_.pair, sum);
            const auto i = static_cast<Index>(target.index);
            outputs.acceleration.store(i, sum.acceleration);
            if (outputs.potential) outputs.potential[i] = sum.potential;
        }
    }

private:
    Vec3 place(double x, double y, double z) const { return length_ * Vec3{x, y, z}; }

    double eps_of(Index particle) const { return task_.softening.length[task_.particles.type_of(particle)]; }

    void make_group(Index begin, Index end)
    {
        constexpr double infinity = std::numeric_limits<double>::infinity();
        Vec3 low{infinity, infinity, infinity}, high{-infinity, -infinity, -infinity};
        group_.least_acceleration = infinity;
        group_.eps = 0;
        targets_.clear();
        const ConstVec3View& previous = task_.previous_acceleration;
        for (Index k = begin; k < end; ++k) {
            const Index i = task_.targets[k];
            const Vec3 x = task_.box.wrap(task_.particles.position.load(i));
            low = {std::min(low.x, x.x), std::min(low.y, x.y), std::min(low.z, x.z)};
            high = {std::max(high.x, x.x), std::max(high.y, x.y), std::max(high.z, x.z)};
            const Vec3 a = previous.absent() ? Vec3{} : previous.load(i);
            group_.least_acceleration = std::min(group_.least_acceleration, std::sqrt(dot(a, a)));
            targets_.push_back({x, eps_of(i), i});
            group_.eps = std::max(group_.eps, targets_.back().eps);
        }
        group_.middle = 0.5 * (low + high);
        group_.half = 0.5 * (high - low);
        for (Target& target : targets_) target.at = target.at - group_.middle;
    }

    /// How far an interval is from that of the group, along one axis.
    static double gap(double low, double high, double half)
    {
        return std::max({low - half, -half - high, 0.0});
    }

    bool in_one_image(double from, double to, double half) const
    {
        return to + half <= task_.box.side / 2 && from - half >= -task_.box.side / 2;
    }

    void visit(Index slot)
    {
        const tree::NodeHead& head = task_.tree.heads[slot];
        const tree::NodeTail& tail = task_.tree.tails[slot];
        const tree::NodeBox& box = task_.tree.boxes[slot];
        const Vec3 c = task_.box.nearest(place(head.x, head.y, head.z) - group_.middle);
        const double at[3] = {c.x, c.y, c.z}, half[3] = {group_.half.x, group_.half.y, group_.half.z};
        double gap2 = 0, distance2 = 0;
        bool one_image = true;
        for (int k = 0; k < 3; ++k) {
            // boxes are floats about the centre: a part in 10^6 wider is safe
            const double slack = 1e-6 * length_ * (box.high[k] - box.low[k]);
            const double low = at[k] + length_ * box.low[k] - slack,
                         high = at[k] + length_ * box.high[k] + slack;
            // two arcs of a circle: the way between their middles less their halves
            const double middle = std::abs(task_.box.nearest(0.5 * (low + high)));
            const double apart = std::max(middle - 0.5 * (high - low) - half[k], 0.0),
                         from_centre = gap(at[k], at[k], half[k]);
            gap2 += apart * apart;
            distance2 += from_centre * from_centre;
            one_image = one_image && in_one_image(low, high, half[k]);
        }
        const double cut = task_.pair->cut();
        if (gap2 >= cut * cut) return;
        if (one_image && is_taken(head, tail, c, distance2)) return add_cell(head, tail, c);
        if (tail.count == 0) {
            stack_.push_back(2 * tail.first);
            stack_.push_back(2 * tail.first + 1);
            return;
        }
        for (Index j = tail.first; j < tail.first + tail.count; ++j) add_body(j, one_image);
    }

    bool is_taken(const tree::NodeHead& head, const tree::NodeTail& tail, Vec3 c, double distance2) const
    {
        if (!(group_.least_acceleration > 0) || (tail.count > 0 && tail.count <= 4)) return false;
        const double b = length_ * static_cast<double>(head.radius),
                     m = mass_ * static_cast<double>(head.mass);
        if (!(distance2 > least_distance * least_distance * b * b)) return false;
        const double reach = SplitPair::beyond_cut * task_.pair->cut();
        const Vec3 farthest{std::abs(c.x) + group_.half.x, std::abs(c.y) + group_.half.y,
                            std::abs(c.z) + group_.half.z};
        if (!(dot(farthest, farthest) < reach * reach)) return false;
        const double eps = largest_eps_, distance = std::sqrt(distance2);
        if (spline_ ? !(distance > b + spline_support * eps)
                    : 1.5 * eps * eps > task_.softening_error * distance2)
            return false;
        const double ratio = b / distance;
        return m * ratio * ratio * ratio <= task_.tolerance * group_.least_acceleration * distance2;
    }

    void add_cell(const tree::NodeHead& head, const tree::NodeTail& tail, Vec3 c)
    {
        const double b = length_ * static_cast<double>(head.radius), unit = mass_ * b * b;
        cells_.x.push_back(c.x);
        cells_.y.push_back(c.y);
        cells_.z.push_back(c.z);
        cells_.mass.push_back(mass_ * static_cast<double>(head.mass));
        cells_.xx.push_back(unit * static_cast<double>(tail.xx));
        cells_.xy.push_back(unit * static_cast<double>(tail.xy));
        cells_.xz.push_back(unit * static_cast<double>(tail.xz));
        cells_.yy.push_back(unit * static_cast<double>(tail.yy));
        cells_.yz.push_back(unit * static_cast<double>(tail.yz));
        cells_.zz.push_back(unit * static_cast<double>(tail.zz));
    }

    void add_body(Index j, bool one_image)
    {
        const tree::Body& body = task_.tree.bodies[j];
        const Index i = task_.tree.order[j];
        const Vec3 c = task_.box.nearest(place(body.x, body.y, body.z) - group_.middle);
        const double m = mass_ * body.mass, eps = eps_of(i);
        if (one_image) return bodies_.add(c, m, eps, i);
        const double side = task_.box.side;
        const auto images = [side](double x, double half) { return std::abs(x) + half > side / 2 ? 2 : 1; };
        const auto image = [side](double x, int k) { return k == 0 ? x : x - std::copysign(side, x); };
        const double cut = task_.pair->cut();
        for (int a = 0; a < images(c.x, group_.half.x); ++a)
            for (int b = 0; b < images(c.y, group_.half.y); ++b)
                for (int d = 0; d < images(c.z, group_.half.z); ++d) {
                    const Vec3 at{image(c.x, a), image(c.y, b), image(c.z, d)};
                    const Vec3 apart{gap(at.x, at.x, group_.half.x), gap(at.y, at.y, group_.half.y),
                                     gap(at.z, at.z, group_.half.z)};
                    if (dot(apart, apart) < cut * cut) bodies_.add(at, m, eps, i);
                }
    }

    const ShortRangeTask& task_;
    double length_, mass_;  ///< of one unit of the tree
    bool spline_;
    double largest_eps_;
    Group group_;
    std::vector<Target> targets_;
    Bodies bodies_;
    Cells cells_;
    std::vector<Index> stack_;
};

}  // namespace

void evaluate_short_range(const ShortRangeTask& task, const ForceOutputs& outputs)
{
    const Index n_groups = (task.n_targets + group_size - 1) / group_size;
#pragma omp parallel if (n_groups > 1)
    {
        Walker walker(task);
#pragma omp for schedule(dynamic, 4)
        for (Index g = 0; g < n_groups; ++g)
            walker.walk(g * group_size, std::min(task.n_targets, (g + 1) * group_size), outputs);
    }
}

}  // namespace aureole::gravity::treepm
