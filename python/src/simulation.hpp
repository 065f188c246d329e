// A simulation in memory: what `aureole run` advances, without its folder of outputs.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "sim/run/diagnostics/state_check.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::python {

class LiveSimulation {
public:
    /// Of particles in the units that `config` names.
    LiveSimulation(run::Config config, Particles particles, double time);

    /// Of the initial conditions of a configuration.
    static std::unique_ptr<LiveSimulation> of_configuration(const run::Config& config, bool as_isolated);

    /// Continues bit for bit from what save() wrote.
    static std::unique_ptr<LiveSimulation> resumed(const std::filesystem::path& file);

    std::size_t size() const { return simulation_->size(); }
    std::uint64_t steps() const { return step_; }
    double time() const { return simulation_->time() * factor(Quantity::time); }
    double factor(Quantity quantity) const { return units_.from_internal(quantity); }
    const run::RunUnits& units() const { return units_; }
    const std::vector<std::string>& notes() const { return notes_; }
    std::string configuration() const { return to_yaml(config_); }
    const Particles& particles() { return simulation_->host(); }
    std::array<double, n_particle_types> softening() const;

    /// Steps until `time` (the user's units). Fixed steps end on multiples of the step after the start, so
    /// that it does not matter at which of these ends a call stops; the last step is shortened to end at any
    /// other time. Throws FailedCheck for particles that are not finite, Stopped where `progress` says so:
    /// between two steps, so that the simulation can go on.
    void integrate(double time, const Progress& progress);

    /// Replaces positions and velocities and evaluates the forces anew.
    void set(const Vec3Buffer* position, const Vec3Buffer* velocity);

    run::Energy energy();
    double energy_error() const { return conservation_.error(); }

    void save(const std::filesystem::path& file);
    void write_snapshot(const std::filesystem::path& file);

private:
    LiveSimulation() = default;
    void start(run::Config config, const run::RunUnits& units);
    void begin(Particles particles, double time);
    double next_end(double until);
    void record();
    void check();

    run::Config config_, internal_;
    run::RunUnits units_;
    std::vector<std::string> notes_;
    run::Timers timers_;
    std::unique_ptr<run::Simulation> simulation_;
    std::unique_ptr<run::StateCheck> check_;
    run::EnergyConservation conservation_;
    double grid_start_ = 0;  ///< internal: where the fixed steps are counted from
    std::uint64_t step_ = 0;
};

}  // namespace aureole::python
