// The conserved quantities of a state and its Lagrangian radii, which are a row of energy.csv.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "gravity/energy_terms.hpp"
#include "sim/core/spatial/box.hpp"
#include "sim/run/diagnostics/energy_sums.hpp"

namespace aureole::run {

inline constexpr std::array<double, 4> lagrangian_fractions{0.01, 0.10, 0.50, 0.90};

struct Energy {
    double kinetic = 0, potential = 0;
    double virial_ratio = 0;  ///< -2 T / sum m x.a: 1 in equilibrium, whatever the softening
    double mass = 0;
    Vec3 momentum, angular_momentum, centre_of_mass;
    std::array<double, 4> lagrangian_radii{};  ///< about the centre of mass; zero in a periodic box

    double total() const { return kinetic + potential; }
};

/// Terms of the energy that do not follow from the present particles.
struct EnergyBalance {
    gravity::EnergyTerms terms;  ///< of the last state with potentials
    double external_work = 0;    ///< done on the particles since the start
};

/// What an error of the energy is compared with.
enum class EnergyMeasure {
    first,    ///< the first energy
    largest,  ///< the largest size so far: in an expanding universe energies begin near zero
};

/// How well T + W - external work - recentring jumps keeps its first value.
class EnergyConservation {
public:
    struct State {
        std::optional<double> first;
        double first_size = 0;  ///< T + |W| then; with EnergyMeasure::largest the largest size so far
        double now = 0;         ///< at the last record
        double error = 0, largest_error = 0;
        std::string not_conserved;
    };
    EnergyConservation() = default;
    explicit EnergyConservation(State state) : state_(std::move(state)) {}  ///< continues from `state`
    const State& state() const noexcept { return state_; }

    /// `total` is T + W, fixed fields included; `size` is T + |W|, or what the error is relative to.
    void record(double total, const EnergyBalance& balance, double size = 0,
                EnergyMeasure measure = EnergyMeasure::first);

    /// (now - first) / |first| at the last record, 0 when the first is 0. NaN from the first record on at
    /// which the solver reports that no energy is conserved.
    double error() const noexcept { return state_.error; }
    double largest_error() const noexcept { return state_.largest_error; }  ///< in absolute value

    /// The same error, but with EnergyMeasure::first relative to no less than a twentieth of the first T +
    /// |W|: energies that nearly cancel, as those of a parabolic encounter, are no measure of anything. (In
    /// equilibrium |E| is a third.)
    double error_to_judge() const noexcept;

    /// The reason that the solver gave; empty while an energy is conserved.
    const std::string& not_conserved() const noexcept { return state_.not_conserved; }

private:
    State state_;
    EnergyMeasure measure_ = EnergyMeasure::first;  ///< of the last record
};

/// The same from the sums over all particles; without Lagrangian radii.
Energy energy_of(const EnergySums& sums);

/// Needs valid accelerations and potentials. Sums run in double over fixed blocks, in order.
Energy measure_energy(const ConstParticlesView& host, const Box& box = {});

}  // namespace aureole::run
