// Friends-of-friends (Davis et al. 1985) in one walk fused with union-find, without neighbour lists:
//  1. summary: finite positions, extent, number of linking particles;
//  2. order: sort along a Hilbert curve or by cells, linking particles first (fof_workspace.hpp);
//  3. structure: a tree that halves that order (link_tree.hpp), or the occupied cells (cell_grid.hpp);
//  4. link: leaves walk the tree, or cells look at their neighbours, and join the sets of friends
//     (linking.hpp, cell_linking.hpp, union_find.hpp). What is so small that all its members are friends
//     starts as one set and is left as soon as both are one set;
//  5. join: particles of other types take the set of their nearest linking neighbour;
//  6. label: canonical groups (labels.hpp).
// Every phase runs where the particles live. Cost: n log n; memory: 32 bytes a particle by the tree, 44 by
// cells on a CPU and 56 on a GPU, 24 more in phase space; by the tree more when min_members is below about 3.
#include "halo/fof/friends_of_friends.hpp"

#include <chrono>
#include <cmath>
#include <limits>
#include <utility>

#include "halo/fof/curve_order.hpp"
#include "halo/fof/fof_checks.hpp"
#include "halo/fof/fof_workspace.hpp"
#include "halo/fof/labels.hpp"
#include "halo/fof/linking_length.hpp"
#include "halo/fof/slabs.hpp"
#include "halo/needed_arrays.hpp"
#include "halo/particle_summary.hpp"
#include "halo/spanning_tree/dendrogram.hpp"
#include "sim/core/particles.hpp"

namespace aureole::halo {

struct FofScratch {
    Buffer<std::byte> block, overflow;
    SpanningTreeFinder spanning_tree;
    SlabFinder slabs;
    bool searched_before = false;
    FofTimes times;
    Buffer<std::int32_t> label;  ///< of groups that were found on the host
    Buffer<Index> n_members;
    Buffer<std::uint8_t> core;  ///< on request
};

namespace {

/// One find: the phases in order.
class Search {
public:
    Search(Exec exec, const ConstParticlesView& particles, const FofConfig& config, FofScratch& scratch,
           const Progress& progress)
        : scratch_(scratch), w_(exec, particles, config, scratch.block), progress_(progress)
    {
        scratch_.times = {};
    }

    GroupsView run()
    {
        progress_.at(0, "sorting particles");
        summarize();
        choose_linker();
        linker_->order(n_linking_);
        clock(scratch_.times.order);
        progress_.at(0.3, "building the structure to link in");
        linker_->build(n_linking_);
        keep_core_points();
        clock(scratch_.times.tree);
        progress_.at(0.5, "linking friends");
        link();
        clock(scratch_.times.link);
        progress_.at(0.9, "numbering groups");
        label();
        clock(scratch_.times.label);
        return {w_.particles().n, groups_.n, reinterpret_cast<const std::int32_t*>(w_.wide_part(3)),
                groups_.n_members, core_flags()};
    }

private:
    using Clock = std::chrono::steady_clock;

    void clock(double& seconds)
    {
        w_.wait();
        const Clock::time_point now = Clock::now();
        seconds = std::chrono::duration<double>(now - last_).count();
        last_ = now;
    }

    void summarize();
    void expect_finite(const char* what, const ConstVec3View& x, Index first_bad) const;
    void choose_linker();
    void keep_core_points();
    void link();
    void label();
    const std::uint8_t* core_flags();

    FofScratch& scratch_;
    FofWorkspace w_;
    const Progress& progress_;
    std::unique_ptr<Linker> linker_;
    Clock::time_point last_ = Clock::now();

    Index n_linking_ = 0;  ///< of linking types
    Index n_core_ = 0;     ///< of them, those that link
    std::uint64_t largest_id_ = 0;
    SetArrays sets_{};
    GroupArrays groups_{};
};

void Search::summarize()
{
    const FofConfig& config = w_.config();
    const ConstParticlesView& particles = w_.particles();
    ParticleSummary summary = ParticleSummary::empty();
    ParticleSummary* const shared = w_.at<ParticleSummary>(w_.memory().summary);
    w_.copy(shared, &summary, sizeof summary);
    summarize_particles(w_.exec(), particles, config.box, config.linking_types, shared);
    if (in_phase_space(config)) summarize_velocities(w_.exec(), particles, shared);
    summary = w_.fetched(shared);
    expect_finite("is at", particles.position, summary.first_bad);
    expect_finite("has velocity", particles.velocity, summary.first_bad_velocity);
    n_linking_ = n_core_ = summary.n_linking;
    largest_id_ = summary.largest_id;
    const double side = config.box.side;
    FofExtent extent{};
    extent.low = config.box.periodic() ? Vec3{0, 0, 0} : summary.lowest();
    extent.high = config.box.periodic() ? Vec3{side, side, side} : summary.highest();
    if (in_phase_space(config)) {
        extent.low_velocity = summary.lowest_velocity();
        extent.high_velocity = summary.highest_velocity();
    }
    w_.set_extent(extent);
}

void Search::expect_finite(const char* what, const ConstVec3View& x, Index first_bad) const
{
    if (first_bad == ParticleSummary::none) return;
    const Index i = first_bad;
    throw Error(damage_text(i, fetched_id(w_.exec(), w_.particles(), i), what,
                            {w_.fetched(x.x + i), w_.fetched(x.y + i), w_.fetched(x.z + i)}));
}

void Search::choose_linker()
{
    if (uses_cells(w_.exec().backend, w_.config())) linker_ = make_cell_linker(w_);
    if (!linker_) linker_ = make_tree_linker(w_);
}

/// Built again of the points with enough friends; the other linking ones follow them.
void Search::keep_core_points()
{
    if (w_.config().min_friends <= 1 || n_linking_ == 0) return;
    auto* const flag = w_.at<std::uint8_t>(w_.memory().set);
    linker_->flag_core(w_.config().min_friends, flag);
    const FlaggedFirst lists{n_linking_,
                             flag,
                             w_.order(),
                             w_.wide_part(0),
                             w_.wide_part(1),
                             w_.counters(),
                             w_.at<std::byte>(w_.memory().narrow)};
    put_flagged_first(w_.exec(), lists);
    n_core_ = w_.fetched(lists.n_flagged);
    linker_->build(n_core_);
}

void Search::link()
{
    if (n_core_ > 0) linker_->link();
    const bool border_joins = w_.config().border == Border::nearest;
    if (!border_joins) leave_alone(w_.exec(), {w_.set()}, {n_core_, n_linking_});
    linker_->join({border_joins ? n_core_ : n_linking_, w_.particles().n});
}

void Search::label()
{
    const Index min_members = w_.config().min_members;
    sets_ = {w_.particles().n, w_.set(), w_.order(), w_.wide_part(0), w_.wide_part(1), w_.wide_part(2)};
    select_groups(w_.exec(), sets_, min_members, w_.counters(),
                  {reinterpret_cast<std::uint8_t*>(w_.wide_part(3)), w_.at<std::byte>(w_.memory().narrow)});
    groups_.n = w_.fetched(w_.counters());
    AUREOLE_EXPECT(groups_.n <= std::numeric_limits<std::int32_t>::max(),
                   "{} groups are more than a label can number: ask for more members than {}", groups_.n,
                   min_members);

    const GroupMemory cut(w_.exec().backend, groups_.n);
    std::byte* block = w_.at<std::byte>(w_.memory().group);
    if (cut.bytes > w_.memory().bytes - w_.memory().group) {
        scratch_.overflow.require(w_.exec().backend, cut.bytes);
        block = scratch_.overflow.data();
    }
    const auto keys = [&](std::size_t offset) { return reinterpret_cast<std::uint64_t*>(block + offset); };
    const auto indices = [&](std::size_t offset) { return reinterpret_cast<Index*>(block + offset); };
    groups_.pairs = {keys(cut.key), keys(cut.spare_key), indices(cut.value), w_.wide_part(3)};
    groups_.n_members = indices(cut.n_members);
    groups_.sort_scratch = block + cut.sort_scratch;
    sort_groups(w_.exec(), sets_, {w_.particles().id, largest_id_}, groups_);
    write_labels(w_.exec(), sets_, reinterpret_cast<std::int32_t*>(w_.wide_part(3)));
}

/// Null unless the settings ask for them.
const std::uint8_t* Search::core_flags()
{
    if (!w_.config().core_flags) return nullptr;
    scratch_.core.require(w_.exec().backend, w_.particles().n);
    write_core_flags(w_.exec(), sets_, n_core_, scratch_.core.data());
    return scratch_.core.data();
}

/// The first time in slabs where these suit: one search alone is to take little memory, which costs time as
/// well when it is new. Those that follow, as in a run, keep what all of space takes at once, and are faster.
GroupsView search(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                  FofScratch& scratch, const Progress& progress)
{
    scratch.times = {};
    const bool first = !std::exchange(scratch.searched_before, true);
    if (!first) scratch.slabs = {};
    if (first && exec.backend == Backend::cpu && uses_cells(exec.backend, config) && !in_phase_space(config))
        if (const auto groups = scratch.slabs.find(particles, config, scratch.times, progress))
            return *groups;
    return Search(exec, particles, config, scratch, progress).run();
}

/// All particles that link are core ones of a spanning tree.
std::vector<std::uint8_t> flags_of_linking(const SpanningTree& tree)
{
    std::vector<std::uint8_t> core(tree.n_particles, tree.n_linking > 0 ? 1 : 0);
    for (const SpanningTree::Join& join : tree.joins) core[join.particle] = 0;
    return core;
}

/// One cut through a spanning tree, which knows the groups of all linking lengths.
Groups cut_spanning_tree(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                         FofScratch& scratch, const Progress& progress)
{
    const double ratio = in_phase_space(config) ? length_per_velocity(config) : 0;
    const SpanningTree tree = scratch.spanning_tree.find(
        exec, particles, {ratio, config.linking_types, config.box}, progress.part(0, 0.9));
    std::vector<std::uint64_t> ids(particles.id ? particles.n : 0);
    copy_bytes(exec, ids.data(), particles.id, ids.size() * sizeof(std::uint64_t));
    const SpanningTreeTimes& times = scratch.spanning_tree.times();
    scratch.times = {times.points, times.tree, times.rounds + times.edges, 0, 0};
    Groups groups = groups_at(tree, config.linking_length, config.min_members, ids);
    if (config.core_flags) groups.core = flags_of_linking(tree);
    return groups;
}

/// Components one after the other, between host and backend.
void copy_vectors(Exec exec, const Vec3View& to, const ConstVec3View& from, std::size_t n)
{
    copy_bytes(exec, to.x, from.x, n * sizeof(double));
    copy_bytes(exec, to.y, from.y, n * sizeof(double));
    copy_bytes(exec, to.z, from.z, n * sizeof(double));
}

/// Means of what is not finite would spoil whole groups.
void expect_finite_velocities(Exec exec, const ConstVec3View& velocity, const ConstParticlesView& particles)
{
    for (Index i = 0; i < particles.n; ++i) {
        const Vec3 v = velocity.load(i);
        if (std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z)) continue;
        throw Error(damage_text(i, fetched_id(exec, particles, i), "has velocity", v));
    }
}

/// In velocities measured in dispersions of 3-D groups.
Groups find_in_dispersions(Exec exec, const ConstParticlesView& particles, FofConfig config,
                           FriendsOfFriends& finder, const Progress& progress)
{
    const double psi = config.relative_linking_velocity;
    config.relative_linking_velocity = 0;
    FofConfig in_space = config;
    in_space.min_friends = 1;  // core particles are among these friends
    in_space.core_flags = false;
    const Groups groups = finder.find(exec, particles, in_space, progress.part(0, 0.4));
    Vec3Buffer velocity(Backend::cpu, particles.n);
    copy_vectors(exec, velocity.view(), particles.velocity, particles.n);
    expect_finite_velocities(exec, velocity.view(), particles);
    scale_by_dispersion(velocity.view(), groups);
    Vec3Buffer there(exec.backend, particles.n);
    copy_vectors(exec, there.view(), velocity.view(), particles.n);
    ConstParticlesView view = particles;
    view.velocity = there.view();
    config.linking_velocity = psi;
    return finder.find(exec, view, config, progress.part(0.5, 1));
}

}  // namespace

const char* name_of(Method method)
{
    constexpr const char* names[] = {"fastest", "kd_tree", "brute_force", "grid", "spanning_tree"};
    return names[static_cast<int>(method)];
}

FriendsOfFriends::FriendsOfFriends() : scratch_(std::make_unique<FofScratch>()) {}
FriendsOfFriends::~FriendsOfFriends() = default;

Groups FriendsOfFriends::find(Exec exec, const ConstParticlesView& particles, const FofConfig& config,
                              const Progress& progress)
{
    expect_read_arrays(exec.backend, particles, config);
    expect_sound(config);
    if (particles.n == 0) return {};
    if (config.relative_linking_velocity > 0)
        return find_in_dispersions(exec, particles, config, *this, progress);
    if (config.method == Method::spanning_tree)
        return cut_spanning_tree(exec, particles, config, *scratch_, progress);
    const GroupsView groups = search(exec, particles, config, *scratch_, progress);
    const auto start = std::chrono::steady_clock::now();
    Groups result = groups_on_host(exec, groups);
    scratch_->times.copy = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

GroupsView FriendsOfFriends::find_on_device(Exec exec, const ConstParticlesView& particles,
                                            const FofConfig& config, const Progress& progress)
{
    expect_read_arrays(exec.backend, particles, config);
    expect_sound(config);
    if (particles.n == 0) return {};
    if (config.relative_linking_velocity == 0 && config.method != Method::spanning_tree)
        return search(exec, particles, config, *scratch_, progress);
    const Groups groups = find(exec, particles, config, progress);
    scratch_->label = Buffer<std::int32_t>(exec.backend, std::span(groups.label));
    scratch_->n_members = Buffer<Index>(exec.backend, std::span(groups.n_members));
    scratch_->core = Buffer<std::uint8_t>(exec.backend, std::span(groups.core));
    return {particles.n, static_cast<Index>(groups.size()), scratch_->label.data(),
            scratch_->n_members.data(), config.core_flags ? scratch_->core.data() : nullptr};
}

const FofTimes& FriendsOfFriends::times() const { return scratch_->times; }

std::size_t FriendsOfFriends::scratch_bytes(Backend where, std::size_t n, const FofConfig& config)
{
    if (n == 0) return 0;
    if (config.method == Method::spanning_tree)
        return SpanningTreeFinder::scratch_bytes(where, n, in_phase_space(config));
    return FofMemory(where, size_of(where, n, config)).bytes + (config.core_flags ? n : 0);
}

}  // namespace aureole::halo
