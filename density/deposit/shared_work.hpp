// A list of tasks that a GPU and CPU threads share. The GPU takes chunks from the front of the list, which
// CPU threads prepare together item by item. A CPU thread that finds nothing to prepare takes a task from the
// back. Both reach the end at nearly the same time, whichever is faster.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>

#include "density/deposit/tetrahedron_tasks.hpp"
#include "sim/core/backend.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/core/sums/fixed_sum.hpp"

namespace aureole::density {

/// The numbers from begin to end - 1.
struct TaskRange {
    std::size_t begin = 0, end = 0;

    std::size_t size() const { return end - begin; }
};

class SharedTasks {
public:
    explicit SharedTasks(std::size_t n) : n_(n), back_(n) {}

    /// Tasks for the thread that feeds the GPU: a quarter of those left, or all when few are left, so that a
    /// slow GPU does not delay the end. restrict_to() gives back those from `unused` on.
    TaskRange reserve();
    void restrict_to(std::size_t unused);
    /// A task for another thread; nothing when all tasks are taken.
    std::optional<std::size_t> take();

    /// Opens the next chunk with `n` items to prepare; the items of the chunk before must be prepared.
    void open(std::size_t n);
    /// A few items that no thread has begun; empty when there are none.
    TaskRange begin_items();
    void end_items(TaskRange items);
    bool prepared() const;

    /// Ends the work: no more tasks and items are given to any thread.
    void close();
    bool closed() const;

    double fraction_taken() const;

private:
    mutable std::mutex mutex_;
    std::size_t n_, front_ = 0, back_;
    std::size_t items_ = 0, begun_ = 0, ended_ = 0;
    bool closed_ = false;
};

/// Takes tasks in chunks and works on one chunk while the next is prepared. One thread, the one that selected
/// the device, calls all functions; other threads call gather() with different blocks.
class ChunkFeeder {
public:
    virtual ~ChunkFeeder() = default;

    /// Waits until a chunk can be filled.
    virtual void wait() = 0;
    /// Puts tasks from range.begin on into the chunk; returns the first task that does not fit.
    virtual std::size_t fill(TaskRange range) = 0;
    virtual std::size_t n_blocks() const = 0;
    virtual void gather(std::size_t block) = 0;
    /// Starts the work on the chunk, whose blocks are all gathered.
    virtual void submit() = 0;
};

/// Does all tasks: CPU threads deposit those that the feeder does not take onto work.host_patches. Returns
/// the sum of the signed volumes of the tetrahedra of these in units of the box. Timing decides which tasks
/// are whose.
VolumeSum share_tasks(ChunkFeeder& feeder, const BlockCorners& corners, const TetrahedronWork& work);

// Adds the sums of a device to those of the host. Grids and octrees use this when both have deposited.

inline void add(Index& count, Index other) { count += other; }

/// to[i] += from[i] for n elements of device memory.
template <class Sum>
void download_added(Sum* to, const Sum* from, std::size_t n)
{
    device::download_parts(from, n * sizeof(Sum),
                           [to](std::size_t offset, const std::byte* part, std::size_t bytes) {
                               const auto* const terms = reinterpret_cast<const Sum*>(part);
                               Sum* const sums = to + offset / sizeof(Sum);
#pragma omp parallel for
                               for (std::size_t i = 0; i < bytes / sizeof(Sum); ++i) add(sums[i], terms[i]);
                           });
}

}  // namespace aureole::density
