// Nodes of a domain as a GPU makes them: its sums are fused otherwise than those of the CPU, and the bits
// have to be those of one tree there.
#pragma once

#include "gravity/ranks/domains/domain_tree.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/memory/device_transfer.hpp"

namespace aureole::gravity::domains {

inline constexpr Exec on_gpu{Backend::cuda};

/// Copies host values to the beginning of device memory that no stream uses and that can hold `more` values
/// after them. Memory that is too small is made anew, an eighth larger than needed.
template <class T>
T* upload(std::span<const T> values, Buffer<T>& to, std::size_t more = 0)
{
    const std::size_t n = values.size() + more;
    if (to.where() != Backend::cuda || to.size() < n) to.require(Backend::cuda, n + n / 8 + 1);
    if (!values.empty()) device::upload(to.data(), values.data(), values.size_bytes());
    return to.data();
}
template <class Values>
auto* upload(const Values& values, Buffer<typename Values::value_type>& to, std::size_t more = 0)
{
    return upload(std::span<const typename Values::value_type>(values.data(), values.size()), to, more);
}

/// Makes the nodes below the top: the domain has its bodies and leaves, and memory for its own pairs.
/// likeness[i] is that of bodies i - 1 and i, 0 <= i <= n_with_leaf.
void make_nodes_on_gpu(const tree::Likeness* likeness, DomainTree& to);

/// Nodes side by side along the curve. `left`: likeness of each and the one before.
struct NodeRow {
    std::vector<tree::NodeHead> heads;
    std::vector<tree::NodeTail> tails;
    std::vector<tree::NodeBox> boxes;
    std::vector<float> softening;
    std::vector<tree::Likeness> left;
};

/// Makes the nodes of the top anew from the branches; their numbers stay.
void remake_top_on_gpu(NodeRow branches, DomainTree& to);

}  // namespace aureole::gravity::domains
