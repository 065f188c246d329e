#include "halo/centres/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace aureole::halo {
namespace {

/// 12 for a term, 32 for the terms summed in float, 4 for sources whose coordinates are rounded in proportion
/// to their distance; and some to spare.
constexpr double rounding_of_sums = 56 * 0x1p-24;
constexpr double underflow = 0x1p-90;  ///< of masses below the range of float

/// A power of two that brings x into [1/2, 1); 1 where there is nothing to scale.
double scale_of(double x)
{
    if (!(x > 0) || !std::isfinite(x)) return 1;
    int exponent;
    std::frexp(x, &exponent);
    return std::ldexp(1, std::min(-exponent, 900));
}

/// Members at one place with one mass and one kinetic energy have the same sum: the smallest id stands for
/// them.
void drop_repeated(const BoundQuery& query, std::vector<Candidate>& candidates)
{
    const Bodies& b = query.bodies;
    const auto same = [&](const Candidate& c) {
        return std::tuple(b.x[c.body], b.y[c.body], b.z[c.body], b.mass[c.body], query.kinetic_of(c.body));
    };
    std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& c) {
        return std::tuple(same(a), b.id[a.body], a.body) < std::tuple(same(c), b.id[c.body], c.body);
    });
    const auto end = std::unique(candidates.begin(), candidates.end(),
                                 [&](const Candidate& a, const Candidate& c) { return same(a) == same(c); });
    candidates.erase(end, candidates.end());
}

/// Gives bounds to candidates that have none, from plain sums in double.
void bound_open_ones(const BoundQuery& query, std::vector<Candidate>& candidates)
{
    const BodiesView bodies = query.bodies.view();
    const PotentialKernels& kernels = potential_kernels();
    const double eps2 = query.softening * query.softening;
    const double rounding = static_cast<double>(bodies.n + 8) * 0x1p-52;
    const double work = static_cast<double>(candidates.size()) * static_cast<double>(bodies.n);
#pragma omp parallel for schedule(dynamic) if (candidates.size() > 1 && work > 64.0 * parallel_threshold)
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        Candidate& c = candidates[k];
        if (std::isfinite(c.high)) continue;
        const double sum = kernels.potential(bodies, c.body, eps2);
        c.low = sum * (1 - rounding);
        c.high = sum * (1 + rounding);
    }
}

/// Infinite for all where that of one may be: no unit brings it into the range of integers.
std::vector<double> exact_potentials(const BoundQuery& query, const std::vector<Candidate>& candidates)
{
    const BodiesView bodies = query.bodies.view();
    const PotentialKernels& kernels = potential_kernels();
    const double eps2 = query.softening * query.softening;
    double highest = 0;
    for (const Candidate& c : candidates) highest = std::max(highest, c.high);
    std::vector<double> result(candidates.size(), highest);
    if (!std::isfinite(highest)) return result;
    const double unit = highest > 0 ? scale_of(highest) * 0x1p60 : 1.0;
    const double work = static_cast<double>(candidates.size()) * static_cast<double>(bodies.n);
#pragma omp parallel for schedule(dynamic) if (candidates.size() > 1 && work > 64.0 * parallel_threshold)
    for (std::size_t k = 0; k < candidates.size(); ++k)
        result[k] = kernels.fixed_potential(bodies, candidates[k].body, eps2, unit).value() / unit;
    return result;
}

}  // namespace

BodiesScale::BodiesScale(const BoundQuery& query)
{
    const BoundingBox<double> extent = box_around(query.bodies.view());
    middle = extent.middle();
    length = scale_of(std::max(0.5 * extent.longest_side(), query.softening));
    double total = 0, part = 0;
    for (const double m : query.bodies.mass) {
        total += m;
        part += 0x1p-40 * m;
    }
    mass = std::isfinite(total) ? scale_of(total) : 0x1p-40 * scale_of(part);
}

BlockBounds::BlockBounds(double reach) : slip_(3.6 * 0x1p-24 * reach + 0x1p-50) {}

Candidate BlockBounds::candidate(Index body, const BlockSums& sums, int lane, double far) const
{
    const double least = sums.least[lane];
    if (!(least >= 4.1 * slip_ * slip_)) return {body};
    const double sum = sums.potential[lane];
    const double error = rounding_of_sums * sum + 2.1 * slip_ * sums.slope[lane] + far + underflow;
    return {body, sum - error, sum + error};
}

void raise_best(const BoundQuery& query, const std::vector<Candidate>& candidates, double& best)
{
    for (const Candidate& c : candidates) best = std::max(best, c.low - query.kinetic_of(c.body));
}

void keep_possible(const BoundQuery& query, double best, std::vector<Candidate>& candidates)
{
    std::erase_if(candidates, [&](const Candidate& c) { return c.high - query.kinetic_of(c.body) < best; });
}

MostBound decide(const BoundQuery& query, std::vector<Candidate>& candidates)
{
    double best_depth = -std::numeric_limits<double>::infinity();
    raise_best(query, candidates, best_depth);
    keep_possible(query, best_depth, candidates);
    if (candidates.size() > 1) drop_repeated(query, candidates);
    bound_open_ones(query, candidates);
    raise_best(query, candidates, best_depth);
    keep_possible(query, best_depth, candidates);
    const std::vector<double> potential = exact_potentials(query, candidates);
    MostBound best;
    for (std::size_t k = 0; k < candidates.size(); ++k) {
        const Index body = candidates[k].body;
        const double energy = query.kinetic_of(body) - potential[k];
        const auto& id = query.bodies.id;
        if (k == 0 || energy < best.energy || (energy == best.energy && id[body] < id[best.body]))
            best = {body, energy};
    }
    return best;
}

namespace {

void scale_bodies(const BoundQuery& query, const BodiesScale& scale, AllPairsScratch& to)
{
    const Bodies& b = query.bodies;
    for (std::vector<float>* array : {&to.x, &to.y, &to.z, &to.mass}) array->resize(b.size());
    for (std::size_t k = 0; k < b.size(); ++k) {
        to.x[k] = static_cast<float>(scale.length * (b.x[k] - scale.middle.x));
        to.y[k] = static_cast<float>(scale.length * (b.y[k] - scale.middle.y));
        to.z[k] = static_cast<float>(scale.length * (b.z[k] - scale.middle.z));
        to.mass[k] = static_cast<float>(scale.mass * b.mass[k]);
    }
}

/// Targets [begin, end); lanes left over repeat the last.
TargetBlock load_targets(const AllPairsScratch& from, std::size_t begin, std::size_t end)
{
    TargetBlock block;
    for (std::size_t lane = 0; lane < block_targets; ++lane) {
        const std::size_t k = std::min(begin + lane, end - 1);
        block.x[lane] = from.x[k];
        block.y[lane] = from.y[k];
        block.z[lane] = from.z[k];
        block.number[lane] = static_cast<std::int32_t>(k - begin);
    }
    return block;
}

}  // namespace

MostBound most_bound_by_all_pairs(const BoundQuery& query, AllPairsScratch& scratch)
{
    const std::size_t n = query.bodies.size();
    const BodiesScale scale(query);
    scale_bodies(query, scale, scratch);
    const PotentialKernels& kernels = potential_kernels();
    const double eps = scale.length * query.softening, unit = scale.potential_unit();
    const auto eps2 = static_cast<float>(eps * eps);
    const BlockBounds bounds(1.0);
    const auto run = [&](std::size_t begin, std::size_t end, std::int32_t first) {
        return SourceRun{scratch.x.data() + begin,    scratch.y.data() + begin,      scratch.z.data() + begin,
                         scratch.mass.data() + begin, static_cast<int>(end - begin), first};
    };
    scratch.candidates.resize(n);
#pragma omp parallel for schedule(dynamic) if (n > parallel_threshold)
    for (std::size_t begin = 0; begin < n; begin += block_targets) {
        const std::size_t end = std::min(n, begin + block_targets);
        const TargetBlock block = load_targets(scratch, begin, end);
        BlockSums sums;
        sums.clear();
        kernels.add_sources(block, run(0, begin, SourceRun::no_targets), eps2, sums);
        kernels.add_sources(block, run(begin, end, 0), eps2, sums);
        kernels.add_sources(block, run(end, n, SourceRun::no_targets), eps2, sums);
        for (std::size_t k = begin; k < end; ++k) {
            Candidate c = bounds.candidate(static_cast<Index>(k), sums, static_cast<int>(k - begin));
            c.low *= unit;
            c.high *= unit;
            scratch.candidates[k] = c;
        }
    }
    return decide(query, scratch.candidates);
}

}  // namespace aureole::halo
