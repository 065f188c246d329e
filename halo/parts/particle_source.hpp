// Particles as a search by parts reads them: at once, or in batches from the host.
#pragma once

#include "halo/fof/fof_workspace.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

/// What all particles have in common.
struct ParticleScan {
    FofExtent extent{};
    std::uint64_t largest_id = 0;
    bool all_link = true;
};

class ParticleSource {
public:
    /// `first_index` is the number of their first one among the particles of all ranks.
    ParticleSource(Exec exec, const ConstParticlesView& particles, const FofConfig& config, std::size_t batch,
                   Index first_index = 0);
    ~ParticleSource();

    bool from_host() const { return exec_.backend != particles_.where; }
    std::size_t n_batches() const { return n_batches_; }
    Index begin(std::size_t k) const { return first_index_ + static_cast<Index>(k * batch_); }

    /// Where all positions are known to be finite afterwards, or where batches are looked at one by one as
    /// they come: particles of the host in a periodic box. Throws Error for one that is not finite.
    ParticleScan scan();

    /// Batch k, in the memory of the backend, valid until the one after the next is asked for. They are
    /// asked for one after the other, and the next one comes meanwhile. Adds to `scan` what only a look at
    /// all particles tells. Throws Error for a position that is not finite.
    ConstParticlesView batch(std::size_t k, ParticleScan& scan);

private:
    struct Incoming;
    ConstParticlesView piece(std::size_t k) const;
    void fetch(std::size_t k);
    void look_at(Exec exec, const ConstParticlesView& particles, Index first, ParticleScan& scan);

    Exec exec_;
    ConstParticlesView particles_;
    FofConfig config_;
    Index first_index_;
    std::size_t batch_, n_batches_;
    bool looks_later_ = false;
    std::unique_ptr<Incoming> incoming_;
};

}  // namespace aureole::halo
