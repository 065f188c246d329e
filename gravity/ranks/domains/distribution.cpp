#include "gravity/ranks/domains/distribution.hpp"

#include <algorithm>
#include <limits>

#include "gravity/ranks/domains/curve_ordered.hpp"
#include "gravity/tree/curve_order.hpp"

namespace aureole::gravity::domains {
namespace {

using comm::Parts;
using comm::Reduction;

constexpr Exec exec{Backend::cpu};

std::size_t at(int k) { return static_cast<std::size_t>(k); }

std::uint64_t work_of(const DomainParticles& particles)
{
    std::uint64_t sum = 0;
    for (const std::uint32_t work : particles.work) sum += weight_of(work);
    return sum;
}

/// Extent, largest mass and numbers of all particles. Least values are complements of greatest ones.
Whole survey(Parts& parts, const std::vector<DomainParticles>& held)
{
    std::vector<std::vector<std::uint64_t>> greatest, sums;
    parts.phase([&](int, int k) {
        const DomainParticles& of = held[at(k)];
        tree::Survey found;
        tree::clear_survey(exec, &found);
        const ConstParticlesView p = of.view();
        if (p.n > 0) tree::survey_particles(exec, p, IndexRange{0, p.n}, true, of.acceleration(), &found);
        greatest.push_back({~found.low[0], ~found.low[1], ~found.low[2], found.high[0], found.high[1],
                            found.high[2], found.largest_mass, found.any_acceleration});
        sums.push_back({of.size(), work_of(of)});
    });
    const std::vector<std::uint64_t> most = parts.all_reduce(greatest, Reduction::max);
    const std::vector<std::uint64_t> all = parts.all_reduce(sums, Reduction::sum);
    Whole whole;
    whole.n = all[0];
    whole.work = all[1];
    whole.any_acceleration = most[7] > 0;
    AUREOLE_EXPECT(whole.n < std::numeric_limits<Index>::max(),
                   "a tree over {} particles, expected fewer than {}", whole.n,
                   std::numeric_limits<Index>::max());
    if (whole.n == 0) return whole;
    const tree::Survey found{
        {~most[0], ~most[1], ~most[2]}, {most[3], most[4], most[5]}, most[6], most[7], 0, 0, 0, 0};
    tree::make_frame(exec, &found, &whole.frame);
    return whole;
}

void expect_valid(const CutRule& rule, int n_parts, std::uint64_t n)
{
    if (rule.by != CutRule::By::places) return;
    AUREOLE_EXPECT(rule.places.size() + 1 == at(n_parts), "{} cuts of {} parts", rule.places.size(), n_parts);
    std::uint64_t before = 0;
    for (const std::uint64_t place : rule.places) {
        AUREOLE_EXPECT(place >= before && place <= n && (place % cut_unit == 0 || place == n),
                       "a domain of {} particles begins at {}, expected a multiple of {} from {} on", n,
                       place, cut_unit, before);
        before = place;
    }
}

/// Weights below each cut, of `total`, for equal domains.
std::vector<std::uint64_t> even_targets(std::uint64_t total, int n_parts)
{
    std::vector<std::uint64_t> targets;
    const auto parts = static_cast<std::uint64_t>(n_parts);
    for (std::uint64_t k = 1; k < parts; ++k)
        targets.push_back(total / parts * k + total % parts * k / parts);
    return targets;
}

/// Work of all domains that these keys cut.
std::vector<std::uint64_t> work_by_keys(Parts& parts, const std::vector<Array<std::uint64_t>>& keys,
                                        const std::vector<DomainParticles>& held,
                                        const std::vector<std::uint64_t>& key_cuts)
{
    std::vector<std::vector<std::uint64_t>> of_part;
    parts.phase([&](int, int k) {
        std::vector<std::uint64_t>& sums = of_part.emplace_back(key_cuts.size() + 1);
        for (std::size_t i = 0; i < keys[at(k)].size(); ++i)
            sums[domain_of(key_cuts, keys[at(k)][i])] += weight_of(held[at(k)].work[i]);
    });
    return parts.all_reduce(of_part, Reduction::sum);
}

bool is_even(const std::vector<std::uint64_t>& work, std::uint64_t total, double hysteresis)
{
    const double mean = static_cast<double>(total) / static_cast<double>(work.size());
    return static_cast<double>(std::ranges::max(work)) <= hysteresis * mean;
}

/// To the parts that own their keys, in the order of the parts that they come from.
void migrate_by_key(Parts& parts, std::vector<DomainParticles>& held,
                    const std::vector<Array<std::uint64_t>>& keys, const std::vector<std::uint64_t>& key_cuts)
{
    if (parts.size() == 1) return;
    Parts::Boxes out = parts.boxes();
    parts.phase([&](int, int k) {
        std::vector<std::vector<Index>> to(at(parts.size()));
        for (std::size_t i = 0; i < keys[at(k)].size(); ++i)
            to[domain_of(key_cuts, keys[at(k)][i])].push_back(static_cast<Index>(i));
        for (int part = 0; part < parts.size(); ++part) {
            if (to[at(part)].empty()) continue;
            Writer box(out[at(k)][at(part)]);
            const DomainParticles movers = gathered(held[at(k)], to[at(part)]);
            put_particles(box, movers, 0, movers.size());
        }
        held[at(k)] = {};
    });
    Parts::Boxes in = parts.exchange(std::move(out));
    parts.phase([&](int, int k) {
        for (Parts::Box& box : in[at(k)]) {
            if (box.empty()) continue;
            Reader reader(box);
            take_particles(reader, held[at(k)]);
            box = {};
        }
    });
}

/// A number of each part, known to all: 0 where a part gave none.
std::vector<std::vector<std::uint64_t>> gather_numbers(Parts& parts,
                                                       const std::vector<std::vector<std::uint64_t>>& mine)
{
    std::vector<Parts::Box> boxes(at(parts.held()));
    parts.phase([&](int, int k) { Writer(boxes[at(k)]).put(mine[at(k)]); });
    std::vector<std::vector<std::uint64_t>> all;
    for (const Parts::Box& box : parts.all_gather(boxes)) all.push_back(Reader(box).take<std::uint64_t>());
    return all;
}

/// Stands in all parts' order by key, before places are cut.
struct Ordered {
    std::vector<CurveOrdered> of;                   ///< of the parts held here
    std::vector<std::uint64_t> first, work_before;  ///< of every part, and of all
};

Ordered order_all(Parts& parts, std::vector<DomainParticles>& held)
{
    Ordered all;
    std::vector<std::vector<std::uint64_t>> mine;
    parts.phase([&](int, int k) { mine.push_back({held[at(k)].size(), work_of(held[at(k)])}); });
    all.first = all.work_before = {0};
    for (const std::vector<std::uint64_t>& of : gather_numbers(parts, mine)) {
        all.first.push_back(all.first.back() + of[0]);
        all.work_before.push_back(all.work_before.back() + of[1]);
    }
    return all;
}

/// Likeness to the particle before, which has another key and is the last of an earlier part.
void compare_ends(Parts& parts, Ordered& all)
{
    std::vector<std::vector<std::uint64_t>> last;
    parts.phase([&](int, int k) {
        const Array<std::uint64_t>& keys = all.of[at(k)].key;
        last.push_back(keys.empty() ? std::vector<std::uint64_t>{} : std::vector{keys.back()});
    });
    const std::vector<std::vector<std::uint64_t>> of_all = gather_numbers(parts, last);
    parts.phase([&](int part, int k) {
        CurveOrdered& own = all.of[at(k)];
        if (own.key.empty()) return;
        int before = part - 1;
        while (before >= 0 && of_all[at(before)].empty()) --before;
        if (before >= 0)
            own.likeness[0] =
                static_cast<tree::Likeness>(__builtin_clzll(of_all[at(before)][0] ^ own.key[0]));
    });
}

/// Places below which the work is nearest to the targets. Every part finds those that are among its own.
std::vector<std::uint64_t> places_by_work(Parts& parts, const Ordered& all,
                                          const std::vector<std::uint64_t>& targets)
{
    std::vector<std::vector<std::uint64_t>> found;
    parts.phase([&](int part, int k) {
        std::vector<std::uint64_t>& places = found.emplace_back(targets.size());
        const Array<std::uint32_t>& work = all.of[at(k)].particles.work;
        std::uint64_t sum = all.work_before[at(part)];
        std::size_t i = 0;
        for (std::size_t t = 0; t < targets.size(); ++t) {
            if (targets[t] < all.work_before[at(part)] || targets[t] >= all.work_before[at(part) + 1])
                continue;
            while (sum < targets[t]) sum += weight_of(work[i++]);
            places[t] = all.first[at(part)] + i;
        }
    });
    return parts.all_reduce(found, Reduction::max);
}

/// The exact cuts: places where domains begin, without the first and the end.
std::vector<std::uint64_t> exact_cuts(Parts& parts, const Ordered& all, const CutRule& rule,
                                      const Whole& whole)
{
    if (rule.by == CutRule::By::places) return rule.places;
    std::vector<std::uint64_t> cuts;
    if (rule.by == CutRule::By::counts)
        cuts = even_targets(whole.n, parts.size());
    else if (whole.is_recut)
        cuts = places_by_work(parts, all, even_targets(whole.work, parts.size()));
    else
        cuts.assign(all.first.begin() + 1, all.first.end() - 1);
    for (std::uint64_t& cut : cuts) cut = nearest_cut(cut, whole.n);
    const double mean = static_cast<double>(whole.n) / parts.size();
    limit_counts(cuts, whole.n, static_cast<std::uint64_t>(rule.most_over_mean * mean) + 1);
    return cuts;
}

/// To the parts that own their places; what comes from earlier parts stands before the rest.
/// Sets the key cuts to the first keys of the domains.
void migrate_by_place(Parts& parts, Ordered& all, Whole& whole, std::vector<OrderedDomain>& domains)
{
    domains.clear();
    domains.resize(at(parts.held()));
    if (parts.size() == 1) {
        domains[0] = {std::move(all.of[0].particles), std::move(all.of[0].likeness)};
        domains[0].likeness.resize(whole.n);
        return;
    }
    Parts::Boxes out = parts.boxes();
    parts.phase([&](int part, int k) {
        CurveOrdered& own = all.of[at(k)];
        const std::uint64_t first = all.first[at(part)], end = all.first[at(part) + 1];
        for (int to = 0; to < parts.size(); ++to) {
            const std::uint64_t begin = std::max(first, whole.cuts[at(to)]);
            const std::uint64_t last = std::min(end, whole.cuts[at(to) + 1]);
            if (begin >= last) continue;
            Writer box(out[at(k)][at(to)]);
            put_particles(box, own.particles, begin - first, last - first);
            box.put(std::span<const tree::Likeness>(own.likeness.data() + (begin - first), last - begin));
            const std::uint64_t key = own.key[begin - first];
            box.put(std::span<const std::uint64_t>(&key, 1));
        }
        own = {};
    });
    Parts::Boxes in = parts.exchange(std::move(out));
    std::vector<std::vector<std::uint64_t>> first_keys(at(parts.held()));
    parts.phase([&](int part, int k) {
        OrderedDomain& own = domains[at(k)];
        for (Parts::Box& box : in[at(k)]) {
            if (box.empty()) continue;
            Reader reader(box);
            take_particles(reader, own.particles);
            reader.take(own.likeness);
            reader.take(first_keys[at(k)]);
            box = {};
        }
        AUREOLE_EXPECT(own.particles.size() == whole.size_of(part), "domain {} got {} particles, expected {}",
                       part, own.particles.size(), whole.size_of(part));
    });
    std::uint64_t next = std::uint64_t{1} << 63;  // of an empty domain: where the next one begins
    const std::vector<std::vector<std::uint64_t>> firsts = gather_numbers(parts, first_keys);
    for (std::size_t part = firsts.size(); part-- > 1;) {
        if (!firsts[part].empty()) next = firsts[part][0];
        whole.key_cuts[part - 1] = next;
    }
}

}  // namespace

int Whole::neighbour(int part, int direction) const
{
    const int n_parts = static_cast<int>(cuts.size()) - 1;
    for (int p = part + direction; p >= 0 && p < n_parts; p += direction)
        if (size_of(p) > 0) return p;
    return -1;
}

Whole distribute(Parts& parts, std::vector<DomainParticles>& held, const CutRule& rule, const Whole& before,
                 std::vector<OrderedDomain>& domains)
{
    AUREOLE_EXPECT(held.size() == at(parts.held()), "particles of {} parts where {} are held", held.size(),
                   parts.held());
    Whole whole = survey(parts, held);
    expect_valid(rule, parts.size(), whole.n);
    std::vector<Array<std::uint64_t>> keys;
    const bool is_one = parts.size() == 1;  // nothing is cut, nothing moves
    parts.phase([&](int, int k) {
        keys.push_back(is_one ? Array<std::uint64_t>() : curve_keys(held[at(k)].view(), whole.frame));
    });

    const bool by_work = rule.by == CutRule::By::work;
    whole.key_cuts = before.key_cuts;
    whole.is_recut = !by_work || before.key_cuts.size() + 1 != at(parts.size()) ||
                     !is_even(work_by_keys(parts, keys, held, before.key_cuts), whole.work, rule.hysteresis);
    if (whole.is_recut && !is_one) {
        const std::uint64_t total = by_work ? whole.work : whole.n;
        std::vector<WeightedKeys> weighted;
        for (int k = 0; k < parts.held(); ++k)
            weighted.push_back({keys[at(k)], by_work ? std::span<const std::uint32_t>(held[at(k)].work)
                                                     : std::span<const std::uint32_t>()});
        const auto targets = rule.by == CutRule::By::places ? rule.places : even_targets(total, parts.size());
        // groups are not divided: no finer than half of one
        const std::uint64_t parts_64 = 64 * static_cast<std::uint64_t>(parts.size());
        const std::uint64_t tolerance =
            std::max(total / parts_64, whole.n > 0 ? cut_unit / 2 * total / whole.n : 0);
        whole.key_cuts = find_key_cuts(parts, weighted, targets, tolerance);
    }
    migrate_by_key(parts, held, keys, whole.key_cuts);
    keys.clear();
    Ordered all = order_all(parts, held);
    parts.phase([&](int part, int k) {
        all.of.push_back(curve_ordered(held[at(k)], whole.frame, static_cast<Index>(all.first[at(part)])));
        held[at(k)] = {};
    });
    compare_ends(parts, all);
    const std::vector<std::uint64_t> cuts = exact_cuts(parts, all, rule, whole);
    whole.cuts = {0};
    whole.cuts.insert(whole.cuts.end(), cuts.begin(), cuts.end());
    whole.cuts.push_back(whole.n);
    migrate_by_place(parts, all, whole, domains);
    return whole;
}

}  // namespace aureole::gravity::domains
