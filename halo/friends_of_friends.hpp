// Friends-of-friends groups: particles no farther apart than the linking length share a group (Davis et al.
// 1985).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/core/box.hpp"
#include "sim/core/particles_view.hpp"

namespace aureole::halo {

struct FofConfig {
    double linking_length = 0;          ///< absolute; a pair links when its distance is <= this
    Index min_members = 20;             ///< smaller groups are not reported; types that join count too
    std::uint8_t linking_types = 0x3f;  ///< bit t set: particles of type t link; the others join the group of
                                        ///< their nearest linking neighbour within the linking length
    Box box{};
};

/// Canonical: groups by falling length, ties by the smallest particle id in them; the same for any particle
/// order, number of threads and backend.
struct Groups {
    std::vector<std::int32_t> label;  ///< per particle, input order: row of its group from 0, -1 for none
    std::vector<Index> length;        ///< per group: members, of all types
};

/// Wall-clock seconds of the phases of a find, the backend's work included.
struct FofTimes {
    double order = 0;  ///< survey and sort along the curve
    double tree = 0;   ///< points and boxes
    double link = 0;   ///< sets of friends, and the particles that join them
    double label = 0;  ///< canonical groups, still in the backend's memory
    double copy = 0;   ///< labels to the host
};

struct FofScratch;

/// The finder with the scratch it reuses from call to call.
class FriendsOfFriends {
public:
    FriendsOfFriends();
    ~FriendsOfFriends();

    /// Groups of `particles`, which live where `exec` runs. Periodic boxes wrap positions outside [0, side).
    /// Throws aureole::Error for a linking length that is not positive and finite, min_members 0, a periodic
    /// box smaller than two linking lengths, and for a position that is not finite, naming the particle.
    Groups find(Exec exec, const ParticlesView& particles, const FofConfig& config);

    /// Of the last find().
    const FofTimes& times() const;

    /// Bytes of scratch that find() on `n` particles takes on `where` at its peak, for the memory forecast.
    /// Where min_members is below about 5, very many groups can need a further block that is not counted
    /// here.
    static std::size_t scratch_bytes(Backend where, std::size_t n);

private:
    std::unique_ptr<FofScratch> scratch_;
};

}  // namespace aureole::halo
