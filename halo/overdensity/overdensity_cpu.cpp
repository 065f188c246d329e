// Spheres on the host: the innermost and the outermost crossings of densities about one centre. crossing.hpp
// says what these are, outermost_bound.hpp how far out the latter are looked for.
//
// The innermost: first the sphere that is certainly wide enough: while its mean density reaches the lowest
// threshold it grows, at least to where its mass alone would reach down to that. Then its masses by distance,
// and one sweep outward over bins of distance; a bin at whose far edge the mass before it still suffices
// cannot hold the end of a sphere.
//
// The outermost, from the outside in: all mass within the bound is known, so taking off the farthest
// particles gives the mass within any nearer one, exactly and in any order. The farthest quarter of the
// particles is dropped whole where all of the mass does not reach the density at its inner edge, else it is
// looked at alone, in the same way.
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "halo/overdensity/crossing.hpp"
#include "halo/overdensity/mass_sum.hpp"
#include "halo/overdensity/mass_tree.hpp"
#include "halo/overdensity/overdensity_tasks.hpp"
#include "halo/properties/member_sums.hpp"
#include "halo/properties/radial_bins.hpp"

namespace aureole::halo::detail {

/// Points about a centre: one thread's memory, kept from call to call.
struct PointsNear {
    std::vector<MassTree::Range> ranges;
    std::vector<std::size_t> place;  ///< of each range in `near`
    std::vector<RadialMass> near;

    /// Fills `near` with squared distances and masses of all points within the radius, and of some beyond it,
    /// in the order of the tree. False, with nothing filled, when there are many and `alone` is false.
    bool collect(const MassTree& tree, Vec3 centre, double radius, bool alone);
};

class OutermostSearch {
public:
    /// `thresholds` come by falling density; `mass_exponent`: of exact sums.
    OutermostSearch(const MassTree& tree, std::span<const Threshold> thresholds, int mass_exponent)
        : tree_(tree), thresholds_(thresholds), mass_exponent_(mass_exponent)
    {
    }

    /// Writes result[place] of every threshold where it is known. False, with nothing done, when there is
    /// much to do and `alone` is false.
    bool run(Vec3 centre, OverdensitySphere* result, PointsNear& points, bool alone) const;

private:
    MassSum sum_of(std::span<const RadialMass> entries) const;
    std::size_t outermost_reaching(std::span<RadialMass> entries, double density, MassSum& mass) const;

    const MassTree& tree_;
    std::span<const Threshold> thresholds_;
    int mass_exponent_;
};

bool OutermostSearch::run(Vec3 centre, OverdensitySphere* result, PointsNear& points, bool alone) const
{
    const bool periodic = tree_.box().periodic();
    const double widest = periodic ? tree_.box().side / 2 : tree_.farthest(centre) * (1 + 1e-9);
    std::span<const Threshold> left = thresholds_;  // the lowest density, whose sphere is the widest, is last
    while (!left.empty()) {
        const double density = left.back().density;
        const double radius = tree_.outermost_bound(centre, density, widest);
        if (!points.collect(tree_, centre, radius, alone)) return false;
        std::erase_if(points.near, [&](const RadialMass& entry) { return entry.squared > radius * radius; });
        MassSum mass = sum_of(points.near);
        if (periodic && radius >= widest &&
            reaches(to_mass(mass, mass_exponent_), density, widest * widest)) {
            left = left.first(left.size() - 1);  // wider than the box: not known
            continue;
        }
        std::span<RadialMass> near = points.near;
        for (; !left.empty(); left = left.first(left.size() - 1)) {
            const Threshold& t = left.back();
            near = near.first(outermost_reaching(near, t.density, mass));
            const double found = to_mass(mass, mass_exponent_);
            result[t.place] = near.empty() ? OverdensitySphere{0, 0}
                                           : OverdensitySphere{found, radius_of(found, t.density)};
        }
    }
    return true;
}

bool PointsNear::collect(const MassTree& tree, Vec3 centre, double radius, bool alone)
{
    ranges.clear();
    tree.ranges_near(centre, radius, ranges);
    place.assign(1, 0);
    for (const MassTree::Range& range : ranges) place.push_back(place.back() + range.end - range.begin);
    const std::size_t n = place.back(), n_ranges = ranges.size();
    if (n > long_list && !alone) return false;
    near.resize(n);
#pragma omp parallel for if (n > long_list)
    for (std::size_t k = 0; k < n_ranges; ++k) {
        RadialMass* to = near.data() + place[k];
        for (const MassTree::Point& point : tree.of(ranges[k])) {
            const Vec3 d = tree.box().nearest(point.position - centre);
            *to++ = {dot(d, d), point.mass};
        }
    }
    return true;
}

MassSum OutermostSearch::sum_of(std::span<const RadialMass> entries) const
{
    MassSum sum{0, 0};
    for (const RadialMass& entry : entries) sum = sum + to_sum(entry.mass, mass_exponent_);
    return sum;
}

/// The number of entries, first in the list on return, up to and with the outermost distance at which all
/// mass up to there reaches the density; 0: there is none. `mass`: of the entries and all that is nearer, on
/// return of that distance, or of what is nearer than all entries.
std::size_t OutermostSearch::outermost_reaching(std::span<RadialMass> entries, double density,
                                                MassSum& mass) const
{
    constexpr std::size_t few = 64;  // that are sorted
    const auto nearer = [](const RadialMass& a, const RadialMass& b) { return a.squared < b.squared; };
    const auto reached = [&](double squared) {
        return reaches(to_mass(mass, mass_exponent_), density, squared);
    };
    while (entries.size() > few) {
        const std::size_t inner = entries.size() - entries.size() / 4;
        std::nth_element(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(inner), entries.end(),
                         nearer);
        const std::span<RadialMass> outer = entries.subspan(inner);
        if (!reached(outer.front().squared))
            mass = mass - sum_of(outer);
        else if (const std::size_t kept = outermost_reaching(outer, density, mass); kept > 0)
            return inner + kept;
        entries = entries.first(inner);
    }
    std::sort(entries.begin(), entries.end(), nearer);
    for (std::size_t n = entries.size(); n > 0;) {
        const double squared = entries[n - 1].squared;
        if (reached(squared)) return n;
        for (; n > 0 && entries[n - 1].squared == squared; --n)  // they entered together
            mass = mass - to_sum(entries[n - 1].mass, mass_exponent_);
    }
    return 0;
}

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

/// One thread's memory.
struct Scratch : PointsNear {
    RadialBins bins;
};

/// The sweep outward from one centre.
class Sweep {
public:
    Sweep(std::span<const Threshold> thresholds, OverdensitySphere* result)
        : left_(thresholds), result_(result)
    {
    }

    /// `next`: squared distance inside which no other particle is.
    void run(RadialBins& bins, double next)
    {
        for (std::size_t bin = 0; bin < bins.n_bins() && !left_.empty(); ++bin) {
            if (bins.size(bin) == 0) continue;
            const double before = mass_;
            if (!started_ || ends_before(bins.high(bin)))
                for (const RadialMass& entry : bins.sorted(bin)) add(entry);
            else
                pass(bins.high(bin));
            mass_ = before + bins.mass(bin);
        }
        if (started_) end_spheres(next);
    }

private:
    bool ends_before(double squared) const
    {
        // the last digits are those of another order of sums: close calls are looked at
        return mass_ * (1 - 1e-12) < left_.front().density * volume(squared);
    }

    /// No sphere ends in the bin that reaches to `squared`, and no particle of the next is nearer.
    void pass(double squared)
    {
        last_ = squared;
        first_shell_ = false;
    }

    void add(const RadialMass& entry)
    {
        if (started_ && entry.squared > last_) end_spheres(entry.squared);
        started_ = true;
        last_ = entry.squared;
        mass_ += entry.mass;
    }

    /// The mass inside stays as it is from last_ to `next`.
    void end_spheres(double next)
    {
        while (!left_.empty() && mass_ < left_.front().density * volume(next)) {
            const Threshold& t = left_.front();
            const bool reached = mass_ >= t.density * volume(last_) || !first_shell_;
            result_[t.place] =
                reached ? OverdensitySphere{mass_, radius_of(mass_, t.density)} : OverdensitySphere{0, 0};
            left_ = left_.subspan(1);
        }
        first_shell_ = false;
    }

    std::span<const Threshold> left_;
    OverdensitySphere* result_;
    double mass_ = 0, last_ = 0;
    bool started_ = false, first_shell_ = true;
};

class InnermostSearch {
public:
    InnermostSearch(const MassTree& tree, std::span<const Threshold> thresholds)
        : tree_(tree), thresholds_(thresholds)
    {
    }

    /// False, with nothing done, when there is much to do and `alone` is false.
    bool run(Vec3 centre, double expected_mass, OverdensitySphere* result, Scratch& scratch, bool alone) const
    {
        if (thresholds_.empty()) return true;
        const double widest = tree_.box().periodic() ? tree_.box().side / 2 : tree_.farthest(centre);
        const double lowest = thresholds_.back().density;
        const double guess =
            expected_mass > 0 ? headroom * radius_of(expected_mass, lowest) : 2 * tree_.local_scale(centre);
        double radius = std::min(guess, widest);
        double mass = 0;
        while (true) {
            if (!scratch.collect(tree_, centre, radius, alone)) return false;
            mass = mass_within(radius, scratch);
            const bool enough = mass > 0 && mass < lowest * volume(radius * radius) * (1 - 1e-12);
            if (enough || radius >= widest) break;
            const double step = mass > 0 ? headroom : 2.0;
            radius = std::min(step * std::max(radius, radius_of(mass, lowest)), widest);
            if (radius == 0) radius = widest;
        }
        const bool everything = !tree_.box().periodic() && radius >= widest;
        scratch.bins.fill(scratch.near, everything ? infinity : radius * radius);
        Sweep(thresholds_, result).run(scratch.bins, everything ? infinity : radius * radius);
        return true;
    }

private:
    static double mass_within(double radius, const Scratch& scratch)
    {
        return block_sums<1>(scratch.near.size(), [&](auto& sum, std::size_t i) {
            if (scratch.near[i].squared <= radius * radius) sum[0] += scratch.near[i].mass;
        })[0];
    }

    static constexpr double headroom = 1.3;  ///< of a search radius over one that is certainly too small

    const MassTree& tree_;
    std::span<const Threshold> thresholds_;
};

/// run(centre number, scratch, alone) of all centres; large ones after the others, with all threads.
template <class Scratch, class Run>
void run_all(std::size_t n, bool parallel, const Progress& progress, Run run)
{
    constexpr std::string_view what = "spherical overdensities";
    const auto share = [n](std::size_t done) { return static_cast<double>(done) / static_cast<double>(n); };
    std::vector<char> large(n, 0);
    const std::size_t block = progress.report || progress.stop ? 256 : n;
    for (std::size_t begin = 0; begin < n; begin += block) {
        progress.at(share(begin) / 2, what);
        const std::size_t end = std::min(n, begin + block);
#pragma omp parallel if (n > 1 && parallel)
        {
            Scratch scratch;
#pragma omp for schedule(dynamic, 4)
            for (std::size_t c = begin; c < end; ++c) large[c] = run(c, scratch, false) ? 0 : 1;
        }
    }
    Scratch scratch;
    for (std::size_t c = 0; c < n; ++c) {
        if (large[c] == 0) continue;
        progress.at(0.5 + share(c) / 2, what);
        run(c, scratch, true);
    }
}

}  // namespace

void spheres_cpu(const SphereTask& task, OverdensitySphere* result, const Progress& progress)
{
    const std::size_t n = task.centre.size(), width = task.n_densities;
    const MassTree tree(task.particles, task.box);
    if (tree.size() == 0) {
        for (const Threshold& t : task.thresholds)
            for (std::size_t c = 0; c < n; ++c) result[c * width + t.place] = {0, 0};
        return;
    }
    const bool parallel = tree.size() > parallel_threshold;
    if (task.crossing == Crossing::outermost) {
        const OutermostSearch search(tree, task.thresholds, tree.exponent_of_masses(task.particles.n));
        run_all<PointsNear>(n, parallel, progress, [&](std::size_t c, auto& scratch, bool alone) {
            return search.run(task.box.wrap(task.centre[c]), &result[c * width], scratch, alone);
        });
        return;
    }
    const InnermostSearch search(tree, task.thresholds);
    run_all<Scratch>(n, parallel, progress, [&](std::size_t c, Scratch& scratch, bool alone) {
        const double expected = task.expected_mass.empty() ? 0 : task.expected_mass[c];
        return search.run(task.box.wrap(task.centre[c]), expected, &result[c * width], scratch, alone);
    });
}

}  // namespace aureole::halo::detail
