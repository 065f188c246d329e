// The self-consistent field method (Hernquist & Ostriker 1992): every component of the particle set is
// expanded in its own basis about its own centre, and every target feels the sum of all these fields. Cost
// O(N n_max l_max^2); memory besides the particles does not depend on N.
#pragma once

#include <memory>
#include <vector>

#include "gravity/scf/coefficients.hpp"
#include "gravity/scf/component_field.hpp"
#include "gravity/sliced_solver.hpp"
#include "gravity/solver_config.hpp"

namespace aureole::gravity {
class Solver;
}

namespace aureole::gravity::scf {

/// Implemented beside Solver by a solver whose field is an expansion.
class ExpansionSource {
public:
    virtual ~ExpansionSource() = default;

    /// The expansions behind the last preparation with all particles as sources and expected targets.
    virtual std::vector<ComponentCoefficients> coefficients() const = 0;
};

/// Those of `solver`; none where it is no ExpansionSource. A decorator is not looked through.
std::vector<ComponentCoefficients> coefficients_of(const Solver& solver);

/// Particles feel their own contribution to the field, and softening is not used: the basis is smooth on the
/// scale of its highest functions. Open boxes only.
///
/// One solver serves one particle set, whose component numbers stay as they are: the members of each
/// component are looked up once. A preparation with all particles as sources and expected targets is that of
/// a step of a run: it counts for recentring, for energy_terms() and coefficients(). Others (a component
/// alone) change none of them. Sources are a range; targets may be a list.
///
/// Energy is conserved when one live component has the field to itself, or every field with mass behind it is
/// frozen. Two live components accelerate each other through different expansions: there it is conserved as
/// well as the orders resolve one component at the place of the other.
class Scf final : public SlicedSolver, public ExpansionSource {
public:
    /// Throws ConfigError for settings that cannot work, naming the component.
    explicit Scf(const gravity::Config& config);
    ~Scf() override;

    /// Throws ConfigError at the first call when a component that is to be expanded has no particles or no
    /// mass, and ArgumentError for a list of sources.
    void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                 const TargetRequest& expected) override;
    void evaluate_slice(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                        Slice slice, const ForceOutputs& outputs) override;
    void finish(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                const ForceOutputs& outputs) override;

    /// Ranks that each have a run of the particles of every component, and no others, can make the field of
    /// all: a step of a run, as prepare() with all particles as sources and expected targets is, with its
    /// bits. Possible after start (the first preparation), where the particles of each component are
    /// contiguous, and nothing at `time` needs them all: no recentring, no net force, no energy in a frozen
    /// field.
    bool can_share_runs(double time, bool potential) const;

    /// The particles of a rank, in this order: the run of each component. Together the runs of all slices are
    /// all particles.
    std::vector<IndexRange> runs(Backend where, Slice slice) const;

    /// `run` has the particles of runs() one after another, with masses and positions; evaluate_slice() then
    /// takes them. Collective.
    void prepare_runs(Exec exec, const ConstParticlesView& run, double time, const SharedPieces& shared);

    /// For the components listed in the configuration, at least one.
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;

    EnergyTerms energy_terms() const override { return terms_; }
    std::vector<ComponentCoefficients> coefficients() const override;

    /// Time, energy terms, and per component centre, next recentring, coefficients and variances.
    std::vector<double> kept_state() const override;
    void restore_state(Exec exec, const ConstParticlesView& particles,
                       std::span<const double> state) override;

private:
    void start(Exec exec, const ConstParticlesView& particles, double time);
    std::string why_not_conserved() const;

    gravity::scf::Config config_;
    Precision precision_;
    std::vector<std::unique_ptr<ComponentField>> fields_;
    EnergyTerms terms_;
    Buffer<double> net_force_scratch_;
    double time_ = 0;             ///< of the last preparation for a step of a run
    bool is_prepared_ = false;    ///< prepare() was called
    bool is_for_a_step_ = false;  ///< the last preparation was one for a step of a run
    Index n_particles_ = 0;       ///< of the last preparation

    /// A field of the last preparation.
    struct Prepared {
        ComponentField* field;
        FieldSource source;
    };
    std::vector<Prepared> prepared_;

    /// The particle set that fields_ belong to.
    const Component* set_ = nullptr;
    Index set_size_ = 0;
};

}  // namespace aureole::gravity::scf
