#include "halo/substructure/substructure.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "halo/substructure/competition.hpp"
#include "halo/substructure/hierarchy.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t large_candidate = 20000;  ///< unbound by all threads together; smaller ones by one each
constexpr double floor_share = 1e-6;            ///< of the group's dispersions: what counts as zero

/// What a candidate has to show.
struct Terms {
    std::size_t least_members;
    double least_fraction;  ///< of what it was offered
    bool main_halo;         ///< whether branch 0 is tested too, or keeps what it has
};

std::vector<Share> certain(const std::vector<Index>& members)
{
    std::vector<Share> shares;
    shares.reserve(members.size());
    for (const Index i : members) shares.push_back({i, 1});
    return shares;
}

/// Candidates of one group, and which of them each member belongs to.
class Contest {
public:
    Contest(const GroupPoints& points, const SubhaloConfig& config, const Progress& progress);
    void settle(const Terms& terms);
    void compete();
    void replace_main(const Terms& terms);
    std::vector<GroupSubhalo> ranked() const;

private:
    using Numbers = std::vector<Index>;

    BoundMembers test(Unbinder& unbinder, std::size_t branch, const Terms& terms) const;
    void test_all(const std::vector<std::size_t>& branches, const Terms& terms);
    double mass_of(const BoundMembers& bound) const;
    void hand_on(std::size_t branch);
    Halos profiles() const;
    Numbers start_of(std::size_t branch) const;
    void start_rivals(Halos& halos);
    bool outranks(std::size_t a, std::size_t b) const;
    std::vector<std::int32_t> parents(std::span<const std::int32_t> rank) const;

    const GroupPoints& points_;
    const SubhaloConfig& config_;
    const Progress& progress_;
    std::vector<Branch> branches_;
    std::vector<std::vector<std::size_t>> at_depth_;  ///< branches by the number of their ancestors
    std::vector<Numbers> offered_;                    ///< per branch, rising
    std::vector<BoundMembers> bound_;                 ///< per branch; empty: no subhalo
    std::vector<double> mass_;                        ///< per branch
    CompetitionRules rules_;
    PhaseCentre main_centre_;
    bool started_ = false;  ///< densities were fitted before
    std::optional<PlaceSearch> search_;
};

Contest::Contest(const GroupPoints& points, const SubhaloConfig& config, const Progress& progress)
    : points_(points),
      config_(config),
      progress_(progress),
      branches_(find_branches(points, config.hierarchy, progress))
{
    const std::size_t n = branches_.size();
    offered_.resize(n);
    bound_.resize(n);
    mass_.resize(n);
    std::vector<std::size_t> depth(n, 0), owner(points.size(), 0);
    for (std::size_t b = 0; b < n; ++b) {
        if (b > 0) depth[b] = depth[static_cast<std::size_t>(branches_[b].parent)] + 1;
        if (depth[b] == at_depth_.size()) at_depth_.emplace_back();
        at_depth_[depth[b]].push_back(b);
        for (const Index i : branches_[b].members) owner[i] = b;
    }
    for (std::size_t i = 0; i < points.size(); ++i) offered_[owner[i]].push_back(static_cast<Index>(i));
    const Moments whole = moments_of(points, branches_[0].members);
    const Moments core = moments_of(points, branches_[0].core);
    rules_.turns = rules_.most_turns = config.turns;
    rules_.bound_only = config.unbinding;
    main_centre_ = {core.position, core.velocity};
    if (whole.size > 0) rules_.floor.length = floor_share * whole.size;
    if (whole.speed > 0) rules_.floor.speed = floor_share * whole.speed;
}

BoundMembers Contest::test(Unbinder& unbinder, std::size_t branch, const Terms& terms) const
{
    const Numbers& offered = offered_[branch];
    if (offered.size() < terms.least_members) return {};
    if (!config_.unbinding) return unbinder.all_of(points_, offered);
    BoundMembers bound = unbinder.bound_of(points_, offered, terms.least_members);
    const double fraction = static_cast<double>(bound.member.size()) / static_cast<double>(offered.size());
    if (branch > 0 && fraction < terms.least_fraction) return {};
    return bound;
}

void Contest::test_all(const std::vector<std::size_t>& branches, const Terms& terms)
{
    const auto is_large = [&](std::size_t b) { return offered_[b].size() > large_candidate; };
#pragma omp parallel if (branches.size() > 1 && points_.size() > parallel_members)
    {
        Unbinder unbinder(config_.gravity);
#pragma omp for schedule(dynamic)
        for (std::size_t k = 0; k < branches.size(); ++k)
            if (!is_large(branches[k])) bound_[branches[k]] = test(unbinder, branches[k], terms);
    }
    Unbinder unbinder(config_.gravity);
    for (const std::size_t b : branches)
        if (is_large(b)) bound_[b] = test(unbinder, b, terms);
}

double Contest::mass_of(const BoundMembers& bound) const
{
    double mass = 0;
    for (const Index i : bound.member) mass += points_.mass[i];
    return mass;
}

/// What a tested branch did not keep goes to its parent.
void Contest::hand_on(std::size_t branch)
{
    mass_[branch] = mass_of(bound_[branch]);
    if (branch == 0) return;
    const auto parent = static_cast<std::size_t>(branches_[branch].parent);
    Numbers kept = bound_[branch].member;
    std::ranges::sort(kept);
    std::ranges::set_difference(offered_[branch], kept, std::back_inserter(offered_[parent]));
}

/// From the deepest branches up, so that each has been offered all from below before it is tested.
void Contest::settle(const Terms& terms)
{
    for (std::size_t depth = at_depth_.size(); depth-- > 0;) {
        for (const std::size_t b : at_depth_[depth]) std::ranges::sort(offered_[b]);
        progress_.at(0, "subhalos of a large group");
        if (depth > 0 || terms.main_halo) test_all(at_depth_[depth], terms);
        for (const std::size_t b : at_depth_[depth]) hand_on(b);
    }
}

/// Where the first branch turned out to be no halo, the greatest of the others is offered what it leaves.
void Contest::replace_main(const Terms& terms)
{
    std::size_t first = 0;
    for (std::size_t b = 1; b < branches_.size(); ++b)
        if (!bound_[b].member.empty() && (first == 0 || outranks(b, first))) first = b;
    if (!bound_[0].member.empty() || first == 0) return;
    offered_[first] = bound_[first].member;
    offered_[first].insert(offered_[first].end(), offered_[0].begin(), offered_[0].end());
    std::ranges::sort(offered_[first]);
    Unbinder unbinder(config_.gravity);
    // little of what is offered may be bound to it, and it is a subhalo all the same
    if (BoundMembers more = test(unbinder, first, {terms.least_members, 0, true}); !more.member.empty()) {
        bound_[first] = std::move(more);
        mass_[first] = mass_of(bound_[first]);
    }
}

Halos Contest::profiles() const
{
    Halos result(branches_.size());
    if (!offered_[0].empty()) result[0].emplace(points_, certain(offered_[0]), main_centre_, rules_.floor);
    for (std::size_t b = 1; b < branches_.size(); ++b)
        if (!bound_[b].member.empty())
            result[b].emplace(points_, certain(bound_[b].member), bound_[b].centre, rules_.floor);
    return result;
}

/// What a branch has before the first competition, rising.
Contest::Numbers Contest::start_of(std::size_t branch) const
{
    if (branch == 0) return offered_[0];
    Numbers members = bound_[branch].member;
    std::ranges::sort(members);
    return members;
}

/// A branch and its rivals start from the parts of what they have together that lie nearest to each.
void Contest::start_rivals(Halos& halos)
{
    const std::size_t n = branches_.size();
    std::vector<std::vector<std::size_t>> rivals(n);
    for (std::size_t b = 1; b < n; ++b)
        if (const auto parent = static_cast<std::size_t>(branches_[b].parent);
            halos[b] && halos[parent] && are_rivals(branches_[b], branches_[parent]))
            rivals[parent].push_back(b);
    std::vector<std::optional<Numbers>> start(n);  // of those that took part already, parents first
    for (std::size_t parent = 0; parent < n; ++parent) {
        if (rivals[parent].empty()) continue;
        rules_.most_turns = std::max(config_.turns, config_.most_turns);
        std::vector<std::size_t> all{parent};
        all.insert(all.end(), rivals[parent].begin(), rivals[parent].end());
        rules_.rivals.insert(rules_.rivals.end(), all.begin(), all.end());
        // the core of the branch itself is that from which the last of its rivals parted
        const std::size_t last =
            *std::ranges::max_element(rivals[parent], {}, [&](std::size_t b) { return branches_[b].level; });
        std::vector<PhaseCentre> centres{
            {branches_[last].sibling.position, branches_[last].sibling.velocity}};
        for (const std::size_t b : rivals[parent]) centres.push_back(bound_[b].centre);
        if (parent == 0) main_centre_ = centres.front();
        Numbers pool;
        for (const std::size_t b : all) {
            const Numbers own = start[b] ? *start[b] : start_of(b);
            pool.insert(pool.end(), own.begin(), own.end());
        }
        std::ranges::sort(pool);
        std::vector<Numbers> parts = nearest_parts(points_, pool, centres, branches_[parent].moments);
        for (std::size_t k = 0; k < all.size(); ++k) {
            if (parts[k].empty()) continue;
            halos[all[k]].emplace(points_, certain(parts[k]), centres[k], rules_.floor);
            start[all[k]] = std::move(parts[k]);
        }
    }
}

void Contest::compete()
{
    const bool alone = std::ranges::all_of(bound_, [](const BoundMembers& b) { return b.member.empty(); });
    std::vector<std::int32_t> winner(points_.size(), 0);
    if (!alone) {
        if (!search_) search_.emplace(points_, rules_.floor.length / floor_share);
        Halos halos = profiles();
        if (!started_) start_rivals(halos);
        started_ = true;
        progress_.at(0, "shares of subhalos");
        share_and_refit(points_, *search_, rules_, halos);
        progress_.at(0, "shares of subhalos");
        winner = densest(points_, *search_, rules_, halos);
    }
    for (Numbers& offered : offered_) offered.clear();
    for (std::size_t i = 0; i < winner.size(); ++i)
        offered_[static_cast<std::size_t>(winner[i])].push_back(static_cast<Index>(i));
}

bool Contest::outranks(std::size_t a, std::size_t b) const
{
    if (mass_[a] != mass_[b]) return mass_[a] > mass_[b];
    if (bound_[a].member.size() != bound_[b].member.size())
        return bound_[a].member.size() > bound_[b].member.size();
    return a < b;
}

/// Of the branches that are halos: `rank` says at which place each of them comes.
std::vector<std::int32_t> Contest::parents(std::span<const std::int32_t> rank) const
{
    std::vector<Relative> relatives(branches_.size());
#pragma omp parallel for schedule(dynamic) if (points_.size() > parallel_members)
    for (std::size_t b = 0; b < branches_.size(); ++b) {
        relatives[b] = {.branch = branches_[b].parent, .level = branches_[b].level, .rank = rank[b]};
        if (rank[b] < 0) continue;
        relatives[b].centre = bound_[b].centre.position;
        relatives[b].reach = reach_of(points_, bound_[b], config_.reach_density);
    }
    return parents_of(relatives);
}

std::vector<GroupSubhalo> Contest::ranked() const
{
    std::vector<std::size_t> order;
    for (std::size_t b = 0; b < branches_.size(); ++b)
        if (!bound_[b].member.empty()) order.push_back(b);
    std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return outranks(a, b); });
    std::vector<std::int32_t> rank(branches_.size(), -1);
    for (std::size_t k = 0; k < order.size(); ++k) rank[order[k]] = static_cast<std::int32_t>(k);
    const std::vector<std::int32_t> parent = parents(rank);
    std::vector<GroupSubhalo> result;
    for (std::size_t k = 0; k < order.size(); ++k)
        result.push_back({bound_[order[k]], mass_[order[k]], parent[k]});
    return result;
}

}  // namespace

std::vector<GroupSubhalo> subhalos_of(const GroupPoints& points, const SubhaloConfig& config,
                                      const Progress& progress)
{
    if (points.size() < config.min_members) return {};
    Contest contest(points, config, progress);
    // pieces are the inner parts of what they stand for: only what holds nothing at all goes now
    contest.settle({std::max<std::size_t>(config.hierarchy.min_piece / 2, 1), 0, false});
    const Terms final{config.min_members, config.least_bound_fraction, true};
    const Terms early{std::max<std::size_t>(config.min_members / 2, 1), 0.5 * config.least_bound_fraction,
                      false};
    for (int round = 1; round <= config.rounds; ++round) {
        contest.compete();
        contest.settle(round == config.rounds ? final : early);
    }
    contest.replace_main(final);
    return contest.ranked();
}

}  // namespace aureole::halo
