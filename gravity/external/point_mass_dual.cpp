#include "gravity/external/point_mass.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::gravity {

// One target per thread.
void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                      const PointMass& field, const Vec3View& acceleration)
{
    const ConstVec3View position = particles.position;
    const Selection selected = targets;
    const PointMass body = field;
    const Vec3View to = acceleration;
    for_each(exec, selected.size(), [=] AUREOLE_HD(Index k) {
        const Index i = selected[k];
        const Vec3 a = to.load(i);
        to.store(i, a + body.acceleration(position.load(i)));
    });
}

// A thread sums one partial, then partials are folded in place; the order of all additions follows from the
// number of particles and the backend alone.
void power(Exec exec, const ConstParticlesView& particles, const PointMass& field, double* partial)
{
    const ConstParticlesView p = particles;
    const PointMass body = field;
    Index n = p.n < n_power_partials ? p.n : n_power_partials;
    // partial b takes a run of neighbours on the CPU; on the GPU neighbouring threads take neighbours
    const bool runs = exec.backend == Backend::cpu;
    const std::size_t length = (std::size_t{p.n} + n - 1) / n;
    const std::size_t first = runs ? length : 1, stride = runs ? 1 : n;
    for_each(exec, n, [=] AUREOLE_HD(Index b) {
        double sum = 0;
        for (std::size_t k = 0, at = b * first; k < length && at < p.n; ++k, at += stride) {
            const Index i = static_cast<Index>(at);
            sum += p.mass[i] * dot(p.velocity.load(i), body.acceleration(p.position.load(i)));
        }
        partial[b] = sum;
    });
    while (n > 1) {  // thread b alone touches b, b + m, b + 2 m ...
        constexpr Index fan_in = 32;
        const Index m = (n + fan_in - 1) / fan_in;
        for_each(exec, m, [=] AUREOLE_HD(Index b) {
            double sum = partial[b];
            for (Index i = b + m; i < n; i += m) sum += partial[i];
            partial[b] = sum;
        });
        n = m;
    }
}

}  // namespace aureole::gravity
