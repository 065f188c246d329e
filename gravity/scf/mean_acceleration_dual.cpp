#include "gravity/scf/mean_acceleration.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::gravity::scf {

Index sum_accelerations(Exec exec, const ParticlesView& p, double* partials)
{
    const Index n = p.n < n_mean_partials ? p.n : n_mean_partials;
    // a partial sum takes a run of neighbours on the CPU; on the GPU neighbouring threads take neighbours
    const bool runs = exec.backend == Backend::cpu;
    const std::size_t length = (std::size_t{p.n} + n - 1) / n;
    const std::size_t first = runs ? length : 1, stride = runs ? 1 : n;
    for_each(exec, n, [=] AUREOLE_HD(Index b) {
        double mass = 0;
        Vec3 force{};
        for (std::size_t k = 0, i = b * first; k < length && i < p.n; ++k, i += stride) {
            const Index j = static_cast<Index>(i);
            mass += p.mass[j];
            force = force + p.mass[j] * p.acceleration.load(j);
        }
        double* row = partials + std::size_t{b} * 4;
        row[0] = force.x;
        row[1] = force.y;
        row[2] = force.z;
        row[3] = mass;
    });
    return n;
}

void subtract_acceleration(Exec exec, const ParticlesView& p, Vec3 mean)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) { p.acceleration.store(i, p.acceleration.load(i) - mean); });
}

}  // namespace aureole::gravity::scf
