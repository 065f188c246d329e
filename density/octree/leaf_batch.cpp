#include "density/octree/leaf_batch.hpp"

#include <algorithm>
#include <tuple>

#include "density/deposit/shared_work.hpp"
#include "sim/core/device.hpp"

namespace aureole::density {

LeafSums::LeafSums(Backend where, std::size_t leaves, std::size_t cells, const Fields& fields)
    : cells_(cells),
      n_sums_(static_cast<std::size_t>(fields.sums_per_cell())),
      sums_(where, leaves * cells * n_sums_),
      streams_(where, fields.streams ? leaves * cells : 0)
{
}

void LeafSums::begin(Exec exec, std::span<const Grid> grids)
{
    const auto clear = [&]<class T>(Buffer<T>& buffer, std::size_t n) {
        if (buffer.size() == 0) return;
        if (buffer.where() == Backend::cpu)
            std::fill_n(buffer.data(), n, T{});
        else
            device::fill_zero(exec.stream, buffer.data(), n * sizeof(T));
    };
    clear(sums_, grids.size() * cells_ * n_sums_);
    clear(streams_, grids.size() * cells_);
    if (sums_.where() != Backend::cpu) device::synchronize();
    patches_.clear();
    patches_.reserve(grids.size());
    for (std::size_t leaf = 0; leaf < grids.size(); ++leaf)
        patches_.push_back({{grids[leaf], sums_.data() + leaf * cells_ * n_sums_},
                            streams_.size() > 0 ? streams_.data() + leaf * cells_ : nullptr});
}

void LeafSums::take(const LeafSums& device, bool added)
{
    const auto bring = [added]<class T>(T* to, const T* from, std::size_t n) {
        added ? download_added(to, from, n) : device::download(to, from, n * sizeof(T));
    };
    const std::size_t n = device.patches_.size() * cells_;
    bring(sums_.data(), device.sums_.data(), n * n_sums_);
    if (streams_.size() > 0) bring(streams_.data(), device.streams_.data(), n);
}

LeafBatch::LeafBatch(Exec exec, const OctreePlan& plan, double unit)
    : exec_(exec),
      plan_(plan),
      unit_(unit),
      sums_(exec.backend, capacity(), plan.tree().cells_per_node(), plan.config.fields)
{
    if (!on_host())
        home_ = LeafSums(Backend::cpu, capacity(), plan.tree().cells_per_node(), plan.config.fields);
}

void LeafBatch::deposit(const BlockCorners& corners, std::span<const Index> leaves, const Progress& progress)
{
    std::vector<Grid> grids;
    grids.reserve(leaves.size());
    for (const Index leaf : leaves) grids.push_back(plan_.tree().grid(leaf));
    list_tasks(leaves);
    const bool shared = !on_host() && plan_.config.shared;
    sums_.begin(exec_, grids);
    if (shared) home_.begin(exec_, grids);
    deposit_tasks(exec_, corners,
                  {.patches = sums_.patches(),
                   .tasks = tasks_,
                   .moments = plan_.config.fields.moments(),
                   .speed_scale = 1 / unit_,
                   .precision = plan_.config.precision,
                   .progress = progress,
                   .host_patches = home_.patches()});
    if (!on_host()) home_.take(sums_, shared);
}

void LeafBatch::list_tasks(std::span<const Index> leaves)
{
    std::size_t tasks = 0;
    for (const Index leaf : leaves) tasks += plan_.octree.blocks(leaf).size();
    tasks_.clear();
    tasks_.reserve(tasks);
    for (Index patch = 0; patch < leaves.size(); ++patch)
        for (const Index block : plan_.octree.blocks(leaves[patch])) tasks_.push_back({patch, block});
    const auto level = [&](const TetrahedronTask& task) {
        return plan_.tree().nodes[leaves[task.patch]].level;
    };
    std::ranges::sort(tasks_, {}, [&](const TetrahedronTask& task) {
        return std::tuple(task.block, level(task), task.patch);
    });
}

}  // namespace aureole::density
