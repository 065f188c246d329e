#include "density/octree/finished_leaves.hpp"

#include <array>

namespace aureole::density {

FinishedLeaves::FinishedLeaves(const OctreePlan& plan, double unit, const PatchSink& sink)
    : plan_(plan),
      unit_(unit),
      sink_(sink),
      averages_(plan.tree(), plan.config.fields.sums_per_cell(), plan.config.fields.streams),
      total_(static_cast<std::size_t>(plan.config.fields.sums_per_cell()))
{
}

void FinishedLeaves::take(Index leaf, const FixedSum* sums, const Index* streams)
{
    read(sums, streams);
    write(leaf, patch_);
    averages_.add(leaf, patch_, [this](Index node, const PatchSums& patch) { write(node, patch); });
}

void FinishedLeaves::read(const FixedSum* sums, const Index* streams)
{
    const std::size_t cells = plan_.tree().cells_per_node(), n_sums = total_.size();
    patch_.sums.resize(cells * n_sums);
#pragma omp parallel if (patch_.sums.size() > 4 * parallel_threshold)
    {
        std::array<Int128, 5> own{};
#pragma omp for
        for (std::size_t i = 0; i < patch_.sums.size(); ++i) {
            patch_.sums[i] = sums[i].value();
            own[i % n_sums] += sums[i].whole();
        }
#pragma omp critical
        for (std::size_t s = 0; s < n_sums; ++s) total_[s] += own[s];
    }
    if (streams) patch_.streams.assign(streams, streams + cells);
}

void FinishedLeaves::write(Index node, const PatchSums& patch) const
{
    const double cell = plan_.tree().nodes[node].size / plan_.tree().cells();
    sink_(PatchFields{node, cell * cell * cell, plan_.lattice.tetrahedron_mass, unit_,
                      plan_.config.fields.sums_per_cell(), patch.sums, patch.streams});
}

OctreeTotals FinishedLeaves::totals() const
{
    const double mass = plan_.lattice.tetrahedron_mass;
    const auto value = [&](std::size_t s) { return static_cast<double>(total_[s]) * 0x1p-62; };
    OctreeTotals totals{mass * value(0), {}};
    if (total_.size() > 1) totals.momentum = mass * unit_ * Vec3{value(1), value(2), value(3)};
    return totals;
}

}  // namespace aureole::density
