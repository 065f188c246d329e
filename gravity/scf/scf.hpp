// The self-consistent field method (Hernquist & Ostriker 1992): every component of the particle set is
// expanded in its own basis about its own centre, and every target feels the sum of all these fields. Cost
// O(N n_max l_max^2); memory besides the particles does not depend on N.
#pragma once

#include <memory>

#include "gravity/solver.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::gravity::scf {

class ComponentField;

/// Particles feel their own contribution to the field, and softening is not used: the basis is smooth on the
/// scale of its highest functions. Open boxes only.
///
/// One solver serves one particle set, whose component numbers stay as they are: who belongs where is looked
/// up once. Requests with all targets and all sources are those of a run: they count for recentring, for
/// energy_terms() and coefficients(). Others (a component alone) leave no trace.
///
/// Energy is conserved when one live component has the field to itself, or every field with mass behind it is
/// frozen. Two live components pull on each other through different expansions: there it is conserved as well
/// as the orders resolve one component at the place of the other.
class Scf final : public Solver {
public:
    /// Throws ConfigError for settings that cannot work, naming the component.
    explicit Scf(const gravity::Config& config);
    ~Scf() override;

    /// Throws ConfigError at the first call when a component that is to be expanded has no particles or no
    /// mass.
    void accelerate(Exec exec, const ParticlesView& particles, const ForceRequest& request) override;

    /// For the components listed in the configuration, at least one.
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;

    EnergyTerms energy_terms() const override { return terms_; }
    std::vector<ComponentCoefficients> coefficients() const override;

    /// Time, energy terms, and per component centre, next recentring, coefficients and variances.
    std::vector<double> kept_state() const override;
    void restore_state(Exec exec, const ParticlesView& particles, std::span<const double> state) override;

private:
    void start(Exec exec, const ParticlesView& particles, double time);
    void add_fields(Exec exec, const ParticlesView& particles, const ForceRequest& request, bool full);
    std::string why_not_conserved() const;

    gravity::scf::Config config_;
    Precision precision_;
    std::vector<std::unique_ptr<ComponentField>> fields_;
    EnergyTerms terms_;
    Buffer<double> net_force_scratch_;
    double time_ = 0;  ///< of the last full request

    /// The particle set that fields_ belong to.
    const Component* set_ = nullptr;
    Index set_size_ = 0;
};

}  // namespace aureole::gravity::scf
