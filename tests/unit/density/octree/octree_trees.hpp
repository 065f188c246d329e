// Octrees over sheets and all fields of their nodes, for the tests of this folder.
#pragma once

#include "density/octree/octree_deposit.hpp"
#include "tests/unit/density/sheets.hpp"

namespace aureole::test {

/// All that the sink was given, kept.
struct OctreeCells {
    OctreePlan plan;
    OctreeTotals totals;
    std::vector<std::vector<double>> mass, streams;  ///< of each node's cells
    std::vector<std::vector<Vec3>> velocity;
    std::vector<std::vector<double>> dispersion;
    std::vector<Index> order;  ///< in which nodes came

    const Octree& tree() const { return plan.tree(); }
};

inline OctreeConfig octree_config(Index cells, std::uint64_t refine_above, Index levels, Fields fields = {})
{
    return {.root = whole_box(cells),
            .rules = {.refine_above = refine_above, .levels = levels},
            .fields = fields,
            .lattice = {}};
}

inline OctreeCells octree_cells(Particles& host, const OctreeConfig& config, Exec exec = {})
{
    OctreeCells result{.plan = plan_octree(host.view(), config),
                       .totals = {},
                       .mass = {},
                       .streams = {},
                       .velocity = {},
                       .dispersion = {},
                       .order = {}};
    const std::size_t n = result.tree().n_nodes();
    result.mass.resize(n);
    result.streams.resize(n);
    result.velocity.resize(n);
    result.dispersion.resize(n);
    result.totals = deposit_octree(exec, host.view(), result.plan, [&](const PatchFields& patch) {
        result.order.push_back(patch.node);
        for (std::size_t cell = 0; cell < patch.n_cells(); ++cell) {
            result.mass[patch.node].push_back(patch.mass(cell));
            if (patch.n_sums < 5) continue;
            result.velocity[patch.node].push_back(patch.velocity(cell));
            result.dispersion[patch.node].push_back(patch.dispersion(cell));
        }
        result.streams[patch.node].assign(patch.streams.begin(), patch.streams.end());
    });
    return result;
}

/// body(node, cell of the node, cell of the uniform grid that its level would be) for all cells of a node.
template <class Body>
void for_each_cell_of(const Octree& tree, Index node, Body&& body)
{
    const std::int64_t n = tree.cells(), all = n << tree.nodes[node].level;
    const auto& place = tree.place[node];
    for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t k = 0; k < n; ++k)
                body(static_cast<std::size_t>((i * n + j) * n + k),
                     ((place[0] * n + i) * all + place[1] * n + j) * all + place[2] * n + k);
}

}  // namespace aureole::test
