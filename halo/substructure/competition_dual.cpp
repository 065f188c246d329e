// Loops of the competition over the points of all groups: a thread for each point.
#include "halo/substructure/competition.hpp"

#include <limits>

#include "halo/copy_bytes.hpp"
#include "halo/substructure/segment_sums_dual.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/spatial/ordered_bits.hpp"

namespace aureole::halo {
namespace {

constexpr double log_negligible = -4.605170185988091;  ///< ln 0.01, over the background's: no share
constexpr double log_unheld = -14;  ///< a millionth: of the background's density where it holds nothing
constexpr double largest_log = 300;
constexpr double settled = 0.005;  ///< relative change of a halo's members in a turn
constexpr int most_cached = 4;
constexpr double infinity = std::numeric_limits<double>::infinity(),
                 most = std::numeric_limits<double>::max();

struct AddAnywhere {
    AUREOLE_HD void operator()(std::uint64_t* to, std::uint64_t term) const
    {
        if (term > 0) atomic_add(to, term);
    }
};

AUREOLE_HD double weight_of(const CompetitionView& c, Index i, Index g)
{
    return c.scales.units[g].massive ? c.points.mass[i] : 1;
}

/// A point relative to a halo.
struct Relation {
    double squared_radius, squared_speed;

    AUREOLE_HD Relation(const PhasePoints& points, Index i, const PhaseCentre& centre)
    {
        const Vec3 dx = points.position[i] - centre.position, dv = points.velocity[i] - centre.velocity;
        squared_radius = dot(dx, dx);
        squared_speed = dot(dv, dv);
    }
};

/// Shows `see` the halos that reach a point, with ln of their density over the background's; in the order of
/// the tree.
template <class See>
struct Reaching {
    const CompetitionView& c;
    const HaloTree& tree;
    Index i;
    Vec3 position;
    double background;
    See& see;

    AUREOLE_HD bool opens(Index node) const
    {
        const BoundingBox<double>& box = c.box[tree.first_node + node];
        return position.x >= box.low.x && position.x <= box.high.x && position.y >= box.low.y &&
               position.y <= box.high.y && position.z >= box.low.z && position.z <= box.high.z;
    }
    AUREOLE_HD void leaf(Index node) const
    {
        for (Index k = tree.shape.begin(node); k < tree.shape.end(node); ++k) {
            const Index h = tree.first + 1 + k;
            const PhaseProfile& p = c.profile[h];
            if (!(p.n > 0)) continue;
            const Relation r(c.points, i, p.centre);
            if (!(r.squared_radius <= p.squared_reach)) continue;
            const RadialPlace place = p.place(r.squared_radius);
            if (c.bound_only && !p.holds(place, r.squared_speed)) continue;
            const double log_ratio = p.log_density_at(place, r.squared_speed) - background;
            if (log_ratio > log_negligible) see(h, log_ratio, r, place.bin);
        }
    }
};

template <class See>
AUREOLE_HD void show_reaching(const CompetitionView& c, Index g, Index i, double background, See& see)
{
    const HaloTree tree = c.tree[g];
    Reaching<See> visitor{c, tree, i, c.points.position[i], background, see};
    traverse(tree.shape, BalancedTree::root, visitor);
}

AUREOLE_HD double background_of(const CompetitionView& c, Index g, const Relation& r, RadialPlace& place)
{
    const PhaseProfile& p = c.profile[c.tree[g].first];
    if (!(p.n > 0)) return -infinity;
    place = p.place(r.squared_radius);
    const bool held = !c.bound_only || p.holds(place, r.squared_speed);
    return p.log_density_at(place, r.squared_speed) + (held ? 0 : log_unheld);
}

AUREOLE_HD double ratio_of(double log_ratio)
{
    return portable::exp_in_loops(log_ratio < largest_log ? log_ratio : largest_log);
}

AUREOLE_HD void count_in(const CompetitionView& c, Index h, Index i, Index g, double probability,
                         const Relation& r, int bin)
{
    ProfileSums& sums = c.sums[h];
    const double squared =
        r.squared_radius > c.profile[h].squared_floor ? r.squared_radius : c.profile[h].squared_floor;
    const std::uint64_t far = ordered_bits(squared);
    if (far > sums.farthest) atomic_max(&sums.farthest, far);
    add_member(sums, bin, probability, weight_of(c, i, g), r.squared_speed, c.scales.units[g], AddAnywhere{});
}

/// Adds the ratios of what reaches a point, and keeps the first.
struct SumRatios {
    double sum = 1;
    int n = 0;
    Index halo[most_cached]{};
    double ratio[most_cached]{}, squared_radius[most_cached]{}, squared_speed[most_cached]{};
    int bin[most_cached]{};

    AUREOLE_HD void operator()(Index h, double log_ratio, const Relation& r, int at)
    {
        const double value = ratio_of(log_ratio);
        sum += value;
        if (n < most_cached) {
            halo[n] = h;
            ratio[n] = value;
            squared_radius[n] = r.squared_radius;
            squared_speed[n] = r.squared_speed;
            bin[n] = at;
        }
        ++n;
    }
};

/// Gives every halo its share.
struct GiveShares {
    const CompetitionView& c;
    Index i, g;
    double sum;

    AUREOLE_HD void operator()(Index h, double log_ratio, const Relation& r, int bin)
    {
        count_in(c, h, i, g, ratio_of(log_ratio) / sum, r, bin);
    }
};

AUREOLE_HD void share_point(const CompetitionView& c, Index i)
{
    const Index g = c.points.group[i];
    if (!c.active[g]) return;
    const Index main = c.tree[g].first;
    Relation r(c.points, i, c.profile[main].centre);
    RadialPlace place{0, 0};
    const double background = background_of(c, g, r, place);
    SumRatios ratios;
    show_reaching(c, g, i, background, ratios);
    if (c.profile[main].n > 0) count_in(c, main, i, g, 1 / ratios.sum, r, place.bin);
    if (ratios.n > most_cached) {
        GiveShares give{c, i, g, ratios.sum};
        show_reaching(c, g, i, background, give);
        return;
    }
    for (int k = 0; k < ratios.n; ++k) {
        r.squared_radius = ratios.squared_radius[k];
        r.squared_speed = ratios.squared_speed[k];
        count_in(c, ratios.halo[k], i, g, ratios.ratio[k] / ratios.sum, r, ratios.bin[k]);
    }
}

struct Densest {
    const CompetitionView& c;
    double highest;
    Index halo;

    AUREOLE_HD void operator()(Index h, double log_ratio, const Relation&, int)
    {
        if (log_ratio < highest || (log_ratio == highest && c.branch[h] > c.branch[halo])) return;
        highest = log_ratio;
        halo = h;
    }
};

AUREOLE_HD Index tree_of_node(const CompetitionView& c, Index node)
{
    Index first = 0;
    for (Index count = c.points.n_groups; count > 1;) {
        const Index half = count / 2;
        if (c.tree[first + half].first_node <= node) {
            first += half;
            count -= half;
        } else {
            count = half;
        }
    }
    return first;
}

void clear_sums(Exec exec, const CompetitionView& c)
{
    for_each(exec, c.n_halos * profile_bins, [=] AUREOLE_HD(Index k) {
        const Index h = k / profile_bins, bin = k % profile_bins;
        if (!c.active[c.group[h]]) return;
        ProfileSums& sums = c.sums[h];
        sums.count[bin] = sums.weight[bin] = sums.motion[bin] = 0;
        if (bin == 0) sums.farthest = ordered_bits(c.profile[h].squared_floor);
    });
}

void fit_active(Exec exec, const CompetitionView& c)
{
    fit_profiles(exec, c.n_halos, c.sums, c.group, c.scales.floor, c.scales.units, c.least_top, c.active,
                 c.shells, c.profile);
}

void find_boxes(Exec exec, const CompetitionView& c)
{
    for_each(exec, c.n_nodes, [=] AUREOLE_HD(Index number) {
        const HaloTree& tree = c.tree[tree_of_node(c, number)];
        const Index node = number - tree.first_node;
        BoundingBox<double> box{{most, most, most}, {-most, -most, -most}};
        if (node > 0)
            for (Index k = tree.shape.begin(node); k < tree.shape.end(node); ++k) {
                const PhaseProfile& p = c.profile[tree.first + 1 + k];
                if (!(p.n > 0)) continue;
                const double reach = std::sqrt(p.squared_reach) * (1 + 1e-14);
                const Vec3 extent{reach, reach, reach};
                box.low = smaller(box.low, p.centre.position - extent);
                box.high = larger(box.high, p.centre.position + extent);
            }
        c.box[number] = box;
    });
}

/// A branch of a pool, and the pool.
struct Entry {
    Index branch;
    PhaseCentre centre;
};
struct Pool {
    Index begin, end;
    double per_size, per_speed;
};

}  // namespace

GroupScales find_scales(Exec exec, const PhasePoints& points, std::span<const PhaseFloor> floor, Arena& arena)
{
    const Index n_groups = points.n_groups;
    const GroupScales scales{arena.take<PhaseFloor>(n_groups), arena.take<ProfileUnits>(n_groups)};
    copy_in_order(exec, scales.floor, floor.data(), floor.size() * sizeof floor[0]);
    const Arena::Frame frame(arena);
    auto* const row = arena.take<RowSums<5>>(n_groups);
    auto* const fastest = arena.take<std::uint64_t>(n_groups);
    const MembersView groups{n_groups, points.n, nullptr, points.begin};
    segment_sums<5>(exec, {groups, points.longest}, arena, row,
                    [=] AUREOLE_HD(RowSums<5> & s, Index i, Index) {
                        const Vec3 v = points.velocity[i];
                        s.at[0] += points.mass[i];
                        s.at[1] += 1;
                        s.at[2] += v.x;
                        s.at[3] += v.y;
                        s.at[4] += v.z;
                    });
    for_each(exec, n_groups, [=] AUREOLE_HD(Index g) { fastest[g] = ordered_bits(0.0); });
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) {
        const Index g = points.group[i];
        const double per = 1 / row[g].at[1];
        const Vec3 dv = points.velocity[i] - Vec3{per * row[g].at[2], per * row[g].at[3], per * row[g].at[4]};
        const std::uint64_t bits = ordered_bits(dot(dv, dv));
        if (bits > fastest[g]) atomic_max(&fastest[g], bits);
    });
    for_each(exec, n_groups, [=] AUREOLE_HD(Index g) {
        const bool massive = row[g].at[0] > 0;
        const double mass = massive ? row[g].at[0] : row[g].at[1];
        // centres are means of members: no member is faster relative to one than twice the fastest
        const double motion = mass * (8 * from_ordered_bits(fastest[g]));
        constexpr double largest = 0x1p60;
        scales.units[g] = {largest * segments::scale_of(mass),
                           motion > 0 ? largest * segments::scale_of(motion) : 1, massive};
    });
    return scales;
}

void flag_to_assign(Exec exec, const PhasePoints& points, const HaloTree* tree, std::uint8_t* flag)
{
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) { flag[i] = tree[points.group[i]].shape.n > 0; });
}

void start_profiles(Exec exec, const CompetitionView& c, const Index* start)
{
    for_each(exec, c.n_halos, [=] AUREOLE_HD(Index h) {
        PhaseProfile& p = c.profile[h];
        p.centre = c.centre[h];
        p.base = 0;
        const double length = c.scales.floor[c.group[h]].length;
        p.squared_floor = length * length;
        p.n = p.n_before = 0;
        c.least_top[h] = 0;
    });
    clear_sums(exec, c);
    for_each(exec, c.n_to_assign, [=] AUREOLE_HD(Index k) {
        const Index i = c.to_assign[k], h = c.halo_of_branch[start[i]],
                    main = c.tree[c.points.group[i]].first;
        const Relation r(c.points, i, c.profile[h].centre), to_main(c.points, i, c.profile[main].centre);
        const std::uint64_t far = ordered_bits(r.squared_radius), top = ordered_bits(to_main.squared_radius);
        if (far > c.sums[h].farthest) atomic_max(&c.sums[h].farthest, far);
        // squared radii are positive, and their bits rise with them
        auto* const least_top = reinterpret_cast<std::uint64_t*>(c.least_top + main);
        const std::uint64_t plain = top & ~(std::uint64_t{1} << 63);
        if (plain > *least_top) atomic_max(least_top, plain);
    });
    for_each(exec, c.n_halos, [=] AUREOLE_HD(Index h) {
        const double far = from_ordered_bits(c.sums[h].farthest);
        c.profile[h].base = radial_place(far).bin - (profile_bins - 1);
    });
    for_each(exec, c.n_to_assign, [=] AUREOLE_HD(Index k) {
        const Index i = c.to_assign[k], h = c.halo_of_branch[start[i]], g = c.points.group[i];
        const Relation r(c.points, i, c.profile[h].centre);
        count_in(c, h, i, g, 1, r, c.profile[h].place(r.squared_radius).bin);
    });
    fit_active(exec, c);
}

void turn_profiles(Exec exec, const CompetitionView& c)
{
    find_boxes(exec, c);
    clear_sums(exec, c);
    for_each_uneven(exec, c.n_to_assign, [=] AUREOLE_HD(Index k) { share_point(c, c.to_assign[k]); });
    fit_active(exec, c);
}

void flag_unsettled(Exec exec, const CompetitionView& c)
{
    for_each(exec, c.n_halos, [=] AUREOLE_HD(Index h) {
        const PhaseProfile& p = c.profile[h];
        const double change = p.n > p.n_before ? p.n - p.n_before : p.n_before - p.n;
        c.unsettled[h] = p.n > 0 && change >= settled * p.n;
    });
}

void find_winners(Exec exec, const CompetitionView& c, Index* winner)
{
    find_boxes(exec, c);
    for_each_uneven(exec, c.n_to_assign, [=] AUREOLE_HD(Index k) {
        const Index i = c.to_assign[k], g = c.points.group[i], main = c.tree[g].first;
        const Relation r(c.points, i, c.profile[main].centre);
        RadialPlace place{0, 0};
        Densest densest{c, 0, main};
        show_reaching(c, g, i, background_of(c, g, r, place), densest);
        winner[i] = c.branch[densest.halo];
    });
}

void share_out(Exec exec, const PhasePoints& points, std::span<const MergerPool> pools, Index n_branches,
               Index* start, Arena& arena)
{
    const Arena::Frame frame(arena);
    std::vector<Entry> entries;
    std::vector<Pool> rows;
    std::vector<Index> pool_of(n_branches, CompetitionView::no_halo);
    for (const MergerPool& pool : pools) {
        const auto begin = static_cast<Index>(entries.size());
        for (std::size_t k = 0; k < pool.branch.size(); ++k) {
            entries.push_back({pool.branch[k], pool.centre[k]});
            pool_of[pool.branch[k]] = static_cast<Index>(rows.size());
        }
        const double size = pool.whole.size, speed = pool.whole.speed;
        rows.push_back({begin, static_cast<Index>(entries.size()), size > 0 ? 1 / (size * size) : 0,
                        speed > 0 ? 1 / (speed * speed) : 0});
    }
    auto* const entry = arena.take<Entry>(entries.size());
    auto* const row = arena.take<Pool>(rows.size());
    auto* const pool = arena.take<Index>(n_branches);
    copy_in_order(exec, entry, entries.data(), entries.size() * sizeof(Entry));
    copy_in_order(exec, row, rows.data(), rows.size() * sizeof(Pool));
    copy_in_order(exec, pool, pool_of.data(), n_branches * sizeof(Index));
    for_each(exec, points.n, [=] AUREOLE_HD(Index i) {
        const Index p = pool[start[i]];
        if (p == CompetitionView::no_halo) return;
        double nearest = 0;
        for (Index k = row[p].begin; k < row[p].end; ++k) {
            const Relation r(points, i, entry[k].centre);
            const double d2 = row[p].per_size * r.squared_radius + row[p].per_speed * r.squared_speed;
            if (k > row[p].begin && !(d2 < nearest)) continue;
            nearest = d2;
            start[i] = entry[k].branch;
        }
    });
}

}  // namespace aureole::halo
