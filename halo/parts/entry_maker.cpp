#include "halo/parts/entry_maker.hpp"

#include <algorithm>
#include <cstring>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/select_flagged.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

/// Hands out arrays of a block one after the other; with a null block it counts bytes.
class Cutter {
public:
    explicit Cutter(std::byte* block) : block_(block) {}

    template <class T>
    T* part(std::size_t n)
    {
        std::byte* const at = block_ ? block_ + end_ : nullptr;
        end_ += aligned(n * sizeof(T));
        return reinterpret_cast<T*>(at);
    }
    std::size_t end() const { return end_; }

private:
    std::byte* block_;
    std::size_t end_ = 0;
};

EntryArrays cut_entries(Cutter& cutter, std::size_t n, EntryKind kind)
{
    EntryArrays arrays;
    const auto vectors = [&] {
        auto* const x = cutter.part<double>(n);
        auto* const y = cutter.part<double>(n);
        return Vec3View{x, y, cutter.part<double>(n)};
    };
    arrays.position = vectors();
    if (kind.velocity) arrays.velocity = vectors();
    if (kind.id) arrays.id = cutter.part<std::uint64_t>(n);
    arrays.place = arrays.index = cutter.part<Index>(n);
    arrays.flags = cutter.part<std::uint8_t>(n);
    return arrays;
}

/// The arrays of a batch by point.
PointParts cut_points(Cutter& cutter, Index n)
{
    PointParts points{};
    points.n = n;
    points.n_near = cutter.part<Index>(3);
    points.domain = cutter.part<std::uint8_t>(n);
    points.flag = cutter.part<std::uint8_t>(n);
    points.near = cutter.part<Index>(n);
    points.ghosts = cutter.part<std::uint64_t>(n);
    points.place = cutter.part<Index>(n);
    return points;
}

}  // namespace

EntryArrays EntryArrays::from(std::size_t first) const
{
    const auto moved = [first](auto* array) { return array ? array + first : nullptr; };
    const auto vectors = [&](const Vec3View& v) { return Vec3View{moved(v.x), moved(v.y), moved(v.z)}; };
    return {vectors(position), vectors(velocity), moved(id), moved(index), moved(place), moved(flags)};
}

std::size_t bytes_of_entries(std::size_t n, EntryKind kind)
{
    Cutter counter(nullptr);
    cut_entries(counter, n, kind);
    return counter.end();
}

EntryArrays entry_arrays(std::byte* block, std::size_t n, EntryKind kind)
{
    Cutter cutter(block);
    return cut_entries(cutter, n, kind);
}

void copy_entries(Exec exec, const EntryArrays& to, const EntryArrays& from, std::size_t n)
{
    if (n == 0) return;
    for_each_array(to, from, [&](auto* into, const auto* values) {
        if (exec.backend == Backend::cpu)
            std::memcpy(into, values, n * sizeof *into);
        else
            device::copy(exec.stream, into, values, n * sizeof *into);
    });
}

EntryMaker::EntryMaker(Exec exec, const SpaceCuts& cuts, const FofConfig& config, EntryKind kind,
                       Ghosts ghosts, Scratch& scratch)
    : exec_(exec),
      cuts_(cuts),
      config_(config),
      kind_(kind),
      both_ways_(ghosts == Ghosts::of_all),
      scratch_(scratch)
{
}

Batch EntryMaker::make(const ConstParticlesView& particles, Index first_index, Buffer<std::byte>& block)
{
    const Index n = particles.n;
    const DomainMap& map = cuts_.map();
    Cutter size(nullptr);
    cut_points(size, n);
    const std::size_t points_end = size.end();
    scratch_.by_point.require(exec_.backend, points_end + select_flagged_scratch_bytes(exec_.backend, n));
    Cutter cutter(scratch_.by_point.data());
    const PointParts points = cut_points(cutter, n);

    const Index none[3] = {0, 0, 0};
    copy_in_order(exec_, points.n_near, none, sizeof none);
    if (cuts_.size() > 1) {
        look_up_domains(exec_, map, particles, points);
        select_flagged(exec_, n, points.flag, points.near, points.n_near,
                       scratch_.by_point.data() + points_end);
        find_ghosts(exec_, map, particles, config_.linking_types, both_ways_, points);
    } else {
        look_up_domains(exec_, map, particles, points);
    }
    Index counts[3];
    fetch_in_order(exec_, counts, points.n_near, sizeof counts);

    const std::size_t n_entries = std::size_t{n} + counts[1];
    AUREOLE_EXPECT(counts[2] == 0 && n_entries <= max_particles,
                   "{} particles that are near other parts 2^32 times and more, expected less: take fewer "
                   "parts",
                   n);
    Cutter sort_size(nullptr);
    const auto cut_pairs = [&](Cutter& from) {
        SortBuffers pairs{};
        pairs.key = from.part<std::uint64_t>(n_entries);
        pairs.spare_key = from.part<std::uint64_t>(n_entries);
        pairs.value = from.part<Index>(n_entries);
        pairs.spare_value = from.part<Index>(n_entries);
        return pairs;
    };
    cut_pairs(sort_size);
    scratch_.sort.require(exec_.backend,
                          sort_size.end() + sort_pairs_scratch_bytes(exec_.backend, n_entries));
    Cutter sort_cutter(scratch_.sort.data());
    SortBuffers pairs = cut_pairs(sort_cutter);
    list_entries(exec_, points, pairs.key, pairs.value);
    sort_pairs(exec_, n_entries, pairs, 7, scratch_.sort.data() + sort_size.end());

    Batch batch;
    batch.n = n_entries;
    batch.n_ghosts = counts[1];
    scratch_.ends.require(exec_.backend, most_parts + 1);
    find_part_ends(exec_, pairs.key, static_cast<Index>(n_entries), cuts_.size(), scratch_.ends.data());
    block.require(exec_.backend, bytes_of_entries(n_entries, kind_));
    batch.entries = entry_arrays(block.data(), n_entries, kind_);
    gather_entries(exec_, particles, config_, points, pairs.key, pairs.value, static_cast<Index>(n_entries),
                   first_index, batch.entries);
    std::vector<Index> ends(static_cast<std::size_t>(cuts_.size()) + 1);
    fetch_in_order(exec_, ends.data(), scratch_.ends.data(), ends.size() * sizeof ends[0]);
    batch.begin.assign(ends.begin(), ends.end());
    return batch;
}

}  // namespace aureole::halo
