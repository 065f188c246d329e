#include "density/deposit/shared_work.hpp"

#include <omp.h>

#include <algorithm>
#include <exception>
#include <thread>

#include "density/deposit/block_deposit.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t least_chunk = 64;  // in tasks; fewer do not keep a GPU busy
constexpr std::size_t items_at_once = 4;

/// Prepares a few items of the chunk; returns whether there were any.
bool gather_some(ChunkFeeder& feeder, SharedTasks& tasks)
{
    const TaskRange blocks = tasks.begin_items();
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) feeder.gather(b);
    tasks.end_items(blocks);
    return blocks.size() > 0;
}

/// The work of the first thread: one chunk after the other until all tasks are taken.
void feed(ChunkFeeder& feeder, SharedTasks& tasks, const TetrahedronWork& work)
{
    for (;;) {
        feeder.wait();
        const TaskRange range = tasks.reserve();
        if (range.size() == 0) break;
        tasks.restrict_to(feeder.fill(range));
        tasks.open(feeder.n_blocks());
        while (gather_some(feeder, tasks)) {
        }
        while (!tasks.prepared() && !tasks.closed()) std::this_thread::yield();
        if (tasks.closed()) break;
        feeder.submit();
        work.progress.at(tasks.fraction_taken(), "tetrahedra");
    }
    tasks.close();
}

/// The work of the other threads: items of the chunk, otherwise single tasks.
template <int carried>
void help(ChunkFeeder& feeder, SharedTasks& tasks, BlockDeposit<carried> deposit, const TetrahedronWork& work,
          VolumeSum& volume)
{
    while (!tasks.closed()) {
        if (gather_some(feeder, tasks)) continue;
        const auto task = tasks.take();
        if (!task) {
            std::this_thread::yield();
            continue;
        }
        deposit(work.tasks[*task].block, work.host_patches[work.tasks[*task].patch]);
        deposit.add_volume(volume);
    }
}

template <int carried>
VolumeSum share(ChunkFeeder& feeder, const BlockCorners& corners, const TetrahedronWork& work)
{
    SharedTasks tasks(work.tasks.size());
    VolumeSum volume;
    std::exception_ptr failure;
#pragma omp parallel
    {
        VolumeSum own;
        try {
            if (omp_get_thread_num() == 0)
                feed(feeder, tasks, work);
            else
                help(feeder, tasks, BlockDeposit<carried>(corners, work.speed_scale), work, own);
        } catch (...) {
#pragma omp critical
            if (!failure) failure = std::current_exception();
            tasks.close();
        }
#pragma omp critical
        volume.add(own);
    }
    if (failure) std::rethrow_exception(failure);
    return volume;
}

}  // namespace

TaskRange SharedTasks::reserve()
{
    const std::lock_guard lock(mutex_);
    if (closed_) return {};
    const std::size_t left = back_ - front_;
    const TaskRange range{front_, front_ + std::min(left, std::max(least_chunk, left / 4))};
    front_ = range.end;
    return range;
}

void SharedTasks::restrict_to(std::size_t unused)
{
    const std::lock_guard lock(mutex_);
    front_ = unused;
}

std::optional<std::size_t> SharedTasks::take()
{
    const std::lock_guard lock(mutex_);
    if (closed_ || front_ == back_) return std::nullopt;
    return --back_;
}

void SharedTasks::open(std::size_t n)
{
    const std::lock_guard lock(mutex_);
    items_ = n;
    begun_ = ended_ = 0;
}

TaskRange SharedTasks::begin_items()
{
    const std::lock_guard lock(mutex_);
    if (closed_) return {};
    const TaskRange items{begun_, std::min(begun_ + items_at_once, items_)};
    begun_ = items.end;
    return items;
}

void SharedTasks::end_items(TaskRange items)
{
    const std::lock_guard lock(mutex_);
    ended_ += items.size();
}

bool SharedTasks::prepared() const
{
    const std::lock_guard lock(mutex_);
    return ended_ == items_;
}

void SharedTasks::close()
{
    const std::lock_guard lock(mutex_);
    closed_ = true;
}

bool SharedTasks::closed() const
{
    const std::lock_guard lock(mutex_);
    return closed_;
}

double SharedTasks::fraction_taken() const
{
    const std::lock_guard lock(mutex_);
    return n_ == 0 ? 1 : 1 - static_cast<double>(back_ - front_) / static_cast<double>(n_);
}

VolumeSum share_tasks(ChunkFeeder& feeder, const BlockCorners& corners, const TetrahedronWork& work)
{
    return work.moments ? share<3>(feeder, corners, work) : share<0>(feeder, corners, work);
}

}  // namespace aureole::density
