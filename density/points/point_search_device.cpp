// Feeds a GPU that searches points in lattice cubes: host threads gather the corners of blocks into pinned
// memory while the GPU searches the blocks before. Found points go to a list; when it is too short it is made
// longer and the chunk is searched again.
#include <algorithm>
#include <optional>

#include "density/points/point_search.hpp"
#include "sim/core/memory/device_download.hpp"
#include "sim/core/memory/staged_buffer.hpp"
#include "sim/core/progress.hpp"

namespace aureole::density {
namespace {

constexpr Index blocks_per_chunk = 1024;
constexpr std::size_t first_room = std::size_t{1} << 16;

/// One chunk of blocks, the points found in it, and its stream.
class PointSlot {
public:
    explicit PointSlot(Index most_blocks)
        : position_(std::size_t{most_blocks} * corners_per_block),
          count_(1),
          found_(Backend::cuda, first_room)
    {
    }

    PointSlot(const PointSlot&) = delete;
    PointSlot& operator=(const PointSlot&) = delete;
    /// A stop or an error may leave a kernel that still reads the slot.
    ~PointSlot()
    {
        try {
            device::wait(stream_.get());
        } catch (...) {  // the error that ended the work is already on its way
        }
    }

    /// Waits for the chunk that was in the slot and appends what was found there.
    void collect(std::vector<FoundPoint>& all)
    {
        if (!chunk_) return;
        device::wait(stream_.get());
        if (*count_.host() > found_.size()) {
            found_.require(Backend::cuda, *count_.host());
            search();
            device::wait(stream_.get());
        }
        const std::size_t before = all.size(), n = *count_.host();
        all.resize(before + n);
        device::download(all.data() + before, found_.data(), n * sizeof(FoundPoint));
        chunk_.reset();
    }

    void gather(const LatticeView& lattice, const ConstVec3View& position, Index first_block, Index n_blocks)
    {
        const LatticeBlocks blocks{lattice.side};
#pragma omp parallel for schedule(dynamic)
        for (Index b = 0; b < n_blocks; ++b)
            gather_corners(lattice, blocks.extent(first_block + b), position,
                           position_.host() + std::size_t{b} * corners_per_block);
    }

    void submit(const PointChunk& chunk)
    {
        chunk_ = chunk;
        position_.send(stream_.get(), std::size_t{chunk.n_blocks} * corners_per_block);
        search();
    }

private:
    void search()
    {
        chunk_->position = position_.device();
        chunk_->found = found_.data();
        chunk_->capacity = found_.size();
        chunk_->n_found = count_.device();
        device::fill_zero(stream_.get(), count_.device(), sizeof(std::uint64_t));
        find_points({Backend::cuda, stream_.get()}, *chunk_);
        count_.fetch(stream_.get(), 1);
    }

    device::Stream stream_;
    device::StagedBuffer<Vec3> position_;
    device::StagedBuffer<std::uint64_t> count_;
    Buffer<FoundPoint> found_;
    std::optional<PointChunk> chunk_;
};

/// A copy of the tree in device memory.
struct DeviceTree {
    BalancedTree shape;
    Buffer<BoundingBox<double>> nodes;
    Buffer<Vec3> sorted;
    Buffer<Index> order;

    explicit DeviceTree(const PointTreeView& host)
        : shape(host),
          nodes(Backend::cuda, std::span(host.node, host.n_places())),
          sorted(Backend::cuda, std::span(host.sorted, host.n)),
          order(Backend::cuda, std::span(host.order, host.n))
    {
    }

    PointTreeView view() const { return {{shape, nodes.data()}, sorted.data(), order.data()}; }
};

}  // namespace

std::vector<FoundPoint> points_found_cuda(const PointTreeView& tree, const CellCoordinates& cells,
                                          const LatticeView& lattice, const ConstVec3View& position,
                                          const Progress& progress)
{
    const DeviceTree on_device(tree);
    const LatticeBlocks blocks{lattice.side};
    const Index most = std::min(blocks_per_chunk, blocks.count());
    PointSlot slots[2] = {PointSlot(most), PointSlot(most)};
    std::vector<FoundPoint> found;
    int turn = 0;
    for (Index begin = 0; begin < blocks.count(); turn = 1 - turn) {
        const Index n = std::min(most, blocks.count() - begin);
        slots[turn].collect(found);
        slots[turn].gather(lattice, position, begin, n);
        slots[turn].submit({on_device.view(), cells, blocks, begin, n, nullptr, nullptr, 0, nullptr});
        begin += n;
        progress.at(static_cast<double>(begin) / blocks.count(), "points");
    }
    for (PointSlot& slot : slots) slot.collect(found);
    return found;
}

std::size_t point_chunks_bytes(Index lattice_side)
{
    const std::size_t most = std::min(blocks_per_chunk, LatticeBlocks{lattice_side}.count());
    return 2 * (most * corners_per_block * sizeof(Vec3) + first_room * sizeof(FoundPoint));
}

}  // namespace aureole::density
