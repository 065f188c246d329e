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
    const std::size_t n = particles.size();
#pragma omp parallel for reduction(+ : sum) if (n > parallel_threshold)
    for (std::size_t i = 0; i < n; ++i) sum += weight_of(particles.work[i]);
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
std::vector<std::uint64_t> work_by_keys(Parts& parts, const std::vector<Untouched<std::uint64_t>>& keys,
                                        const std::vector<DomainParticles>& held,
                                        const std::vector<std::uint64_t>& key_cuts)
{
    std::vector<std::vector<std::uint64_t>> of_part;
    parts.phase([&](int, int k) {
        std::vector<std::uint64_t>& sums = of_part.emplace_back(key_cuts.size() + 1);
        std::uint64_t* const to = sums.data();
        const std::size_t n = keys[at(k)].size(), n_sums = sums.size();
#pragma omp parallel for reduction(+ : to[:n_sums]) if (n > parallel_threshold)
        for (std::size_t i = 0; i < n; ++i)
            to[domain_of(key_cuts, keys[at(k)][i])] += weight_of(held[at(k)].work[i]);
    });
    return parts.all_reduce(of_part, Reduction::sum);
}

bool is_even(const std::vector<std::uint64_t>& work, std::uint64_t total, double hysteresis)
{
    const double mean = static_cast<double>(total) / static_cast<double>(work.size());
    return static_cast<double>(std::ranges::max(work)) <= hysteresis * mean;
}

/// Others take the places of those that are gone, `places`, ascending. The order of particles changes.
void replace(DomainParticles& in, const std::vector<Index>& places, const DomainParticles& by)
{
    const std::size_t before = in.size(), n_kept = before - places.size(), n = n_kept + by.size();
    const std::size_t n_filled = std::min(places.size(), by.size());
    // particles that stay, but beyond the new end, move into the places that are left
    std::vector<Index> last;
    for (std::size_t i = before, p = places.size(); i > n; --i)
        if (p > 0 && places[p - 1] == i - 1)
            --p;
        else
            last.push_back(static_cast<Index>(i - 1));
    in.potential.clear();
    DomainParticles::for_each_array(in, by, [&](auto& array, const auto& from) {
        array.resize(std::max(before, n));
        for (std::size_t k = 0; k < n_filled; ++k) array[places[k]] = from[k];
        std::copy(from.begin() + static_cast<std::ptrdiff_t>(n_filled), from.end(),
                  array.begin() + static_cast<std::ptrdiff_t>(before));
        for (std::size_t k = 0; k < last.size(); ++k) array[places[n_filled + k]] = array[last[k]];
        array.resize(n);
    });
}

/// To the parts that own their keys.
void migrate_by_key(Parts& parts, std::vector<DomainParticles>& held,
                    const std::vector<Untouched<std::uint64_t>>& keys,
                    const std::vector<std::uint64_t>& key_cuts)
{
    if (parts.size() == 1) return;
    Parts::Boxes out = parts.boxes();
    std::vector<std::vector<Index>> gone(at(parts.held()));
    parts.phase([&](int part, int k) {
        const Untouched<std::uint64_t>& of = keys[at(k)];
        gone[at(k)] = indices_where(
            of.size(), [&](Index i) { return domain_of(key_cuts, of[i]) != static_cast<std::size_t>(part); });
        std::vector<std::vector<Index>> to(at(parts.size()));
        for (const Index i : gone[at(k)]) to[domain_of(key_cuts, of[i])].push_back(i);
        for (int other = 0; other < parts.size(); ++other) {
            if (to[at(other)].empty()) continue;
            Writer box(out[at(k)][at(other)]);
            const DomainParticles movers = gathered(held[at(k)], to[at(other)]);
            put_particles(box, movers, 0, movers.size());
        }
    });
    Parts::Boxes in = parts.exchange(std::move(out));
    parts.phase([&](int, int k) {
        DomainParticles arrived;
        for (Parts::Box& box : in[at(k)]) {
            if (box.empty()) continue;
            Reader reader(box);
            take_particles(reader, arrived);
            box = {};
        }
        replace(held[at(k)], gone[at(k)], arrived);
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
        const std::span<const std::uint64_t> keys = all.of[at(k)].key();
        last.push_back(keys.empty() ? std::vector<std::uint64_t>{} : std::vector{keys.back()});
    });
    const std::vector<std::vector<std::uint64_t>> of_all = gather_numbers(parts, last);
    parts.phase([&](int part, int k) {
        CurveOrdered& own = all.of[at(k)];
        if (own.n == 0) return;
        int before = part - 1;
        while (before >= 0 && of_all[at(before)].empty()) --before;
        if (before >= 0)
            own.likeness[0] =
                static_cast<tree::Likeness>(__builtin_clzll(of_all[at(before)][0] ^ own.key()[0]));
    });
}

/// Places below which the work is nearest to the targets. Every part finds those that are among its own.
std::vector<std::uint64_t> places_by_work(Parts& parts, const std::vector<DomainParticles>& held,
                                          const Ordered& all, const std::vector<std::uint64_t>& targets)
{
    std::vector<std::vector<std::uint64_t>> found;
    parts.phase([&](int part, int k) {
        std::vector<std::uint64_t>& places = found.emplace_back(targets.size());
        const Untouched<std::uint32_t>& work = held[at(k)].work;
        const std::span<const Index> order = all.of[at(k)].order();
        std::uint64_t sum = all.work_before[at(part)];
        std::size_t i = 0;
        for (std::size_t t = 0; t < targets.size(); ++t) {
            if (targets[t] < all.work_before[at(part)] || targets[t] >= all.work_before[at(part) + 1])
                continue;
            while (sum < targets[t]) sum += weight_of(work[order[i++]]);
            places[t] = all.first[at(part)] + i;
        }
    });
    return parts.all_reduce(found, Reduction::max);
}

/// The exact cuts: places where domains begin, without the first and the end.
std::vector<std::uint64_t> exact_cuts(Parts& parts, const std::vector<DomainParticles>& held,
                                      const Ordered& all, const CutRule& rule, const Whole& whole)
{
    if (rule.by == CutRule::By::places) return rule.places;
    std::vector<std::uint64_t> cuts;
    if (rule.by == CutRule::By::counts)
        cuts = even_targets(whole.n, parts.size());
    else if (whole.is_recut)
        cuts = places_by_work(parts, held, all, even_targets(whole.work, parts.size()));
    else
        cuts.assign(all.first.begin() + 1, all.first.end() - 1);
    for (std::uint64_t& cut : cuts) cut = nearest_cut(cut, whole.n);
    const double mean = static_cast<double>(whole.n) / parts.size();
    limit_counts(cuts, whole.n, static_cast<std::uint64_t>(rule.most_over_mean * mean) + 1);
    return cuts;
}

/// Particles of a part whose places another owns, to that one.
void put_places(const DomainParticles& held, const CurveOrdered& own, std::size_t begin, std::size_t end,
                Writer to)
{
    const DomainParticles movers = gathered(held, own.order().subspan(begin, end - begin));
    to.put(std::span<const tree::Likeness>(own.likeness.data() + begin, end - begin));
    put_particles(to, movers, 0, movers.size());
}

/// To the places of a domain from `first` on.
void copy_places(const DomainParticles& from, OrderedDomain& to, std::size_t first)
{
    DomainParticles::for_each_array(to.particles, from, [&](auto& array, const auto& given) {
        std::copy(given.begin(), given.end(), array.begin() + static_cast<std::ptrdiff_t>(first));
    });
}

/// To the parts that own their places; what comes from earlier parts stands before the rest.
/// Sets the key cuts to the first keys of the domains.
void migrate_by_place(Parts& parts, std::vector<DomainParticles>& held, Ordered& all, Whole& whole,
                      std::vector<OrderedDomain>& domains)
{
    domains.clear();
    domains.resize(at(parts.held()));
    // of the places of part `from` those that part `to` owns, counted from the first of them
    const auto owned = [&](int from, int to) {
        const std::uint64_t first = all.first[at(from)], end = all.first[at(from) + 1];
        const std::uint64_t begin = std::clamp(whole.cuts[at(to)], first, end);
        return IndexRange{static_cast<Index>(begin - first),
                          static_cast<Index>(std::clamp(whole.cuts[at(to) + 1], begin, end) - first)};
    };
    Parts::Boxes out = parts.boxes();
    parts.phase([&](int part, int k) {
        for (int to = 0; to < parts.size(); ++to) {
            const IndexRange range = owned(part, to);
            if (to != part && range.size() > 0)
                put_places(held[at(k)], all.of[at(k)], range.begin, range.end, Writer(out[at(k)][at(to)]));
        }
    });
    Parts::Boxes in = parts.exchange(std::move(out));
    std::vector<std::vector<std::uint64_t>> first_keys(at(parts.held()));
    parts.phase([&](int part, int k) {
        OrderedDomain& own = domains[at(k)];
        const CurveOrdered& from = all.of[at(k)];
        if (parts.size() > 1) own.particles.reserve(whole.size_of(part));
        own.particles.resize_untouched(whole.size_of(part));
        own.likeness.resize(whole.size_of(part));
        std::size_t place = 0;
        for (int p = 0; p < parts.size(); ++p) {
            if (p == part) {
                const IndexRange range = owned(part, part);
                gather(held[at(k)], from.order().subspan(range.begin, range.size()), own.particles, place);
                std::copy_n(from.likeness.data() + range.begin, range.size(), own.likeness.data() + place);
                place += range.size();
                continue;
            }
            Parts::Box& box = in[at(k)][at(p)];
            if (box.empty()) continue;
            Reader reader(box);
            const auto likeness = reader.take<tree::Likeness>();
            DomainParticles arrived;
            take_particles(reader, arrived);
            AUREOLE_EXPECT(place + arrived.size() <= own.likeness.size(), "domain {} got too many particles",
                           part);
            std::ranges::copy(likeness, own.likeness.begin() + static_cast<std::ptrdiff_t>(place));
            copy_places(arrived, own, place);
            place += arrived.size();
            box = {};
        }
        AUREOLE_EXPECT(place == whole.size_of(part), "domain {} got {} particles, expected {}", part, place,
                       whole.size_of(part));
        held[at(k)] = {};
        all.of[at(k)] = {};
        if (place > 0 && parts.size() > 1)
            first_keys[at(k)].push_back(tree::curve_key(own.particles.view().position.load(0), whole.frame));
    });
    if (parts.size() == 1) return;
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
                 std::vector<OrderedDomain>& domains, PhaseClock& clock)
{
    AUREOLE_EXPECT(held.size() == at(parts.held()), "particles of {} parts where {} are held", held.size(),
                   parts.held());
    Whole whole = survey(parts, held);
    clock.end("survey");
    expect_valid(rule, parts.size(), whole.n);
    std::vector<Untouched<std::uint64_t>> keys;
    const bool is_one = parts.size() == 1;  // nothing is cut, nothing moves
    parts.phase([&](int, int k) {
        keys.push_back(is_one ? Untouched<std::uint64_t>() : curve_keys(held[at(k)].view(), whole.frame));
    });

    clock.end("keys");
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
    clock.end("key cuts");
    migrate_by_key(parts, held, keys, whole.key_cuts);
    clock.end("to key");
    keys.clear();
    Ordered all = order_all(parts, held);
    parts.phase([&](int part, int k) {
        all.of.push_back(curve_ordered(held[at(k)], whole.frame, static_cast<Index>(all.first[at(part)])));
    });
    clock.end("order");
    compare_ends(parts, all);
    const std::vector<std::uint64_t> cuts = exact_cuts(parts, held, all, rule, whole);
    whole.cuts = {0};
    whole.cuts.insert(whole.cuts.end(), cuts.begin(), cuts.end());
    whole.cuts.push_back(whole.n);
    clock.end("cuts");
    migrate_by_place(parts, held, all, whole, domains);
    clock.end("to place");
    return whole;
}

}  // namespace aureole::gravity::domains
