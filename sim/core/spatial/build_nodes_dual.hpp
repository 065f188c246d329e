// The payloads of a balanced tree's nodes, from the leaves to the root, on either backend. A GPU is used
// where nvcc compiles the including file (x_dual.cpp, x.cu); other files include it for their host trees.
// Builders are types of the including file alone, in an anonymous namespace.
#pragma once

#include "sim/core/spatial/balanced_tree.hpp"
#if defined(__CUDACC__)
#include "sim/core/cuda_check.cuh"
#endif

namespace aureole {

/// On the host; see build_nodes().
template <class Builder>
void build_nodes_cpu(const BalancedTree& tree, const Builder& builder)
{
    for (int level = tree.depth; level >= 0; --level) {
        const Index first = Index{1} << level;
#pragma omp parallel for if (first > parallel_threshold)
        for (Index k = first; k < 2 * first; ++k)
            if (level == tree.depth)
                builder.store(k, builder.leaf(k));
            else
                builder.store(k, builder.merge(builder.load(BalancedTree::left(k)),
                                               builder.load(BalancedTree::right(k))));
    }
}

#if defined(__CUDACC__)
namespace detail {

/// Nodes of one block, a power of two, so that their payloads take 24 kB of shared memory at most.
template <class Node>
inline constexpr Index climb_block = sizeof(Node) <= 48 ? 512 : 256;

/// A thread owns one node of `level`: a leaf, or one whose children are there; a block goes on with all that
/// is above its nodes alone, log2(block) levels.
template <class Node, class Builder>
__global__ void climb_kernel(BalancedTree tree, Builder builder, int level)
{
    constexpr Index block = climb_block<Node>;
    __shared__ Node shared[block];
    const Index t = threadIdx.x, n_level = Index{1} << level;
    const Index k = n_level + blockIdx.x * block + t;
    Node own{};
    if (k < 2 * n_level) {
        own = level == tree.depth
                  ? builder.leaf(k)
                  : builder.merge(builder.load(BalancedTree::left(k)), builder.load(BalancedTree::right(k)));
        builder.store(k, own);
    }
    shared[t] = own;
    const Index n = n_level < block ? n_level : block;
    for (Index count = n / 2, up = 1; count > 0; count /= 2, ++up) {
        __syncthreads();
        if (t < count) own = builder.merge(shared[2 * t], shared[2 * t + 1]);
        __syncthreads();
        if (t >= count) continue;
        shared[t] = own;
        builder.store((n_level >> up) + blockIdx.x * (block >> up) + t, own);
    }
}

}  // namespace detail

/// On a GPU; see build_nodes(). Starts kernels and waits for nothing.
template <class Builder>
void build_nodes_cuda(CUstream_st* stream, const BalancedTree& tree, const Builder& builder)
{
    using Node = decltype(builder.leaf(Index{}));
    constexpr Index block = detail::climb_block<Node>;
    int levels = 0;  // that one launch makes
    while (block >> levels > 0) ++levels;
    for (int level = tree.depth; level >= 0; level -= levels) {
        const Index n_blocks = ((Index{1} << level) - 1) / block + 1;
        detail::climb_kernel<Node><<<n_blocks, block, 0, stream>>>(tree, builder, level);
        AUREOLE_CUDA_LAUNCHED("climb_kernel");
    }
}
#endif

/// Fills the payloads of all nodes.
///
/// `exec`: where the payloads and the points lie. `tree`: at least one point. `builder`: a small value with
///   Node leaf(Index k) const                               from the points of leaf k
///   Node merge(const Node& left, const Node& right) const  of two siblings, without looking at their points
///   Node load(Index k) const, void store(Index k, const Node&) const
/// of which a Hierarchy<Node> brings the last two. Cost: every point once, and O(n) merges; on a GPU one
/// launch for up to ten levels.
template <class Builder>
void build_nodes(Exec exec, const BalancedTree& tree, const Builder& builder)
{
    if (exec.backend == Backend::cpu) return build_nodes_cpu(tree, builder);
#if defined(__CUDACC__)
    build_nodes_cuda(exec.stream, tree, builder);
#else
    throw_not_built(exec.backend);
#endif
}

}  // namespace aureole
