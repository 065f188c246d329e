#include "integrators/passes.hpp"

#include "sim/core/atomics.hpp"
#include "sim/core/for_each_chained_dual.hpp"

namespace aureole::integrators {
namespace {

AUREOLE_HD void report(const LimitWatch& watch, Index i, Vec3 v, double limit)
{
    if (!watch.first || !beyond(v, limit)) return;
    atomic_min(watch.first, std::uint64_t{i});
    if (watch.told) *watch.told = 1;
}

}  // namespace

// One particle per thread; everything is loaded before the first store, which the compiler, not knowing that
// the arrays are apart, could not do by itself.

void kick(Exec exec, const ParticlesView& p, double dt, const LimitWatch& watch)
{
    for_each_chained(exec, p.n, [=] AUREOLE_HD(Index i) {
        if (watch.stands_still()) return;
        const Vec3 v = p.velocity.load(i), a = p.acceleration.load(i);
        const Vec3 kicked = v + dt * a;
        p.velocity.store(i, kicked);
        report(watch, i, kicked, watch.limits.velocity);
    });
}

void drift(Exec exec, const ParticlesView& p, double dt, const LimitWatch& watch)
{
    for_each_chained(exec, p.n, [=] AUREOLE_HD(Index i) {
        if (watch.stands_still()) return;
        const Vec3 x = p.position.load(i), v = p.velocity.load(i);
        const Vec3 drifted = x + dt * v;
        p.position.store(i, drifted);
        report(watch, i, drifted, watch.limits.position);
    });
}

namespace {

struct OpenSpace {
    AUREOLE_HD Vec3 operator()(Vec3 x) const { return x; }
};
struct WithinBox {
    Box box;
    AUREOLE_HD Vec3 operator()(Vec3 x) const { return box.wrap(x); }
};

template <class Place>
void kick_and_drift_to(Exec exec, const ParticlesView& p, double dt_kick, double dt_drift,
                       const LimitWatch& watch, Place place)
{
    for_each_chained(exec, p.n, [=] AUREOLE_HD(Index i) {
        if (watch.stands_still()) return;
        const Vec3 x = p.position.load(i), a = p.acceleration.load(i);
        const Vec3 v = p.velocity.load(i) + dt_kick * a;
        p.velocity.store(i, v);
        const Vec3 drifted = x + dt_drift * v;
        p.position.store(i, place(drifted));
        report(watch, i, drifted, watch.limits.position);
    });
}

}  // namespace

void kick_and_drift(Exec exec, const ParticlesView& p, double dt_kick, double dt_drift,
                    const LimitWatch& watch, const Box& box)
{
    if (box.periodic())
        kick_and_drift_to(exec, p, dt_kick, dt_drift, watch, WithinBox{box});
    else
        kick_and_drift_to(exec, p, dt_kick, dt_drift, watch, OpenSpace{});
}

namespace {

struct Weights {
    double of_type[n_particle_types];  ///< 1 / eps^2
};

/// Like fmax, but a NaN wins: a broken acceleration must not vanish in the maximum. In any order the same.
AUREOLE_HD double larger(double a, double b) { return a != a || a >= b ? a : b; }

/// scratch[0] = value_of(i) of all particles, joined in a fixed order; `join` of two values and 0 is the
/// identity.
template <class Value, class Join>
void reduce(Exec exec, Index n_particles, double* scratch, Value value_of, Join join)
{
    Index n = n_particles < n_acceleration_partials ? n_particles : n_acceleration_partials;
    // partial b takes a run of neighbours on the CPU; on the GPU neighbouring threads take neighbours
    const bool runs = exec.backend == Backend::cpu;
    const std::size_t length = (std::size_t{n_particles} + n - 1) / n;
    const std::size_t first = runs ? length : 1, stride = runs ? 1 : n;
    for_each_chained(exec, n, [=] AUREOLE_HD(Index b) {
        double joined = 0;
        for (std::size_t k = 0, i = b * first; k < length && i < n_particles; ++k, i += stride)
            joined = join(joined, value_of(static_cast<Index>(i)));
        scratch[b] = joined;
    });
    while (n > 1) {  // in place: thread b alone touches b, b + m, b + 2 m ...
        constexpr Index fan_in = 32;
        const Index m = (n + fan_in - 1) / fan_in;
        for_each_chained(exec, m, [=] AUREOLE_HD(Index b) {
            double joined = scratch[b];
            for (Index i = b + m; i < n; i += m) joined = join(joined, scratch[i]);
            scratch[b] = joined;
        });
        n = m;
    }
}

struct SquaredRate {
    ConstParticlesView p;
    Weights weights;
    AUREOLE_HD double operator()(Index i) const
    {
        const Vec3 a = p.acceleration.load(i);
        return dot(a, a) * weights.of_type[p.type_of(i)];
    }
};
struct Larger {
    AUREOLE_HD double operator()(double a, double b) const { return larger(a, b); }
};
struct MassTimesSquare {
    ConstParticlesView p;
    AUREOLE_HD double operator()(Index i) const
    {
        const Vec3 v = p.velocity.load(i);
        return p.mass[i] * dot(v, v);
    }
};
struct Sum {
    AUREOLE_HD double operator()(double a, double b) const { return a + b; }
};

}  // namespace

void largest_acceleration(Exec exec, const ConstParticlesView& particles, const gravity::Softening& softening,
                          double* scratch)
{
    Weights weights{};
    for (int type = 0; type < n_particle_types; ++type)
        weights.of_type[type] = 1 / (softening.length[type] * softening.length[type]);
    reduce(exec, particles.n, scratch, SquaredRate{particles, weights}, Larger{});
}

void sum_of_squares(Exec exec, const ConstParticlesView& particles, double* scratch)
{
    reduce(exec, particles.n, scratch, MassTimesSquare{particles}, Sum{});
}

}  // namespace aureole::integrators
