// The walk of one domain on a GPU, which holds the domain's own and imported nodes only.
#pragma once

#include "gravity/ranks/domains/device_nodes.hpp"
#include "gravity/tree/walk_task.hpp"

namespace aureole::gravity::domains {

/// Nearer than this to a group, in its units, the CUDA walk opens cells that it takes (is_in_float): with a
/// margin for roundings.
inline constexpr double cells_opened_within = 1.001e-7;

/// Memory of walks on a GPU, kept for the next of this or another domain.
///
/// Where children or bodies are not here, a node leads to others whose places and masses are no numbers, and
/// so are then the forces of every target that asked for them: the walk itself is that of one tree.
class DeviceWalk {
public:
    /// Walks groups of the domain, or all where there are none: `task` has the domain in host memory, and
    /// results go there, as does what its record tells about those groups. `n_of_all`: targets of all
    /// domains.
    void walk(const tree::WalkTask& task, const DomainTree& tree, std::uint64_t n_of_all,
              std::span<const Index> groups, PhaseClock& clock);

private:
    void upload_tree(const tree::WalkTask& host, const DomainTree& tree, tree::WalkTask& task);
    void upload_particles(const tree::WalkTask& host, const DomainTree& tree, tree::WalkTask& task);
    void upload_targets(const tree::WalkTask& host, std::span<const Index> groups, tree::WalkTask& task);
    void bring_home(const tree::WalkTask& host, std::span<const Index> groups, const tree::WalkTask& task);

    Buffer<tree::Frame> frame_;
    Buffer<tree::Body> bodies_;
    Buffer<Index> order_, targets_, notes_;
    Buffer<tree::NodeHead> heads_;
    Buffer<tree::NodeTail> tails_;
    Buffer<tree::NodeBox> boxes_;
    Buffer<float> body_softening_, node_softening_;
    Buffer<double> x_, y_, z_, mass_, ax_, ay_, az_, results_;
    Buffer<ParticleType> type_;
    Buffer<unsigned> work_;
};

}  // namespace aureole::gravity::domains
