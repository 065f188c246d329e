// Dynamical friction that a rigid, spherical field exerts on massive particles (Chandrasekhar 1943).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gravity/external/friction_pass.hpp"
#include "gravity/external/potential_field.hpp"
#include "sim/core/settings.hpp"

namespace aureole::gravity {

/// There is friction where any of these is given.
struct FrictionConfig {
    std::vector<int> types{};  ///< of the particles that are slowed
    std::optional<CoulombLogarithm> logarithm{};
    std::optional<double> value{}, half_mass_radius{};

    bool given() const { return !types.empty() || logarithm || value || half_mass_radius; }
};

/// Below `friction.` of a field.
std::vector<Setting<FrictionConfig>> friction_settings();

/// The mass inside a radius of a spherical field at one of its places; nothing for a field that is not
/// spherical.
std::optional<double> mass_inside(const FieldPotential& host, double radius);

/// Its velocities are those of the particles when an evaluation begins: those of the middle of a step, in a
/// leapfrog. What it takes from the particles goes nowhere: the field is rigid.
class Friction final : public FieldWithoutPotential {
public:
    /// Throws ConfigError naming the key for a field that is not spherical, and for keys that are missing.
    Friction(const FieldPotential& host, const FieldPlacement& placement, const FrictionConfig& config);

    void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                          double time, const Vec3View& acceleration) override;
    double power(Exec exec, const ConstParticlesView& particles, double time) override;
    std::size_t scratch_bytes(std::size_t n) const override;
    std::optional<PhaseSpacePoint> body(double) const override { return {}; }

    /// Of the host with amplitude 1, by Jeans' equation for isotropic velocities.
    double dispersion2(double radius) const;
    double density(double radius) const;

private:
    FrictionState state(Backend where, double time);
    HostTable table(const double* values) const;

    FieldMotion motion_;
    FrictionConfig config_;
    double first_ = 0;                                 ///< ln r of the first row
    std::vector<double> ln_density_, ln_dispersion2_;  ///< rows at equal steps
    Buffer<double> on_device_;                         ///< both, one after the other
    SumScratch scratch_;
};

}  // namespace aureole::gravity
