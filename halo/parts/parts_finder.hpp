// Friends of friends part by part: more points than the device holds, or as many parts as one asks for.
#pragma once

#include <memory>

#include "halo/fof/friends_of_friends.hpp"
#include "halo/parts/domain_map.hpp"

namespace aureole::halo {

/// How a search is cut; speed and memory only.
struct PartsConfig {
    int n_parts = 8;                           ///< 1 to most_parts
    std::size_t batch = std::size_t{1} << 25;  ///< particles that come from the host at a time
    /// Where points wait for their part: automatic takes the memory that the search runs in as long as it has
    /// enough.
    enum class Store { automatic, device, host } store = Store::automatic;
};

/// Wall-clock seconds of the phases of a search, the backend's work included.
struct PartsTimes {
    double survey = 0;  ///< extent, cuts
    double cut = 0;     ///< particles to their parts, from the host where they are there
    double link = 0;    ///< all parts
    double label = 0;
    std::uint64_t n_ghosts = 0;
    std::size_t largest_part = 0;  ///< entries
    bool stored_on_host = false;
};

/// The finder with the memory that it uses again from call to call.
class PartsFinder {
public:
    PartsFinder();
    ~PartsFinder();

    /// The groups that FriendsOfFriends finds, bit for bit: groups of equal size and smallest id, which ids
    /// that repeat allow, go by their first particle. `particles` lie in the memory that `exec` runs in, or
    /// on the host; there they come in batches. The result is in the memory that `exec` runs in until the
    /// next call. Space is cut along a Hilbert curve into parts with about equal numbers of particles,
    /// coincident ones together; each part also gets the points of others within a linking length (ghosts).
    /// Parts are linked one after the other while the next one is copied, and sets that share a point are
    /// joined.
    ///
    /// Throws as FriendsOfFriends::find() does, and ArgumentError for the spanning tree, velocities in
    /// dispersions of groups, and numbers of parts that are not between 1 and most_parts.
    GroupsView find_on_device(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                              const PartsConfig& parts, const Progress& progress = {});

    const PartsTimes& times() const;

    /// Bytes in the memory of `where` that a search of `n` particles takes beside them and beside the points
    /// that wait for their part (bytes_of_store()), where ghosts are at most a tenth of all points and parts
    /// are even.
    static std::size_t bytes(Backend where, std::size_t n, const FofConfig& config, const PartsConfig& parts);
    static std::size_t bytes_of_store(std::size_t n, const FofConfig& config);

    /// The smallest power of two of parts with which particles of the host take at most `free` bytes; 0 where
    /// most_parts do not suffice.
    static int fitting_parts(Backend where, std::size_t n, const FofConfig& config, std::size_t free);

private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Throws ArgumentError for settings that the finder does not take.
void expect_possible_by_parts(const FofConfig& config);

}  // namespace aureole::halo
