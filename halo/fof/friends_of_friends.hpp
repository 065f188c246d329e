// Friends-of-friends groups: particles no farther apart than the linking length share a group (Davis et al.
// 1985).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "halo/groups.hpp"
#include "halo/groups_view.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

/// The search method; every one gives the same labels.
enum class Method {
    fastest,  ///< grid in space on the CPU, else kd_tree
    kd_tree,
    brute_force,
    grid,
    spanning_tree
};

const char* name_of(Method method);

/// The group of particles that have too few friends to link (DBSCAN's border, Ester et al. 1996).
enum class Border {
    excluded,  ///< they stay alone
    nearest    ///< they join their nearest core particle within the linking length, ties by smaller id
};

struct FofConfig {
    double linking_length = 0;          ///< l, absolute; in space a pair links when its distance is <= l
    Index min_members = 20;             ///< smaller groups are not reported; types that join count too
    std::uint8_t linking_types = 0x3f;  ///< bit t set: particles of type t link; the others join the group of
                                        ///< their nearest linking neighbour within the linking length
    Box box{};
    Method method = Method::fastest;
    /// psi: in phase space a pair links when (dx / l)^2 + (dv / psi)^2 <= 1; infinity: in space alone
    double linking_velocity = std::numeric_limits<double>::infinity();
    /// Above 0: psi is so many one-dimensional velocity dispersions of the 3-D group, of linking length l,
    /// that the particles are in; linking_velocity stays infinite
    double relative_linking_velocity = 0;
    Index min_friends = 1;  ///< only particles with as many friends link, 1: all (DBSCAN's minPts - 1)
    Border border = Border::excluded;
    Index leaf_size = 8;  ///< most points in a leaf of the kd-tree; speed only
    int max_depth = 30;   ///< halvings at most, whatever the leaves hold then; speed only
    /// Also tell which particles are core ones: of a linking type, with min_friends friends where that is
    /// above 1. One byte a particle.
    bool core_flags = false;
};

/// Wall-clock seconds of the phases of a find, the backend's work included.
struct FofTimes {
    double order = 0;  ///< summary and sort along the curve
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

    /// Groups of `particles`, which are in the memory that `exec` runs in. Periodic boxes wrap positions
    /// outside [0, side). Throws aureole::Error for a linking length or velocity that is not positive, a
    /// length that is not finite, min_members, min_friends or leaf_size 0, a periodic box smaller than two
    /// linking lengths, and for a position, or a velocity in phase space, that is not finite, naming the
    /// particle. Positions are needed, velocities in phase space alone; ids that are absent are the indices,
    /// types 1. `progress` is called between the phases.
    Groups find(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                const Progress& progress = {});

    /// The same, left in the memory that `exec` runs in until the next call.
    GroupsView find_on_device(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                              const Progress& progress = {});

    /// Of the last find.
    const FofTimes& times() const;

    /// Bytes of scratch that find() on `n` particles takes on `where` at its peak, for the memory forecast.
    /// Where min_members is below about 5, very many groups can need a further block that is not counted
    /// here.
    static std::size_t scratch_bytes(Backend where, std::size_t n, const FofConfig& config = {});

private:
    std::unique_ptr<FofScratch> scratch_;
};

}  // namespace aureole::halo
