// Self-gravity with fields that the particles do not make, as one solver.
#pragma once

#include <memory>
#include <vector>

#include "gravity/external/external_field.hpp"
#include "gravity/solver.hpp"

namespace aureole::gravity {

/// Accelerations are those of the self-gravity plus those of every field. Potentials are those of the
/// self-gravity alone, unless add_to_potentials() asks for the fields' too; the energy terms hold sum m Phi
/// of fields that have one, once. power() is what changes the energy with time.
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

    /// By what the energy, terms included, changes per unit time.
    double power(Exec exec, const ConstParticlesView& particles, double time);

    /// Whether any field ever changes the energy.
    bool works() const;

    /// From now on evaluations add the fields' potentials to those of the self-gravity.
    void add_to_potentials() noexcept { adds_potentials_ = true; }

private:
    std::unique_ptr<Solver> self_gravity_;
    Fields fields_;
    double time_ = 0;    ///< of the last preparation
    double energy_ = 0;  ///< sum m Phi of the fields at the last evaluation of all potentials
    bool adds_potentials_ = false;
};

}  // namespace aureole::gravity
