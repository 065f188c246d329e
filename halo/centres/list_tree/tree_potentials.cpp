
#include <algorithm>

#include "halo/centres/bodies.hpp"
#include "halo/centres/list_tree/list_tree.hpp"
#include "halo/centres/potential_kernels.hpp"
#include "sim/core/buffer.hpp"
#include "sim/core/spatial/curve_keys.hpp"
#include "sim/core/spatial/sort_pairs.hpp"

namespace aureole::halo::list_tree {
namespace {

/// Members along the curve, and the tree over them.
class Tree {
public:
    Tree(const Bodies& bodies, double softening, int axis_bits) : order_(Backend::cpu, bodies.size())
    {
        const std::size_t n = bodies.size();
        const BoundingBox<double> box = box_around(bodies.view());
        frame_ =
            centre_search::frame_of({box.low.x, box.low.y, box.low.z}, {box.high.x, box.high.y, box.high.z},
                                    *std::ranges::max_element(bodies.mass), n, softening, false);
        sort(bodies, axis_bits);
        body_.resize(n);
#pragma omp parallel for if (n > parallel_threshold)
        for (std::size_t at = 0; at < n; ++at) {
            const std::size_t k = order_.data()[at];
            body_[at] =
                centre_search::scaled({bodies.x[k], bodies.y[k], bodies.z[k], bodies.mass[k]}, frame_);
        }
        build(n);
    }

    const ListTrees& trees() const { return trees_; }
    const ListFrame& frame() const { return frame_; }
    Index order(std::size_t at) const { return order_.data()[at]; }
    std::size_t size() const { return body_.size(); }

private:
    void sort(const Bodies& bodies, int axis_bits)
    {
        const std::size_t n = bodies.size();
        Buffer<std::uint64_t> key(Backend::cpu, n), spare_key(Backend::cpu, n);
        Buffer<Index> spare(Backend::cpu, n);
        Buffer<std::byte> scratch(Backend::cpu, sort_pairs_scratch_bytes(Backend::cpu, n));
#pragma omp parallel for if (n > parallel_threshold)
        for (std::size_t k = 0; k < n; ++k) {
            const Vec3 d = bodies.position(k) - frame_.middle;
            std::uint32_t cell[3] = {centre_search::cell_of(d.x, frame_.longest, axis_bits),
                                     centre_search::cell_of(d.y, frame_.longest, axis_bits),
                                     centre_search::cell_of(d.z, frame_.longest, axis_bits)};
            key.data()[k] = hilbert_key(cell, axis_bits);
            order_.data()[k] = static_cast<Index>(k);
        }
        SortBuffers pairs{key.data(), spare_key.data(), order_.data(), spare.data()};
        sort_pairs({}, n, pairs, 3 * axis_bits, scratch.data());
        if (pairs.value != order_.data()) std::swap(order_, spare);
    }

    void build(std::size_t n)
    {
        begin_[1] = n;
        const MembersView members{1, n, nullptr, begin_};
        const Levels levels = levels_for(members, n);
        trees_ = {members, 1, levels, &frame_, body_.data(), {}};
        block_.require(Backend::cpu, cut_nodes(members, levels, nullptr, trees_.node));
        cut_nodes(members, levels, block_.data(), trees_.node);
        build_nodes({}, trees_);
    }

    ListFrame frame_;
    Buffer<Index> order_;
    std::vector<Body> body_;
    std::uint64_t begin_[2] = {0, 0};
    Buffer<std::byte> block_;
    ListTrees trees_;
};

/// Multipoles that wait to be added to one expansion.
class MultipoleQueue {
public:
    bool full() const { return n_ == capacity; }
    void push(const Multipole<double>& m)
    {
        for (int t = 0; t < Multipole<double>::terms; ++t) term_[t][n_] = m.term[t];
        ++n_;
    }
    /// Adds what waits and forgets it.
    void flush(const PotentialKernels& kernels, Vec3 centre, double eps2, Expansion<double>& to)
    {
        if (n_ == 0) return;
        const int last = n_ - 1;
        for (; n_ % leaf_targets != 0; ++n_)  // without mass, where it divides by no zero
            for (int t = 0; t < Multipole<double>::terms; ++t) term_[t][n_] = t < 3 ? term_[t][last] : 0;
        MultipoleRun run{{}, n_};
        for (int t = 0; t < Multipole<double>::terms; ++t) run.term[t] = term_[t];
        kernels.add_multipoles(run, centre, eps2, to);
        n_ = 0;
    }

private:
    static constexpr int capacity = 64;
    alignas(64) double term_[Multipole<double>::terms][capacity];
    int n_ = 0;
};

/// An expansion with its centre and the ball of its targets.
struct Target {
    Ball ball;
    Vec3 centre;
    Expansion<double> expansion;
    MultipoleQueue queue;
};

/// Potentials of the members of one bucket after the other.
class BucketWalk {
public:
    BucketWalk(const ListTrees& trees, double eps)
        : trees_(trees), eps2_(eps * eps), half_(half_cell(*trees.frame))
    {
    }

    /// |phi| of the members from 32 * bucket on, in scaled units.
    void run(Index bucket, double (&potential)[bucket_size])
    {
        set_targets(bucket);
        std::fill_n(potential, bucket_size, 0.0);
        collect();
        bucket_.queue.flush(kernels_, bucket_.centre, eps2_, bucket_.expansion);
        for (Index t = 0; t < n_leaves_; ++t) add_near(t, potential + t * leaf_size);
        for (Index t = 0; t < n_leaves_; ++t)
            for (Index k = 0; k < leaf_size && first_ + t * leaf_size + k < trees_.members.n_members; ++k)
                potential[t * leaf_size + k] += far_field(t, first_ + t * leaf_size + k);
    }

private:
    void set(Target& target, const Ball& ball) const
    {
        target.ball = ball;
        target.centre = centre_of(ball, half_);
        target.expansion = {};
    }

    void set_targets(Index bucket)
    {
        first_ = std::uint64_t{bucket} * bucket_size;
        set(bucket_, trees_.node.bucket[bucket]);
        const Index first_leaf = bucket * target_leaves;
        n_leaves_ = std::min(target_leaves, trees_.nodes_at(0, 0) - first_leaf);
        for (Index t = 0; t < n_leaves_; ++t)
            set(leaf_[t], trees_.node.ball[trees_.node_at(0, 0, first_leaf + t)]);
    }

    /// Nodes that are far from the bucket are queued, leaves that are not are noted.
    void collect()
    {
        near_.clear();
        const int top = trees_.levels.n - 1;
        for (Index number = trees_.nodes_at(0, top); number-- > 0;) stack_.push_back({top, number});
        while (!stack_.empty()) {
            const Entry entry = stack_.back();
            stack_.pop_back();
            const std::uint64_t node = trees_.node_at(0, entry.level, entry.number);
            if (far_apart(bucket_.ball, trees_.node.ball[node])) {
                push(bucket_, node);
            } else if (entry.level == 0) {
                near_.push_back(entry.number);
            } else {
                const Index n_children = trees_.nodes_at(0, entry.level - 1);
                for (Index c = fan_out; c-- > 0;)
                    if (entry.number * fan_out + c < n_children)
                        stack_.push_back({entry.level - 1, entry.number * fan_out + c});
            }
        }
    }

    void push(Target& target, std::uint64_t node)
    {
        if (target.queue.full()) target.queue.flush(kernels_, target.centre, eps2_, target.expansion);
        target.queue.push(trees_.node.load(node));
    }

    void add_near(Index t, double* potential)
    {
        Target& target = leaf_[t];
        const Index own = static_cast<Index>(first_ / leaf_size) + t;
        const LeafTargets targets = targets_of(own);
        for (const Index number : near_) {
            const std::uint64_t node = trees_.node_at(0, 0, number);
            if (far_apart(target.ball, trees_.node.ball[node])) {
                push(target, node);
                continue;
            }
            SourceLeaf sources;
            const std::size_t from = std::size_t{number} * leaf_size;
            const std::size_t n = std::min<std::size_t>(leaf_size, trees_.members.n_members - from);
            for (std::size_t k = 0; k < n; ++k) sources.set(k, trees_.body[from + k]);
            kernels_.add_leaf(targets, {n, sources.x, sources.y, sources.z, sources.mass}, number == own,
                              eps2_, potential);
        }
        target.queue.flush(kernels_, target.centre, eps2_, target.expansion);
    }

    struct SourceLeaf {
        double x[leaf_size], y[leaf_size], z[leaf_size], mass[leaf_size];

        void set(std::size_t k, const Body& body)
        {
            x[k] = body.x;
            y[k] = body.y;
            z[k] = body.z;
            mass[k] = body.mass;
        }
    };

    LeafTargets targets_of(Index leaf) const
    {
        LeafTargets targets;
        for (std::size_t k = 0; k < leaf_size; ++k) {
            const std::size_t at =
                std::min<std::size_t>(std::size_t{leaf} * leaf_size + k, trees_.members.n_members - 1);
            const Body& body = trees_.body[at];
            targets.x[k] = body.x;
            targets.y[k] = body.y;
            targets.z[k] = body.z;
        }
        return targets;
    }

    double far_field(Index t, std::uint64_t place) const
    {
        const Body& body = trees_.body[place];
        const Vec3 at{body.x, body.y, body.z};
        return value_of(bucket_.expansion, at - bucket_.centre) +
               value_of(leaf_[t].expansion, at - leaf_[t].centre);
    }

    struct Entry {
        int level;
        Index number;
    };

    const ListTrees& trees_;
    const PotentialKernels& kernels_ = potential_kernels();
    double eps2_, half_;
    std::uint64_t first_ = 0;  ///< place of the first target
    Index n_leaves_ = 0;
    Target bucket_, leaf_[target_leaves];
    std::vector<Index> near_;  ///< leaves
    std::vector<Entry> stack_;
};

}  // namespace

void set_potentials(const Bodies& bodies, double softening, int axis_bits, double* potential)
{
    const Tree tree(bodies, softening, axis_bits);
    const double unit = tree.frame().length / tree.frame().mass;
    const auto n_buckets = static_cast<Index>((tree.size() - 1) / bucket_size + 1);
#pragma omp parallel if (n_buckets > 1)
    {
        BucketWalk walk(tree.trees(), tree.frame().length * softening);
        double found[bucket_size];
#pragma omp for schedule(dynamic, 4)
        for (Index bucket = 0; bucket < n_buckets; ++bucket) {
            walk.run(bucket, found);
            const std::size_t first = std::size_t{bucket} * bucket_size;
            for (std::size_t k = 0; k < bucket_size && first + k < tree.size(); ++k)
                potential[tree.order(first + k)] = -unit * found[k];
        }
    }
}

std::size_t cut_nodes(const MembersView& members, const Levels& levels, std::byte* block, NodeArrays& nodes)
{
    constexpr std::size_t alignment = 256;
    std::size_t end = 0;
    const auto cut = [&]<class T>(T*& part, std::size_t n) {
        part = block ? reinterpret_cast<T*>(block + end) : nullptr;
        end += (n * sizeof(T) + alignment - 1) / alignment * alignment;
    };
    const std::size_t n = levels.base[levels.n];
    cut(nodes.ball, n);
    cut(nodes.box, n);
    for (double*& term : nodes.term) cut(term, n);
    cut(nodes.radius, n);
    cut(nodes.bucket, most_segments(members, bucket_size));
    return end;
}

}  // namespace aureole::halo::list_tree
