#include "simulation.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "integrators/integrator.hpp"
#include "sim/core/device_sharing.hpp"
#include "sim/core/strided_values.hpp"
#include "sim/io/snapshots/snapshot_writer.hpp"
#include "sim/run/comoving.hpp"
#include "sim/run/diagnostics/diagnostics.hpp"
#include "sim/run/starting_state.hpp"

namespace aureole::python {
namespace {

/// A time that differs from the end of a step by less than this part of it is that end.
constexpr double same_end = 1e-6;

/// Particles in internal units.
void to_internal(Particles& host, const run::RunUnits& units)
{
    const auto scale = [](Buffer<double>& values, double factor) {
        if (factor != 1)
            for (double& value : values.host()) value /= factor;
    };
    scale(host.mass, units.from_internal(Quantity::mass));
    for (auto axis : {&Vec3Buffer::x, &Vec3Buffer::y, &Vec3Buffer::z}) {
        scale(host.position.*axis, units.from_internal(Quantity::length));
        scale(host.velocity.*axis, units.from_internal(Quantity::velocity));
    }
}

}  // namespace

void LiveSimulation::start(run::Config config, const run::RunUnits& units)
{
    if (config.box.has_value() != config.cosmology.given())
        throw ConfigError(
            "simulations in memory are of isolated systems, or of boxes in an expanding universe; "
            "expected box and cosmology, or neither");
    if (!config.integrator.timestep && !config.integrator.eta)
        throw ConfigError(
            "a simulation needs integrator.timestep or integrator.adaptive.eta, expected one of them");
    units_ = units;
    config_ = std::move(config);
    config_.units = units;
    internal_ = run::to_internal(config_, units_);
    load_coefficients(internal_, units_);
    check_ = std::make_unique<run::StateCheck>(internal_, units_);
}

void LiveSimulation::begin(Particles particles, double time)
{
    if (units_.comoving() && !(time > 0))
        throw ArgumentError(fmt::format("time: found {}, expected a scale factor above 0", time));
    grid_start_ = time;
    simulation_ = std::make_unique<run::Simulation>(exec(), std::move(particles), time, internal_, timers_);
    check();
    record();
}

LiveSimulation::LiveSimulation(run::Config config, Particles particles, double time, int device)
    : LiveSimulation(device)
{
    const run::RunUnits units = config.units.value_or(run::RunUnits{});
    config = with_units(config, units);
    run::settle_solver(config, exec().backend, particles.size());
    start(std::move(config), units);
    run::expect_box_possible(internal_, exec());
    to_internal(particles, units_);
    const double start = time / factor(Quantity::time);
    if (units_.comoving()) {
        run::wrap_into(run::box_of(internal_), particles, "pos");
        const double mass =
            std::accumulate(particles.mass.data(), particles.mass.data() + particles.size(), 0.0);
        run::make_comoving(particles, start, run::mass_correction(internal_, units_, mass));
    }
    begin(std::move(particles), start);
}

LiveSimulation::~LiveSimulation()
{
    if (device_ < 0) return;
    try {
        const device::Selection selection(device_);
        painter_ = {};
        measurements_ = {};
        simulation_.reset();
    } catch (const Error&) {  // the process ends, and with it the device's memory
    }
}

std::unique_ptr<LiveSimulation> LiveSimulation::of_configuration(const run::Config& config, bool as_isolated,
                                                                 int device)
{
    run::StartingState state = make_starting_state(config, as_isolated);
    if (state.box_side > 0 && !config.cosmology.given())
        throw ConfigError("a lattice fills a periodic box, and simulations integrate isolated systems");
    std::unique_ptr<LiveSimulation> live(new LiveSimulation(device));
    const std::string note = run::settle_solver(state.config, live->exec().backend, state.n_particles);
    if (!note.empty()) state.notes.push_back(note);
    live->notes_ = state.notes;
    live->start(state.config, state.units);
    live->begin(std::move(state.particles), state.time);
    return live;
}

std::unique_ptr<LiveSimulation> LiveSimulation::resumed(run::Checkpoint checkpoint,
                                                        const std::filesystem::path& file, int device)
{
    const run::RunState& state = checkpoint.state;
    std::unique_ptr<LiveSimulation> live(new LiveSimulation(device));
    const run::Config config = with_units(run::parse_config(state.configuration, file, {}), state.units);
    live->start(config, config.units.value());  // with the h of the universe
    for (const auto& [component, series] : state.coefficients)
        if (auto& components = live->internal_.initial_conditions.components; component < components.size())
            components[component].coefficients = series;
    live->simulation_ = std::make_unique<run::Simulation>(live->exec(), std::move(checkpoint.particles),
                                                          state.simulation, live->internal_, live->timers_);
    live->check();
    live->conservation_ = run::EnergyConservation(state.diagnostics.conservation);
    live->grid_start_ = state.start_time;
    live->step_ = state.step;
    return live;
}

std::array<double, n_particle_types> LiveSimulation::softening() const
{
    auto lengths = run::softening_of(internal_).length;
    for (double& eps : lengths) eps *= factor(Quantity::length);
    return lengths;
}

double LiveSimulation::next_comoving_end(double until)
{
    constexpr double longest = 0.02, rounding = 1e-7;  // those of `aureole run`
    const run::IntegratorConfig& integrator = internal_.integrator;
    const double now = simulation_->time();
    const double dt = integrator.timestep ? *integrator.timestep
                                          : std::min(simulation_->adaptive_timestep(),
                                                     integrator.maximum_timestep.value_or(longest));
    if (!(dt > 1e-14)) check_->fail_timestep(*simulation_, dt);
    const double left = std::log(until / now), n = std::ceil(left / dt * (1 - rounding));
    return n > 1 ? now * std::exp(left / n) : until;
}

/// The end of the next step, internal.
double LiveSimulation::next_end(double until)
{
    if (units_.comoving()) return next_comoving_end(until);
    const double now = simulation_->time();
    if (!internal_.integrator.timestep) {
        const double longest = internal_.integrator.maximum_timestep.value_or(until - now);
        const double asked = std::min(simulation_->adaptive_timestep(), longest), left = until - now;
        if (!(asked > 1e-14 * std::max(std::abs(until), left))) check_->fail_timestep(*simulation_, asked);
        if (asked >= left) return until;
        return now + std::min(asked, left / 2);  // two even steps instead of a full one and a very short one
    }
    const double dt = *internal_.integrator.timestep;
    const double number = std::floor((now - grid_start_) / dt + same_end) + 1;
    const double end = grid_start_ + number * dt;
    if (end <= until + same_end * dt) return end;
    grid_start_ = until;
    return until;
}

void LiveSimulation::integrate(double time, const Progress& progress)
{
    const double until = time / factor(Quantity::time), from = simulation_->time();
    const double tolerance = same_end * internal_.integrator.timestep.value_or(0);
    if (!std::isfinite(until) || until < from - tolerance)
        throw ArgumentError(fmt::format("until: found {}, expected a time of at least the present one, {}",
                                        time, this->time()));
    while (simulation_->time() < until - tolerance) {
        progress.at((simulation_->time() - from) / (until - from), "next step");
        const double now = simulation_->time(), end = next_end(until);
        // potentials come with every step, so that where a call ends changes no bit of what follows
        simulation_->step(end - now, end, true);
        ++step_;
        check();
    }
}

void LiveSimulation::check() { static_cast<void>(check_->particles(*simulation_)); }

run::Energy LiveSimulation::record()
{
    const run::Measurement now = measurements_.measure(exec(), view(), run::box_of(internal_), {}, nullptr);
    return run::record_energy_of(*simulation_, now.energy, conservation_);
}

run::Energy LiveSimulation::energy() { return record(); }

void LiveSimulation::set(const ConstVec3View* position, const ConstVec3View* velocity)
{
    ParticlesView view = simulation_->view();
    const auto copy = [&](Vec3View to, const ConstVec3View& from, double scale) {
        for (const auto& [here, there] : {std::pair{to.x, from.x}, {to.y, from.y}, {to.z, from.z}}) {
            widen(exec(), {there, view.n, sizeof(double), NumberType::float64}, here);
            scale_values(exec(), here, view.n, 1 / scale);
        }
    };
    if (position) copy(view.position, *position, factor(Quantity::length));
    if (velocity) copy(view.velocity, *velocity, velocity_factor());
    simulation_->evaluate();
    check_ = std::make_unique<run::StateCheck>(internal_, units_);
    check();
    conservation_ = {};
    record();
}

std::string LiveSimulation::picture(const std::string& axis, const std::string& colour_by, unsigned pixels)
{
    const ConstParticlesView particles = simulation_->view();
    PictureOptions options;
    options.axis = axis.size() == 1 ? axis[0] : '?';
    options.colour_by = colour_by_of(colour_by);
    options.pixels = pixels;
    options.side = internal_.box.value_or(0);
    options.length_unit = units_.name(Quantity::length);
    const std::string key = fmt::format("{} {} {}", axis, colour_by, pixels);
    if (!frames_.contains(key)) frames_.emplace(key, painter_.with_fixed_frame(exec(), particles, options));
    options = frames_.at(key);
    options.time_text = (units_.comoving() ? "a = " : "t = ") + run::time_text(time(), units_);
    return io::png_bytes(io::encoded_png(finished_picture(painter_.draw(exec(), particles, options))));
}

void LiveSimulation::save(const std::filesystem::path& file)
{
    run::RunState state;
    state.configuration = configuration();
    state.units = units_;
    state.device = device_ < 0 ? "cpu" : fmt::format("cuda:{}", device_);
    state.backend = exec().backend;
    state.n_particles = size();
    state.start_time = grid_start_;
    state.step = step_;
    const auto& components = internal_.initial_conditions.components;
    for (std::size_t k = 0; k < components.size(); ++k)
        if (components[k].coefficients) state.coefficients.emplace(k, *components[k].coefficients);
    state.simulation = simulation_->state();
    state.diagnostics.conservation = conservation_.state();
    write_checkpoint(file, file.string() + ".previous", state, simulation_->host());
    std::error_code ignored;
    std::filesystem::remove(file.string() + ".previous", ignored);
}

void LiveSimulation::write_snapshot(const std::filesystem::path& file)
{
    io::SnapshotContent content = run::file_frame(internal_, units_, simulation_->time());
    content.softening = run::softening_of(internal_).length;
    content.provenance = {{"Configuration", configuration()},
                          {"Units", units_.nbody ? io::nbody_units_text : "physical"},
                          {"InternalLengthUnit_in_cm", fmt::format("{}", units_.system.length_cm)},
                          {"InternalMassUnit_in_g", fmt::format("{}", units_.system.mass_g)}};
    io::write_snapshot(file, simulation_->host(), content);
}

}  // namespace aureole::python
