#include "halo/centres/all_pairs.hpp"

#include <algorithm>

namespace aureole::halo {
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
