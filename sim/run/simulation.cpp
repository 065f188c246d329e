#include "sim/run/simulation.hpp"

#include <algorithm>
#include <limits>

#include "gravity/external/field_registry.hpp"
#include "gravity/external/kepler_perturber.hpp"
#include "gravity/external/with_external.hpp"
#include "gravity/ranks/ranked_solver.hpp"
#include "gravity/scf/scf.hpp"
#include "gravity/solver_config.hpp"
#include "gravity/tree/tree_config.hpp"
#include "integrators/integrator.hpp"
#include "integrators/passes.hpp"
#include "sim/config/expansion_settings.hpp"
#include "sim/core/memory/device_transfer.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/ranks/particle_runs.hpp"
#include "sim/run/timed_solver.hpp"

namespace aureole::run {
namespace {

void copy_within_backend(Exec exec, double* to, const double* from, std::size_t n)
{
    if (exec.backend == Backend::cpu)
        std::copy_n(from, n, to);
    else if (n > 0)
        device::copy(exec.stream, to, from, n * sizeof(double));
}

/// Into host particles whose memory is used again where they are as many; the work of all threads.
void copy_to_host(const Particles& from, Particles& to)
{
    if (to.size() != from.size()) {
        to = Particles();  // released first: the peak holds one copy
        to = from.copy_to(Backend::cpu);
        return;
    }
    if (from.where() == Backend::cuda) device::synchronize();
    const auto copy = from.where() == Backend::cuda ? device::download : device::copy_on_host;
    std::size_t bytes = 0;
    const auto copy_array = [&](auto& into, const auto& of) {
        const std::size_t n = of.size() * sizeof(*of.data());
        copy(into.data(), of.data(), n);
        bytes += n;
    };
    copy_array(to.mass, from.mass);
    for (const auto member : {&Particles::position, &Particles::velocity, &Particles::acceleration})
        for (const auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z})
            copy_array((to.*member).*axis, (from.*member).*axis);
    copy_array(to.potential, from.potential);
    copy_array(to.id, from.id);
    copy_array(to.type, from.type);
    copy_array(to.component, from.component);
    AUREOLE_EXPECT(bytes == from.size() * Particles::bytes_per_particle(),
                   "a copy has {} bytes of the particles' {} each", bytes, Particles::bytes_per_particle());
}

}  // namespace

gravity::Softening softening_of(const Config& internal)
{
    gravity::Softening softening;
    softening.kernel = internal.gravity.softening_kernel;
    for (std::size_t t = 0; t < n_particle_types; ++t)
        softening.length[t] =
            internal.gravity.softening_by_type[t].value_or(internal.gravity.softening.value_or(0));
    return softening;
}

double largest_softening(const Config& internal)
{
    const auto lengths = softening_of(internal).length;
    return *std::max_element(lengths.begin(), lengths.end());
}

gravity::Config solver_config(const Config& internal)
{
    gravity::Config config;
    config.solver = internal.gravity.solver;
    config.precision = internal.precision;
    config.softening = softening_of(internal);
    config.plugins = internal.gravity.solvers;
    if (config.solver == "scf" || config.solver == "components")
        config.plugins.get<gravity::scf::Config>() = expansion_settings(internal);
    if (config.solver == "components")
        config.plugins.get<gravity::components::Config>() = component_solvers(internal);
    return config;
}

std::optional<gravity::KeplerPerturberConfig> perturber_config(const Config& internal)
{
    const PerturberConfig& given = internal.gravity.perturber;
    if (!given.mass) return {};
    gravity::KeplerPerturberConfig config;
    config.mass = *given.mass;
    config.galaxy_mass = given.galaxy_mass.value_or(0);
    config.semi_major_axis = given.semi_major_axis.value_or(0);
    config.eccentricity = given.eccentricity.value_or(config.eccentricity);
    config.inclination = given.inclination.value_or(config.inclination);
    config.ascending_node = given.ascending_node.value_or(config.ascending_node);
    config.argument_of_pericentre = given.argument_of_pericentre.value_or(config.argument_of_pericentre);
    config.mean_anomaly = given.mean_anomaly.value_or(config.mean_anomaly);
    config.softening = given.softening.value_or(internal.gravity.softening.value_or(0));
    config.frame = given.frame.value_or(config.frame);
    return config;
}

gravity::WithExternal::Fields make_fields(const Config& internal)
{
    gravity::WithExternal::Fields fields;
    for (const gravity::FieldConfig& field : internal.gravity.fields)
        for (auto& made : gravity::make_field(field)) fields.push_back(std::move(made));
    if (const auto perturber = perturber_config(internal))
        fields.push_back(std::make_unique<gravity::KeplerPerturber>(*perturber));
    return fields;
}

std::unique_ptr<gravity::WithExternal> make_forces(const Config& internal, const SharedForces& shared)
{
    std::unique_ptr<gravity::Solver> solver = gravity::make_solver(solver_config(internal));
    if (shared.ranks)
        solver = std::make_unique<gravity::RankedSolver>(*shared.ranks, shared.moves, std::move(solver),
                                                         shared.settings);
    return std::make_unique<gravity::WithExternal>(std::move(solver), make_fields(internal));
}

void expect_box_possible(const Config& internal, const Exec& exec)
{
    const Box box = box_of(internal);
    if (!box.periodic()) return;
    ConstParticlesView nothing{};
    nothing.where = exec.backend;
    try {
        make_forces(internal)->prepare(exec, nothing, {.time = 0, .sources = {}, .box = box}, {});
    } catch (const ConfigError& error) {
        throw ConfigError(fmt::format("{}: gravity.solver is {}: {}", internal.file.string(),
                                      internal.gravity.solver, error.what()));
    }
}

gravity::Softening step_lengths(const Config& internal)
{
    gravity::Softening lengths = softening_of(internal);
    if (internal.gravity.solver == "scf") lengths.length.fill(smallest_scale_radius(internal));
    return lengths;
}

Simulation::Simulation(Exec exec, double time, const Config& internal, Timers& timers,
                       const SharedForces& shared)
    : exec_(exec), timers_(timers), time_(time), shared_(shared)
{
    forces_ = make_forces(internal, shared);
    integrator_ = integrators::make_integrator(internal.integrator.method, internal.integrator.methods);
    if (internal.integrator.eta) adaptive_.emplace(*internal.integrator.eta, step_lengths(internal));
    // what needs all particles in each step leaves them on rank 0
    const bool can_part = internal.integrator.method == "leapfrog" && !internal.cosmology.given();
    if (shared.ranks && can_part)
        runs_ = ParticleRuns::of(exec, *shared.ranks, *shared.moves, forces_->self_gravity(),
                                 forces_->fields(), timers);
    eta_ = internal.integrator.eta.value_or(0);
    step_length_ = step_lengths(internal).length[0];  // of all types, with expansions
}

ParticlesView Simulation::view()
{
    if (runs_) runs_->collect(particles_.view());  // its time is that of the reader
    return particles_.view();
}

void Simulation::take(Particles particles, const Config& internal)
{
    double mass = 0;  // in order: the same for any number of threads
    if (internal.cosmology.given())
        for (const double m : particles.mass.to_vector()) mass += m;
    frame_ = frame_of(internal, mass);
    integrator_->set_frame(frame_);
    const std::vector<Component> component = particles.component.to_vector();
    component_ranges_ = run::component_ranges(component);
    for (const IndexRange range : component_ranges_) components_.push_back(component[range.begin]);
    if (particles.where() == exec_.backend) {
        particles_ = std::move(particles);
        return;
    }
    particles_ = particles.copy_to(exec_.backend);
    host_copy_ = std::move(particles);  // memory for the first copy back
}

Simulation::Simulation(Exec exec, Particles start, double time, const Config& internal, Timers& timers,
                       const SharedForces& shared)
    : Simulation(exec, time, internal, timers, shared)
{
    take(std::move(start), internal);
    evaluate();
    external_power_ = external_power();
}

Simulation::Simulation(Exec exec, Particles particles, const SimulationState& state, const Config& internal,
                       Timers& timers, const SharedForces& shared)
    : Simulation(exec, state.time, internal, timers, shared)
{
    take(std::move(particles), internal);
    balance_ = state.balance;
    external_power_ = state.external_power;
    forces_->restore_state(exec_, particles_.view(), state.solver);
    integrator_->restore_state(state.integrator);
}

Simulation::~Simulation() = default;

SimulationState Simulation::state() const
{
    return {time_, balance_, external_power_, forces_->kept_state(), integrator_->kept_state()};
}

void Simulation::evaluate()
{
    host_copy_valid_ = false;
    TimedSolver timed(*forces_, timers_);
    accelerate(timed, exec_, view(), {.time = time_, .potential = true, .box = frame_.box});
    balance_.terms = forces_->energy_terms();
    if (runs_) runs_->renew();
}

RankLoads Simulation::loads_of_ranks() const
{
    auto* const solver = dynamic_cast<gravity::RankedSolver*>(&forces_->self_gravity());
    if (solver) return run::loads_of_ranks(*shared_.ranks, *shared_.moves, *solver, runs_.get());
    const RankLoad own{timers_.seconds_here(Phase::forces), 0};
    return {1, own, own};
}

void Simulation::watch(const ParticleLimits& limits)
{
    watch_.start(exec_, view(), limits, integrator_->stands_still());
    if (runs_) runs_->watch(limits);
    is_watched_ = true;
}

bool Simulation::within_limits()
{
    return runs_ && runs_->has_looked() ? runs_->within_limits() : watch_.within_limits(timers_);
}

bool Simulation::postpone_check()
{
    if (runs_ || !is_watched_ || !watch_.looks_later() || adaptive_) return false;  // that step waits anyway
    watch_.postpone();
    return true;
}

double Simulation::adaptive_timestep()
{
    AUREOLE_EXPECT(adaptive_.has_value(), "the run has a fixed step");
    if (runs_ && runs_->is_ahead())
        return frame_.clock.step_of(time_, runs_->longest_step(eta_, step_length_, particles_.view()));
    return frame_.clock.step_of(time_, (*adaptive_)(exec_, view()));
}

void Simulation::step(double dt, double end, bool potential)
{
    const Timers::Scope scope(timers_, Phase::integration);
    host_copy_valid_ = false;
    if (step_by_runs(dt, end, potential)) return;
    TimedSolver forces(*forces_, timers_, is_watched_ && watch_.looks_later() ? &watch_ : nullptr);
    if (is_watched_) integrator_->set_watch(watch_.begin_step());
    try {
        double time = time_;
        integrator_->step(exec_, view(), forces, time, dt, potential);
    } catch (const UnphysicalState&) {
        watch_.cancel_step();
        throw;
    }
    if (is_watched_) watch_.end_step();
    time_ = end;
    if (potential) balance_.terms = forces_->energy_terms();
    if (frame_.clock.comoving() || forces_->works()) book_external_work(dt);
    if (runs_) runs_->renew();
}

/// False where the particles of this process have to make the step.
bool Simulation::step_by_runs(double dt, double end, bool potential)
{
    if (!runs_ || !runs_->can_step(time_ + dt, potential)) return false;
    runs_->step(particles_.view(), time_, dt, potential);
    time_ = end;
    if (potential) balance_.terms = forces_->energy_terms();
    return true;
}

/// Of the fields; in an expanding universe minus the kinetic energy, by which a (T + W) changes with a
/// (Layzer 1963, Irvine 1961).
double Simulation::external_power()
{
    if (!frame_.clock.comoving()) return forces_->power(exec_, view(), time_);
    if (particles_.size() == 0) return 0;
    kinetic_.require(exec_.backend, integrators::n_acceleration_partials);
    integrators::sum_of_squares(exec_, particles_.view(), kinetic_.data());
    double squares = 0;
    if (exec_.backend == Backend::cpu)
        squares = kinetic_.data()[0];
    else
        device::copy(&squares, kinetic_.data(), sizeof squares);
    return -squares / (2 * time_ * time_);
}

/// The trapezoid rule over the step: of second order, as the step is.
void Simulation::book_external_work(double dt)
{
    const Timers::Scope scope(timers_, Phase::forces);
    const double before = external_power_;
    external_power_ = external_power();
    balance_.external_work += dt * (before + external_power_) / 2;
}

std::optional<PhaseSpacePoint> Simulation::perturber() const
{
    for (const auto& field : forces_->fields())
        if (const auto body = field->body(time_)) return body;
    return {};
}

const Particles& Simulation::host()
{
    if (exec_.backend != Backend::cpu) return host_copy();
    static_cast<void>(view());  // up to date
    return particles_;
}

const Particles& Simulation::host_copy()
{
    if (host_copy_valid_) return host_copy_;
    if (before_copy_) before_copy_();
    static_cast<void>(view());  // up to date
    copy_to_host(particles_, host_copy_);
    host_copy_valid_ = true;
    return host_copy_;
}

bool Simulation::has_runs_of_ranks() const { return runs_ && runs_->has_runs(); }

CheckpointPieces Simulation::write_pieces(std::uint64_t step, const std::filesystem::path& folder)
{
    return runs_->write_pieces(step, folder);
}

std::vector<gravity::scf::ComponentCoefficients> Simulation::coefficients() const
{
    return gravity::scf::coefficients_of(forces_->self_gravity());
}

const double* Simulation::own_potentials(std::span<const IndexRange> ranges)
{
    // a copy of the present accelerations: the tree opens cells by them, and what is left of an earlier call
    // would make the result depend on the history
    ParticlesView view = this->view();
    for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
        (scratch_acceleration_.*axis).require(exec_.backend, size());
        copy_within_backend(exec_, (scratch_acceleration_.*axis).data(),
                            (particles_.acceleration.*axis).data(), size());
    }
    scratch_potential_.require(exec_.backend, size());
    view.acceleration = scratch_acceleration_.view();
    view.potential = scratch_potential_.data();
    TimedSolver timed(forces_->self_gravity(), timers_);
    for (const IndexRange range : ranges)
        accelerate(timed, exec_, view,
                   {.time = time_, .potential = true, .targets = range, .sources = range, .box = frame_.box});
    return scratch_potential_.data();
}

std::vector<double> Simulation::own_potential(IndexRange range)
{
    const double* const own =
        own_potentials({&range, 1}) + range.begin;  // elsewhere the scratch holds nothing
    if (exec_.backend == Backend::cpu) return {own, own + range.size()};
    std::vector<double> host(range.size());
    if (!host.empty()) device::copy(host.data(), own, host.size() * sizeof(double));
    return host;
}

}  // namespace aureole::run
