// Leaves of an octree on their way: their sums in one memory, or in that of a device and of the host when
// both deposit, and at last as numbers.
#pragma once

#include <vector>

#include "density/deposit/element_tasks.hpp"
#include "density/octree/octree_averages.hpp"
#include "density/octree/octree_deposit.hpp"

namespace aureole::density {

/// Sums of some leaves in one memory.
class LeafSums {
public:
    LeafSums() = default;
    LeafSums(Backend where, std::size_t leaves, std::size_t cells, const Fields& fields);

    /// The next leaves are `grids`; all their sums are zero.
    void begin(Exec exec, std::span<const Grid> grids);

    std::span<const Patch> patches() const { return patches_; }
    const FixedSum* sums(std::size_t leaf) const { return sums_.data() + leaf * cells_ * n_sums_; }
    /// None where they are not wanted.
    const Index* streams(std::size_t leaf) const
    {
        return streams_.size() > 0 ? streams_.data() + leaf * cells_ : nullptr;
    }

    /// Puts those of a device in place of what is here, or adds them to it.
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
    void deposit(const ParticlesView& particles, std::span<const Index> leaves,
                 const std::function<void(double)>& progress);

    /// Leaf number `k` of the batch as numbers; adds its sums to `total`.
    void read(std::size_t k, PatchSums& to, std::span<Int128> total) const;

private:
    /// Block by block, patches of one level after the other: corners are gathered and put into cells once.
    void list_tasks(std::span<const Index> leaves);
    bool on_host() const { return exec_.backend == Backend::cpu; }

    Exec exec_;
    const OctreePlan& plan_;
    double unit_;
    LeafSums sums_, home_;  ///< where exec deposits; where a device's come home
    std::vector<ElementTask> tasks_;
};

}  // namespace aureole::density
