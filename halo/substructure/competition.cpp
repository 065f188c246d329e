#include "halo/substructure/competition.hpp"

#include <algorithm>
#include <cmath>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::halo {
namespace {

constexpr Index leaf_halos = 2;

/// Candidates of a group, neighbours after each other; the background stays first.
void order_group(std::span<SubhaloCandidate> group)
{
    Vec3 low = group[0].centre.position, high = low;
    for (const SubhaloCandidate& c : group) {
        low = smaller(low, c.centre.position);
        high = larger(high, c.centre.position);
    }
    const Vec3 d = high - low;
    const double side = std::max({d.x, d.y, d.z});
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t k = 1; k < group.size(); ++k) {
        const Vec3 at = group[k].centre.position - low;
        const double per = side > 0 ? 1023 / side : 0;
        const std::uint32_t cell[3] = {static_cast<std::uint32_t>(per * at.x),
                                       static_cast<std::uint32_t>(per * at.y),
                                       static_cast<std::uint32_t>(per * at.z)};
        order.emplace_back(morton_key(cell), k);
    }
    std::ranges::sort(order);
    const std::vector<SubhaloCandidate> before(group.begin(), group.end());
    for (std::size_t k = 0; k < order.size(); ++k) group[k + 1] = before[order[k].second];
}

class Competition {
public:
    Competition(Exec exec, const PhasePoints& points, const GroupScales& scales,
                std::span<const SubhaloCandidate> candidates, Index n_branches, Arena& arena)
        : exec_(exec), arena_(arena), candidate_(candidates.begin(), candidates.end())
    {
        std::vector<HaloTree> trees(points.n_groups);
        Index n_nodes = 0;
        for (std::size_t first = 0, g = 0; g < trees.size(); ++g) {
            trees[g] = {static_cast<Index>(first), n_nodes, {}};
            std::size_t end = first;
            while (end < candidate_.size() && candidate_[end].group == g) ++end;
            if (end > first + 1) {
                order_group(std::span(candidate_).subspan(first, end - first));
                trees[g].shape = BalancedTree::over(end - first - 1, leaf_halos);
                n_nodes += static_cast<Index>(trees[g].shape.n_places());
            }
            first = end;
        }
        view_.points = points;
        view_.scales = scales;
        view_.tree = uploaded(exec, trees, arena);
        active_.assign(points.n_groups, 1);
        view_.active = uploaded(exec, active_, arena);
        view_.n_nodes = n_nodes;
        view_.box = arena.take<BoundingBox<double>>(n_nodes);
        take_halos(n_branches);
        take_points();
    }

    void run(const Index* start, const CompetitionRules& rules, Index* winner, const Progress& progress)
    {
        view_.bound_only = rules.bound_only;
        start_profiles(exec_, view_, start);
        for (int turn = 1; turn <= rules.most_turns; ++turn) {
            progress.at(0, "shares of subhalos");
            turn_profiles(exec_, view_);
            if (turn >= rules.turns && !any_goes_on()) break;
        }
        find_winners(exec_, view_, winner);
    }

private:
    void take_halos(Index n_branches)
    {
        const auto n = static_cast<Index>(candidate_.size());
        std::vector<PhaseCentre> centre(n);
        std::vector<Index> group(n), branch(n), halo_of_branch(n_branches, CompetitionView::no_halo);
        for (Index h = 0; h < n; ++h) {
            centre[h] = candidate_[h].centre;
            group[h] = candidate_[h].group;
            branch[h] = candidate_[h].branch;
            halo_of_branch[branch[h]] = h;
        }
        view_.n_halos = n;
        view_.centre = uploaded(exec_, centre, arena_);
        view_.profile = arena_.take<PhaseProfile>(n);
        view_.group = uploaded(exec_, group, arena_);
        view_.branch = uploaded(exec_, branch, arena_);
        view_.halo_of_branch = uploaded(exec_, halo_of_branch, arena_);
        view_.sums = arena_.take<ProfileSums>(n);
        view_.shells = arena_.take<ProfileShells>(n);
        view_.least_top = arena_.take<double>(n);
        view_.unsettled = arena_.take<std::uint8_t>(n);
    }

    void take_points()
    {
        const Index n = view_.points.n;
        auto* const to_assign = arena_.take<Index>(n);
        const Arena::Frame frame(arena_);
        auto* const flag = arena_.take<std::uint8_t>(n);
        flag_to_assign(exec_, view_.points, view_.tree, flag);
        view_.to_assign = to_assign;
        view_.n_to_assign = select_numbers(exec_, n, flag, to_assign, arena_);
    }

    /// Whether merging halos of any group have not settled; groups without are done.
    bool any_goes_on()
    {
        std::vector<std::uint8_t> active(active_.size(), 0), unsettled(view_.n_halos);
        flag_unsettled(exec_, view_);
        fetch_in_order(exec_, unsettled.data(), view_.unsettled, unsettled.size());
        bool any = false;
        for (Index h = 0; h < view_.n_halos; ++h) {
            const SubhaloCandidate& c = candidate_[h];
            if (!c.merging || !active_[c.group] || !unsettled[h]) continue;
            active[c.group] = 1;
            any = true;
        }
        active_ = std::move(active);
        copy_in_order(exec_, view_.active, active_.data(), active_.size());
        return any;
    }

    Exec exec_;
    Arena& arena_;
    std::vector<SubhaloCandidate> candidate_;
    CompetitionView view_{};
    std::vector<std::uint8_t> active_;
};

}  // namespace

void compete(Exec exec, const PhasePoints& points, const GroupScales& scales,
             std::span<const SubhaloCandidate> candidates, Index n_branches, const Index* start,
             const CompetitionRules& rules, Index* winner, Arena& arena, const Progress& progress)
{
    const Arena::Frame frame(arena);
    Competition(exec, points, scales, candidates, n_branches, arena).run(start, rules, winner, progress);
}

namespace {
constexpr double least_ratio = 0.2;  ///< of the members of two pieces
/// In dispersions of all that the parent began with. What the noise of one core makes two of lies nearer:
/// within a core, a dispersion or less apart.
constexpr double least_separation = 1.5;

}  // namespace

bool are_comparable(const Branch& branch, const Branch& parent)
{
    if (static_cast<double>(branch.n_members) < least_ratio * static_cast<double>(branch.n_sibling))
        return false;
    const Vec3 dx = branch.moments.position - branch.sibling.position;
    const Vec3 dv = branch.moments.velocity - branch.sibling.velocity;
    const double size = parent.moments.size, speed = parent.moments.speed;
    const double squared =
        (size > 0 ? dot(dx, dx) / (size * size) : 0) + (speed > 0 ? dot(dv, dv) / (speed * speed) : 0);
    return squared >= least_separation * least_separation;
}

std::vector<std::vector<MergerPool>> merger_pools(std::span<const Branch> branches, Index n_groups,
                                                  std::span<SubhaloCandidate> candidates)
{
    std::vector<SubhaloCandidate*> of_branch(branches.size(), nullptr);
    for (SubhaloCandidate& c : candidates) of_branch[c.branch] = &c;
    std::vector<std::vector<SubhaloCandidate*>> comparable(branches.size());
    for (std::size_t b = n_groups; b < branches.size(); ++b)
        if (const auto parent = static_cast<std::size_t>(branches[b].parent);
            of_branch[b] && of_branch[parent] && are_comparable(branches[b], branches[parent]))
            comparable[parent].push_back(of_branch[b]);
    std::vector<std::vector<MergerPool>> of_turn;
    std::vector<std::size_t> n_pools(n_groups, 0);
    for (std::size_t parent = 0; parent < branches.size(); ++parent) {
        if (comparable[parent].empty()) continue;
        // the core of the branch itself is that from which the last of comparable mass parted
        const SubhaloCandidate* const last = *std::ranges::max_element(
            comparable[parent], {}, [&](const SubhaloCandidate* c) { return branches[c->branch].level; });
        const Moments& sibling = branches[last->branch].sibling;
        SubhaloCandidate& own = *of_branch[parent];
        MergerPool pool{
            own.group, branches[parent].moments, {own.branch}, {{sibling.position, sibling.velocity}}};
        for (SubhaloCandidate* const other : comparable[parent]) {
            pool.branch.push_back(other->branch);
            pool.centre.push_back(other->centre);
            other->merging = true;
        }
        own.merging = true;
        own.centre = pool.centre.front();
        const std::size_t turn = n_pools[pool.group]++;
        if (turn == of_turn.size()) of_turn.emplace_back();
        of_turn[turn].push_back(std::move(pool));
    }
    return of_turn;
}

}  // namespace aureole::halo
