// Friends of every member within its list: a warp owns a bucket's members, a lane each. A node all of whose
// members are friends of all of the bucket's is counted whole, one that is out of reach is left, buckets
// between are compared pair by pair in double. Distances between images decide what is clear beyond their
// rounding; what is not is decided from the positions as they are stored.
#include "halo/centres/gpu/list_segments.cuh"
#include "halo/centres/gpu/search_steps.hpp"
#include "halo/centres/gpu/tree_walk.cuh"
#include "halo/separation.hpp"
#include "sim/core/cuda_check.cuh"

namespace aureole::halo::centre_search {
namespace {

constexpr unsigned warps_per_block = 4;
/// Slack of scaled coordinates rounded to float, whose differences are 2 at most.
constexpr float slack = 1e-6f;

/// Distances along an axis, in units of the frame: between the nearest and the farthest points of two boxes.
struct AxisRange {
    float nearest, farthest;

    __device__ AxisRange(float distance, float below, float above, float half)
        : nearest(fmaxf(fmaxf(distance - below, -distance - above) - half - slack, 0.0f)),
          farthest(fmaxf(distance + above, below - distance) + half + slack)
    {
    }
};

struct WarpMemory {
    Index stack[stack_size];
    double x[bucket_size], y[bucket_size], z[bucket_size];
    Index entry[bucket_size];
};

class FriendCounts {
public:
    __device__ FriendCounts(const CentreQuery& query, const SearchArrays& arrays, const Levels& levels,
                            WarpMemory& memory, Index bucket, double length)
        : query_(query),
          arrays_(arrays),
          memory_(memory),
          lane_(threadIdx.x % 32),
          tree_(query.members, levels, arrays.bucket_list[bucket]),
          first_(std::uint64_t{bucket_size} * (bucket - tree_.index_of(0, 0))),
          frame_(arrays.frame[tree_.list]),
          squared_length_(length * length),
          reach_(static_cast<float>(length * frame_.length)),
          clearly_(1 + 1e-9 + 0x1p-46 * query.box.side / length)
    {
        alive_ = first_ + lane_ < tree_.n_members;
        entry_ = arrays.order[tree_.begin + (alive_ ? first_ + lane_ : first_)];
        image_ = arrays.image[entry_];
    }

    /// Adds friends of the members as they are when all are moved by `shift`.
    __device__ void count(Vec3 shift)
    {
        own_ = {image_.x + shift.x, image_.y + shift.y, image_.z + shift.z};
        const double x[3] = {frame_.length * (own_.x - frame_.middle.x),
                             frame_.length * (own_.y - frame_.middle.y),
                             frame_.length * (own_.z - frame_.middle.z)};
        for (int axis = 0; axis < 3; ++axis) {
            const double low = warp_least(x[axis]), high = warp_largest(x[axis]);
            middle_[axis] = 0.5 * (low + high);
            half_[axis] = __double2float_ru(0.5 * (high - low));
        }
        TreeWalk(tree_, memory_.stack, *this).run();
    }

    /// Friends without the member itself; the list's most.
    __device__ void write() const
    {
        const Index friends = alive_ ? whole_ + found_ - 1 : 0;
        if (alive_) arrays_.friends[tree_.begin + first_ + lane_] = friends;
        const Index most = warp_largest(friends);
        if (lane_ == 0) atomicMax(&arrays_.deepest[tree_.list], most);
    }

    /// For a walk.
    __device__ bool opens(bool there, int level, Index number)
    {
        bool inside = false, outside = true;
        if (there) {
            const TreeNode& node = arrays_.node[tree_.index_of(level, number)];
            const AxisRange x(static_cast<float>(node.x - middle_[0]), node.below[0], node.above[0],
                              half_[0]);
            const AxisRange y(static_cast<float>(node.y - middle_[1]), node.below[1], node.above[1],
                              half_[1]);
            const AxisRange z(static_cast<float>(node.z - middle_[2]), node.below[2], node.above[2],
                              half_[2]);
            inside =
                square(x.farthest) + square(y.farthest) + square(z.farthest) < square(reach_) * (1 - slack);
            outside =
                square(x.nearest) + square(y.nearest) + square(z.nearest) > square(reach_) * (1 + slack);
        }
        whole_ += sum_of_warp(inside ? tree_.members_of(level, number) : Index{0});
        return !inside && !outside;
    }

    /// For a walk: pairs. Each lane fetches a member, then all look at one after the other.
    __device__ void add_bucket(Index number)
    {
        const Index n = tree_.members_of(0, number);
        __syncwarp();
        if (lane_ < n) {
            const Index other = arrays_.order[tree_.begin + std::uint64_t{number} * bucket_size + lane_];
            const Body at = arrays_.image[other];
            memory_.entry[lane_] = other;
            memory_.x[lane_] = at.x;
            memory_.y[lane_] = at.y;
            memory_.z[lane_] = at.z;
        }
        __syncwarp();
        for (Index k = 0; k < n; ++k) {
            const Vec3 d = Vec3{memory_.x[k], memory_.y[k], memory_.z[k]} - own_;
            const double squared = dot(d, d);
            if (squared * clearly_ <= squared_length_)
                ++found_;
            else if (squared <= squared_length_ * clearly_)
                found_ += stored_friends(memory_.entry[k]);
        }
    }

private:
    __device__ static float square(float x) { return x * x; }

    __device__ bool stored_friends(Index other) const
    {
        const Index* particle = query_.members.particle;
        const Vec3 a = query_.particles.position.load(particle[entry_]);
        const Vec3 b = query_.particles.position.load(particle[other]);
        return squared_separation(query_.box, a, b) <= squared_length_;
    }

    const CentreQuery& query_;
    const SearchArrays& arrays_;
    WarpMemory& memory_;
    const Index lane_;
    const ListTree tree_;
    const std::uint64_t first_;  ///< of the bucket's members, among the list's
    const ListFrame frame_;
    const double squared_length_;
    const float reach_;     ///< the length, scaled
    const double clearly_;  ///< squared distances that differ by this factor are in no doubt
    bool alive_;
    Index entry_;
    Body image_;
    Vec3 own_;
    double middle_[3];  ///< of the bucket's members, scaled
    float half_[3];
    Index whole_ = 0;  ///< members of nodes within reach of all lanes
    Index found_ = 0;
};

/// Whether members moved by so many sides along an axis may be friends of members.
__device__ bool touches(int sides, double extent, double length, double side)
{
    return sides == 0 || extent + 1.001 * length >= side;
}

/// A warp for each bucket.
__global__ void __launch_bounds__(32 * warps_per_block)
    friends_kernel(const __grid_constant__ CentreQuery query, const __grid_constant__ SearchArrays arrays,
                   const __grid_constant__ Levels levels, double length)
{
    __shared__ WarpMemory memory[warps_per_block];
    const std::uint64_t warp = std::uint64_t{blockIdx.x} * warps_per_block + threadIdx.x / 32;
    if (warp >= most_segments(query.members, bucket_size) || arrays.mask[warp] == 0) return;
    FriendCounts counts(query, arrays, levels, memory[threadIdx.x / 32], static_cast<Index>(warp), length);
    const ListSummary& summary = arrays.summary[arrays.bucket_list[warp]];
    const double side = query.box.side;
    double extent[3];
    for (int axis = 0; axis < 3; ++axis)
        extent[axis] = from_ordered_bits(summary.high[axis]) - from_ordered_bits(summary.low[axis]);
    for (int a = -1; a <= 1; ++a)
        for (int b = -1; b <= 1; ++b)
            for (int c = -1; c <= 1; ++c) {
                const bool unmoved = a == 0 && b == 0 && c == 0;
                if (!unmoved && !(query.box.periodic() && touches(a, extent[0], length, side) &&
                                  touches(b, extent[1], length, side) && touches(c, extent[2], length, side)))
                    continue;
                counts.count({a * side, b * side, c * side});
            }
    counts.write();
}

/// A warp for each segment: flags the entries with most friends, and counts them.
__global__ void flag_most_kernel(const __grid_constant__ CentreQuery query,
                                 const __grid_constant__ SearchArrays arrays)
{
    const ListSegment segment = own_segment(query.members);
    if (segment.begin == segment.end) return;
    const Index most = arrays.deepest[segment.list];
    for (std::uint64_t place = segment.begin + lane_number(); place < segment.end; place += 32) {
        const bool flagged = arrays.friends[place] == most;
        arrays.flag[arrays.order[place]] = flagged;
        if (flagged) atomicAdd(&arrays.count[segment.list], Index{1});
    }
}

/// A thread for each tie: the smallest id of each list.
__global__ void smallest_tie_kernel(const __grid_constant__ CentreQuery query,
                                    const __grid_constant__ SearchArrays arrays, Index n)
{
    const std::uint64_t number = thread_number();
    if (number >= n) return;
    const Index entry = arrays.candidate[number], list = list_of_entry(query.members, entry);
    const std::uint64_t id = query.particles.id_of(query.members.particle[entry]);
    atomicMin(atomic_word(&arrays.best[list]), static_cast<unsigned long long>(id));
}

/// A thread for each tie: the first entry with that id, and from entries to particles.
__global__ void most_connected_kernel(const __grid_constant__ CentreQuery query,
                                      const __grid_constant__ SearchArrays arrays, Index n)
{
    const std::uint64_t number = thread_number();
    if (number >= n) return;
    const Index entry = arrays.candidate[number], list = list_of_entry(query.members, entry);
    if (query.particles.id_of(query.members.particle[entry]) == arrays.best[list])
        atomicMin(atomic_word(&arrays.densest[list]), static_cast<unsigned long long>(entry));
    arrays.order[number] = query.members.particle[entry];
}

/// A thread for each list.
__global__ void connected_centre_kernel(const __grid_constant__ CentreQuery query,
                                        const __grid_constant__ SearchArrays arrays)
{
    const std::uint64_t list = thread_number();
    if (list >= query.members.n_lists) return;
    const Index particle = query.members.particle[arrays.densest[list]];
    arrays.found[list] = {query.box.wrap(query.particles.position.load(particle)),
                          static_cast<double>(arrays.deepest[list]), particle};
}

}  // namespace

void count_friends(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays,
                   const Levels& levels, double length)
{
    const std::uint64_t n_buckets = most_segments(query.members, bucket_size);
    const auto n_blocks = static_cast<unsigned>((n_buckets - 1) / warps_per_block + 1);
    friends_kernel<<<n_blocks, 32 * warps_per_block, 0, stream>>>(query, arrays, levels, length);
    AUREOLE_CUDA_LAUNCHED("friends_kernel");
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.count, 0, query.members.n_lists * sizeof(Index), stream));
    flag_most_kernel<<<blocks_for_segments(query.members), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("flag_most_kernel");
}

void choose_most_connected(CUstream_st* stream, const CentreQuery& query, const SearchArrays& arrays, Index n)
{
    const std::size_t bytes = query.members.n_lists * sizeof(std::uint64_t);
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.best, 0xff, bytes, stream));
    AUREOLE_CUDA_CHECK(cudaMemsetAsync(arrays.densest, 0xff, bytes, stream));
    smallest_tie_kernel<<<blocks_for_threads(n), block, 0, stream>>>(query, arrays, n);
    AUREOLE_CUDA_LAUNCHED("smallest_tie_kernel");
    most_connected_kernel<<<blocks_for_threads(n), block, 0, stream>>>(query, arrays, n);
    AUREOLE_CUDA_LAUNCHED("most_connected_kernel");
    connected_centre_kernel<<<blocks_for_threads(query.members.n_lists), block, 0, stream>>>(query, arrays);
    AUREOLE_CUDA_LAUNCHED("connected_centre_kernel");
}

}  // namespace aureole::halo::centre_search
