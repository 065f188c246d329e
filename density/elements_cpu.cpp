// Threads take blocks of the lattice; sums in the grid are atomic and exact, so it does not matter which.
#include <algorithm>

#include "density/block_deposit.hpp"

namespace aureole::density {
namespace {

constexpr std::size_t tasks_between_reports = 1 << 10;
constexpr int tasks_at_once = 4;  // of one block, mostly

template <int carried>
void deposit_all(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    for (std::size_t begin = 0; begin < work.tasks.size(); begin += tasks_between_reports) {
        const std::size_t end = std::min(begin + tasks_between_reports, work.tasks.size());
#pragma omp parallel
        {
            BlockDeposit<carried> deposit_block(particles, lattice, work.speed_scale);
#pragma omp for schedule(dynamic, tasks_at_once)
            for (std::size_t task = begin; task < end; ++task)
                deposit_block(work.tasks[task].block, work.patches[work.tasks[task].patch]);
        }
        if (work.progress) work.progress(static_cast<double>(end) / static_cast<double>(work.tasks.size()));
    }
}

}  // namespace

void deposit_tasks_cpu(const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    work.moments ? deposit_all<3>(particles, lattice, work) : deposit_all<0>(particles, lattice, work);
}

void deposit_tasks(Exec exec, const ParticlesView& particles, const Lattice& lattice, const ElementWork& work)
{
    AUREOLE_EXPECT(particles.where == Backend::cpu,
                   "tetrahedra are gathered in host memory, found particles on {}", name_of(particles.where));
    if (exec.backend == Backend::cpu)
        deposit_tasks_cpu(particles, lattice, work);
    else
        deposit_tasks_cuda(particles, lattice, work);
}

}  // namespace aureole::density
