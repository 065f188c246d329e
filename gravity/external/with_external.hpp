// Self-gravity and external fields as one solver.
#pragma once

#include <memory>
#include <vector>

#include "gravity/external/external_field.hpp"
#include "gravity/solver.hpp"

namespace aureole::gravity {

/// Accelerations are those of the self-gravity plus every field; potentials and energy terms are those of the
/// self-gravity alone, since fields that move have no potential energy that is conserved: power() is their
/// part of the balance.
class WithExternal final : public Solver {
public:
    using Fields = std::vector<std::unique_ptr<ExternalField>>;

    explicit WithExternal(std::unique_ptr<Solver> self_gravity, Fields fields = {});

    void accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request) override;
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;
    EnergyTerms energy_terms() const override { return self_gravity_->energy_terms(); }
    std::vector<scf::ComponentCoefficients> coefficients() const override
    {
        return self_gravity_->coefficients();
    }

    std::vector<double> kept_state() const override { return self_gravity_->kept_state(); }
    void restore_state(Exec exec, const ParticlesView& particles, std::span<const double> state) override
    {
        self_gravity_->restore_state(exec, particles, state);
    }

    Solver& self_gravity() noexcept { return *self_gravity_; }
    const Fields& fields() const noexcept { return fields_; }

    /// sum m v.a of all external fields over all particles.
    double power(Exec exec, const ParticlesView& particles, double time);

private:
    std::unique_ptr<Solver> self_gravity_;
    Fields fields_;
};

}  // namespace aureole::gravity
