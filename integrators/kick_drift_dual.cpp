#include "integrators/kick_drift.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::integrators {

// One particle per thread; everything is loaded before the first store, which the compiler, not knowing that
// the arrays are apart, could not do by itself.

void kick(Exec exec, const ParticlesView& p, double dt)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) {
        const Vec3 v = p.velocity.load(i), a = p.acceleration.load(i);
        p.velocity.store(i, v + dt * a);
    });
}

void drift(Exec exec, const ParticlesView& p, double dt)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) {
        const Vec3 x = p.position.load(i), v = p.velocity.load(i);
        p.position.store(i, x + dt * v);
    });
}

void kick_and_drift(Exec exec, const ParticlesView& p, double dt_kick, double dt_drift)
{
    for_each(exec, p.n, [=] AUREOLE_HD(Index i) {
        const Vec3 x = p.position.load(i), a = p.acceleration.load(i);
        const Vec3 v = p.velocity.load(i) + dt_kick * a;
        p.velocity.store(i, v);
        p.position.store(i, x + dt_drift * v);
    });
}

}  // namespace aureole::integrators
