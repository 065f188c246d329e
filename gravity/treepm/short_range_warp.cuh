// One warp of the CUDA walk that ends at the cut (short_range_cuda.cu) at work on one group of targets.
// As in the walk of the tree solver the lanes look at 32 nodes at a time, taken from a common queue: opened
// inner nodes go to its end, cells and the bodies of opened leaves into lists, which all lanes sum for their
// own targets as soon as 32 entries are there. Order of all sums: that of the walk, which depends on the tree
// alone.
#pragma once

#include "gravity/tree/warp_runs.cuh"
#include "gravity/treepm/short_range_group.cuh"

namespace aureole::gravity::treepm {

using tree::rank_in;

/// Batches of 32 whose sums in T go to double together.
inline constexpr unsigned batches_per_flush = 4;
/// `single`: of one target, the same in all lanes; each takes its own entries of the lists, and the lanes'
/// sums are added up last. `by_type`: Plummer's softening with several lengths.
template <class T, bool by_type, bool with_potential, bool single>
class ShortRangeWalk {
public:
    using Lists = tree::SourceLists<T, true>;

    __device__ ShortRangeWalk(const ShortRangeParams<T>& params, Lists& lists)
        : params_(params), lists_(lists), lane_(threadIdx.x % lanes), group_(params)
    {
    }

    /// `place`: of the target of this lane along the curve. False when the group has to be split.
    __device__ bool run(Index place)
    {
        load_target(place);
        if (!single && group_.is_uneven) return false;
        if (!walk()) return false;
        if constexpr (single)
            for (double& sum : sums_) sum = sum_of_warp(sum);
        if (place < params_.n_targets && (!single || lane_ == 0)) store_results();
        return true;
    }

private:
    /// Lanes past the last target repeat it.
    __device__ void load_target(Index place)
    {
        const bool present = place < params_.n_targets;
        const ConstParticlesView& p = params_.particles;
        const ConstVec3View& previous = params_.previous_acceleration;
        const tree::Frame frame = *params_.tree.frame;
        const Index i = params_.targets[present ? place : params_.n_targets - 1];
        group_.to_unit = params_.per_unit / frame.length_scale;
        const Vec3 x = params_.per_unit * params_.box.wrap(p.position.load(i));
        const Vec3 a = previous.absent() ? Vec3{} : previous.load(i);
        const double size =
            sqrt(a.x * a.x + a.y * a.y + a.z * a.z) * (frame.mass_scale * params_.unit * params_.unit);
        group_.template set<single>(present, x, size);
        const auto eps = static_cast<T>(params_.softening.largest * params_.per_unit);
        soft2_ = params_.spline || by_type ? T(0) : eps * eps;
        target_.softening = static_cast<T>(params_.softening.length[p.type_of(i)] * params_.per_unit);
        tree::split(x.x, group_.origin.x, 1.0, target_.x, target_.rest_x);
        tree::split(x.y, group_.origin.y, 1.0, target_.y, target_.rest_y);
        tree::split(x.z, group_.origin.z, 1.0, target_.z, target_.rest_z);
        target_.particle = i;
        target_.ax = target_.ay = target_.az = target_.phi = 0;
        for (double& sum : sums_) sum = 0;
    }

    __device__ bool walk()
    {
        if (lane_ == 0) lists_.queue[0] = 0;  // the pair of the root
        n_queue_ = 1;
        while (n_queue_ > 0) {
            __syncwarp();
            const Index slot = next_slot();
            __syncwarp();
            look_at(slot);
            if (!single && n_nodes_close_ > tree::most_nodes_close) return false;
        }
        __syncwarp();
        finish<&Lists::clear_cell, &ShortRangeWalk::sum_cells>(cells_);
        finish<&Lists::clear_body, &ShortRangeWalk::sum_bodies>(bodies_);
        finish<&Lists::clear_close, &ShortRangeWalk::sum_close>(close_);
        flush();
        return true;
    }

    /// The children of the 16 oldest nodes in the queue; when it is half full, of the youngest ones, which
    /// keeps its length; at last of one, which needs no more than the depth of the tree.
    __device__ Index next_slot()
    {
        const bool nearly_full = n_queue_ > tree::queue_size - tree::queue_reserve;
        const bool youngest = n_queue_ > tree::queue_size / 2;
        const unsigned n_pairs = nearly_full ? 1 : min(n_queue_, lanes / 2);
        const unsigned begin = youngest ? queue_start_ + n_queue_ - n_pairs : queue_start_;
        const Index pair = lists_.queue[(begin + lane_ / 2) % tree::queue_size];
        if (!youngest) queue_start_ = (queue_start_ + n_pairs) % tree::queue_size;
        n_queue_ -= n_pairs;
        return lane_ / 2 < n_pairs ? 2 * pair + lane_ % 2 : tree::empty_slot;
    }

    __device__ void enqueue(bool open, Index first, bool close)
    {
        const unsigned opened = __ballot_sync(all_lanes, open);
        if (open) lists_.queue[(queue_start_ + n_queue_ + rank_in(opened)) % tree::queue_size] = first;
        n_queue_ += __popc(opened);
        if constexpr (!single) n_nodes_close_ += __popc(__ballot_sync(all_lanes, close));
    }

    /// Decides about one node per lane.
    __device__ void look_at(Index slot)
    {
        tree::NodeHead head{};
        tree::NodeTail tail{};
        typename ShortRangeGroup<T>::Sight sight{};
        if (slot != tree::empty_slot) {
            head = params_.tree.heads[slot];
            tail = params_.tree.tails[slot];
            sight = group_.see(head, params_.tree.boxes[slot]);
        }
        const tree::Place at{static_cast<float>(sight.centre.x), static_cast<float>(sight.centre.y),
                             static_cast<float>(sight.centre.z)};
        const bool as_cell = sight.is_near && sight.one_image && group_.is_taken(head, tail, at);
        const bool goes_on = sight.is_near && !as_cell, leaf = tail.count > 0;
        const bool as_bodies = goes_on && leaf;
        enqueue(goes_on && !leaf, tail.first, sight.is_near && group_.is_close(at));
        append_cell(as_cell, head, tail, sight.centre);
        if (!__any_sync(all_lanes, as_bodies)) return;
        const unsigned images = __ballot_sync(all_lanes, !sight.one_image);
        tree::deal_runs(
            as_bodies ? tail.first : 0, as_bodies ? tail.count : 0,
            [&](bool there, Index j, unsigned owner) { append_body(there, j, images >> owner & 1); });
    }

    __device__ void append_cell(bool mine, const tree::NodeHead& head, const tree::NodeTail& tail, Vec3 at)
    {
        const unsigned members = __ballot_sync(all_lanes, mine);
        if (mine) {
            const unsigned k = cells_.place(rank_in(members));
            const T b = static_cast<T>(head.radius * group_.to_unit), unit = b * b;
            const T trace = unit * (static_cast<T>(tail.xx) + tail.yy + tail.zz);
            lists_.cell[0][k] = {static_cast<T>(at.x), static_cast<T>(at.y), static_cast<T>(at.z), head.mass};
            lists_.cell[1][k] = {unit * tail.xx, unit * tail.xy, unit * tail.xz, unit * tail.yy};
            lists_.cell[2][k] = {unit * tail.yz, unit * tail.zz, trace, 0};
        }
        cells_.count += __popc(members);
        take_batch(cells_, [this] { sum_cells(); });
    }

    __device__ void append_body(bool mine, Index j, bool images)
    {
        Vec3 at{};
        T mass = 0;
        if (mine) {
            const tree::Body b = params_.tree.bodies[j];
            at = {group_.nearest(fma(b.x, group_.to_unit, -group_.origin.x)),
                  group_.nearest(fma(b.y, group_.to_unit, -group_.origin.y)),
                  group_.nearest(fma(b.z, group_.to_unit, -group_.origin.z))};
            mass = static_cast<T>(b.mass);
        }
        const bool around = __any_sync(all_lanes, mine && images);
        const bool x = around && group_.reaches_around(at.x, 0), y = around && group_.reaches_around(at.y, 1),
                   z = around && group_.reaches_around(at.z, 2);
        // itself, and its other images: one loop, since sums are in it
#pragma unroll 1
        for (int k = 0; k < (around ? 8 : 1); ++k) {
            const bool there =
                mine && (k == 0 || (images && (!(k & 1) || x) && (!(k & 2) || y) && (!(k & 4) || z)));
            const Vec3 image{k & 1 ? at.x - copysign(params_.side, at.x) : at.x,
                             k & 2 ? at.y - copysign(params_.side, at.y) : at.y,
                             k & 4 ? at.z - copysign(params_.side, at.z) : at.z};
            if (k == 0 || __any_sync(all_lanes, there)) append_image(there, image, mass, j);
        }
    }
    __device__ void append_image(bool mine, Vec3 d, T mass, Index j)
    {
        const tree::Place at{static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
        mine = mine && group_.squared_gap(at) < params_.cut2 * (1 + slack);
        const bool close = mine && group_.is_close(at);
        const T x = static_cast<T>(d.x), y = static_cast<T>(d.y), z = static_cast<T>(d.z);
        const unsigned far = __ballot_sync(all_lanes, mine && !close);
        const unsigned near = __ballot_sync(all_lanes, close);
        if (mine && !close) {
            const unsigned k = bodies_.place(rank_in(far));
            lists_.body[k] = {x, y, z, mass};
            if constexpr (by_type) lists_.body_softening[k] = softening_of(j);
        }
        if (close) {
            const unsigned k = close_.place(rank_in(near));
            lists_.close[k] = {x, y, z, mass};
            lists_.close_rest[0][k] = static_cast<T>(d.x - x);
            lists_.close_rest[1][k] = static_cast<T>(d.y - y);
            lists_.close_rest[2][k] = static_cast<T>(d.z - z);
            lists_.close_index[k] = params_.tree.order[j];
            lists_.close_softening[k] = softening_of(j);
        }
        bodies_.count += __popc(far);
        close_.count += __popc(near);
        take_batch(bodies_, [this] { sum_bodies(); });
        take_batch(close_, [this] { sum_close(); });
    }

    __device__ T softening_of(Index j) const
    {
        const ParticleType type =
            params_.softening.uniform ? ParticleType{0} : params_.particles.type_of(params_.tree.order[j]);
        return static_cast<T>(params_.softening.length[type] * params_.per_unit);
    }

    /// Sums 32 entries of a list as soon as there are so many.
    template <class Sum>
    __device__ void take_batch(tree::Ring& ring, Sum sum)
    {
        __syncwarp();
        if (!ring.has_batch()) return;
        sum();
        ring.drop_batch();
        if (++n_batches_ == batches_per_flush) flush();
        __syncwarp();
    }

    /// 32 entries of a list: all of them for the target of each lane, or one for each lane.
    template <int unrolled, class Add>
    __device__ void add_entries(unsigned start, Add add)
    {
        if constexpr (single) {
            add(start + lane_);
        } else {
#pragma unroll unrolled
            for (unsigned k = 0; k < lanes; ++k) add(start + k);
        }
    }
    __device__ void sum_cells()
    {
        if (params_.is_short)
            sum_cells_by<short_cell_degree<T>>();
        else
            sum_cells_by<cell_degree<T>>();
    }
    template <int terms>
    __device__ void sum_cells_by()
    {
        add_entries<2>(cells_.start,
                       [&](unsigned k) { add_cell<with_potential, terms>(params_, lists_, k, target_); });
    }
    __device__ void sum_bodies()
    {
        if (params_.is_short)
            sum_bodies_by<short_degree<T>>();
        else
            sum_bodies_by<pair_degree<T>>();
    }
    template <int terms>
    __device__ void sum_bodies_by()
    {
        add_entries<4>(bodies_.start, [&](unsigned k) {
            add_body<by_type, with_potential, terms>(params_, lists_, k, soft2_, target_);
        });
    }
    __device__ void sum_close()
    {
        if (params_.is_short)
            sum_close_by<short_degree<T>>();
        else
            sum_close_by<pair_degree<T>>();
    }
    /// First all that are apart; of the others each lane has its own, after them.
    template <int terms>
    __device__ void sum_close_by()
    {
        unsigned left = 0;
        add_entries<4>(close_.start, [&](unsigned k) {
            const bool is_left = add_apart<with_potential, terms>(params_, lists_, k, target_);
            left |= static_cast<unsigned>(is_left) << k % lanes;
        });
        for (; left != 0; left &= left - 1) {
            const unsigned k = close_.start + static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1;
            if (!add_close<with_potential>(params_, lists_, k, target_)) add_exactly(lists_.close_index[k]);
        }
        __syncwarp();
    }

    /// A pair too close for T, in double; coincident ones if softened.
    __device__ void add_exactly(Index particle)
    {
        if (particle == tree::no_particle) return;
        const ConstParticlesView& p = params_.particles;
        const tree::TypeSoftening& softening = params_.softening;
        const Vec3 d = params_.per_unit *
                       params_.box.nearest(p.position.load(particle) - p.position.load(target_.particle));
        const double r2 = dot(d, d), eps = fmax(softening.length[p.type_of(target_.particle)],
                                                softening.length[p.type_of(particle)]) *
                                           params_.per_unit;
        const double mass = params_.tree.frame->mass_scale * p.mass[particle];
        tree::PairForce<double> f{};
        if (r2 > 0 || eps > 0) f = tree::pair_force<double, true>(mass, r2, eps, params_.spline);
        f.force -= mass * params_.pair.force(static_cast<T>(r2));
        f.potential -= mass * params_.pair.potential(static_cast<T>(r2));
        sums_[0] += f.force * d.x;
        sums_[1] += f.force * d.y;
        sums_[2] += f.force * d.z;
        sums_[3] += f.potential;
    }

    /// Sums what is left in a list, after filling it up with entries without mass.
    template <auto clear, auto sum>
    __device__ void finish(const tree::Ring& ring)
    {
        if (ring.count == 0) return;
        if (lane_ >= ring.count) (lists_.*clear)(ring.start + lane_);
        __syncwarp();
        (this->*sum)();
    }

    __device__ void flush()
    {
        sums_[0] += target_.ax;
        sums_[1] += target_.ay;
        sums_[2] += target_.az;
        sums_[3] += target_.phi;
        target_.ax = target_.ay = target_.az = target_.phi = 0;
        n_batches_ = 0;
    }

    __device__ void store_results()
    {
        const double potential = params_.per_unit / params_.tree.frame->mass_scale;
        const double force = potential * params_.per_unit;
        const Index i = target_.particle;
        params_.outputs.acceleration.store(i, {force * sums_[0], force * sums_[1], force * sums_[2]});
        if constexpr (with_potential) params_.outputs.potential[i] = -potential * sums_[3];
    }

    const ShortRangeParams<T>& params_;
    Lists& lists_;
    unsigned lane_;
    ShortRangeGroup<T> group_;
    T soft2_;
    Target<T> target_;
    double sums_[4];
    tree::Ring cells_, bodies_, close_;
    unsigned n_batches_ = 0, n_nodes_close_ = 0, n_queue_ = 0, queue_start_ = 0;
};

}  // namespace aureole::gravity::treepm
