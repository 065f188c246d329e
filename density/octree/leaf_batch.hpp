// The batch of leaves of an octree that is being deposited: its sums in the memory of the backend, and of the
// host as well when both deposit.
#pragma once

#include <vector>

#include "density/deposit/tetrahedron_tasks.hpp"
#include "density/octree/octree.hpp"
#include "density/octree/octree_deposit.hpp"

namespace aureole::density {

/// Sums of some leaves in one memory.
class LeafSums {
public:
    LeafSums() = default;
    LeafSums(Backend where, std::size_t leaves, std::size_t cells, const Fields& fields);

    /// Begins a batch: the leaves are `grids` and all sums are zero.
    void begin(Exec exec, std::span<const Grid> grids);

    std::span<const Patch> patches() const { return patches_; }
    const FixedSum* sums(std::size_t leaf) const { return sums_.data() + leaf * cells_ * n_sums_; }
    /// Null without stream counts.
    const Index* streams(std::size_t leaf) const
    {
        return streams_.size() > 0 ? streams_.data() + leaf * cells_ : nullptr;
    }

    /// Copies the sums of a device here or, with `added`, adds them to those that are here.
    void take(const LeafSums& device, bool added);

private:
    std::size_t cells_ = 0, n_sums_ = 0;
    Buffer<FixedSum> sums_;
    Buffer<Index> streams_;
    std::vector<Patch> patches_;
};

class LeafBatch {
public:
    LeafBatch(Exec exec, const OctreePlan& plan, double unit);

    std::size_t capacity() const { return plan_.leaves_per_batch(); }

    /// Deposits leaves, at most capacity().
    void deposit(const BlockCorners& corners, std::span<const Index> leaves, const Progress& progress);

    /// The sums of leaf `k` of the batch in host memory, and its stream counts or null.
    const FixedSum* sums(std::size_t k) const { return home().sums(k); }
    const Index* streams(std::size_t k) const { return home().streams(k); }

private:
    const LeafSums& home() const { return on_host() ? sums_ : home_; }
    /// Lists tasks by block, then by level, so that the corners of a block are gathered and put into cells
    /// once.
    void list_tasks(std::span<const Index> leaves);
    bool on_host() const { return exec_.backend == Backend::cpu; }

    Exec exec_;
    const OctreePlan& plan_;
    double unit_;
    LeafSums sums_, home_;  ///< on exec's backend; on the host, for a device
    std::vector<TetrahedronTask> tasks_;
};

}  // namespace aureole::density
