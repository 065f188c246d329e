// Feeds a GPU: host threads gather the corners of blocks into pinned memory while it works on the chunk
// before. Memory is that of the chunks, whatever the number of particles.
#include <algorithm>
#include <vector>

#include "density/element_tasks.hpp"
#include "density/elements_device.hpp"
#include "sim/core/staged_buffer.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t blocks_per_chunk = 1024, tasks_per_chunk = 8192;
constexpr Index nowhere = 0xffffffffu;

/// Host and device memory of one chunk, and the queue it goes through.
class ChunkSlot {
public:
    ChunkSlot(std::size_t most_blocks, std::size_t most_tasks, bool moments)
        : position_(most_blocks * corners_per_block),
          velocity_(moments ? position_.size() : 0),
          tasks_(most_tasks),
          volume_(most_tasks)
    {
    }

    /// On the host and on the device each.
    static std::size_t bytes(std::size_t most_blocks, std::size_t most_tasks, bool moments)
    {
        return most_blocks * corners_per_block * (moments ? 2 : 1) * sizeof(Vec3) +
               most_tasks * (sizeof(DeviceTask) + sizeof(double));
    }

    /// Waits for the chunk that was in the slot; returns its signed volume.
    long double clear()
    {
        device::wait(stream_.get());
        long double sum = 0;
        for (std::size_t k = 0; k < n_tasks_; ++k) sum += volume_.host()[k];
        n_tasks_ = 0;
        blocks_.clear();
        return sum;
    }

    bool full(std::size_t most_blocks) const
    {
        return blocks_.size() == most_blocks || n_tasks_ == tasks_.size();
    }

    /// `slot_of` holds `nowhere` for blocks that the chunk does not have.
    void add(const ElementTask& task, const LatticeBlocks& blocks, std::vector<Index>& slot_of)
    {
        Index& slot = slot_of[task.block];
        if (slot == nowhere) {
            slot = static_cast<Index>(blocks_.size());
            blocks_.push_back(task.block);
        }
        const BlockExtent e = blocks.extent(task.block);
        tasks_.host()[n_tasks_++] = {task.patch, slot, {e.cubes[0], e.cubes[1], e.cubes[2]}};
    }

    void gather(const ParticlesView& particles, const LatticeView& lattice)
    {
#pragma omp parallel for schedule(dynamic)
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            const BlockExtent extent = LatticeBlocks{lattice.side}.extent(blocks_[b]);
            gather_corners(lattice, extent, particles.position, position_.host() + b * corners_per_block);
            if (velocity_.size() > 0)
                gather_corners(lattice, extent, particles.velocity, velocity_.host() + b * corners_per_block);
        }
    }

    void submit(const DevicePatch* patches, const ElementWork& work, bool streams)
    {
        const std::size_t corners = blocks_.size() * corners_per_block;
        position_.send(stream_.get(), corners);
        velocity_.send(stream_.get(), velocity_.size() > 0 ? corners : 0);
        tasks_.send(stream_.get(), n_tasks_);
        deposit_chunk(stream_.get(),
                      {patches, tasks_.device(), static_cast<Index>(n_tasks_), position_.device(),
                       velocity_.device(), work.speed_scale, streams, work.precision, volume_.device()});
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

void expect_countable(const ElementWork& work)
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

}  // namespace

double deposit_tasks_cuda(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    expect_countable(work);
    const LatticeBlocks blocks{lattice.side};
    const Buffer<DevicePatch> patches = on_device(work.patches);
    const bool streams =
        std::ranges::any_of(work.patches, [](const Patch& p) { return p.streams != nullptr; });
    const std::size_t most_blocks = std::min(blocks_per_chunk, work.tasks.size());
    const std::size_t most_tasks = std::min(tasks_per_chunk, work.tasks.size());
    ChunkSlot slots[2] = {{most_blocks, most_tasks, work.moments}, {most_blocks, most_tasks, work.moments}};
    std::vector<Index> slot_of(blocks.count(), nowhere);
    long double volume = 0;
    int turn = 0;
    for (std::size_t task = 0; task < work.tasks.size(); turn = 1 - turn) {
        ChunkSlot& slot = slots[turn];
        volume += slot.clear();
        while (task < work.tasks.size() && !slot.full(most_blocks))
            slot.add(work.tasks[task++], blocks, slot_of);
        for (const Index block : slot.blocks()) slot_of[block] = nowhere;
        slot.gather(particles, lattice.view());
        slot.submit(patches.data(), work, streams);
        if (work.progress) work.progress(static_cast<double>(task) / static_cast<double>(work.tasks.size()));
    }
    volume += slots[turn].clear();
    volume += slots[1 - turn].clear();
    return static_cast<double>(volume);
}

std::size_t element_chunks_bytes(std::size_t n_patches, std::size_t n_tasks, bool moments)
{
    return 2 * ChunkSlot::bytes(std::min(blocks_per_chunk, n_tasks), std::min(tasks_per_chunk, n_tasks),
                                moments) +
           n_patches * sizeof(DevicePatch);
}

}  // namespace aureole::density
