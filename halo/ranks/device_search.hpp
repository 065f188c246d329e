// Friends of friends of particles that are spread over ranks, each with a GPU (or none: the same on a CPU).
#pragma once

#include <memory>
#include <vector>

#include "halo/fof/friends_of_friends.hpp"
#include "sim/comm/device_moves.hpp"

namespace aureole::halo {

/// Wall-clock seconds of the phases of a search on this rank.
struct DeviceSearchTimes {
    double cut = 0;   ///< survey, cuts, entries in the order of parts
    double move = 0;  ///< to their ranks
    double link = 0;
    double label = 0;           ///< heads of all ranks joined, labels home
    std::size_t n_entries = 0;  ///< of the own domain
    std::uint64_t moved_bytes = 0;
};

/// One domain for each rank. Particles travel there with ghosts, by `moves`; each rank links its own, and all
/// join the sets that share a point.
class DeviceSearch {
public:
    /// Both must outlive the object.
    DeviceSearch(comm::Communicator& ranks, comm::DeviceMoves& moves);
    ~DeviceSearch();

    /// The groups that one rank finds in the particles of all, numbered from rank to rank, bit for bit;
    /// groups of equal size and smallest id, which ids that repeat allow, go by their first particle. `own`
    /// are those of this rank, maybe none, in the memory of moves.where() or on the host. The result has
    /// labels of the own particles and the sizes of all groups, in the memory of moves.where(), until the
    /// next call. Collective. Memory: about 75 bytes for each particle of the domain and 110 for each own
    /// one.
    ///
    /// Throws on every rank: ArgumentError for settings that work on all particles at once, for more than 64
    /// ranks and for 2^32 particles and more; Error for one that is not finite.
    GroupsView find(Exec exec, const ConstParticlesView& own, const FofConfig& config);

    const DeviceSearchTimes& times() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace aureole::halo
