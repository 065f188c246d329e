// Feeds a GPU that searches points in lattice cubes: host threads gather the corners of blocks into pinned
// memory while the GPU searches the blocks before. Found points go to a list; when it is too short it is made
// longer and the chunk is searched again.
#include "density/points/point_search.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "density/sheet/tessellation.hpp"
#include "sim/core/error.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/build_nodes_dual.hpp"
#include "sim/core/spatial/median_order.hpp"

namespace aureole::density {
namespace {

/// Points are ordered by their numbers, which are smaller.
struct PointAxes {
    std::span<const Vec3> points;

    static constexpr int count = 3;

    double coordinate(Index i, int axis) const { return component(points[i], axis); }
    static double length(int, double difference) { return difference; }
    bool before(Index a, Index b, int axis) const { return coordinate(a, axis) < coordinate(b, axis); }
};

struct BoxBuilder : Hierarchy<BoundingBox<double>> {
    const Vec3* sorted;

    BoundingBox<double> leaf(Index k) const
    {
        auto box = BoundingBox<double>::at(sorted[begin(k)]);
        for (Index i = begin(k) + 1; i < end(k); ++i) box.include(sorted[i]);
        return box;
    }
    static BoundingBox<double> merge(const BoundingBox<double>& a, const BoundingBox<double>& b)
    {
        return a.around(b);
    }
};

}  // namespace

std::size_t PointTree::bytes(std::size_t n_points)
{
    return n_points * (sizeof(Vec3) + sizeof(Index)) +
           BalancedTree::over(n_points, PointTreeView::leaf_size).n_places() * sizeof(BoundingBox<double>);
}

PointTree::PointTree(std::span<const Vec3> points) : order_(points.size()), sorted_(points.size())
{
    AUREOLE_EXPECT(!points.empty() && points.size() <= max_particles, "a tree of {} points, expected 1 to {}",
                   points.size(), max_particles);
    shape_ = BalancedTree::over(points.size(), PointTreeView::leaf_size);
    nodes_.resize(shape_.n_places());
    std::iota(order_.begin(), order_.end(), Index{0});
    order_by_medians(shape_, std::span(order_), PointAxes{points});
#pragma omp parallel for if (points.size() > parallel_threshold)
    for (std::size_t k = 0; k < points.size(); ++k) sorted_[k] = points[order_[k]];
    build_nodes_cpu(shape_, BoxBuilder{{shape_, nodes_.data()}, sorted_.data()});
}

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
