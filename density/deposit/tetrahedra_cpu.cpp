// CPU threads take blocks of the lattice. Sums are atomic and exact, so the assignment of blocks to threads
// is free.
#include <algorithm>

#include "density/deposit/block_deposit.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t tasks_between_reports = 1 << 10;
constexpr std::size_t tasks_at_once = 4;  // of an octree these mostly share a block

/// The tasks from `begin` to `end`, a few at a time, in an order that keeps concurrent tasks far apart:
/// consecutive tasks add to the same cells, and threads would wait for each other.
class SpreadTasks {
public:
    SpreadTasks(std::size_t begin, std::size_t end)
        : begin_(begin), end_(end), groups_((end - begin + tasks_at_once - 1) / tasks_at_once)
    {
    }

    /// Number of groups of tasks; some are empty.
    std::size_t count() const { return parts * per_part(); }
    template <class Body>
    void for_each(std::size_t k, Body&& body) const
    {
        const std::size_t first = begin_ + (k % parts * per_part() + k / parts) * tasks_at_once;
        for (std::size_t task = first; task < std::min(first + tasks_at_once, end_); ++task) body(task);
    }

private:
    static constexpr std::size_t parts = 32;
    std::size_t per_part() const { return (groups_ + parts - 1) / parts; }

    std::size_t begin_, end_, groups_;
};

template <int carried>
void deposit_all(const BlockCorners& corners, const TetrahedronWork& work)
{
    for (std::size_t begin = 0; begin < work.tasks.size(); begin += tasks_between_reports) {
        const std::size_t end = std::min(begin + tasks_between_reports, work.tasks.size());
        const SpreadTasks tasks(begin, end);
#pragma omp parallel
        {
            BlockDeposit<carried> deposit_block(corners, work.speed_scale);
#pragma omp for schedule(dynamic)
            for (std::size_t k = 0; k < tasks.count(); ++k)
                tasks.for_each(k, [&](std::size_t task) {
                    deposit_block(work.tasks[task].block, work.patches[work.tasks[task].patch]);
                });
        }
        work.progress.at(static_cast<double>(end) / static_cast<double>(work.tasks.size()), "tetrahedra");
    }
}

}  // namespace

void deposit_tasks_cpu(const BlockCorners& corners, const TetrahedronWork& work)
{
    work.moments ? deposit_all<3>(corners, work) : deposit_all<0>(corners, work);
}

void deposit_tasks(Exec exec, const BlockCorners& corners, const TetrahedronWork& work)
{
    AUREOLE_EXPECT(corners.where() == Backend::cpu,
                   "a deposit needs particles in host memory, found them on {}", name_of(corners.where()));
    if (exec.backend == Backend::cpu)
        deposit_tasks_cpu(corners, work);
    else
        deposit_tasks_cuda(corners, work);
}

}  // namespace aureole::density
