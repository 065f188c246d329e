#include "halo/substructure/competition.hpp"

#include <algorithm>
#include <cmath>

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/curve_keys.hpp"

namespace aureole::halo {
namespace {

constexpr Index leaf_halos = 2;

/// Candidates of a group, neighbours after each other; the background stays first.
void order_group(std::span<Contestant> group)
{
    Vec3 low = group[0].centre.position, high = low;
    for (const Contestant& c : group) {
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
    const std::vector<Contestant> before(group.begin(), group.end());
    for (std::size_t k = 0; k < order.size(); ++k) group[k + 1] = before[order[k].second];
}

class Competition {
public:
    Competition(Exec exec, const PhasePoints& points, const GroupScales& scales,
                std::span<const Contestant> contestants, Index n_branches, Arena& arena)
        : exec_(exec), arena_(arena), contestant_(contestants.begin(), contestants.end())
    {
        std::vector<HaloTree> trees(points.n_groups);
        Index n_nodes = 0;
        for (std::size_t first = 0, g = 0; g < trees.size(); ++g) {
            trees[g] = {static_cast<Index>(first), n_nodes, {}};
            std::size_t end = first;
            while (end < contestant_.size() && contestant_[end].group == g) ++end;
            if (end > first + 1) {
                order_group(std::span(contestant_).subspan(first, end - first));
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
        const auto n = static_cast<Index>(contestant_.size());
        std::vector<PhaseCentre> centre(n);
        std::vector<Index> group(n), branch(n), halo_of_branch(n_branches, CompetitionView::no_halo);
        for (Index h = 0; h < n; ++h) {
            centre[h] = contestant_[h].centre;
            group[h] = contestant_[h].group;
            branch[h] = contestant_[h].branch;
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
        auto* const contested = arena_.take<Index>(n);
        const Arena::Frame frame(arena_);
        auto* const flag = arena_.take<std::uint8_t>(n);
        flag_contested(exec_, view_.points, view_.tree, flag);
        view_.contested = contested;
        view_.n_contested = select_numbers(exec_, n, flag, contested, arena_);
    }

    /// Whether rivals of any group have not settled; groups without are done.
    bool any_goes_on()
    {
        std::vector<std::uint8_t> active(active_.size(), 0), unsettled(view_.n_halos);
        flag_unsettled(exec_, view_);
        fetch_in_order(exec_, unsettled.data(), view_.unsettled, unsettled.size());
        bool any = false;
        for (Index h = 0; h < view_.n_halos; ++h) {
            const Contestant& c = contestant_[h];
            if (!c.rival || !active_[c.group] || !unsettled[h]) continue;
            active[c.group] = 1;
            any = true;
        }
        active_ = std::move(active);
        copy_in_order(exec_, view_.active, active_.data(), active_.size());
        return any;
    }

    Exec exec_;
    Arena& arena_;
    std::vector<Contestant> contestant_;
    CompetitionView view_{};
    std::vector<std::uint8_t> active_;
};

}  // namespace

void compete(Exec exec, const PhasePoints& points, const GroupScales& scales,
             std::span<const Contestant> contestants, Index n_branches, const Index* start,
             const CompetitionRules& rules, Index* winner, Arena& arena, const Progress& progress)
{
    const Arena::Frame frame(arena);
    Competition(exec, points, scales, contestants, n_branches, arena).run(start, rules, winner, progress);
}

namespace {
constexpr double least_ratio = 0.2;  ///< of the members of two pieces
/// In dispersions of all that the parent began with. What the noise of one core makes two of lies nearer:
/// within a core, a dispersion or less apart.
constexpr double least_separation = 1.5;

}  // namespace

bool are_rivals(const Branch& branch, const Branch& parent)
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

std::vector<std::vector<RivalPool>> rival_pools(std::span<const Branch> branches, Index n_groups,
                                                std::span<Contestant> contestants)
{
    std::vector<Contestant*> of_branch(branches.size(), nullptr);
    for (Contestant& c : contestants) of_branch[c.branch] = &c;
    std::vector<std::vector<Contestant*>> rivals(branches.size());
    for (std::size_t b = n_groups; b < branches.size(); ++b)
        if (const auto parent = static_cast<std::size_t>(branches[b].parent);
            of_branch[b] && of_branch[parent] && are_rivals(branches[b], branches[parent]))
            rivals[parent].push_back(of_branch[b]);
    std::vector<std::vector<RivalPool>> of_turn;
    std::vector<std::size_t> n_pools(n_groups, 0);
    for (std::size_t parent = 0; parent < branches.size(); ++parent) {
        if (rivals[parent].empty()) continue;
        // the core of the branch itself is that from which the last of its rivals parted
        const Contestant* const last = *std::ranges::max_element(
            rivals[parent], {}, [&](const Contestant* c) { return branches[c->branch].level; });
        const Moments& sibling = branches[last->branch].sibling;
        Contestant& own = *of_branch[parent];
        RivalPool pool{
            own.group, branches[parent].moments, {own.branch}, {{sibling.position, sibling.velocity}}};
        for (Contestant* const rival : rivals[parent]) {
            pool.branch.push_back(rival->branch);
            pool.centre.push_back(rival->centre);
            rival->rival = true;
        }
        own.rival = true;
        own.centre = pool.centre.front();
        const std::size_t turn = n_pools[pool.group]++;
        if (turn == of_turn.size()) of_turn.emplace_back();
        of_turn[turn].push_back(std::move(pool));
    }
    return of_turn;
}

}  // namespace aureole::halo
