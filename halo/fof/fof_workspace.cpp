#include "halo/fof/fof_workspace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "halo/fof/cell_grid.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

/// Halvings of a tree of n points; all in one leaf when every pair is to be compared.
int tree_depth(std::size_t n, const FofConfig& config)
{
    if (config.method == Method::brute_force) return 0;
    return LinkTree::depth_for(n, config.leaf_size, config.max_depth);
}

double longest(Vec3 v) { return std::max({v.x, v.y, v.z}); }

/// Half the distance of two corners; halves first, as the difference of two finite numbers may not be finite.
Vec3 half_extent(Vec3 low, Vec3 high) { return 0.5 * high - 0.5 * low; }

Vec3 middle(Vec3 low, Vec3 high) { return 0.5 * high + 0.5 * low; }

}  // namespace

double length_per_velocity(const FofConfig& config)
{
    return config.linking_length / config.linking_velocity;
}

double squared_velocity_ratio(const FofConfig& config)
{
    const double ratio = length_per_velocity(config) * length_per_velocity(config);
    return ratio < std::numeric_limits<double>::min() ? 0 : ratio;
}

bool in_phase_space(const FofConfig& config) { return squared_velocity_ratio(config) > 0; }

bool uses_cells(Backend where, const FofConfig& config)
{
    const bool cells_are_fastest = where == Backend::cpu && !in_phase_space(config);
    return config.method == Method::grid || (config.method == Method::fastest && cells_are_fastest);
}

FofSize size_of(Backend where, std::size_t n, const FofConfig& config)
{
    return {n, tree_depth(n, config), in_phase_space(config), uses_cells(where, config)};
}

FofWorkspace::FofWorkspace(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                           Buffer<std::byte>& block)
    : exec_(exec),
      particles_(particles),
      config_(config),
      block_(block),
      memory_(exec.backend, size_of(exec.backend, particles.n, config))
{
    block_.require(exec.backend, memory_.bytes);
}

void FofWorkspace::wait() const
{
    if (exec_.backend == Backend::cuda) device::synchronize();
}

double FofWorkspace::longest_half() const
{
    const double space = longest(half_extent(extent_.low, extent_.high));
    if (!in_phase_space(config_)) return space;
    const double velocity = longest(half_extent(extent_.low_velocity, extent_.high_velocity));
    return std::max(space, length_per_velocity(config_) * velocity);
}

LinkQuery FofWorkspace::query() const
{
    const double length = config_.linking_length;
    const bool phase = in_phase_space(config_);
    int exponent = 0;
    std::frexp(std::max(longest_half(), length), &exponent);
    Frame frame{middle(extent_.low, extent_.high), std::ldexp(1.0, -exponent)};
    if (phase) {
        frame.mean_velocity = middle(extent_.low_velocity, extent_.high_velocity);
        frame.velocity_scale = frame.scale * length_per_velocity(config_);
    }
    return {particles_,
            config_.box,
            frame,
            length * length,
            squared_velocity_ratio(config_),
            Band::around(length * frame.scale, phase)};
}

LinkTree FofWorkspace::points(Index n) const
{
    LinkTree tree{{{n, tree_depth(n, config_)}, nullptr}, at<TreePoint>(memory_.wide)};
    if (in_phase_space(config_)) tree.velocity = at<TreeVelocity>(memory_.velocity);
    return tree;
}

namespace {

constexpr std::size_t alignment = 256;

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Hands out one part after the other.
class Cutter {
public:
    std::size_t part(std::size_t bytes)
    {
        const std::size_t at = end_;
        end_ += aligned(bytes);
        return at;
    }
    std::size_t end() const { return end_; }

private:
    std::size_t end_ = 0;
};

}  // namespace

FofMemory::FofMemory(Backend where, const FofSize& size)
{
    const std::size_t n = size.n, indices = aligned(n * sizeof(Index)),
                      n_nodes = std::size_t{2} << size.depth;
    const bool host_cells = size.cells && where == Backend::cpu;
    Cutter cutter;
    summary = cutter.part(sizeof(ParticleSummary));
    counters = cutter.part(2 * sizeof(Index));
    order = cutter.part(indices);
    wide_part = indices;
    wide = cutter.part(4 * indices);
    set = cutter.part(indices);
    group = cutter.end();
    if (host_cells) {
        cell_begin = cutter.part((n + 1) * sizeof(Index));
        cell_key =
            cutter.part(std::max((n + 1) * sizeof(std::uint64_t), select_flagged_scratch_bytes(where, n)));
        unordered_point = set;
        static_assert(sizeof(TreePoint) == 2 * sizeof(Index) + sizeof(std::uint64_t));
    }
    narrow_bytes =
        std::max({indices + sort_pairs_scratch_bytes(where, n), n_nodes * sizeof(LinkNode),
                  select_flagged_scratch_bytes(where, n), size.cells ? (n + 1) * sizeof(std::uint64_t) : 0,
                  host_cells ? indices + most_block_words(n) * sizeof(std::uint64_t) : 0});
    if (host_cells) narrow_bytes += sort_pairs_scratch_bytes(where, n);  // for as many groups as particles
    const bool gpu_tree = !size.cells && where != Backend::cpu;
    if (gpu_tree) {  // points in input order lie over sets and what is narrow, once particles are sorted
        unordered_point = set;
        narrow_bytes =
            std::max(narrow_bytes, n * sizeof(TreePoint) - std::min(indices, n * sizeof(TreePoint)));
    }
    narrow = cutter.part(narrow_bytes);
    velocity = cutter.part(size.in_phase_space ? n * sizeof(TreeVelocity) : 0);
    velocity_box = cutter.part(size.in_phase_space ? n_nodes * sizeof(PaddedBox) : 0);
    if (host_cells) {
        point_key = cell_set = narrow;
        stretch = narrow + indices;
    } else if (size.cells) {
        cell_key = narrow;
        point_key = cutter.part(n * sizeof(std::uint64_t));
        cell_begin = cutter.part((n + 1) * sizeof(Index));
        cell_set = cutter.part(n * sizeof(Index));
        stretch = cutter.part(most_stretches(n) * sizeof(CellRun));
        unordered_point = cell_begin;  // all three come after the sort
        static_assert(sizeof(TreePoint) == 2 * sizeof(Index) + sizeof(CellRun));
    }
    bytes = cutter.end();
}

GroupMemory::GroupMemory(Backend where, std::size_t n_groups)
{
    Cutter cutter;
    key = cutter.part(n_groups * sizeof(std::uint64_t));
    spare_key = cutter.part(n_groups * sizeof(std::uint64_t));
    value = cutter.part(n_groups * sizeof(Index));
    n_members = key;
    sort_scratch = cutter.part(sort_pairs_scratch_bytes(where, n_groups));
    bytes = cutter.end();
}

}  // namespace aureole::halo
