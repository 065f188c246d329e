// Friends-of-friends of many particles on a CPU in little memory: space is cut along x into slabs of about as
// many particles, cells link the friends in one slab after the other, each with a margin of a linking length,
// and sets of all particles grow together. The arrays of a slab stay in the caches, too.
#pragma once

#include <optional>
#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

class SlabFinder {
public:
    struct Sizes {
        std::size_t least_particles = std::size_t{1} << 21;  ///< below, memory does not matter
        std::size_t least_in_slab = std::size_t{1} << 15;
    };

    SlabFinder() = default;
    explicit SlabFinder(Sizes sizes) : sizes_(sizes) {}

    /// The groups that cells find in all of space at once; valid until the next call. Nothing where slabs do
    /// not suit: for few particles, or where not all of them link, in phase space, where slabs as thin as
    /// linking lengths hold most of them, and for positions that are not finite.
    std::optional<GroupsView> find(const ConstParticlesView& host, const FofConfig& config, FofTimes& times,
                                   const Progress& progress);

    /// Bytes for `n` particles with slabs of equal numbers.
    static std::size_t scratch_bytes(std::size_t n);

private:
    Sizes sizes_{};
    void number_groups(const ConstParticlesView& host, const Index* order, Index* set, Index min_members);

    Buffer<Index> count_or_label_;  ///< of the set of each place that is a root, then of each particle
    Buffer<Index> n_members_;
};

}  // namespace aureole::halo
