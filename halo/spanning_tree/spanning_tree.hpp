// The Euclidean minimum spanning tree of the particles, in space or in phase space: the shortest set of edges
// that connects them all. Its edges up to a length connect exactly the friends-of-friends groups of that
// linking length, so one build gives the groups of every linking length (Gower & Ross 1969; Barrow et al.
// 1985).
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "sim/core/particles_view.hpp"
#include "sim/core/progress.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo {

struct SpanningTreeConfig {
    /// Length per velocity, l / psi: d^2 = dx^2 + (l / psi)^2 dv^2. 0: in space alone.
    double velocity_scale = 0;
    std::uint8_t linking_types = 0x3f;  ///< bit t set: particles of type t are the tree's points; each of the
                                        ///< others is given its nearest point
    Box box{};                          ///< distances are those of nearest images
    Index min_samples = 1;  ///< above 1, edges are as long as mutual reachability: the largest of the
                            ///< distance and the two core distances, those to the min_samples-th nearest
                            ///< particle that links, itself counted (Campello, Moulavi & Sander 2013)
};

/// The tree of one set of particles. Canonical: the same for any particle order, number of threads and
/// backend, because equal lengths are told apart by ids (ids that repeat: by the order of the input). In
/// mutual reachability edges between particles at one place come before all others of their length.
struct SpanningTree {
    struct Edge {
        Index u, v;             ///< particles; the id of u is the smaller
        double squared_length;  ///< what linking compares with the square of the linking length

        double length() const { return std::sqrt(squared_length); }
    };
    /// A particle that does not link, and its nearest one that does; ties by smaller id.
    struct Join {
        Index particle, nearest;
        double squared_length;
    };

    Index n_particles = 0;
    Index n_linking = 0;      ///< points of the tree
    std::vector<Edge> edges;  ///< n_linking - 1, by rising (squared length, smaller id, larger id)
    std::vector<Join> joins;  ///< of the others, in input order; none when no particle links
};

/// Wall-clock seconds of the phases, and how much there was to do.
struct SpanningTreeTimes {
    double points = 0;  ///< order of ids, coincident points
    double tree = 0;    ///< median order and boxes
    double cores = 0;   ///< core distances
    double rounds = 0;  ///< Boruvka (1926)
    double edges = 0;   ///< their order, the others' nearest points, copy to the host
    int n_rounds = 0;
};

struct SpanningTreeScratch;

/// Builds trees, with the scratch it reuses from call to call.
class SpanningTreeFinder {
public:
    SpanningTreeFinder();
    ~SpanningTreeFinder();

    /// The tree of `particles`, which live where `exec` runs. Throws aureole::Error for a box side or
    /// velocity scale that is negative or not finite, for min_samples that are 0 or more than the particles
    /// that link, and for a position or (in phase space) velocity that is not finite or
    /// so large that its square is not, naming the particle. Ids that are absent are the indices, types 1.
    /// `progress` is called between phases and rounds.
    SpanningTree find(Exec exec, const ConstParticlesView& particles, const SpanningTreeConfig& config,
                      const Progress& progress = {});

    /// Bytes of scratch that find() on `n` particles takes on `where`, for the memory forecast.
    static std::size_t scratch_bytes(Backend where, std::size_t n, bool in_phase_space);

    /// Of the last find().
    const SpanningTreeTimes& times() const;

private:
    std::unique_ptr<SpanningTreeScratch> scratch_;
};

}  // namespace aureole::halo
