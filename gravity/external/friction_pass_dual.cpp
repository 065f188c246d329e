#include "gravity/external/friction_pass.hpp"

#include "gravity/external/sum_particles_dual.hpp"

namespace aureole::gravity {
namespace {

struct FrictionPowerTerm {
    ConstParticlesView p;
    FrictionState friction;

    AUREOLE_HD double operator()(Index i) const
    {
        if (!friction.slows(p, i)) return 0;
        const Vec3 v = p.velocity.load(i);
        return p.mass[i] * dot(v, friction.acceleration(p.mass[i], p.position.load(i), v));
    }
};

}  // namespace

// One target per thread.
void add_friction(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                  const FrictionState& state, const Vec3View& acceleration)
{
    const ConstParticlesView p = particles;
    const Selection selected = targets;
    const FrictionState friction = state;
    const Vec3View to = acceleration;
    for_each(exec, selected.size(), [=] AUREOLE_HD(Index k) {
        const Index i = selected[k];
        if (!friction.slows(p, i)) return;
        to.store(i, to.load(i) + friction.acceleration(p.mass[i], p.position.load(i), p.velocity.load(i)));
    });
}

void sum_friction_power(Exec exec, const ConstParticlesView& particles, const FrictionState& friction,
                        double* partial)
{
    sum_particles(exec, particles.n, partial, FrictionPowerTerm{particles, friction});
}

}  // namespace aureole::gravity
