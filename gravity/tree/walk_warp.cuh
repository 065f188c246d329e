// One warp of the CUDA walk (walk_cuda.cu) at work on one group of targets.
// The lanes look at 32 nodes at a time, taken from a common queue: opened inner nodes go to its end, taken
// ones and the bodies of opened leaves into lists, which all lanes sum for their own targets as soon as 32
// entries are there. Order of all sums: that of the walk, which depends on the tree alone.
#pragma once

#include "gravity/tree/walk_sums.cuh"
#include "gravity/tree/warp_runs.cuh"

namespace aureole::gravity::tree {

/// Batches of 32 whose sums in T go to double together.
inline constexpr unsigned batches_per_flush = 4;
static_assert(lanes == group_targets(Backend::cuda));

/// How the walk of a group ended: with results, or without since its targets have to walk one by one, since
/// it looked at more nodes than one warp may, or at so few that one warp has to.
enum class WalkEnd { done, split, too_long, too_short };

/// One warp at work on one group. `single`: of one target, the same in all lanes; each takes its own entries
/// of the lists, and the lanes' sums are added up last. `n_parts`: so many warps, a block with lists side by
/// side, share a group and one queue. In each step each takes every n_parts-th node, as siblings cost alike.
template <class T, bool general, bool single, unsigned n_parts = 1>
class GroupWalk {
public:
    /// `part`: which of the warps that share the group this is, and `lists` are its own.
    __device__ GroupWalk(const WalkTask& task, WarpLists<T, general>& lists, unsigned part = 0)
        : task_(task), tree_(task.tree), lists_(lists), lane_(threadIdx.x % lanes), part_(part)
    {
    }

    /// `place`: of the target of this lane along the curve. `limit`: so many nodes at most where one warp
    /// walks, and more where several do; by default any number.
    __device__ WalkEnd run(Index place, unsigned limit = n_parts > 1 ? 0 : ~0u)
    {
        load_target(place);
        if (!single && group_.is_uneven) return WalkEnd::split;
        const WalkEnd end = walk(limit);
        if (end != WalkEnd::done) return end;
        if constexpr (n_parts > 1) {
            if (n_nodes_ <= limit) return WalkEnd::too_short;
            add_parts(lists_, part_, n_parts, sums_);
            if (part_ > 0) return WalkEnd::done;
        }
        if constexpr (single)
            for (double& sum : sums_) sum = sum_of_warp(sum);
        if (place < task_.n_targets && (!single || lane_ == 0)) store_results();
        if (task_.work && lane_ == 0) atomicAdd(task_.work + place / lanes, n_nodes_);
        return WalkEnd::done;
    }

    /// That the walk looked at, the same in all lanes and however many warps share the group.
    __device__ unsigned n_nodes() const { return n_nodes_; }

private:
    /// Lanes past the last target repeat it.
    __device__ void load_target(Index place)
    {
        const bool present = place < task_.n_targets;
        const ConstParticlesView& p = task_.particles;
        const ConstVec3View& previous = task_.previous_acceleration;
        const Frame frame = *tree_.frame;
        const double length = frame.length_scale;
        const Index i = task_.targets[present ? place : task_.n_targets - 1];
        const Vec3 x = length * p.position.load(i), a = previous.absent() ? Vec3{} : previous.load(i);
        const double size = sqrt(a.x * a.x + a.y * a.y + a.z * a.z) * (frame.mass_scale / (length * length));
        const double eps = length * task_.softening.length[general ? p.type_of(i) : 0];
        const int exponent = acceleration_exponent(size);
        GroupExtent extent{x, x, size, size, exponent, 1, 1, 0, eps, length * task_.softening.largest};
        if constexpr (single) {
            const Index other = task_.targets[min(place / lanes * lanes + lane_, task_.n_targets - 1)];
            extent.nearest = nearest_of_warp(length * p.position.load(other) - x);
        } else {
            extent.low = {least_of_warp(x.x), least_of_warp(x.y), least_of_warp(x.z)};
            extent.high = {largest_of_warp(x.x), largest_of_warp(x.y), largest_of_warp(x.z)};
            extent.least_acceleration = least_of_warp(size);
            extent.largest_acceleration = largest_of_warp(size);
            extent.exponents = sum_of_warp(present ? exponent : 0);
            extent.n = __popc(__ballot_sync(all_lanes, present));
            extent.n_places = __popc(__ballot_sync(all_lanes, begins_place(x)));
            if constexpr (general) extent.softening = largest_of_warp(eps);
        }
        group_ = group_of(extent, task_.rule);
        split(x.x, group_.x, group_.scale, target_.x, target_.rest_x);
        split(x.y, group_.y, group_.scale, target_.y, target_.rest_y);
        split(x.z, group_.z, group_.scale, target_.z, target_.rest_z);
        target_.softening = static_cast<T>(eps * group_.scale);
        target_.particle = i;
        target_.ax = target_.ay = target_.az = target_.phi = 0;
        for (double& sum : sums_) sum = 0;
    }

    __device__ WalkEnd walk(unsigned limit)
    {
        if (lane_ == 0 && (n_parts == 1 || part_ == 0)) queue()[0] = 0;  // the pair of the root
        n_queue_ = 1;
        while (n_queue_ > 0) {
            meet();
            const Index slot = next_slot();
            if constexpr (n_parts == 1) __syncwarp();  // enqueue() waits otherwise
            look_at(slot);
            if (!single && n_nodes_close_ > most_nodes_close) return WalkEnd::split;
            if (n_parts == 1 && n_nodes_ > limit) return WalkEnd::too_long;
            if (n_far_ > far_size - lanes || (n_queue_ == 0 && n_far_ > 0)) sum_far();
        }
        __syncwarp();
        finish<&WarpLists<T, general>::clear_cell, &GroupWalk::sum_cells>(cells_);
        finish<&WarpLists<T, general>::clear_body, &GroupWalk::sum_bodies>(bodies_);
        finish<&WarpLists<T, general>::clear_close, &GroupWalk::sum_close>(close_);
        flush();
        if (has_local_) add_local_field();
        return WalkEnd::done;
    }

    /// That of the first warp that shares the group.
    __device__ Index* queue() const { return (&lists_ - (n_parts > 1 ? part_ : 0))->queue; }
    __device__ void meet() const
    {
        if constexpr (n_parts > 1)
            __syncthreads();
        else
            __syncwarp();
    }

    /// The children of the 16 oldest nodes in the queue: breadth first fills the lanes. When the queue is
    /// half full, of the youngest ones, which keeps its length; at last of one, which needs no more than the
    /// depth of the tree.
    __device__ Index next_slot()
    {
        constexpr unsigned reserve = queue_reserve + (n_parts - 1) * lanes;
        const bool nearly_full = n_queue_ > queue_size - reserve;
        const bool youngest = n_queue_ > queue_size / 2;
        const unsigned n_pairs = nearly_full ? 1 : min(n_queue_, n_parts * lanes / 2);
        const unsigned begin = youngest ? queue_start_ + n_queue_ - n_pairs : queue_start_;
        const unsigned mine = lane_ / 2 * n_parts + (n_parts > 1 ? part_ : 0);
        const Index pair = queue()[(begin + mine) % queue_size];
        if (!youngest) queue_start_ = (queue_start_ + n_pairs) % queue_size;
        n_queue_ -= n_pairs;
        n_nodes_ += 2 * n_pairs;
        return mine < n_pairs ? 2 * pair + lane_ % 2 : empty_slot;
    }

    /// Nodes to look into go to the end of the queue, and those close to the group are counted.
    __device__ void enqueue(bool open, Index first, bool close)
    {
        const unsigned opened = __ballot_sync(all_lanes, open);
        unsigned n_opened = __popc(opened), n_before = 0;
        unsigned n_close = single ? 0 : __popc(__ballot_sync(all_lanes, close));
        if constexpr (n_parts > 1) {
            const unsigned all = counts_before(lists_, part_, n_parts, n_opened | n_close << 16, n_before);
            n_before &= 0xffff;
            n_opened = all & 0xffff;
            n_close = all >> 16;
        }
        if (open) queue()[(queue_start_ + n_queue_ + n_before + rank_in(opened)) % queue_size] = first;
        n_queue_ += n_opened;
        n_nodes_close_ += n_close;
    }

    /// Decides about one node per lane.
    __device__ void look_at(Index slot)
    {
        const bool present = slot != empty_slot;
        NodeHead head{};
        NodeTail tail{};
        bool taken = false;
        float eps = 0;
        Place at{};
        if (present) {
            head = tree_.heads[slot];
            tail = tree_.tails[slot];
            if constexpr (general)
                if (tree_.node_softening) eps = tree_.node_softening[slot];
            at = place_of(group_, head);
            taken = is_taken(group_, head, at, tree_.boxes + slot, eps);
        }
        const bool leaf = tail.count > 0, inner = present && !leaf;
        const bool as_cell = taken && !(leaf && tail.count <= few_sources) &&
                             (sizeof(T) == sizeof(double) || is_in_float(group_, at));
        const bool as_bodies = leaf && !as_cell, open = inner && !as_cell;

        enqueue(open, tail.first, present && is_close(group_, at));
        const bool far = as_cell && is_far(group_, head, at);
        append_far(far, slot);
        append_cell(as_cell && !far, head, tail, at, eps);
        if (__any_sync(all_lanes, as_bodies))
            append_bodies(as_bodies ? tail.first : 0, as_bodies ? tail.count : 0);
    }

    __device__ void append_far(bool mine, Index slot)
    {
        const unsigned members = __ballot_sync(all_lanes, mine);
        if (mine) lists_.far[n_far_ + rank_in(members)] = slot;
        n_far_ += __popc(members);
    }

    __device__ void sum_far()
    {
        sum_far_nodes(lists_, n_far_, tree_, group_.x, group_.y, group_.z, group_.scale,
                      group_.local_softening2, has_local_);
        has_local_ = true;
        n_far_ = 0;
    }

    __device__ void add_local_field()
    {
        if (single && lane_ > 0) return;  // the lanes' sums are added up
        const LocalField<T> field = local_field(lists_.local, target_.x, target_.y, target_.z);
        sums_[0] += field.ax;
        sums_[1] += field.ay;
        sums_[2] += field.az;
        sums_[3] += field.phi;
    }

    __device__ void append_cell(bool mine, const NodeHead& head, const NodeTail& tail, Place at, float eps)
    {
        const unsigned members = __ballot_sync(all_lanes, mine);
        if (mine) {
            const unsigned k = cells_.place(rank_in(members));
            const T scale = static_cast<T>(group_.scale), b = head.radius * scale, unit = T(1.5) * b * b;
            if constexpr (sizeof(T) == sizeof(float))
                lists_.cell[0][k] = {at.x, at.y, at.z, head.mass};
            else
                lists_.cell[0][k] = {in_group<T>(head.x, group_.x, group_.scale),
                                     in_group<T>(head.y, group_.y, group_.scale),
                                     in_group<T>(head.z, group_.z, group_.scale), head.mass};
            lists_.cell[1][k] = {unit * tail.xx, unit * tail.xy, unit * tail.xz, unit * tail.yy};
            const T trace = unit * (static_cast<T>(tail.xx) + tail.yy + tail.zz) * static_cast<T>(1.0 / 3);
            lists_.cell[2][k] = {unit * tail.yz, unit * tail.zz, trace, general ? fabsf(eps) * scale : T(0)};
        }
        cells_.count += __popc(members);
        if (!cells_.has_batch()) return;
        __syncwarp();
        sum_cells();
        cells_.drop_batch();
        count_batch();
    }

    /// Every lane brings a run of bodies, maybe none; the warp loads them 32 at a time.
    __device__ void append_bodies(Index first, Index count)
    {
        deal_runs(first, count, [&](bool mine, Index j, unsigned) { append_body(mine, j); });
    }

    __device__ void append_body(bool mine, Index j)
    {
        T x = 0, y = 0, z = 0, rest_x = 0, rest_y = 0, rest_z = 0, mass = 0;
        bool close = false;
        if (mine) {
            const Body b = tree_.bodies[j];
            split(b.x, group_.x, group_.scale, x, rest_x);
            split(b.y, group_.y, group_.scale, y, rest_y);
            split(b.z, group_.z, group_.scale, z, rest_z);
            mass = static_cast<T>(b.mass);
            const Place at{static_cast<float>(x), static_cast<float>(y), static_cast<float>(z)};
            close = is_close(group_, at) || is_beyond_float(at);  // add_close() does what needs double
        }
        const unsigned far = __ballot_sync(all_lanes, mine && !close);
        const unsigned near = __ballot_sync(all_lanes, close);
        if (mine && !close) {
            const unsigned k = bodies_.place(rank_in(far));
            lists_.body[k] = {x, y, z, mass};
            if constexpr (general) lists_.body_softening[k] = softening_of(j);
        }
        if (close) {
            const unsigned k = close_.place(rank_in(near));
            lists_.close[k] = {x, y, z, mass};
            lists_.close_rest[0][k] = rest_x;
            lists_.close_rest[1][k] = rest_y;
            lists_.close_rest[2][k] = rest_z;
            lists_.close_index[k] = tree_.order[j];
            if constexpr (general) lists_.close_softening[k] = softening_of(j);
        }
        bodies_.count += __popc(far);
        close_.count += __popc(near);
        __syncwarp();
        if (bodies_.has_batch()) {
            sum_bodies();
            bodies_.drop_batch();
            count_batch();
            __syncwarp();
        }
        if (close_.has_batch()) {
            sum_close();
            close_.drop_batch();
            count_batch();
            __syncwarp();
        }
    }

    __device__ T softening_of(Index j) const
    {
        if (sizeof(T) == sizeof(float) && tree_.body_softening)
            return static_cast<T>(tree_.body_softening[j] * group_.scale);
        const ParticleType type =
            tree_.body_softening ? task_.particles.type_of(tree_.order[j]) : ParticleType{0};
        return static_cast<T>(tree_.frame->length_scale * task_.softening.length[type] * group_.scale);
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
        add_entries<4>(cells_.start, [&](unsigned k) { add_cell(lists_, k, group_.spline, target_); });
    }
    __device__ void sum_bodies()
    {
        add_entries<8>(bodies_.start, [&](unsigned k) { add_body(lists_, k, group_.spline, target_); });
    }
    __device__ void sum_close()
    {
        add_entries<1>(close_.start, [&](unsigned k) {
            if (!add_close(lists_, k, group_.spline, target_)) add_exactly(lists_.close_index[k]);
        });
    }

    /// A pair too close or too far for T, in double and units of the tree; coincident ones if softened.
    __device__ void add_exactly(Index particle)
    {
        if (particle == no_particle) return;
        const ConstParticlesView& p = task_.particles;
        const Frame frame = *tree_.frame;
        const Vec3 d = frame.length_scale * (p.position.load(particle) - p.position.load(target_.particle));
        const double r2 = dot(d, d), own = softening_length(target_.particle),
                     eps = frame.length_scale * fmax(own, softening_length(particle));
        if (r2 == 0 && eps == 0) return;
        const double mass = frame.mass_scale * p.mass[particle];
        const PairForce<double> f = pair_force<double, general>(mass, r2, eps, group_.spline);
        const double per_scale = 1 / group_.scale, force = per_scale * per_scale * f.force;
        sums_[0] += force * d.x;
        sums_[1] += force * d.y;
        sums_[2] += force * d.z;
        sums_[3] += per_scale * f.potential;
    }
    __device__ double softening_length(Index particle) const
    {
        return task_.softening.length[general ? task_.particles.type_of(particle) : 0];
    }

    /// Sums what is left in a list, after filling it up with entries without mass.
    template <auto clear, auto sum>
    __device__ void finish(const Ring& ring)
    {
        if (ring.count == 0) return;
        if (lane_ >= ring.count) (lists_.*clear)(ring.start + lane_);
        __syncwarp();
        (this->*sum)();
    }

    __device__ void count_batch()
    {
        if (++n_batches_ < batches_per_flush) return;
        flush();
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
        const ForceOutputs& to = task_.outputs;
        const Frame frame = *tree_.frame;
        const double potential_unit = frame.length_scale * group_.scale / frame.mass_scale;
        const double force_unit = frame.length_scale * group_.scale * potential_unit;
        const Index i = target_.particle;
        to.acceleration.store(i, {force_unit * sums_[0], force_unit * sums_[1], force_unit * sums_[2]});
        if (to.potential) to.potential[i] = -potential_unit * sums_[3];
    }

    const WalkTask& task_;
    const TreeView& tree_;
    WarpLists<T, general>& lists_;
    unsigned lane_, part_;
    Group group_;
    Target<T> target_;
    double sums_[4];
    Ring cells_, bodies_, close_;
    unsigned n_batches_ = 0, n_far_ = 0;
    unsigned n_nodes_ = 0, n_nodes_close_ = 0;
    unsigned n_queue_ = 0, queue_start_ = 0;
    bool has_local_ = false;
};

}  // namespace aureole::gravity::tree
