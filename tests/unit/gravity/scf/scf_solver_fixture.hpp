// Clumps of particles, the forces of an expansion solver on them, and what they ought to be.
#pragma once

#include <cmath>
#include <numeric>

#include "gravity/scf/expansion.hpp"
#include "gravity/scf/membership.hpp"
#include "gravity/scf/scf.hpp"
#include "gravity/scf/scf_config.hpp"
#include "gravity/solver.hpp"
#include "gravity/solver_config.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/make_particles.hpp"
#include "tests/support/message_of.hpp"

namespace aureole::test {

using namespace gravity::scf;

/// Plummer spheres of one, two, three ... hundred particles side by side, component by component, scale radii
/// 1; masses differ.
inline Particles clumps(int n_components, Backend where = Backend::cpu)
{
    std::vector<Body> bodies;
    std::vector<Component> numbers;
    for (int k = 0; k < n_components; ++k) {
        std::vector<Body> one = plummer_bodies(100 * static_cast<std::size_t>(k + 1), 5 + unsigned(k));
        for (Body& body : one) {
            body.mass *= 1 + 0.5 * k + 0.1 * body.position[0] / (1 + std::abs(body.position[0]));
            body.position[0] += 2.0 * k;
            body.position[2] -= 1.0 * k * k;
            bodies.push_back(body);
            numbers.push_back(static_cast<Component>(k));
        }
    }
    Particles host = to_particles(bodies, Backend::cpu);
    std::ranges::copy(numbers, host.component.host().begin());
    return host.copy_to(where);
}

/// The same particles, components in turns.
inline Particles interleaved(const Particles& host)
{
    std::vector<Index> order(host.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::sort(order, {}, [](Index i) { return (i * 7919u) % 10007u; });
    return host.gathered(order);
}

inline Particles only(const Particles& host, int component)
{
    std::vector<Index> order;
    for (Index i = 0; i < host.size(); ++i)
        if (host.component.host()[i] == component) order.push_back(i);
    return host.gathered(order);
}

inline FieldConfig about(Vec3 centre, Basis basis = {})
{
    FieldConfig field;
    field.basis = basis;
    field.centre = centre;
    return field;
}

inline std::unique_ptr<gravity::Solver> solver_of(std::vector<FieldConfig> fields)
{
    gravity::Config config;
    config.solver = "scf";
    config.precision = gravity::Precision::double_precision;
    config.plugins.get<gravity::scf::Config>().components = std::move(fields);
    return make_solver(config);
}

struct Forces {
    std::vector<Vec3> acceleration;
    std::vector<double> potential;
};

inline Forces forces_of(const Particles& particles)
{
    const Particles host = particles.copy_to(Backend::cpu);
    Forces forces{{}, host.potential.to_vector()};
    for (Index i = 0; i < host.size(); ++i) forces.acceleration.push_back(host.acceleration.load(i));
    return forces;
}

/// Field of `sources` about `centre` at the places of `targets`, by an expansion of its own.
inline Forces reference(Particles& sources, Particles& targets, const FieldConfig& field)
{
    Expansion expansion(field.basis, gravity::Precision::double_precision, field.symmetry);
    Buffer<double> coefficients;
    expansion.expand({}, sources.view(), {}, *field.centre, coefficients);
    expansion.field({}, targets.view(), {.potential = true}, *field.centre, coefficients);
    return forces_of(targets);
}

inline void add(Forces& sum, const Forces& more)
{
    sum.acceleration.resize(more.acceleration.size());
    sum.potential.resize(more.potential.size());
    for (std::size_t i = 0; i < more.potential.size(); ++i) {
        sum.acceleration[i] = sum.acceleration[i] + more.acceleration[i];
        sum.potential[i] += more.potential[i];
    }
}

inline void expect_alike(const Forces& found, const Forces& expected, double tolerance)
{
    ASSERT_EQ(found.potential.size(), expected.potential.size());
    for (std::size_t i = 0; i < expected.potential.size(); ++i) {
        const Vec3 d = found.acceleration[i] - expected.acceleration[i], a = expected.acceleration[i];
        ASSERT_LE(std::sqrt(dot(d, d)), tolerance * std::sqrt(dot(a, a))) << "particle " << i;
        ASSERT_LE(std::abs(found.potential[i] - expected.potential[i]),
                  tolerance * std::abs(expected.potential[i]))
            << "particle " << i;
    }
}

/// 1/2 sum m phi
inline double half_energy(const Particles& particles)
{
    const Particles host = particles.copy_to(Backend::cpu);
    double sum = 0;
    for (std::size_t i = 0; i < host.size(); ++i) sum += host.mass.host()[i] * host.potential.host()[i] / 2;
    return sum;
}

inline void shift(Particles& particles, Vec3 by)
{
    Particles host = particles.copy_to(Backend::cpu);
    const ParticlesView p = host.view();
    for (Index i = 0; i < p.n; ++i) p.position.store(i, p.position.load(i) + by);
    for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
        const Buffer<double> moved = (host.position.*axis).copy_to(particles.where());
        double* to = (particles.position.*axis).data();
        if (particles.where() == Backend::cpu)
            std::copy_n(moved.data(), moved.size(), to);
        else
            device::copy(to, moved.data(), moved.size() * sizeof(double));
    }
}

/// Two moments of one field: at time 1 about `from`, at time 3 about `to` and twice as strong.
inline CoefficientSeries series_of(Particles& host, Vec3 from, Vec3 to)
{
    CoefficientSeries series{Basis{}, {}};
    for (const auto& [time, centre, factor] : {std::tuple{1.0, from, 1.0}, {3.0, to, 2.0}}) {
        Expansion expansion(series.basis, gravity::Precision::double_precision);
        Buffer<double> coefficients;
        expansion.expand({}, host.view(), {}, from, coefficients);
        Coefficients moment{time, centre, coefficients.to_vector()};
        for (double& value : moment.values) value *= factor;
        series.moments.push_back(moment);
    }
    return series;
}

class ScfSolver : public OnEachBackend {
protected:
    Forces evaluate(gravity::Solver& solver, Particles& particles, double time = 0)
    {
        accelerate(solver, exec(), particles.view(), {.time = time, .potential = true});
        return forces_of(particles);
    }
};

}  // namespace aureole::test
