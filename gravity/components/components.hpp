// The solver by component: direct sum, tree or expansion for each component, and one kernel, both ways, for
// each pair of components (Vine & Sigurdsson 1998; Hozumi, Nitadori & Iwasawa 2023).
#pragma once

#include <memory>
#include <vector>

#include "gravity/components/member_set.hpp"
#include "gravity/components/plan.hpp"
#include "gravity/scf/component_field.hpp"
#include "gravity/scf/scf.hpp"
#include "gravity/solver_config.hpp"
#include "sim/core/particles.hpp"

namespace aureole::gravity::components {

/// One solver serves one particle set, whose component numbers stay as they are: members are looked up once.
/// A preparation with all particles as sources and expected targets is that of a step of a run: it counts for
/// recentring, energy_terms() and coefficients(), others change none of them. Sources are a range; targets
/// may be a list, which is then copied to the host and sorted out. Open boxes only.
///
/// With one kernel for each pair and fixed centres the forces are those of a Hamiltonian (plan.hpp): energy
/// is conserved to the integrator's and the tree's error. The total momentum is not: expansions have a
/// centre.
class Components final : public Solver, public scf::ExpansionSource {
public:
    /// Throws ConfigError for settings that cannot work, naming the key or the component.
    explicit Components(const gravity::Config& config);
    ~Components() override;

    /// Throws ConfigError at the first call when the components of the particles are not those of the
    /// configuration, or one that is to be expanded has no mass; ArgumentError for a list of sources.
    void prepare(Exec exec, const ConstParticlesView& particles, const SourceRequest& request,
                 const TargetRequest& expected) override;
    void evaluate(Exec exec, const ConstParticlesView& particles, const TargetRequest& request,
                  const ForceOutputs& outputs) override;

    /// Where the configuration does not know how many particles each component has, each is taken to have
    /// all.
    std::size_t scratch_bytes(Backend where, std::size_t n) const override;

    EnergyTerms energy_terms() const override { return terms_; }
    std::vector<scf::ComponentCoefficients> coefficients() const override;

    /// Time, energy terms, and per expansion centre, next recentring, coefficients and variances.
    std::vector<double> kept_state() const override;
    void restore_state(Exec exec, const ConstParticlesView& particles,
                       std::span<const double> state) override;

private:
    struct Pairs {
        std::unique_ptr<Solver> solver;
        bool adds, cancels_net_force;  ///< the latter: a tree's error, when all its targets are its sources
        MemberSet sources, targets;
    };
    struct Field {
        std::unique_ptr<scf::ComponentField> field;
        MemberSet own, reach;
        std::vector<scf::Membership> felt;  ///< components that its own particles feel by its kernel
        bool is_prepared = false;           ///< it takes part in the last preparation
        scf::FieldSource alone{};           ///< of its own particles
        Buffer<double> of_felt, of_one, sum;
    };
    struct Targets;

    std::unique_ptr<Solver> make_pairs(const PairPlan& plan) const;
    void start(Exec exec, const ConstParticlesView& particles, double time);
    void prepare_step(Exec exec, const ConstParticlesView& particles, Field& field, double time);
    void expand_felt(Exec exec, const ConstParticlesView& particles, Field& field, IndexRange sources);
    double energy_of(const Field& field) const;
    void evaluate_pairs(Exec exec, const ConstParticlesView& particles, const Targets& targets,
                        ConstVec3View previous, const ForceOutputs& outputs);
    void evaluate_fields(Exec exec, const ConstParticlesView& particles, const Targets& targets,
                         const ForceOutputs& outputs);
    void finish_step(Exec exec, const ConstParticlesView& particles, const ForceOutputs& outputs);
    ConstVec3View copy_of_previous(Exec exec, const ConstVec3View& previous, Index n);
    std::string why_not_conserved() const;
    std::size_t count_of(const PairPlan& plan, std::size_t n) const;

    gravity::Config settings_;
    Config config_;
    scf::Config expansions_;
    Plan plan_;
    std::vector<Pairs> pairs_;
    std::vector<Field> fields_;
    MemberSet zeroed_;
    EnergyTerms terms_;
    double time_ = 0;             ///< of the last preparation for a step of a run
    bool is_prepared_ = false;    ///< prepare() was called
    bool is_for_a_step_ = false;  ///< the last preparation was one for a step of a run
    Index n_particles_ = 0;       ///< of the last preparation
    Vec3Buffer acceleration_, previous_;
    Buffer<double> potential_, net_force_;

    /// The particle set that the members belong to.
    const Component* set_ = nullptr;
    Index set_size_ = 0;
};

}  // namespace aureole::gravity::components
