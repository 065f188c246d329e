#include "halo/centres/gpu/search_steps.hpp"

#include <algorithm>

#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo::centre_search {
namespace {

constexpr std::size_t alignment = 256;

/// Hands out one part after the other.
class Cutter {
public:
    explicit Cutter(std::byte* block) : block_(block) {}

    template <class T>
    T* part(std::size_t n)
    {
        const std::size_t at = end_;
        end_ += (n * sizeof(T) + alignment - 1) / alignment * alignment;
        return block_ == nullptr ? nullptr : reinterpret_cast<T*>(block_ + at);
    }
    std::size_t end() const { return end_; }

private:
    std::byte* block_;
    std::size_t end_ = 0;
};

void cut_lists(Cutter& cutter, const CentreQuery& query, SearchArrays& arrays)
{
    const std::size_t n = query.members.n_lists;
    arrays.summary = cutter.part<ListSummary>(n);
    arrays.frame = cutter.part<ListFrame>(n);
    arrays.best = cutter.part<std::uint64_t>(n);
    arrays.depth = cutter.part<Index>(n);
    arrays.deepest = cutter.part<Index>(n);
    arrays.densest = cutter.part<std::uint64_t>(n);
    arrays.seed = cutter.part<std::uint64_t>(n);
    arrays.count = cutter.part<Index>(n);
    arrays.found = cutter.part<FoundCentre>(n);
    if (!query.with_motion) return;
    arrays.kinetic = cutter.part<double>(query.members.n_members);
    arrays.motion = cutter.part<MotionSum>(most_segments(query.members, segment_size));
    arrays.mean_velocity = cutter.part<Vec3>(n);
}

}  // namespace

SearchMemory search_memory(const CentreQuery& query, std::byte* block)
{
    const MembersView& members = query.members;
    const std::size_t n = members.n_members, n_buckets = most_segments(members, bucket_size);
    const Levels levels = levels_for(members, n);
    Cutter cutter(block);
    SearchMemory memory;
    SearchArrays& arrays = memory.arrays;
    arrays.report = cutter.part<InputReport>(1);
    arrays.n_selected = cutter.part<Index>(1);
    cut_lists(cutter, query, arrays);
    arrays.image = cutter.part<Body>(n);
    arrays.body = cutter.part<Body>(n);
    arrays.node = cutter.part<TreeNode>(levels.base[levels.n]);
    arrays.moments = cutter.part<Moments>(levels.base[levels.n]);
    arrays.bucket_list = cutter.part<Index>(n_buckets);
    arrays.mask = cutter.part<Index>(n_buckets);
    arrays.active = cutter.part<Index>(n_buckets);
    arrays.flag = cutter.part<std::uint8_t>(std::max(n, n_buckets));
    SortBuffers& pairs = memory.pairs;
    pairs = {cutter.part<std::uint64_t>(n), cutter.part<std::uint64_t>(n), cutter.part<Index>(n),
             cutter.part<Index>(n)};
    arrays.high = reinterpret_cast<float*>(pairs.key);
    arrays.friends = reinterpret_cast<Index*>(pairs.key);
    arrays.candidate = reinterpret_cast<Index*>(pairs.spare_key);
    memory.scratch =
        cutter.part<std::byte>(std::max(sort_pairs_scratch_bytes(Backend::cuda, n),
                                        select_flagged_scratch_bytes(Backend::cuda, std::max(n, n_buckets))));
    memory.bytes = cutter.end();
    return memory;
}

Levels levels_for(const MembersView& members, std::uint64_t longest)
{
    return levels_above(bucket_size, members, longest);
}

}  // namespace aureole::halo::centre_search
