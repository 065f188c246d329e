// The tree over domains for a program that rank 0 runs: its particles go to their domains for an evaluation,
// and the forces are copied back to it.
#pragma once

#include "gravity/ranks/domains/domain_forces.hpp"

namespace aureole::gravity::ranks {

/// All ranks make one of an equal configuration and call evaluate() together. Particles travel through host
/// memory.
class ForcesByDomains {
public:
    /// `where`: rank 0's particles, and what walks on every rank.
    ForcesByDomains(comm::Communicator& ranks, const gravity::Config& config, Backend where = Backend::cpu)
        : parts_(ranks, 1), forces_(parts_, config, {}, {}, where)
    {
    }

    /// On rank 0: all particles are sources and targets, results go to `outputs`, which may be the previous
    /// accelerations. The others give no particles and no arrays. Net forces stay.
    void evaluate(Exec exec, const ConstParticlesView& particles, const ConstVec3View& previous,
                  const ForceOutputs& outputs, bool potential);
    void evaluate(const ConstParticlesView& particles, const ConstVec3View& previous,
                  const ForceOutputs& outputs, bool potential)
    {
        evaluate({}, particles, previous, outputs, potential);
    }

    /// Seconds of the first walks on this rank, of all evaluations.
    double work_seconds() const noexcept { return work_seconds_; }

    /// Of the last evaluation, the same on every rank.
    const domains::DomainReport& report() const noexcept { return forces_.report(); }

private:
    void evaluate_on_host(const ConstParticlesView& particles, const ConstVec3View& previous,
                          const ForceOutputs& outputs, bool potential);
    void bring_home(const std::vector<domains::DomainParticles>& held, const ForceOutputs& outputs);

    comm::Parts parts_;
    domains::DomainForces forces_;
    domains::Array<std::uint32_t> work_;  ///< rank 0: of each particle in the last evaluation
    double work_seconds_ = 0;
};

}  // namespace aureole::gravity::ranks
