// Fields that the particles do not make: their interface, and self-gravity with such fields as one solver.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "gravity/force_request.hpp"
#include "gravity/solver.hpp"
#include "sim/core/numerics/kepler_orbit.hpp"

namespace aureole::gravity {

class ExternalField {
public:
    virtual ~ExternalField() = default;

    /// Adds the field at `time` to `acceleration` (entry i of particle i) of the targets. Equal input gives
    /// equal bits on one backend.
    virtual void add_acceleration(Exec exec, const ConstParticlesView& particles, const Selection& targets,
                                  double time, const Vec3View& acceleration) = 0;

    /// sum m v.a_ext over all particles: the work done on them per unit time. Sums run in double, in an order
    /// that depends on the number of particles only. Waits for the result.
    virtual double power(Exec exec, const ConstParticlesView& particles, double time) = 0;

    /// Bytes of scratch kept on the backend of `n` particles.
    virtual std::size_t scratch_bytes(std::size_t n) const = 0;

    /// The body that makes the field, in the coordinates of the particles; nothing where there is none.
    virtual std::optional<PhaseSpacePoint> body(double time) const = 0;
};

/// Accelerations are those of the self-gravity plus those of every field. Potentials and energy terms are
/// those of the self-gravity alone: a field that moves has no potential energy that is conserved, and power()
/// is its part of the balance.
class WithExternal final : public Solver {
public:
    using Fields = std::vector<std::unique_ptr<ExternalField>>;

    explicit WithExternal(std::unique_ptr<Solver> self_gravity, Fields fields = {});

    void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                 const TargetRequest& expected) override;
    void evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                  const ForceOutputs& outputs) override;
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;
    EnergyTerms energy_terms() const override;
    std::vector<double> kept_state() const override;
    void restore_state(Exec exec, const ConstParticlesView& particles,
                       std::span<const double> state) override;

    Solver& self_gravity() noexcept { return *self_gravity_; }
    const Solver& self_gravity() const noexcept { return *self_gravity_; }
    const Fields& fields() const noexcept { return fields_; }

    /// sum m v.a of all external fields over all particles.
    double power(Exec exec, const ConstParticlesView& particles, double time);

private:
    std::unique_ptr<Solver> self_gravity_;
    Fields fields_;
    double time_ = 0;  ///< of the last preparation
};

}  // namespace aureole::gravity
