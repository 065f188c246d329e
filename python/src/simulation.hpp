// A simulation in memory: what `aureole run` advances, without its folder of outputs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/pictures/picture.hpp"
#include "sim/run/checkpoints/checkpoint_state.hpp"
#include "sim/run/diagnostics/measurement.hpp"
#include "sim/run/diagnostics/state_check.hpp"
#include "sim/run/simulation.hpp"

namespace aureole::python {

class LiveSimulation {
public:
    /// Of particles in the units that `config` names; velocities are peculiar. They are advanced on a CUDA
    /// device, which every caller selects, or by the CPU where `device` is -1.
    LiveSimulation(run::Config config, Particles particles, double time, int device);

    LiveSimulation(const LiveSimulation&) = delete;
    LiveSimulation& operator=(const LiveSimulation&) = delete;
    /// Ends what lies on the device with that device selected.
    ~LiveSimulation();

    /// Of the initial conditions of a configuration.
    static std::unique_ptr<LiveSimulation> of_configuration(const run::Config& config, bool as_isolated,
                                                            int device);

    /// Continues bit for bit from what save() wrote, on the backend on which it was written.
    /// `file`: for messages.
    static std::unique_ptr<LiveSimulation> resumed(run::Checkpoint checkpoint,
                                                   const std::filesystem::path& file, int device);

    int device() const { return device_; }
    Exec exec() const { return {device_ < 0 ? Backend::cpu : Backend::cuda}; }
    std::size_t size() const { return simulation_->size(); }
    std::uint64_t steps() const { return step_; }
    double time() const { return simulation_->time() * factor(Quantity::time); }
    double factor(Quantity quantity) const { return units_.from_internal(quantity); }

    /// To peculiar velocities in the user's units; in an expanding universe from momenta.
    double velocity_factor() const
    {
        return factor(Quantity::velocity) / (units_.comoving() ? simulation_->time() : 1);
    }
    /// The side of the periodic box, 0 in open space.
    double box() const { return internal_.box.value_or(0) * factor(Quantity::length); }
    /// Matter of today over the critical density, 0 without an expanding universe.
    double omega_m() const { return config_.cosmology.omega_m.value_or(0); }
    double omega_lambda() const
    {
        return config_.cosmology.given() ? config_.cosmology.parameters().omega_de : 0;
    }
    const run::RunUnits& units() const { return units_; }
    const std::vector<std::string>& notes() const { return notes_; }
    std::string configuration() const { return to_yaml(config_); }
    const Particles& particles() { return simulation_->host(); }  ///< a copy where a device has them
    ConstParticlesView view() { return simulation_->view(); }
    std::array<double, n_particle_types> softening() const;

    /// Steps until `time` (the user's units). Fixed steps end on multiples of the step after the start, so
    /// that it does not matter at which of these ends a call stops; the last step is shortened to end at any
    /// other time. In an expanding universe steps are even in ln a within a call, and no longer than those
    /// of the configuration. Throws FailedCheck for particles that are not finite, Stopped where `progress`
    /// says so: between two steps, so that the simulation can go on.
    void integrate(double time, const Progress& progress);

    /// Replaces positions and velocities, in the memory of the simulation, and evaluates the forces anew.
    void set(const ConstVec3View* position, const ConstVec3View* velocity);

    run::Energy energy();
    double energy_error() const { return conservation_.error(); }

    /// A picture of the present state as the bytes of a PNG file. The first along an axis, in these colours,
    /// decides the frame and the colours of the next ones.
    std::string picture(const std::string& axis, const std::string& colour_by, unsigned pixels);

    void save(const std::filesystem::path& file);
    void write_snapshot(const std::filesystem::path& file);

private:
    explicit LiveSimulation(int device) : device_(device) {}
    void start(run::Config config, const run::RunUnits& units);
    void begin(Particles particles, double time);
    double next_end(double until);
    double next_comoving_end(double until);
    run::Energy record();
    void check();

    int device_;
    run::Config config_, internal_;
    run::RunUnits units_;
    std::vector<std::string> notes_;
    run::Timers timers_;
    std::unique_ptr<run::Simulation> simulation_;
    std::unique_ptr<run::StateCheck> check_;
    run::EnergyConservation conservation_;
    run::Measurements measurements_;
    PicturePainter painter_;
    std::map<std::string, PictureOptions> frames_;  ///< by axis, colours and pixels
    double grid_start_ = 0;                         ///< internal: where the fixed steps are counted from
    std::uint64_t step_ = 0;
};

}  // namespace aureole::python
