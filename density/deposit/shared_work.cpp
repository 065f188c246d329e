#include "density/deposit/shared_work.hpp"

#include <omp.h>

#include <exception>
#include <thread>

#include "density/deposit/block_deposit.hpp"

namespace aureole::density {
namespace {

/// Prepares some of the chunk; returns whether there was any.
bool gather_some(ChunkFeeder& feeder, SharedTasks& tasks)
{
    const TaskRange blocks = tasks.begin_items();
    for (std::size_t b = blocks.begin; b < blocks.end; ++b) feeder.gather(b);
    tasks.end_items(blocks);
    return blocks.size() > 0;
}

/// The first thread: one chunk after the other, until all tasks are taken.
void feed(ChunkFeeder& feeder, SharedTasks& tasks, const ElementWork& work)
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
        if (work.progress) work.progress(tasks.fraction_taken());
    }
    tasks.close();
}

/// The others: what has to be prepared, else a task of their own.
template <int carried>
void help(ChunkFeeder& feeder, SharedTasks& tasks, BlockDeposit<carried> deposit, const ElementWork& work,
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
double share(ChunkFeeder& feeder, const ParticlesView& particles, const Lattice& lattice,
             const ElementWork& work)
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
                help(feeder, tasks, BlockDeposit<carried>(particles, lattice, work.speed_scale), work, own);
        } catch (...) {
#pragma omp critical
            if (!failure) failure = std::current_exception();
            tasks.close();
        }
#pragma omp critical
        volume.add(own);
    }
    if (failure) std::rethrow_exception(failure);
    return volume.value();
}

}  // namespace

double share_tasks(ChunkFeeder& feeder, const ParticlesView& particles, const Lattice& lattice,
                   const ElementWork& work)
{
    return work.moments ? share<3>(feeder, particles, lattice, work)
                        : share<0>(feeder, particles, lattice, work);
}

}  // namespace aureole::density
