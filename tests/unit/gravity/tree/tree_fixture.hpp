// The tree solver through its public interface, for the tests of this folder.
#pragma once

#include "gravity/tree/tree_config.hpp"
#include "tests/support/gravity/tree_inputs.hpp"
#include "tests/unit/gravity/direct/direct_fixture.hpp"

namespace aureole::test {

/// By angle alone when `accuracy` is 0.
inline gravity::Config tree_config(const ReferenceSoftening& softening, double accuracy, double angle = 0.6,
                                   gravity::Precision precision = gravity::Precision::mixed)
{
    gravity::Config config = direct_config(softening, precision);
    config.solver = "tree";
    config.plugins.get<gravity::tree::Config>().force_accuracy = accuracy;
    config.plugins.get<gravity::tree::Config>().opening_angle = angle;
    config.plugins.get<gravity::tree::Config>().conserve_momentum = false;  // forces as the walk leaves them
    return config;
}

/// What the solver makes of host particles and the accelerations they bring.
inline Particles evaluated(Exec exec, const gravity::Config& config, const Particles& host,
                           const gravity::ForceRequest& request = with_potential())
{
    Particles particles = host.copy_to(exec.backend);
    accelerate(*gravity::make_solver(config), exec, particles.view(), request);
    return particles.copy_to(Backend::cpu);
}

/// The same; they bring none.
inline std::vector<Field> tree_fields(Exec exec, const gravity::Config& config,
                                      const std::vector<Body>& bodies,
                                      const gravity::ForceRequest& request = with_potential())
{
    return to_fields(evaluated(exec, config, to_particles(bodies, Backend::cpu), request));
}

/// With accelerations that are right to a per cent.
inline Particles with_accelerations(Exec exec, const std::vector<Body>& bodies,
                                    const ReferenceSoftening& softening)
{
    return evaluated(exec, tree_config(softening, 0, 0.6), to_particles(bodies, Backend::cpu));
}

inline double distance_of(const std::array<double, 3>& a, const std::array<double, 3>& b)
{
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Relative errors of forces and potentials, in rising order.
struct TreeErrors {
    std::vector<double> force, potential;

    double median() const { return force[force.size() / 2]; }
    double percentile_99() const { return force[force.size() * 99 / 100]; }
    double largest() const { return force.back(); }
};

/// Against the direct sum over all bodies, of every step-th particle.
class DirectSample {
public:
    DirectSample(const std::vector<Body>& bodies, const ReferenceSoftening& softening, std::size_t step)
        : step_(step), exact_((bodies.size() + step - 1) / step)
    {
#pragma omp parallel for schedule(dynamic)
        for (std::size_t k = 0; k < exact_.size(); ++k)
            exact_[k] = reference_field(bodies, k * step, 0, bodies.size(), softening);
    }

    TreeErrors errors_of(const std::vector<Field>& found) const
    {
        TreeErrors errors;
        for (std::size_t k = 0; k < exact_.size(); ++k) {
            const Field &a = found[k * step_], &b = exact_[k];
            const double force = distance_of(a.acceleration, b.acceleration) / length_of(b.acceleration),
                         potential = std::abs(a.potential / b.potential - 1);
            errors.force.push_back(std::isfinite(force) ? force : 1e300);
            errors.potential.push_back(std::isfinite(potential) ? potential : 1e300);
        }
        std::ranges::sort(errors.force);
        std::ranges::sort(errors.potential);
        return errors;
    }

private:
    std::size_t step_;
    std::vector<Field> exact_;
};

}  // namespace aureole::test
