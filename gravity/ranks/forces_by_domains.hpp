// The tree over domains for a program that rank 0 runs: its particles go to their domains for an evaluation,
// and the forces are copied back to it.
#pragma once

#include "gravity/ranks/domains/domain_forces.hpp"

namespace aureole::gravity::ranks {

/// All ranks make one of an equal configuration and call evaluate() together. Host memory.
class ForcesByDomains {
public:
    ForcesByDomains(comm::Communicator& ranks, const gravity::Config& config)
        : parts_(ranks, 1), forces_(parts_, config)
    {
    }

    /// On rank 0: all particles are sources and targets, results go to `outputs`, which may be the previous
    /// accelerations. The others give no particles and no arrays. Net forces stay.
    void evaluate(const ConstParticlesView& particles, const ConstVec3View& previous,
                  const ForceOutputs& outputs, bool potential);

    /// Seconds of the first walks on this rank, of all evaluations.
    double work_seconds() const noexcept { return work_seconds_; }

    /// Of the last evaluation, the same on every rank.
    const domains::DomainReport& report() const noexcept { return forces_.report(); }

private:
    void bring_home(const std::vector<domains::DomainParticles>& held, const ForceOutputs& outputs);

    comm::Parts parts_;
    domains::DomainForces forces_;
    domains::Array<std::uint32_t> work_;  ///< rank 0: of each particle in the last evaluation
    double work_seconds_ = 0;
};

}  // namespace aureole::gravity::ranks
