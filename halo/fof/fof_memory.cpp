#include "halo/fof/fof_memory.hpp"

#include <algorithm>

#include "halo/fof/cell_grid.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
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
    Cutter cutter;
    summary = cutter.part(sizeof(ParticleSummary));
    counters = cutter.part(2 * sizeof(Index));
    order = cutter.part(indices);
    set = cutter.part(indices);
    wide_part = indices;
    wide = cutter.part(4 * indices);
    narrow_bytes =
        std::max({indices + sort_pairs_scratch_bytes(where, n), n_nodes * sizeof(LinkNode),
                  select_flagged_scratch_bytes(where, n), size.cells ? (n + 1) * sizeof(std::uint64_t) : 0});
    narrow = cutter.part(narrow_bytes);
    velocity = cutter.part(size.in_phase_space ? n * sizeof(TreeVelocity) : 0);
    velocity_box = cutter.part(size.in_phase_space ? n_nodes * sizeof(PaddedBox) : 0);
    if (size.cells) {
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
    spare_value = cutter.part(n_groups * sizeof(Index));
    smallest_id = cutter.part(n_groups * sizeof(std::uint64_t));
    n_members = cutter.part(n_groups * sizeof(Index));
    sort_scratch = cutter.part(sort_pairs_scratch_bytes(where, n_groups));
    bytes = cutter.end();
}

}  // namespace aureole::halo
