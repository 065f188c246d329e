#include "gravity/external/point_mass.hpp"
#include "gravity/external/sum_particles_dual.hpp"

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

namespace {

struct PowerTerm {
    ConstParticlesView p;
    PointMass body;

    AUREOLE_HD double operator()(Index i) const
    {
        return p.mass[i] * dot(p.velocity.load(i), body.acceleration(p.position.load(i)));
    }
};

}  // namespace

void power(Exec exec, const ConstParticlesView& particles, const PointMass& field, double* partial)
{
    sum_particles(exec, particles.n, partial, PowerTerm{particles, field});
}

}  // namespace aureole::gravity
