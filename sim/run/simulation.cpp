#include "sim/run/simulation.hpp"

#include "gravity/solver.hpp"

namespace aureole::run {
namespace {

/// Passes every call on and books its time as forces. Waits for the device, so that the time is the call's.
class TimedSolver final : public gravity::Solver {
public:
    TimedSolver(std::unique_ptr<gravity::Solver> solver, Timers& timers)
        : solver_(std::move(solver)), timers_(timers)
    {
    }

    void accelerate(Exec exec, const ParticlesView& particles, const gravity::ForceRequest& request) override
    {
        const Timers::Scope scope(timers_, Phase::forces);
        solver_->accelerate(exec, particles, request);
        if (exec.backend == Backend::cuda) device::synchronize();
    }
    std::size_t scratch_bytes(Backend where, std::size_t n) const override
    {
        return solver_->scratch_bytes(where, n);
    }

private:
    std::unique_ptr<gravity::Solver> solver_;
    Timers& timers_;
};

}  // namespace

gravity::Config solver_config(const Config& internal)
{
    gravity::Config config;
    config.solver = internal.gravity.solver;
    config.precision = internal.precision;
    config.softening.kernel = internal.gravity.softening_kernel;
    for (std::size_t t = 0; t < n_particle_types; ++t)
        config.softening.length[t] =
            internal.gravity.softening_by_type[t].value_or(internal.gravity.softening);
    return config;
}

Simulation::Simulation(Exec exec, Particles start, double time, const Config& internal, Timers& timers)
    : exec_(exec), timers_(timers), time_(time)
{
    const gravity::Config gravity = solver_config(internal);
    solver_ = std::make_unique<TimedSolver>(gravity::make_solver(gravity), timers);
    integrator_ = integrators::make_integrator(internal.integrator.method);
    if (internal.integrator.eta) adaptive_.emplace(*internal.integrator.eta, gravity.softening);
    particles_ = start.where() == exec.backend ? std::move(start) : start.copy_to(exec.backend);
    evaluate();
}

void Simulation::evaluate()
{
    host_copy_valid_ = false;
    solver_->accelerate(exec_, particles_.view(), {.time = time_, .potential = true});
}

double Simulation::adaptive_timestep()
{
    AUREOLE_EXPECT(adaptive_.has_value(), "the run has a fixed step");
    return (*adaptive_)(exec_, particles_.view());
}

void Simulation::step(double dt, double end, bool potential)
{
    const Timers::Scope scope(timers_, Phase::integration);
    host_copy_valid_ = false;
    integrator_->step(exec_, particles_.view(), *solver_, time_, dt, potential);
    time_ = end;
}

const Particles& Simulation::host()
{
    if (exec_.backend == Backend::cpu) return particles_;
    if (!host_copy_valid_) host_copy_ = particles_.copy_to(Backend::cpu);
    host_copy_valid_ = true;
    return host_copy_;
}

std::vector<double> Simulation::own_potential(IndexRange range)
{
    for (auto* axis : {&scratch_acceleration_.x, &scratch_acceleration_.y, &scratch_acceleration_.z})
        axis->require(exec_.backend, size());
    scratch_potential_.require(exec_.backend, size());
    ParticlesView view = particles_.view();
    view.acceleration = scratch_acceleration_.view();
    view.potential = scratch_potential_.data();
    solver_->accelerate(exec_, view, {.time = time_, .potential = true, .targets = range, .sources = range});
    std::vector<double> all = scratch_potential_.to_vector();
    return {all.begin() + range.begin, all.begin() + range.end};
}

}  // namespace aureole::run
