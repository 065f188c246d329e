// Forces by the tree over many parts, nothing replicated but the top of the tree.
#pragma once

#include "gravity/ranks/domains/device_walk.hpp"
#include "gravity/ranks/domains/essential.hpp"
#include "gravity/solver_config.hpp"

namespace aureole::gravity::domains {

/// What an evaluation has counted, on every part the same.
struct DomainReport {
    std::vector<std::uint64_t> particles, work;  ///< of each domain, in the last walk
    std::vector<std::uint64_t> essential_bytes;  ///< of nodes and bodies that each domain imported
    std::uint64_t n_rounds = 0;  ///< of essential nodes, over all walks; one a walk is the least
    std::uint64_t n_again = 0;   ///< groups that were walked again
    int n_walks = 0;
    std::vector<PhaseClock::Phase> phases;  ///< seconds of the parts held here, and of their exchanges
    double walk_seconds = 0;                ///< of the parts held here, first walks alone
    bool is_recut = false;

    /// The largest over the mean work of a domain.
    double imbalance() const;
};

/// Accelerations and potentials of particles that are spread over parts, each of them on one: bit for bit
/// those of the tree solver (tree.hpp) with all particles as sources and targets, for any number of parts and
/// any cuts. Serials are the order of that solver's particles.
class DomainForces {
public:
    /// `parts` must outlive the object. Throws what the tree solver throws for its settings.
    /// `walked_on`: whose tree solver it agrees with. With Backend::cuda nodes are made and groups walked on
    /// the GPU, one part held here after the other; particles and all else stay in host memory.
    DomainForces(comm::Parts& parts, const gravity::Config& config, const CutRule& rule = {},
                 const EntryParams& entries = {}, Backend walked_on = Backend::cpu);

    /// Moves the particles to their domains, and overwrites accelerations and work, potentials where they are
    /// asked for: ax, ay, az are the previous accelerations before. Entry k of `held` is of the k-th part
    /// held here; on return it is in the order along the curve. Collective. Throws ArgumentError for 2^32 - 1
    /// particles or more.
    void evaluate(std::vector<DomainParticles>& held, bool potential);

    const DomainReport& report() const noexcept { return report_; }
    const CutRule& rule() const noexcept { return rule_; }
    void set_rule(const CutRule& rule) { rule_ = rule; }

private:
    struct Walks;

    comm::Parts& parts_;
    gravity::Config config_;
    CutRule rule_;
    EntryParams entries_;
    Backend walked_on_;
    DeviceWalk device_walk_;
    Whole whole_;
    DomainReport report_;
};

/// The particles in the order of their serials: part p gets piece p of all, cut at multiples of cut_unit
/// (comm::piece_of), wherever they are. Collective.
void send_home(comm::Parts& parts, std::vector<DomainParticles>& held);

}  // namespace aureole::gravity::domains
