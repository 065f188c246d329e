// One warp of the CUDA walk that ends at the cut (short_range_cuda.cu) at work on one group of targets.
// As in the walk of the tree solver the lanes look at 32 nodes at a time, taken from a common queue: opened
// inner nodes go to its end, cells and the bodies of opened leaves into lists, which all lanes sum for their
// own targets as soon as 32 entries are there. Order of all sums: that of the walk, which depends on the tree
// alone.
#pragma once

#include "gravity/treepm/short_range_sums.cuh"

namespace aureole::gravity::treepm {

using tree::all_lanes;
using tree::rank_in;

/// Batches of 32 whose sums in T go to double together.
inline constexpr unsigned batches_per_flush = 4;
/// A leaf of so few bodies is summed body by body: that is exact and cheaper.
inline constexpr Index few_bodies = 4;
/// How far from its centre of mass the multipoles of a cell serve at all, in its radii.
inline constexpr float least_distance = 1.3f;
/// Boxes and distances are floats: what is dropped is beyond the cut by more than their rounding.
inline constexpr float slack = 1e-5f;

/// `single`: of one target, the same in all lanes; each takes its own entries of the lists, and the lanes'
/// sums are added up last. `by_type`: Plummer's softening with several lengths.
template <class T, bool by_type, bool with_potential, bool single>
class ShortRangeWalk {
public:
    using Lists = tree::WarpLists<T, true>;

    __device__ ShortRangeWalk(const ShortRangeParams<T>& params, Lists& lists)
        : params_(params), lists_(lists), lane_(threadIdx.x % lanes)
    {
    }

    /// `place`: of the target of this lane along the curve. False when the group has to be split.
    __device__ bool run(Index place)
    {
        load_target(place);
        if (!single && is_uneven_) return false;
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
        to_unit_ = 1 / (frame.length_scale * params_.unit);
        const Vec3 x = 1 / params_.unit * params_.box.wrap(p.position.load(i));
        const Vec3 a = previous.absent() ? Vec3{} : previous.load(i);
        const double size =
            sqrt(a.x * a.x + a.y * a.y + a.z * a.z) * (frame.mass_scale * params_.unit * params_.unit);
        make_group(present, x, size);
        target_.softening = static_cast<T>(params_.softening.length[p.type_of(i)] / params_.unit);
        tree::split(x.x, origin_.x, 1.0, target_.x, target_.rest_x);
        tree::split(x.y, origin_.y, 1.0, target_.y, target_.rest_y);
        tree::split(x.z, origin_.z, 1.0, target_.z, target_.rest_z);
        target_.particle = i;
        target_.ax = target_.ay = target_.az = target_.phi = 0;
        for (double& sum : sums_) sum = 0;
    }

    __device__ void make_group(bool present, Vec3 x, double size)
    {
        double least = size;
        int n_places = 1;
        Vec3 half{0, 0, 0};
        origin_ = x;
        if constexpr (!single) {
            const Vec3 low{tree::least_of_warp(x.x), tree::least_of_warp(x.y), tree::least_of_warp(x.z)};
            const Vec3 high{tree::largest_of_warp(x.x), tree::largest_of_warp(x.y),
                            tree::largest_of_warp(x.z)};
            half = 0.5 * (high - low);
            origin_ = low + half;
            least = tree::least_of_warp(size);
            const int exponents = sum_of_warp(present ? tree::acceleration_exponent(size) : 0);
            const int n = __popc(__ballot_sync(all_lanes, present));
            n_places = __popc(__ballot_sync(all_lanes, tree::begins_place(x)));
            is_uneven_ =
                tree::largest_of_warp(size) > 0 && least < ldexp(1.0, exponents / n - tree::even_exponents);
        }
        half_[0] = static_cast<float>(half.x);
        half_[1] = static_cast<float>(half.y);
        half_[2] = static_cast<float>(half.z);
        const float largest = fmaxf(half_[0], fmaxf(half_[1], half_[2]));
        const auto eps = static_cast<float>(params_.softening.largest / params_.unit);
        const float spline = params_.spline ? 1.0001f * static_cast<float>(spline_support) * eps : 0.0f;
        margin_ = fmaxf(largest * tree::close_margin, spline) + 1e-7f;
        cell_softening2_ = eps * eps;
        spline_reach_ = spline;
        soft2_ = params_.spline || by_type ? T(0) : static_cast<T>(eps) * static_cast<T>(eps);
        tolerance_ =
            static_cast<float>(fmin(tree::part_of_tolerance(n_places) * (params_.tolerance * least), 1e37));
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

    /// Where a node is for the group.
    struct Sight {
        Vec3 centre;     ///< of mass, of the image whose box is nearest
        bool is_near;    ///< within the cut
        bool one_image;  ///< no other image is within the cut of any target
    };

    __device__ Sight see(const tree::NodeHead& head, const tree::NodeBox& box) const
    {
        Sight sight{{}, true, true};
        float gap2 = 0;
        const double origin[3] = {origin_.x, origin_.y, origin_.z}, x[3] = {head.x, head.y, head.z};
        double at[3];
        const auto per_unit = static_cast<float>(to_unit_), half_side = static_cast<float>(params_.side / 2);
#pragma unroll
        for (int k = 0; k < 3; ++k) {
            const float middle = 0.5f * per_unit * (box.high[k] + box.low[k]);
            const float wide = 0.5f * per_unit * (box.high[k] - box.low[k]) * (1 + slack) + half_[k];
            const double d = fma(x[k], to_unit_, -origin[k]);
            at[k] = fma(-params_.side, rint((d + static_cast<double>(middle)) * params_.per_side), d);
            const float off = fabsf(static_cast<float>(at[k]) + middle), gap = fmaxf(off - wide, 0.0f);
            gap2 = fmaf(gap, gap, gap2);
            sight.one_image = sight.one_image && off + wide < half_side * (1 - slack);
        }
        sight.centre = {at[0], at[1], at[2]};
        sight.is_near = gap2 < params_.cut2 * (1 + slack);
        return sight;
    }

    /// Decides about one node per lane.
    __device__ void look_at(Index slot)
    {
        tree::NodeHead head{};
        tree::NodeTail tail{};
        Sight sight{};
        if (slot != tree::empty_slot) {
            head = params_.tree.heads[slot];
            tail = params_.tree.tails[slot];
            sight = see(head, params_.tree.boxes[slot]);
        }
        const tree::Place at{static_cast<float>(sight.centre.x), static_cast<float>(sight.centre.y),
                             static_cast<float>(sight.centre.z)};
        const bool as_cell = sight.is_near && sight.one_image && is_taken(head, tail, at);
        const bool goes_on = sight.is_near && !as_cell, leaf = tail.count > 0;
        const bool as_bodies = goes_on && leaf;
        enqueue(goes_on && !leaf, tail.first, sight.is_near && is_close(at));
        append_cell(as_cell, head, tail, sight.centre);
        if (__any_sync(all_lanes, as_bodies))
            append_bodies(as_bodies ? tail.first : 0, as_bodies ? tail.count : 0,
                          __ballot_sync(all_lanes, !sight.one_image));
    }

    __device__ float gap_of(float x, int axis) const { return fmaxf(fabsf(x) - half_[axis], 0.0f); }
    __device__ float squared_gap(tree::Place at) const
    {
        const float x = gap_of(at.x, 0), y = gap_of(at.y, 1), z = gap_of(at.z, 2);
        return fmaf(x, x, fmaf(y, y, z * z));
    }
    __device__ bool is_close(tree::Place at) const
    {
        return fabsf(at.x) <= half_[0] + margin_ && fabsf(at.y) <= half_[1] + margin_ &&
               fabsf(at.z) <= half_[2] + margin_;
    }

    /// As the CPU's walk decides.
    __device__ bool is_taken(const tree::NodeHead& head, const tree::NodeTail& tail, tree::Place at) const
    {
        if (!(tolerance_ > 0) || (tail.count > 0 && tail.count <= few_bodies)) return false;
        const float b = head.radius * static_cast<float>(to_unit_), d2 = squared_gap(at);
        if (!(d2 > least_distance * least_distance * b * b) || !(d2 > 1e-14f)) return false;
        const float x = fabsf(at.x) + half_[0], y = fabsf(at.y) + half_[1], z = fabsf(at.z) + half_[2];
        if (!(fmaf(x, x, fmaf(y, y, z * z)) < params_.reach2)) return false;
        if (params_.spline) {
            const float reach = b + spline_reach_;
            if (!(d2 > reach * reach)) return false;
        } else if (1.5f * cell_softening2_ > params_.softening_error * d2) {
            return false;
        }
        const float ratio2 = b * b / d2;
        return head.mass * (ratio2 * sqrtf(ratio2)) <= tolerance_ * d2;
    }

    __device__ void append_cell(bool mine, const tree::NodeHead& head, const tree::NodeTail& tail, Vec3 at)
    {
        const unsigned members = __ballot_sync(all_lanes, mine);
        if (mine) {
            const unsigned k = cells_.place(rank_in(members));
            const T b = static_cast<T>(head.radius * to_unit_), unit = b * b;
            const T trace = unit * (static_cast<T>(tail.xx) + tail.yy + tail.zz);
            lists_.cell[0][k] = {static_cast<T>(at.x), static_cast<T>(at.y), static_cast<T>(at.z), head.mass};
            lists_.cell[1][k] = {unit * tail.xx, unit * tail.xy, unit * tail.xz, unit * tail.yy};
            lists_.cell[2][k] = {unit * tail.yz, unit * tail.zz, trace, 0};
        }
        cells_.count += __popc(members);
        take_batch(cells_, [this] { sum_cells(); });
    }

    /// Every lane brings a run of bodies, maybe none; the warp loads them 32 at a time. `images`: lanes whose
    /// bodies may act by several images.
    __device__ void append_bodies(Index first, Index count, unsigned images)
    {
        Index until = count;  // bodies of this and lower lanes
#pragma unroll
        for (unsigned step = 1; step < lanes; step *= 2) {
            const Index below = __shfl_up_sync(all_lanes, until, step);
            if (lane_ >= step) until += below;
        }
        const Index total = __shfl_sync(all_lanes, until, lanes - 1);
        const Index offset = first - (until - count);  // item k of the owner is body offset + k
        for (Index begin = 0; begin < total; begin += lanes) {
            const Index item = begin + lane_;
            unsigned owner = 0;
#pragma unroll
            for (unsigned step = lanes / 2; step > 0; step /= 2)
                if (__shfl_sync(all_lanes, until, owner + step - 1) <= item) owner += step;
            owner %= lanes;
            append_body(item < total, __shfl_sync(all_lanes, offset, owner) + item, images >> owner & 1);
        }
    }

    __device__ void append_body(bool mine, Index j, bool images)
    {
        Vec3 at{};
        T mass = 0;
        if (mine) {
            const tree::Body b = params_.tree.bodies[j];
            at = {nearest(fma(b.x, to_unit_, -origin_.x)), nearest(fma(b.y, to_unit_, -origin_.y)),
                  nearest(fma(b.z, to_unit_, -origin_.z))};
            mass = static_cast<T>(b.mass);
        }
        append_image(mine, at, mass, j);
        if (!__any_sync(all_lanes, mine && images)) return;
        const bool x = reaches_around(at.x, 0), y = reaches_around(at.y, 1), z = reaches_around(at.z, 2);
        for (int k = 1; k < 8; ++k) {
            const bool there = mine && images && (!(k & 1) || x) && (!(k & 2) || y) && (!(k & 4) || z);
            const Vec3 other{k & 1 ? at.x - copysign(params_.side, at.x) : at.x,
                             k & 2 ? at.y - copysign(params_.side, at.y) : at.y,
                             k & 4 ? at.z - copysign(params_.side, at.z) : at.z};
            if (__any_sync(all_lanes, there)) append_image(there, other, mass, j);
        }
    }
    __device__ double nearest(double d) const { return fma(-params_.side, rint(d * params_.per_side), d); }
    __device__ bool reaches_around(double x, int axis) const
    {
        return fabs(x) + half_[axis] > params_.side * (0.5 - 1e-5);
    }

    __device__ void append_image(bool mine, Vec3 d, T mass, Index j)
    {
        const tree::Place at{static_cast<float>(d.x), static_cast<float>(d.y), static_cast<float>(d.z)};
        mine = mine && squared_gap(at) < params_.cut2 * (1 + slack);
        const bool close = mine && is_close(at);
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
        return static_cast<T>(params_.softening.length[type] / params_.unit);
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
        add_entries<2>(cells_.start,
                       [&](unsigned k) { add_cell<with_potential>(params_, lists_, k, target_); });
    }
    __device__ void sum_bodies()
    {
        add_entries<4>(bodies_.start, [&](unsigned k) {
            add_body<by_type, with_potential>(params_, lists_, k, soft2_, target_);
        });
    }
    __device__ void sum_close()
    {
        add_entries<1>(close_.start, [&](unsigned k) {
            if (!add_close<with_potential>(params_, lists_, k, target_)) add_exactly(lists_.close_index[k]);
        });
    }

    /// A pair too close for T, in double; coincident ones if softened.
    __device__ void add_exactly(Index particle)
    {
        if (particle == tree::no_particle) return;
        const ConstParticlesView& p = params_.particles;
        const tree::TypeSoftening& softening = params_.softening;
        const Vec3 d = 1 / params_.unit *
                       params_.box.nearest(p.position.load(particle) - p.position.load(target_.particle));
        const double r2 = dot(d, d), eps = fmax(softening.length[p.type_of(target_.particle)],
                                                softening.length[p.type_of(particle)]) /
                                           params_.unit;
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
        const double potential = 1 / (params_.tree.frame->mass_scale * params_.unit);
        const double force = potential / params_.unit;
        const Index i = target_.particle;
        params_.outputs.acceleration.store(i, {force * sums_[0], force * sums_[1], force * sums_[2]});
        if constexpr (with_potential) params_.outputs.potential[i] = -potential * sums_[3];
    }

    const ShortRangeParams<T>& params_;
    Lists& lists_;
    unsigned lane_;
    double to_unit_;  ///< of a length of the tree
    Vec3 origin_;     ///< middle of the group's box
    float half_[3], margin_, cell_softening2_, spline_reach_, tolerance_;
    T soft2_;
    bool is_uneven_ = false;
    Target<T> target_;
    double sums_[4];
    tree::Ring cells_, bodies_, close_;
    unsigned n_batches_ = 0, n_nodes_close_ = 0, n_queue_ = 0, queue_start_ = 0;
};

}  // namespace aureole::gravity::treepm
