#include "integrators/kick_drift.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::integrators {

namespace {

AUREOLE_HD void report(const LimitWatch& watch, Index i, Vec3 v, double limit)
{
    if (watch.first && beyond(v, limit)) atomic_min(watch.first, std::uint64_t{i});
}

}  // namespace

// One particle per thread; everything is loaded before the first store, which the compiler, not knowing that
// the arrays are apart, could not do by itself.

void kick(Exec exec, const ParticlesView& p, double dt, const LimitWatch& watch)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) {
        const Vec3 v = p.velocity.load(i), a = p.acceleration.load(i);
        const Vec3 kicked = v + dt * a;
        p.velocity.store(i, kicked);
        report(watch, i, kicked, watch.limits.velocity);
    });
}

void drift(Exec exec, const ParticlesView& p, double dt, const LimitWatch& watch)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) {
        const Vec3 x = p.position.load(i), v = p.velocity.load(i);
        const Vec3 drifted = x + dt * v;
        p.position.store(i, drifted);
        report(watch, i, drifted, watch.limits.position);
    });
}

void kick_and_drift(Exec exec, const ParticlesView& p, double dt_kick, double dt_drift,
                    const LimitWatch& watch)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) {
        const Vec3 x = p.position.load(i), a = p.acceleration.load(i);
        const Vec3 v = p.velocity.load(i) + dt_kick * a;
        p.velocity.store(i, v);
        const Vec3 drifted = x + dt_drift * v;
        p.position.store(i, drifted);
        report(watch, i, drifted, watch.limits.position);
    });
}

}  // namespace aureole::integrators
