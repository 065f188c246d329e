// The search within some groups: candidates, their competition for the points, and what they hold.
#include "halo/substructure/group_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "halo/copy_bytes.hpp"
#include "halo/substructure/competition.hpp"
#include "halo/substructure/parents.hpp"
#include "halo/substructure/substructure.hpp"

namespace aureole::halo {
namespace {

constexpr double floor_share = 1e-6;  ///< of the group's dispersions: what counts as zero
constexpr double early_last_part = 0.01;

class GroupSearch {
public:
    GroupSearch(Exec exec, const PhasePoints& points, const SubhaloConfig& config, Arena& arena,
                const Progress& progress);
    void settle(const Terms& terms);
    void compete();
    void replace_main(const Terms& terms);
    /// Rows, and what they hold into `members`.
    Subhalos ranked(const SubhaloMembers& members);

private:
    /// What a branch holds.
    struct Holding {
        Index n = 0;
        PhaseCentre centre{};
    };
    /// Points by the key of their owner.
    struct OwnedLists {
        PointLists lists;
        std::vector<Index> key;            ///< per list
        std::vector<std::uint64_t> begin;  ///< per list
    };

    template <class T>
    T* uploaded(const std::vector<T>& values)
    {
        return halo::uploaded(exec_, values, arena_);
    }
    OwnedLists lists_of(const std::vector<std::uint8_t>& wanted, const std::vector<Index>& key_of);
    void test(const OwnedLists& owned, const Terms& terms, const std::vector<Index>& loser);
    void start_mergers(std::vector<SubhaloCandidate>& candidates);
    GroupedBranches held_branches(std::size_t from) const;
    std::vector<SubhaloCandidate> candidates() const;
    bool is_main(std::size_t branch) const { return branch < points_.n_groups; }
    Standing standing(std::size_t branch, const std::vector<double>& mass) const
    {
        return {mass[branch], holding_[branch].n, branch};
    }
    std::vector<double> masses();
    std::vector<std::int32_t> parents(const std::vector<Index>& order, const OwnedLists& owned,
                                      const MemberColumns& columns);

    Exec exec_;
    PhasePoints points_;
    const SubhaloConfig& config_;
    Arena& arena_;
    const Progress& progress_;
    Index* owner_;
    float* energy_;
    std::vector<Branch> branch_;
    std::vector<int> height_;  ///< per branch: 0 without children, else one above the highest of them
    int highest_ = 0;
    std::vector<Index> self_;       ///< per branch: its number
    std::vector<Holding> holding_;  ///< per branch
    std::vector<PhaseCentre> main_centre_;
    std::vector<std::uint8_t> merging_;  ///< per branch
    GroupScales scales_;
    bool started_ = false;  ///< densities were fitted before
};

GroupSearch::GroupSearch(Exec exec, const PhasePoints& points, const SubhaloConfig& config, Arena& arena,
                         const Progress& progress)
    : exec_(exec),
      points_(points),
      config_(config),
      arena_(arena),
      progress_(progress),
      owner_(arena.take<Index>(points.n)),
      energy_(arena.take<float>(points.n))
{
    BranchForest forest = find_branches(exec, points, config.hierarchy, owner_, arena, progress);
    branch_ = std::move(forest.branch);
    main_centre_ = std::move(forest.core);
    holding_.resize(branch_.size());
    merging_.resize(branch_.size(), 0);
    self_.resize(branch_.size());
    std::iota(self_.begin(), self_.end(), Index{0});
    height_.assign(branch_.size(), 0);
    for (std::size_t b = branch_.size(); b-- > points.n_groups;) {
        int& above = height_[static_cast<std::size_t>(branch_[b].parent)];
        above = std::max(above, height_[b] + 1);
    }
    for (const int height : height_) highest_ = std::max(highest_, height);
    std::vector<PhaseFloor> floor(points.n_groups);
    for (std::size_t g = 0; g < floor.size(); ++g) {
        const Moments& whole = branch_[g].moments;
        if (whole.size > 0) floor[g].length = floor_share * whole.size;
        if (whole.speed > 0) floor[g].speed = floor_share * whole.speed;
    }
    scales_ = find_scales(exec, points, floor, arena);
}

/// In the arena; points of each list rise.
GroupSearch::OwnedLists GroupSearch::lists_of(const std::vector<std::uint8_t>& wanted,
                                              const std::vector<Index>& key_of)
{
    OwnedLists owned;
    auto* const point = arena_.take<Index>(points_.n);
    Index n = 0, n_lists = 0;
    {
        const Arena::Frame frame(arena_);
        auto* const flag = arena_.take<std::uint8_t>(points_.n);
        auto* const selected = arena_.take<Index>(points_.n);
        flag_owned(exec_, points_.n, owner_, uploaded(wanted), flag);
        n = select_numbers(exec_, points_.n, flag, selected, arena_);
        SortBuffers pairs{arena_.take<std::uint64_t>(n), arena_.take<std::uint64_t>(n), selected,
                          arena_.take<Index>(n)};
        key_by_owner(exec_, n, owner_, uploaded(key_of), pairs);
        sort_pairs(exec_, n, pairs, static_cast<int>(std::bit_width(branch_.size())),
                   arena_.take<std::byte>(sort_pairs_scratch_bytes(exec_.backend, n)));
        copy_points(exec_, pairs.value, n, point);
        flag_beginnings(exec_, pairs.key, n, flag);
        n_lists = select_numbers(exec_, n, flag, pairs.spare_value, arena_);
        auto* const key = arena_.take<Index>(n_lists);
        fetch_keys(exec_, pairs.key, pairs.spare_value, n_lists, key);
        owned.key.resize(n_lists);
        std::vector<Index> beginning(n_lists);
        fetch_in_order(exec_, owned.key.data(), key, n_lists * sizeof(Index));
        fetch_in_order(exec_, beginning.data(), pairs.spare_value, n_lists * sizeof(Index));
        owned.begin.assign(beginning.begin(), beginning.end());
        owned.begin.push_back(n);
    }
    owned.lists = make_lists(exec_, owned.begin, point, arena_);
    return owned;
}

/// What a tested branch, the key of its list, does not keep goes to its loser.
void GroupSearch::test(const OwnedLists& owned, const Terms& terms, const std::vector<Index>& loser)
{
    const Index n = owned.lists.n_lists;
    if (n == 0) return;
    const Arena::Frame frame(arena_);
    auto* const kept = arena_.take<std::uint8_t>(owned.lists.n);
    const std::vector<BoundList> bound =
        unbind(exec_, points_, owned.lists,
               {config_.softening, config_.unbinding, terms.least_members, terms.last_part}, {kept, energy_},
               arena_, progress_);
    std::vector<std::uint8_t> holds(n);
    std::vector<Index> to(n);
    for (std::size_t l = 0; l < n; ++l) {
        const Index branch = owned.key[l];
        const auto offered = static_cast<double>(owned.begin[l + 1] - owned.begin[l]);
        const double fraction = static_cast<double>(bound[l].n) / offered;
        holds[l] =
            bound[l].n > 0 && (is_main(branch) || !config_.unbinding || fraction >= terms.least_fraction);
        to[l] = loser[branch];
        if (holds[l])
            holding_[branch] = {bound[l].n, bound[l].centre};
        else
            holding_[branch] = {};
    }
    hand_on(exec_, owned.lists, kept, uploaded(holds), uploaded(owned.key), uploaded(to), owner_);
}

/// From the lowest branches up, so that each has been offered all from below before it is tested.
void GroupSearch::settle(const Terms& terms)
{
    std::vector<Index> parent(branch_.size());
    for (std::size_t b = 0; b < branch_.size(); ++b)
        parent[b] = is_main(b) ? no_branch : static_cast<Index>(branch_[b].parent);
    std::ranges::fill(holding_, Holding{});
    for (int height = 0; height <= highest_; ++height) {
        progress_.at(0, "subhalos of groups");
        std::vector<std::uint8_t> wanted(branch_.size(), 0);
        for (std::size_t b = 0; b < branch_.size(); ++b)
            wanted[b] = height_[b] == height && (terms.main_halo || !is_main(b));
        const Arena::Frame frame(arena_);
        test(lists_of(wanted, self_), terms, parent);
    }
}

/// Per branch: the mass that it holds.
std::vector<double> GroupSearch::masses()
{
    std::vector<double> mass(branch_.size(), 0);
    const Arena::Frame frame(arena_);
    std::vector<std::uint8_t> wanted(branch_.size(), 1);
    const OwnedLists owned = lists_of(wanted, self_);
    if (owned.lists.n_lists == 0) return mass;
    auto* const there = arena_.take<double>(owned.lists.n_lists);
    find_masses(exec_, points_, owned.lists, arena_, there);
    std::vector<double> found(owned.lists.n_lists);
    fetch_in_order(exec_, found.data(), there, found.size() * sizeof(double));
    for (std::size_t l = 0; l < found.size(); ++l) mass[owned.key[l]] = found[l];
    return mass;
}

/// Where the first branch turned out to be no halo, the greatest of the others is offered what it leaves.
void GroupSearch::replace_main(const Terms& terms)
{
    std::vector<Index> heir(points_.n_groups, no_branch);
    if (std::ranges::all_of(std::span(holding_).first(points_.n_groups),
                            [](const Holding& h) { return h.n > 0; }))
        return;
    const std::vector<double> mass = masses();
    bool any = false;
    for (std::size_t b = points_.n_groups; b < branch_.size(); ++b) {
        Index& first = heir[branch_[b].group];
        if (holding_[b].n == 0 || holding_[branch_[b].group].n > 0) continue;
        if (first == no_branch || outranks(standing(b, mass), standing(first, mass)))
            first = static_cast<Index>(b);
        any = true;
    }
    if (!any) return;
    const Arena::Frame frame(arena_);
    std::vector<std::uint8_t> wanted(branch_.size(), 0);
    std::vector<Index> none(branch_.size(), no_branch);
    std::vector<Holding> before = holding_;
    for (const Index first : heir)
        if (first != no_branch) wanted[first] = 1;
    auto* const owner = arena_.take<Index>(points_.n);
    copy_in_order(exec_, owner, owner_, points_.n * sizeof(Index));
    offer_rest(exec_, points_, uploaded(heir), owner_);
    // little of what is offered may be bound to it, and it is a subhalo all the same
    test(lists_of(wanted, self_), {terms.least_members, 0, true}, none);
    std::vector<std::uint8_t> lost(points_.n_groups, 0);
    bool any_lost = false;
    for (std::size_t g = 0; g < heir.size(); ++g)
        if (heir[g] != no_branch && holding_[heir[g]].n == 0) {
            lost[g] = any_lost = true;
            holding_[heir[g]] = before[heir[g]];
        }
    if (any_lost) restore_owners(exec_, points_, uploaded(lost), owner, owner_);
}

/// Of those from `from` on.
GroupedBranches GroupSearch::held_branches(std::size_t from) const
{
    return branches_by_group(branch_, points_.n_groups,
                             [&](std::size_t b) { return b >= from && holding_[b].n > 0; });
}

/// Groups with candidates, the first branch of each before the others.
std::vector<SubhaloCandidate> GroupSearch::candidates() const
{
    const GroupedBranches held = held_branches(points_.n_groups);
    std::vector<SubhaloCandidate> result;
    result.reserve(2 * held.branch.size());
    for (Index g = 0; g < points_.n_groups; ++g) {
        if (held.of(g).empty()) continue;
        result.push_back({g, g, main_centre_[g]});
        for (const Index b : held.of(g)) result.push_back({g, b, holding_[b].centre});
    }
    return result;
}

/// Branches that merge with others of comparable mass start from equal parts.
void GroupSearch::start_mergers(std::vector<SubhaloCandidate>& candidates)
{
    for (const std::vector<MergerPool>& pools : merger_pools(branch_, points_.n_groups, candidates))
        share_out(exec_, points_, pools, static_cast<Index>(branch_.size()), owner_, arena_);
    for (const SubhaloCandidate& c : candidates) {
        merging_[c.branch] = c.merging;
        if (is_main(c.branch)) main_centre_[c.group] = c.centre;
    }
}

void GroupSearch::compete()
{
    std::vector<SubhaloCandidate> all = candidates();
    if (all.empty()) return;
    CompetitionRules rules{config_.turns, config_.turns, config_.unbinding};
    if (!started_) start_mergers(all);
    started_ = true;
    for (SubhaloCandidate& c : all) {
        c.merging = merging_[c.branch] != 0;
        if (c.merging) rules.most_turns = std::max(config_.turns, config_.most_turns);
    }
    halo::compete(exec_, points_, scales_, all, static_cast<Index>(branch_.size()), owner_, rules, owner_,
                  arena_, progress_);
}

/// How far halos reach decides which lie in them; see reach_density.
std::vector<std::int32_t> GroupSearch::parents(const std::vector<Index>& order, const OwnedLists& owned,
                                               const MemberColumns& columns)
{
    std::vector<HaloRow> rows;
    for (const Index b : order) rows.push_back({b, holding_[b].centre.position});
    if (columns.squared_radius) {
        const RadialLists members{owned.lists.view(), owned.lists.longest, columns.squared_radius,
                                  columns.mass};
        const std::vector<double> reach = reaches_of(exec_, members, config_.reach_density, arena_);
        for (std::size_t r = 0; r < rows.size(); ++r) rows[r].reach = reach[r];
    }
    return parents_of_rows(branch_, points_.n_groups, rows);
}

Subhalos GroupSearch::ranked(const SubhaloMembers& members)
{
    const std::vector<double> mass = masses();
    const GroupedBranches held = held_branches(0);
    std::vector<Index> order = held.branch;
    for (Index g = 0; g < points_.n_groups; ++g)
        std::ranges::sort(std::span(order).subspan(held.begin[g], held.begin[g + 1] - held.begin[g]),
                          [&](Index a, Index b) { return outranks(standing(a, mass), standing(b, mass)); });
    Subhalos found;
    if (order.empty()) return found;
    const Arena::Frame frame(arena_);
    std::vector<std::uint8_t> wanted(branch_.size(), 0);
    std::vector<Index> row_of(branch_.size(), 0);
    std::vector<Vec3> centre(order.size()), origin(points_.n_groups);
    fetch_in_order(exec_, origin.data(), points_.origin, origin.size() * sizeof(Vec3));
    for (std::size_t r = 0; r < order.size(); ++r) {
        const Index b = order[r];
        wanted[b] = 1;
        row_of[b] = static_cast<Index>(r);
        centre[r] = holding_[b].centre.position;
        const Index g = branch_[b].group;
        found.group.push_back(static_cast<std::int32_t>(g));
        found.rank.push_back(r > 0 && branch_[order[r - 1]].group == g ? found.rank.back() + 1 : 0);
        found.core_position.push_back(config_.box.wrap(origin[g] + centre[r]));
        found.core_velocity.push_back(holding_[b].centre.velocity);
    }
    OwnedLists owned = lists_of(wanted, row_of);
    const Index n = owned.lists.n;
    SortBuffers pairs{arena_.take<std::uint64_t>(n), arena_.take<std::uint64_t>(n),
                      const_cast<Index*>(owned.lists.point), arena_.take<Index>(n)};
    key_by_energy(exec_, n, owner_, uploaded(row_of), energy_, pairs);
    sort_pairs(exec_, n, pairs, 32 + static_cast<int>(std::bit_width(order.size())),
               arena_.take<std::byte>(sort_pairs_scratch_bytes(exec_.backend, n)));
    owned.lists.point = pairs.value;
    const bool any_inside = std::ranges::adjacent_find(found.group) != found.group.end();
    const bool by_mass = any_inside && config_.reach_density > 0;
    const MemberColumns columns{members.particle, members.binding_energy,
                                any_inside ? arena_.take<double>(n) : nullptr,
                                by_mass ? arena_.take<double>(n) : nullptr};
    fill_columns(exec_, points_, owned.lists, uploaded(centre), energy_, columns);
    found.members.begin = owned.begin;
    found.parent = parents(order, owned, columns);
    return found;
}

}  // namespace

Terms terms_of_pieces(const SubhaloConfig& config)
{
    return {std::max<std::size_t>(config.hierarchy.min_piece / 2, 1), 0, false, early_last_part};
}

Terms terms_of_round(const SubhaloConfig& config, int round)
{
    if (round == config.rounds) return {config.min_members, config.least_bound_fraction, true};
    return {std::max<std::size_t>(config.min_members / 2, 1), 0.5 * config.least_bound_fraction, false,
            early_last_part};
}

Subhalos subhalos_of_groups(Exec exec, const ConstParticlesView& particles,
                            const std::vector<std::uint64_t>& begin, const Index* particle,
                            const SubhaloConfig& config, const SubhaloMembers& members, Arena& arena,
                            const Progress& progress)
{
    arena.reserve(subhalo_search_bytes(exec.backend, begin.back()));
    const Arena::Frame frame(arena);
    const PointLists lists = make_lists(exec, begin, particle, arena);
    const PhasePoints points = gather_phase_points(exec, particles, lists.view(), lists.longest, config.box,
                                                   config.gravitational_constant, arena);
    GroupSearch search(exec, points, config, arena, progress);
    search.settle(terms_of_pieces(config));
    for (int round = 1; round <= config.rounds; ++round) {
        search.compete();
        search.settle(terms_of_round(config, round));
    }
    search.replace_main(terms_of_round(config, config.rounds));
    return search.ranked(members);
}

}  // namespace aureole::halo
