#include "halo/fof/linking.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

// Points are compared in tiles, first whether any of a tile may be near: a loop without branches. Lanes that
// stand side by side read the same tile.
constexpr Index tile = 64;

template <bool periodic, bool phase>
AUREOLE_HD bool any_may_link(const LinkTask& task, const Site<phase>& site, Index begin, Index end)
{
    const auto metric = task.query.template metric<periodic, phase>();
    const float possible = task.query.band.possible;
    int near = 0;
    for (Index j = begin; j < end; ++j)
        near |= metric.squared(site, site_of<phase>(task.tree, j)) <= possible;
    return near != 0;
}

/// Links point i to its friends behind it.
template <bool periodic, bool phase>
AUREOLE_HD void link_point(const LinkTask& task, Index i)
{
    const Site<phase> site = site_of<phase>(task.tree, i);
    const Index n = task.tree.n;
    for (Index begin = i / tile * tile; begin < n;) {
        const Index end = n - begin < tile ? n : begin + tile;
        if (any_may_link<periodic, phase>(task, site, begin, end))
            for (Index j = begin > i ? begin : i + 1; j < end; ++j)
                if (task.query.template linked<periodic, phase>(site, site_of<phase>(task.tree, j)))
                    task.sets.unite(i, j);
        begin = end;
    }
}

template <bool periodic, bool phase>
void link_points(Exec exec, const LinkTask& task)
{
    for_each_uneven(exec, task.tree.n, [=] AUREOLE_HD(Index i) { link_point<periodic, phase>(task, i); });
}

}  // namespace

void start_alone(Exec exec, const LinkTask& task)
{
    for_each(exec, task.tree.n, [=] AUREOLE_HD(Index i) { task.sets.parent[i] = i; });
}

void link_all_pairs(Exec exec, const LinkTask& task)
{
    if constexpr (with_cuda)
        if (exec.backend == Backend::cuda) return link_tiles(exec.stream, task);
    dispatch(task.query, [&]<bool periodic, bool phase> { link_points<periodic, phase>(exec, task); });
}

}  // namespace aureole::halo
