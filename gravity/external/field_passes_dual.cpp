#include "gravity/external/field_passes.hpp"

#include "gravity/external/sum_particles_dual.hpp"

namespace aureole::gravity {
namespace {

// One target per thread. The loops are compiled once for each kind of potential.

template <class P>
void add_accelerations(Exec exec, ConstVec3View position, Selection targets, PlacedField<P> field,
                       Vec3View acceleration)
{
    for_each(exec, targets.size(), [=] AUREOLE_HD(Index k) {
        const Index i = targets[k];
        acceleration.store(i, acceleration.load(i) + field.acceleration(position.load(i)));
    });
}

template <class P>
void add_potentials(Exec exec, ConstVec3View position, Selection targets, PlacedField<P> field,
                    double* values)
{
    for_each(exec, targets.size(), [=] AUREOLE_HD(Index k) {
        const Index i = targets[k];
        values[i] += field.value(position.load(i));
    });
}

template <class P>
struct EnergyTerm {
    ConstParticlesView p;
    PlacedField<P> field;
    AUREOLE_HD double operator()(Index i) const { return p.mass[i] * field.value(p.position.load(i)); }
};

template <class P>
struct EnergyRateTerm {
    ConstParticlesView p;
    PlacedField<P> field;
    AUREOLE_HD double operator()(Index i) const { return p.mass[i] * field.rate(p.position.load(i)); }
};

}  // namespace

void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                      const FieldPotential& potential, const FieldState& at, const Vec3View& acceleration)
{
    std::visit(
        [&]<class P>(const P& p) {
            add_accelerations(exec, particles.position, targets, PlacedField<P>{p, at}, acceleration);
        },
        potential);
}

void add_potential(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                   const FieldPotential& potential, const FieldState& at, double* values)
{
    std::visit(
        [&]<class P>(const P& p) {
            add_potentials(exec, particles.position, targets, PlacedField<P>{p, at}, values);
        },
        potential);
}

void sum_energy(Exec exec, const ConstParticlesView& particles, const FieldPotential& potential,
                const FieldState& at, double* partial)
{
    std::visit(
        [&]<class P>(const P& p) {
            sum_particles(exec, particles.n, partial, EnergyTerm<P>{particles, {p, at}});
        },
        potential);
}

void sum_energy_rate(Exec exec, const ConstParticlesView& particles, const FieldPotential& potential,
                     const FieldState& at, double* partial)
{
    std::visit(
        [&]<class P>(const P& p) {
            sum_particles(exec, particles.n, partial, EnergyRateTerm<P>{particles, {p, at}});
        },
        potential);
}

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
