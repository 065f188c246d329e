// What the phases of one find share: the query, its geometry and the memory.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>

#include "halo/copy_bytes.hpp"
#include "halo/fof/friends_of_friends.hpp"
#include "halo/fof/labels.hpp"
#include "halo/link_tree.hpp"
#include "halo/particle_summary.hpp"
#include "halo/separation.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

/// What a find needs memory for.
struct FofSize {
    std::size_t n;  ///< particles
    int depth;      ///< of the tree
    bool in_phase_space, cells;
};

/// Byte offsets, multiples of 256, of the parts of the block. Cells on the CPU share more of it than on a
/// GPU, which sets pairs of cells aside: 44 bytes a particle against 56; a tree takes 32, on
/// a GPU 36 at least, as points are packed on the way.
struct FofMemory {
    FofMemory(Backend where, const FofSize& size);

    std::size_t summary, counters, order, set;  ///< kept throughout
    std::size_t wide;       ///< 16 n: keys and spare keys | points | members, rows, roots, labels
    std::size_t wide_part;  ///< distance between the arrays in `wide` that are 4 n long
    std::size_t narrow;  ///< spare order and the sort's scratch | nodes | CPU: keys of points | sets, blocks
    std::size_t narrow_bytes;
    std::size_t group;                   ///< to the end: groups, when all are linked
    std::size_t velocity, velocity_box;  ///< of points, of nodes: in phase space
    std::size_t point_key, cell_key, cell_begin, cell_set, stretch;  ///< of cells
    /// In input order: of cells, on the CPU over sets, beginnings and keys; of a tree on a GPU, over sets and
    /// what is narrow.
    std::size_t unordered_point;
    std::size_t bytes;  ///< of the whole block
};

/// The same for the arrays of `n_groups` groups. Numbers of members take the place of sorted keys; spare
/// values lie where labels are written later.
struct GroupMemory {
    GroupMemory(Backend where, std::size_t n_groups);

    std::size_t key, spare_key, value, n_members, sort_scratch, bytes;
};

/// l / psi.
double length_per_velocity(const FofConfig& config);

/// (l / psi)^2; 0 in space, which is what a linking velocity without end comes to.
double squared_velocity_ratio(const FofConfig& config);

bool in_phase_space(const FofConfig& config);

/// Whether friends meet through cells, where the extent suits them.
bool uses_cells(Backend where, const FofConfig& config);

/// How much memory a find needs.
FofSize size_of(Backend where, std::size_t n, const FofConfig& config);

/// Corners of what is searched.
struct FofExtent {
    Vec3 low, high;                    ///< of positions: the whole box when periodic
    Vec3 low_velocity, high_velocity;  ///< in phase space
};

class FofWorkspace {
public:
    FofWorkspace(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                 Buffer<std::byte>& block);

    Exec exec() const { return exec_; }
    const ConstParticlesView& particles() const { return particles_; }
    const FofConfig& config() const { return config_; }
    const FofMemory& memory() const { return memory_; }

    template <class T>
    T* at(std::size_t offset) const
    {
        return reinterpret_cast<T*>(block_.data() + offset);
    }
    Index* order() const { return at<Index>(memory_.order); }  ///< particles; core ones first
    Index* set() const { return at<Index>(memory_.set); }      ///< per place in the order
    Index* wide_part(int k) const { return at<Index>(memory_.wide + k * memory_.wide_part); }
    Index* counters() const { return at<Index>(memory_.counters); }

    void wait() const;
    void copy(void* to, const void* from, std::size_t bytes) const { copy_bytes(exec_, to, from, bytes); }
    template <class T>
    T fetched(const T* from) const
    {
        T value;
        copy(&value, from, sizeof value);
        return value;
    }

    void set_extent(const FofExtent& extent) { extent_ = extent; }
    const FofExtent& extent() const { return extent_; }
    /// Friends both of which lie above this x are linked elsewhere: cells on a CPU may leave them out.
    void leave_out_above(double x) { left_out_above_ = x; }
    double left_out_above() const { return left_out_above_; }
    /// Half of the longest side of the extent, velocities as lengths.
    double longest_half() const;
    LinkQuery query() const;
    /// Places for the points of the order, without nodes.
    LinkTree points(Index n) const;

private:
    Exec exec_;
    ConstParticlesView particles_;
    FofConfig config_;
    Buffer<std::byte>& block_;
    FofMemory memory_;
    FofExtent extent_{};
    double left_out_above_ = std::numeric_limits<double>::infinity();
};

// The part of a find that methods differ in: how particles are ordered and how friends meet.

class Linker {
public:
    virtual ~Linker() = default;

    /// Fills workspace.order(): all particles, those of linking types first.
    virtual void order(Index n_linking) = 0;
    /// Gathers all points, the first `n_core` of the order as those that link.
    virtual void build(Index n_core) = 0;
    /// flag[k] = 1 for linking points with at least `min_friends` friends, itself not counted.
    virtual void flag_core(Index min_friends, std::uint8_t* flag) = 0;
    /// workspace.set() of every core point: the root of its set.
    virtual void link() = 0;
    /// set() of the others: that of their nearest core point within the linking length, or no_set.
    virtual void join(IndexRange points) = 0;
};

/// Walks over a tree; brute force is a tree of one leaf.
std::unique_ptr<Linker> make_tree_linker(FofWorkspace& workspace);

/// Cells; nothing where the extent does not suit them.
std::unique_ptr<Linker> make_cell_linker(FofWorkspace& workspace);

}  // namespace aureole::halo
