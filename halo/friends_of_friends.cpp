// Friends-of-friends (Davis et al. 1985) in one walk over a tree fused with union-find, without neighbour
// lists:
//  1. survey: finite positions, extent, number of linking particles;
//  2. order: sort along a Morton curve, linking particles first (kd_order.hpp);
//  3. tree: exact halving of that order, tight boxes (kd_tree.hpp, kd_build.hpp);
//  4. link: every leaf walks the tree behind itself and joins the sets of friends (linking.hpp,
//  union_find.hpp).
//     Nodes so small that all members are friends start as one set and are left as soon as that set is ours;
//  5. join: particles of other types take the set of their nearest linking neighbour;
//  6. label: canonical groups (labels.hpp).
// Every phase runs where the particles live. Cost: n log n; memory: 32 to 40 bytes a particle, more when
// min_members is below about 5.
#include "halo/friends_of_friends.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>

#include "halo/brute_force.hpp"
#include "halo/flagged_first.hpp"
#include "halo/fof_memory.hpp"
#include "halo/kd_build.hpp"
#include "halo/kd_order.hpp"
#include "sim/core/buffer.hpp"

namespace aureole::halo {

struct FofScratch {
    Buffer<std::byte> block, overflow;
    FofTimes times;
};

namespace {

/// l / psi.
double length_per_velocity(const FofConfig& config)
{
    return config.linking_length / config.linking_velocity;
}

/// (l / psi)^2; 0 in space, which is what a linking velocity without end comes to.
double squared_velocity_ratio(const FofConfig& config)
{
    const double ratio = length_per_velocity(config) * length_per_velocity(config);
    return ratio < std::numeric_limits<double>::min() ? 0 : ratio;
}

bool in_phase_space(const FofConfig& config) { return squared_velocity_ratio(config) > 0; }

/// Halvings of a tree of n points; all in one leaf when every pair is to be compared.
int tree_depth(std::size_t n, const FofConfig& config)
{
    return config.method == Method::brute_force ? 0
                                                : KdTree::depth_for(n, config.leaf_size, config.max_depth);
}

FofSize size_of(std::size_t n, const FofConfig& config)
{
    return {n, tree_depth(n, config), in_phase_space(config)};
}

/// One find: its particles, its memory, and the phases in order.
class Search {
public:
    Search(Exec exec, const ParticlesView& particles, const FofConfig& config, FofScratch& scratch)
        : exec_(exec),
          particles_(particles),
          config_(config),
          scratch_(scratch),
          memory_(exec.backend, size_of(particles.n, config))
    {
        scratch_.times = {};
        scratch_.block.require(exec.backend, memory_.bytes);
        order_ = at<Index>(memory_.order);
        set_ = at<Index>(memory_.set);
    }

    Groups run()
    {
        survey();
        order();
        clock(scratch_.times.order);
        build();
        keep_core_points();
        clock(scratch_.times.tree);
        link();
        clock(scratch_.times.link);
        label();
        clock(scratch_.times.label);
        Groups groups = to_host();
        clock(scratch_.times.copy);
        return groups;
    }

private:
    using Clock = std::chrono::steady_clock;

    template <class T>
    T* at(std::size_t offset)
    {
        return reinterpret_cast<T*>(scratch_.block.data() + offset);
    }

    void wait()
    {
        if (exec_.backend == Backend::cuda) device::synchronize();
    }
    void copy(void* to, const void* from, std::size_t bytes)
    {
        wait();
        if (exec_.backend == Backend::cuda)
            device::copy(to, from, bytes);
        else if (bytes > 0)
            std::memcpy(to, from, bytes);
    }
    template <class T>
    T fetched(const T* from)
    {
        T value;
        copy(&value, from, sizeof value);
        return value;
    }
    void clock(double& seconds)
    {
        wait();
        const Clock::time_point now = Clock::now();
        seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

    void survey();
    void order();
    void build();
    void keep_core_points();
    void link();
    void label();
    Groups to_host();

    void expect_finite(const char* what, const Vec3View& x, Index first_bad);
    double longest_half() const;
    CurveTask curve() const;
    Frame frame() const;

    Exec exec_;
    ParticlesView particles_;
    FofConfig config_;
    FofScratch& scratch_;
    FofMemory memory_;
    Clock::time_point last_ = Clock::now();

    Index *order_, *set_;
    Index n_linking_ = 0;                    ///< of linking types
    Index n_core_ = 0;                       ///< of them, those that link
    Vec3 low_{}, high_{};                    ///< extent, the whole box when periodic
    Vec3 low_velocity_{}, high_velocity_{};  ///< in phase space only
    SortBuffers sorted_{};
    LinkTask task_{};
    SetArrays sets_{};
    GroupArrays groups_{};
};

void Search::survey()
{
    Survey survey = Survey::empty();
    Survey* const shared = at<Survey>(memory_.survey);
    copy(shared, &survey, sizeof survey);
    survey_particles(exec_, particles_, config_.box, config_.linking_types, shared);
    if (in_phase_space(config_)) survey_velocities(exec_, particles_, shared);
    survey = fetched(shared);
    expect_finite("is at", particles_.position, survey.first_bad);
    expect_finite("has velocity", particles_.velocity, survey.first_bad_velocity);
    n_linking_ = n_core_ = survey.n_linking;
    const double side = config_.box.side;
    low_ = config_.box.periodic() ? Vec3{0, 0, 0} : survey.lowest();
    high_ = config_.box.periodic() ? Vec3{side, side, side} : survey.highest();
    if (!in_phase_space(config_)) return;
    low_velocity_ = survey.lowest_velocity();
    high_velocity_ = survey.highest_velocity();
}

void Search::expect_finite(const char* what, const Vec3View& x, Index first_bad)
{
    if (first_bad == Survey::none) return;
    const Index i = first_bad;
    throw Error(fmt::format(
        "friends-of-friends: particle {} (id {}) {} ({}, {}, {}), expected finite numbers: "
        "the particles are damaged before the search",
        i, fetched(particles_.id + i), what, fetched(x.x + i), fetched(x.y + i), fetched(x.z + i)));
}

double longest(Vec3 v) { return std::max({v.x, v.y, v.z}); }

/// Half the distance of two corners; halves first, as the difference of two finite numbers may not be finite.
Vec3 half_extent(Vec3 low, Vec3 high) { return 0.5 * high - 0.5 * low; }

double Search::longest_half() const
{
    const double space = longest(half_extent(low_, high_));
    if (!in_phase_space(config_)) return space;
    return std::max(space,
                    length_per_velocity(config_) * longest(half_extent(low_velocity_, high_velocity_)));
}

CurveTask Search::curve() const
{
    const double edge = 2 * longest_half(), inverse = edge > 0 ? 1 / edge : 0;
    CurveTask task{particles_, config_.box, low_, inverse, config_.linking_types};
    if (in_phase_space(config_)) {
        task.low_velocity = low_velocity_;
        task.inverse_velocity_side = length_per_velocity(config_) * inverse;
    }
    return task;
}

void Search::order()
{
    const std::size_t n = particles_.n;
    std::byte* const scratch = at<std::byte>(memory_.narrow + memory_.wide_part);
    auto* const keys = at<std::uint64_t>(memory_.wide);
    sorted_ = {keys, at<std::uint64_t>(memory_.wide + 2 * memory_.wide_part), order_,
               at<Index>(memory_.narrow)};
    Index* const crowded = at<Index>(memory_.counters);
    make_curve_keys(exec_, curve(), sorted_);
    sort_pairs(exec_, n, sorted_, 64, scratch);
    for (int refinement = 1; refinement <= max_refinements; ++refinement) {
        const Index none = 0;
        copy(crowded, &none, sizeof none);
        find_crowded_cells(exec_, curve(), sorted_, n_linking_, crowded);
        if (fetched(crowded) == 0) break;
        refine_curve_keys(exec_, curve(), sorted_, refinement);
        sort_pairs(exec_, n, sorted_, refined_key_bits, scratch);
    }
    if (sorted_.value != order_) copy(order_, sorted_.value, n * sizeof(Index));
}

Frame Search::frame() const
{
    int exponent = 0;
    std::frexp(std::max(longest_half(), config_.linking_length), &exponent);
    Frame frame{0.5 * high_ + 0.5 * low_, std::ldexp(1.0, -exponent)};
    if (in_phase_space(config_)) {
        frame.mean_velocity = 0.5 * high_velocity_ + 0.5 * low_velocity_;
        frame.velocity_scale = frame.scale * length_per_velocity(config_);
    }
    return frame;
}

void Search::build()
{
    const double length = config_.linking_length;
    const bool phase = in_phase_space(config_);
    const LinkQuestion question{particles_,
                                config_.box,
                                frame(),
                                length * length,
                                squared_velocity_ratio(config_),
                                Band::around(length * frame().scale, phase)};
    KdTree tree{n_core_, tree_depth(n_core_, config_), at<TreePoint>(memory_.wide),
                at<TreeNode>(memory_.narrow)};
    if (phase) {
        tree.velocity = at<TreeVelocity>(memory_.velocity);
        tree.velocity_box = at<VelocityBox>(memory_.velocity_box);
    }
    task_ = {question, tree, {set_}};
    gather_points(exec_, question, order_, particles_.n, tree);
    if (tree.n > 0) build_nodes(exec_, tree, question.band);
}

/// The tree again, of the points with enough friends; the other linking ones follow it.
void Search::keep_core_points()
{
    if (config_.min_friends <= 1 || n_linking_ == 0) return;
    auto* const flag = reinterpret_cast<std::uint8_t*>(set_);
    flag_core_points(exec_, task_, config_.min_friends, flag);
    const auto part = [&](int k) { return at<Index>(memory_.wide + k * memory_.wide_part); };
    const FlaggedFirst lists{n_linking_,
                             flag,
                             order_,
                             part(0),
                             part(1),
                             at<Index>(memory_.counters),
                             at<std::byte>(memory_.narrow)};
    put_flagged_first(exec_, lists);
    n_core_ = fetched(lists.n_flagged);
    build();
}

void Search::link()
{
    if (n_core_ > 0) {
        if (config_.method == Method::brute_force) {
            start_alone(exec_, task_);
            link_all_pairs(exec_, task_);
        } else {
            start_sets(exec_, task_);
            link_friends(exec_, task_);
        }
        flatten_sets(exec_, task_.sets, n_core_);
    }
    const bool join_border = config_.border == Border::nearest;
    if (!join_border) leave_alone(exec_, task_.sets, {n_core_, n_linking_});
    join_nearest(exec_, task_, {join_border ? n_core_ : n_linking_, particles_.n});
}

void Search::label()
{
    const auto part = [&](int k) { return at<Index>(memory_.wide + k * memory_.wide_part); };
    sets_ = {particles_.n, set_, order_, part(0), part(1), part(2)};
    Index* const n_groups = at<Index>(memory_.counters);
    const Index none = 0;
    copy(n_groups, &none, sizeof none);
    select_groups(exec_, sets_, config_.min_members, n_groups);
    groups_.n = fetched(n_groups);
    AUREOLE_EXPECT(groups_.n <= std::numeric_limits<std::int32_t>::max(),
                   "{} groups are more than a label can number: ask for more members than {}", groups_.n,
                   config_.min_members);

    const GroupMemory cut(exec_.backend, groups_.n);
    std::byte* block = at<std::byte>(memory_.narrow);
    if (cut.bytes > memory_.narrow_bytes) {
        scratch_.overflow.require(exec_.backend, cut.bytes);
        block = scratch_.overflow.data();
    }
    const auto keys = [&](std::size_t offset) { return reinterpret_cast<std::uint64_t*>(block + offset); };
    const auto indices = [&](std::size_t offset) { return reinterpret_cast<Index*>(block + offset); };
    groups_.smallest_id = keys(cut.smallest_id);
    groups_.pairs = {keys(cut.key), keys(cut.spare_key), indices(cut.value), indices(cut.spare_value)};
    groups_.length = indices(cut.length);
    groups_.sort_scratch = block + cut.sort_scratch;
    sort_groups(exec_, sets_, particles_.id, groups_);
    write_labels(exec_, sets_, reinterpret_cast<std::int32_t*>(part(3)));
}

Groups Search::to_host()
{
    Groups result;
    result.label.resize(particles_.n);
    result.length.resize(groups_.n);
    copy(result.label.data(), at<std::byte>(memory_.wide + 3 * memory_.wide_part),
         result.label.size() * sizeof(std::int32_t));
    copy(result.length.data(), groups_.length, result.length.size() * sizeof(Index));
    return result;
}

void expect_sound(Exec exec, const ParticlesView& particles, const FofConfig& config)
{
    const double length = config.linking_length, side = config.box.side;
    AUREOLE_EXPECT(particles.where == exec.backend, "particles are in {} memory, the search runs on {}",
                   name_of(particles.where), name_of(exec.backend));
    AUREOLE_EXPECT(std::isfinite(length) && length > 0,
                   "linking length {}, expected a positive, finite number", length);
    AUREOLE_EXPECT(std::isnormal(length * length), "the square of linking length {} is not a normal number",
                   length);
    const double psi = config.linking_velocity;
    AUREOLE_EXPECT(psi > 0, "linking velocity {}, expected a positive number, or infinity for space alone",
                   psi);
    AUREOLE_EXPECT(std::isfinite(squared_velocity_ratio(config)),
                   "linking velocity {} is too small: the square of linking length {} over it is not finite",
                   psi, length);
    AUREOLE_EXPECT(config.method == Method::kd_tree || config.method == Method::brute_force,
                   "only the kd-tree and brute force are built");
    AUREOLE_EXPECT(config.min_friends > 0, "min_friends is 0, expected at least 1");
    AUREOLE_EXPECT(config.leaf_size > 0, "leaf_size is 0, expected at least 1");
    AUREOLE_EXPECT(config.max_depth >= 0 && config.max_depth <= KdTree::largest_depth,
                   "max_depth is {}, expected 0 to {}", config.max_depth, KdTree::largest_depth);
    AUREOLE_EXPECT(config.min_members > 0, "min_members is 0, expected at least 1");
    AUREOLE_EXPECT(std::isfinite(side) && side >= 0, "box side {}, expected 0 (open) or a positive number",
                   side);
    AUREOLE_EXPECT(!config.box.periodic() || side >= 2 * length,
                   "a periodic box of side {} is smaller than two linking lengths of {}: a pair could link "
                   "through two images",
                   side, length);
}

}  // namespace

FriendsOfFriends::FriendsOfFriends() : scratch_(std::make_unique<FofScratch>()) {}
FriendsOfFriends::~FriendsOfFriends() = default;

Groups FriendsOfFriends::find(Exec exec, const ParticlesView& particles, const FofConfig& config)
{
    expect_sound(exec, particles, config);
    if (particles.n == 0) return {};
    return Search(exec, particles, config, *scratch_).run();
}

const FofTimes& FriendsOfFriends::times() const { return scratch_->times; }

std::size_t FriendsOfFriends::scratch_bytes(Backend where, std::size_t n, const FofConfig& config)
{
    return n == 0 ? 0 : FofMemory(where, size_of(n, config)).bytes;
}

}  // namespace aureole::halo
