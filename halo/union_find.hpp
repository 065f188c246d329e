// Disjoint sets without locks: every element points at one of lower index, a root at itself. Roots are joined
// higher to lower by compare-and-swap (Wood 2014), and a search points every element it passes at its
// grandparent (Jaiganesh & Burtscher 2018).
//
// Why races do no harm: only roots are joined, and only by compare-and-swap; a search stores an ancestor
// into an element that is no root, and whatever stale ancestor wins there is an ancestor still. Parents only
// ever point downwards, so no cycle can form and every loop ends. The root of a finished set is its smallest
// element, hence the same for any order of events.
#pragma once

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

#include "sim/core/backend.hpp"

namespace aureole::halo {

struct UnionFind {
    Index* parent;  ///< parent[i] <= i

    /// The smallest element known to be in the set of `i`.
    AUREOLE_HD Index find(Index i) const
    {
        Index above = load(i);
        while (above != i) {
            const Index next = load(above);
            if (next == above) break;
            store(i, next);
            i = above;
            above = next;
        }
        return above;
    }

    /// An ancestor of `i` that a cache may have kept: the root, once paths are short and joins are rare.
    AUREOLE_HD Index glance(Index i) const
    {
#if defined(__CUDA_ARCH__)
        return __ldca(parent + i);
#else
        return load(i);
#endif
    }

    /// Joins the sets of `a` and `b`; returns their root at that moment.
    AUREOLE_HD Index unite(Index a, Index b) const
    {
        a = find(a);
        b = find(b);
        while (a != b) {
            const Index high = a > b ? a : b;
            const Index low = a > b ? b : a;
            const Index was = compare_and_swap(high, low);
            if (was == high) return low;
            a = find(was);  // another thread joined `high` first
            b = low;
        }
        return a;
    }

    /// Points `i` at its root, when all joining is over. Changes no other element: a search that shortened
    /// paths could put an ancestor back over the root that another thread has just stored.
    AUREOLE_HD void flatten(Index i) const
    {
        Index root = i;
        for (Index above = load(root); above != root; above = load(root)) root = above;
        store(i, root);
    }

private:
    AUREOLE_HD Index load(Index i) const
    {
#if defined(__CUDA_ARCH__)
        return *const_cast<volatile Index*>(parent + i);  // volatile: other threads write
#else
        return std::atomic_ref<Index>(parent[i]).load(std::memory_order_relaxed);
#endif
    }
    AUREOLE_HD void store(Index i, Index value) const
    {
#if defined(__CUDA_ARCH__)
        *const_cast<volatile Index*>(parent + i) = value;
#else
        std::atomic_ref<Index>(parent[i]).store(value, std::memory_order_relaxed);
#endif
    }
    /// Points `root` at `to` if it is a root; returns what it pointed at before.
    AUREOLE_HD Index compare_and_swap(Index root, Index to) const
    {
#if defined(__CUDA_ARCH__)
        return atomicCAS(parent + root, root, to);
#else
        Index expected = root;
        std::atomic_ref<Index>(parent[root]).compare_exchange_strong(expected, to, std::memory_order_relaxed);
        return expected;
#endif
    }
};

}  // namespace aureole::halo
