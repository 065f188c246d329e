// What the steps of a search for most-bound particles on the GPU share: the query, and the arrays with their
// places.
//
// The members of each list are sorted along a curve and cut into buckets of 32, over which nodes stand
// (list_segments.hpp).
#pragma once

#include "halo/list_segments.hpp"
#include "sim/core/particles_view.hpp"
#include "sim/core/spatial/box.hpp"

namespace aureole::halo::centre_search {

using namespace segments;

inline constexpr Index bucket_size = 32;     ///< the lanes of a warp
inline constexpr Index segment_size = 1024;  ///< members that a warp adds up alone

struct CentreQuery {
    ConstParticlesView particles;
    MembersView members;
    Box box;
    double softening;
    bool with_motion;    ///< v^2 / 2 counts
    bool alike;          ///< every member counts 1, whatever its mass
    Index tree_members;  ///< lists of so many members or more have a tree
};

/// What is wrong with the input, if anything; and the number of members of the longest list.
struct InputReport {
    std::uint64_t bad_entry;   ///< first entry of the lists that cannot be used; n_members when all can
    std::uint64_t bad_list;    ///< first list that does not begin or end where it should; or n_lists
    std::uint64_t empty_list;  ///< first list without members; or n_lists
    std::uint64_t longest;
    std::uint64_t lists_to_last_tree;    ///< lists up to the last that has a tree; or 0
    std::uint64_t members_to_last_tree;  ///< of these lists
};

/// Of a list: in ordered_bits, so that atomics find them.
struct ListSummary {
    std::uint64_t smallest_id, first_entry;  ///< of a periodic box: of its particle
    std::uint64_t low[3], high[3], heaviest;
};

/// Members that may stand for one mass at their centre; scaled.
struct alignas(64) TreeNode {
    double x, y, z;  ///< centre of mass
    float mass;
    float radius;              ///< at least: no member is farther from the centre
    float quadrupole;          ///< at least |sum m r^2 P_2(cos)| about the centre, in any direction
    float third;               ///< at least sum m r^3
    float below[3], above[3];  ///< at least: how far members reach from the centre
};

/// What nodes are made from: masses, and moments m r r about the centre (xx, yy, zz, xy, xz, yz).
struct Moments {
    double mass;
    double second[6];
};

/// The nodes of the trees of all lists, with bucket_size members to a leaf (halo/list_nodes_dual.hpp).
struct SearchNodes {
    TreeNode* node;  ///< level after level
    Moments* moments;
};

/// Sums of positive terms as integers: the same in any order (see SplitSum).
struct PartialSum {
    std::uint64_t whole, part;
};

/// Of the members of a segment of a list; velocities relative to that of the list's first member.
struct MotionSum {
    double mass;
    Vec3 momentum;
};

struct FoundCentre {
    Vec3 position;
    double value;
    Index particle;
    Index unused = 0;  ///< in place of padding: it is copied home, all bytes have a value
};

/// Device memory. An entry is an index into the lists, a place one into the sorted members.
struct SearchArrays {
    InputReport* report;
    Body* image;          ///< per entry: positions near the member with the smallest id, unscaled
    double* kinetic;      ///< per entry, v^2 / 2 about the list's mean; with motion only
    MotionSum* motion;    ///< per segment; with motion only
    Vec3* mean_velocity;  ///< per list; with motion only
    Index* order;         ///< per place: the entry
    Body* body;           ///< per place, scaled
    float* high;          ///< per place: |phi| is no larger, scaled
    Index* friends;       ///< per place
    std::uint8_t* flag;   ///< per place, entry or bucket
    ListSummary* summary;
    ListFrame* frame;
    std::uint64_t* best;     ///< per list: the least |phi| - kinetic that a member surely has, ordered_bits
    Index* depth;            ///< per list: |phi| that a member surely has, bits of a float
    Index* deepest;          ///< per list: no candidate has a larger |phi|, bits of a float; or most friends
    std::uint64_t* densest;  ///< per list: bits of a density, place of the bucket among the list's
    std::uint64_t* seed;     ///< per list: ordered bits of a depth in float, place among the list's members
    Index* count;            ///< per list: candidates
    TreeNode* node;          ///< level after level
    Moments* moments;        ///< of each node
    Index* bucket_list;      ///< per bucket: its list
    Index* mask;             ///< per bucket: bit k set when its k-th member is a candidate
    Index* active;           ///< buckets to walk for
    Index* n_selected;
    Index* candidate;  ///< places; of most connected members: entries
    PartialSum* sum;   ///< per candidate
    FoundCentre* found;
};

/// Nodes from scaled bodies along the curve, of all lists. On a GPU this starts kernels and waits for
/// nothing.
void build_nodes(Exec exec, const MembersView& members, const Levels& levels, const Body* body,
                 const SearchNodes& nodes);

/// Members of a node of a level.
AUREOLE_HD inline std::uint64_t node_length(int level) { return std::uint64_t{bucket_size} << 3 * level; }

}  // namespace aureole::halo::centre_search
