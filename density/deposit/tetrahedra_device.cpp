// Feeds a GPU with tetrahedra: host threads gather the corners of blocks into pinned memory while the GPU
// works on the chunk before. The memory is that of two chunks, whatever the number of particles.
#include <algorithm>
#include <vector>

#include "density/deposit/shared_work.hpp"
#include "density/deposit/tetrahedra_device.hpp"
#include "density/deposit/tetrahedron_tasks.hpp"
#include "sim/core/memory/device_transfer.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t blocks_per_chunk = 1024, tasks_per_chunk = 8192;
constexpr std::size_t blocks_of_first_chunk =
    64;  // small, so that the device begins early; the next chunks double
constexpr Index nowhere = 0xffffffffu;

/// Host and device memory of one chunk, and its stream.
class ChunkSlot {
public:
    ChunkSlot(std::size_t most_blocks, std::size_t most_tasks, bool moments)
        : position_(most_blocks * corners_per_block),
          velocity_(moments ? position_.size() : 0),
          tasks_(most_tasks),
          volume_(most_tasks)
    {
    }

    ChunkSlot(const ChunkSlot&) = delete;
    ChunkSlot& operator=(const ChunkSlot&) = delete;
    /// A stop or an error may leave a kernel that still reads the slot.
    ~ChunkSlot()
    {
        try {
            device::wait(stream_.get());
        } catch (...) {  // the error that ended the work is already on its way
        }
    }

    /// Bytes on the host, and the same on the device.
    static std::size_t bytes(std::size_t most_blocks, std::size_t most_tasks, bool moments)
    {
        return most_blocks * corners_per_block * (moments ? 2 : 1) * sizeof(Vec3) +
               most_tasks * (sizeof(DeviceTask) + sizeof(double));
    }

    /// Waits for the chunk that was in the slot, and adds its signed volume to `sum`.
    void clear(std::span<const Patch> patches, VolumeSum& sum)
    {
        device::wait(stream_.get());
        for (std::size_t k = 0; k < n_tasks_; ++k)
            if (patches[tasks_.host()[k].patch].adds_volume) sum.add(volume_.host()[k]);
        n_tasks_ = 0;
        blocks_.clear();
    }

    bool full(std::size_t most_blocks) const
    {
        return blocks_.size() == most_blocks || n_tasks_ == tasks_.size();
    }

    /// `slot_of` holds `nowhere` for blocks that the chunk does not have.
    void add(const TetrahedronTask& task, const LatticeBlocks& blocks, std::vector<Index>& slot_of)
    {
        Index& slot = slot_of[task.block];
        if (slot == nowhere) {
            slot = static_cast<Index>(blocks_.size());
            blocks_.push_back(task.block);
        }
        const BlockExtent e = blocks.extent(task.block);
        tasks_.host()[n_tasks_++] = {task.patch, slot, {e.cubes[0], e.cubes[1], e.cubes[2]}};
    }

    void gather(std::size_t b, const BlockCorners& corners)
    {
        corners.positions(blocks_[b], position_.host() + b * corners_per_block);
        if (velocity_.size() > 0) corners.velocities(blocks_[b], velocity_.host() + b * corners_per_block);
    }

    void submit(const DevicePatch* patches, const TetrahedronWork& work, bool streams, bool by_planes)
    {
        const std::size_t corners = blocks_.size() * corners_per_block;
        position_.send(stream_.get(), corners);
        velocity_.send(stream_.get(), velocity_.size() > 0 ? corners : 0);
        tasks_.send(stream_.get(), n_tasks_);
        if constexpr (with_cuda)
            deposit_chunk(stream_.get(), {patches, tasks_.device(), static_cast<Index>(n_tasks_),
                                          position_.device(), velocity_.device(), work.speed_scale, streams,
                                          by_planes, work.precision, volume_.device()});
        volume_.fetch(stream_.get(), n_tasks_);
    }

    const std::vector<Index>& blocks() const { return blocks_; }

private:
    device::Stream stream_;
    device::StagedBuffer<Vec3> position_, velocity_;
    device::StagedBuffer<DeviceTask> tasks_;
    device::StagedBuffer<double> volume_;
    std::size_t n_tasks_ = 0;
    std::vector<Index> blocks_;
};

void expect_countable(const TetrahedronWork& work)
{
    for (const Patch& patch : work.patches)
        for (const GridAxis& axis : patch.sums.grid.axis)
            if (axis.cells > most_device_cells)
                throw Error(
                    fmt::format("density: the grid has {} cells along an axis, expected at most {} on a "
                                "GPU",
                                axis.cells, most_device_cells));
}

Buffer<DevicePatch> on_device(std::span<const Patch> patches)
{
    std::vector<DevicePatch> result;
    for (const Patch& patch : patches)
        result.push_back({patch.sums, patch.streams, CellCoordinates(patch.sums.grid)});
    return {Backend::cuda, std::span<const DevicePatch>(result)};
}

/// Two slots: a chunk is prepared in one while the device works on the other.
class DeviceFeeder final : public ChunkFeeder {
public:
    DeviceFeeder(const BlockCorners& corners, const TetrahedronWork& work)
        : corners_(corners),
          work_(work),
          patches_(on_device(work.patches)),
          streams_(std::ranges::any_of(work.patches, [](const Patch& p) { return p.streams != nullptr; })),
          by_planes_(std::ranges::any_of(work.patches, [](const Patch& p) { return !p.sums.stores_all(); })),
          slots_{{most_blocks(), most_tasks(), work.moments}, {most_blocks(), most_tasks(), work.moments}},
          slot_of_(corners.blocks().count(), nowhere)
    {
    }

    void wait() override { slot().clear(work_.patches, volume_); }
    std::size_t fill(TaskRange range) override
    {
        std::size_t task = range.begin;
        while (task < range.end && !slot().full(next_blocks_))
            slot().add(work_.tasks[task++], corners_.blocks(), slot_of_);
        for (const Index block : slot().blocks()) slot_of_[block] = nowhere;
        return task;
    }
    std::size_t n_blocks() const override { return slots_[turn_].blocks().size(); }
    void gather(std::size_t block) override { slot().gather(block, corners_); }

    void submit() override
    {
        slot().submit(patches_.data(), work_, streams_, by_planes_);
        next_blocks_ = std::min(2 * next_blocks_, most_blocks());
        turn_ = 1 - turn_;
    }

    /// Waits for all chunks; returns the sum of the signed volumes of their tetrahedra in units of the box.
    VolumeSum finish()
    {
        for (ChunkSlot& slot : slots_) slot.clear(work_.patches, volume_);
        return volume_;
    }

private:
    ChunkSlot& slot() { return slots_[turn_]; }
    std::size_t most_blocks() const { return std::min(blocks_per_chunk, work_.tasks.size()); }
    std::size_t most_tasks() const { return std::min(tasks_per_chunk, work_.tasks.size()); }

    BlockCorners corners_;
    const TetrahedronWork& work_;
    Buffer<DevicePatch> patches_;
    bool streams_, by_planes_;
    ChunkSlot slots_[2];
    std::vector<Index> slot_of_;
    std::size_t next_blocks_ = std::min(blocks_of_first_chunk, most_blocks());
    VolumeSum volume_;
    int turn_ = 0;
};

void feed_alone(DeviceFeeder& feeder, const TetrahedronWork& work)
{
    for (std::size_t task = 0; task < work.tasks.size();) {
        feeder.wait();
        task = feeder.fill({task, work.tasks.size()});
#pragma omp parallel for schedule(dynamic)
        for (std::size_t b = 0; b < feeder.n_blocks(); ++b) feeder.gather(b);
        feeder.submit();
        work.progress.at(static_cast<double>(task) / static_cast<double>(work.tasks.size()), "tetrahedra");
    }
    if (work.meanwhile) work.meanwhile();
}

}  // namespace

VolumeSum deposit_tasks_cuda(const BlockCorners& corners, const TetrahedronWork& work)
{
    expect_countable(work);
    DeviceFeeder feeder(corners, work);
    if (work.host_patches.empty()) {
        feed_alone(feeder, work);
        return feeder.finish();
    }
    VolumeSum volume = share_tasks(feeder, corners, work);
    volume.add(feeder.finish());
    return volume;
}

std::size_t tetrahedron_chunks_bytes(std::size_t n_patches, std::size_t n_tasks, bool moments)
{
    return 2 * ChunkSlot::bytes(std::min(blocks_per_chunk, n_tasks), std::min(tasks_per_chunk, n_tasks),
                                moments) +
           n_patches * sizeof(DevicePatch);
}

}  // namespace aureole::density
