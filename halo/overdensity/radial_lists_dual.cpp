#include "halo/overdensity/radial_lists.hpp"

#include "halo/list_segments.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {
namespace {

using segments::list_of_entry;
using segments::most_segments;
using segments::segment_at;

AUREOLE_HD std::uint64_t bits_of(double x)
{
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}

Index n_segments(const MembersView& lists, std::uint64_t length)
{
    return static_cast<Index>(most_segments(lists, length));
}

/// The first of the nodes below that hold what the segment has from `k` on.
AUREOLE_HD std::uint64_t node_below(const MembersView& lists, Index list, std::uint64_t k,
                                    std::uint64_t child)
{
    const std::uint64_t begin = lists.begin[list];
    return begin / child + list + (k - begin) / child;
}

/// Where the masses of a segment end, no later than those of its list.
AUREOLE_HD std::uint64_t end_of_masses(const RadialOrder& order, const segments::ListSegment& segment,
                                       std::uint64_t& end_of_list)
{
    end_of_list = order.lists.begin[segment.list] + order.n_massive[segment.list];
    return segment.end < end_of_list ? segment.end : end_of_list;
}

/// Members at one distance enter together, with the last of them.
AUREOLE_HD bool is_last_there(const RadialOrder& order, std::uint64_t k, std::uint64_t end)
{
    return k + 1 == end || order.squared[k + 1] != order.squared[k];
}

/// Whether the innermost sphere ends at entry k, or is none.
AUREOLE_HD bool ends_at(const RadialOrder& order, std::uint64_t k, std::uint64_t end, double density)
{
    return k + 1 == end || !reaches(order.enclosed[k], density, order.squared[k + 1]);
}

}  // namespace

void find_largest(Exec exec, const MembersView& lists, const double* value, std::uint64_t* bits)
{
    for_each(exec, lists.n_lists, [=] AUREOLE_HD(Index l) { bits[l] = 0; });
    for_each(exec, n_segments(lists, radial_terms), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(lists, number, radial_terms);
        double largest = 0;
        for (std::uint64_t k = segment.begin; k < segment.end; ++k)
            if (value[k] > largest) largest = value[k];
        if (largest > 0) atomic_max(bits + segment.list, bits_of(largest));
    });
}

void count_positive(Exec exec, const MembersView& lists, const double* value, Index* n)
{
    for_each(exec, lists.n_lists, [=] AUREOLE_HD(Index l) { n[l] = 0; });
    for_each(exec, n_segments(lists, radial_terms), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(lists, number, radial_terms);
        Index count = 0;
        for (std::uint64_t k = segment.begin; k < segment.end; ++k) count += value[k] > 0 ? 1 : 0;
        if (count > 0) atomic_add(n + segment.list, count);
    });
}

void key_by_distance(Exec exec, const RadialLists& of, const SortBuffers& pairs)
{
    constexpr std::uint64_t beyond_all = ~std::uint64_t{0} >> 1;
    std::uint64_t* const key = pairs.key;
    Index* const entry = pairs.value;
    const double *const squared = of.squared, *const mass = of.mass;
    for_each(exec, static_cast<Index>(of.lists.n_members), [=] AUREOLE_HD(Index k) {
        key[k] = mass[k] > 0 ? bits_of(squared[k]) : beyond_all;
        entry[k] = k;
    });
}

void key_by_list(Exec exec, const MembersView& lists, const SortBuffers& pairs)
{
    std::uint64_t* const key = pairs.key;
    const Index* const entry = pairs.value;
    for_each(exec, static_cast<Index>(lists.n_members),
             [=] AUREOLE_HD(Index k) { key[k] = list_of_entry(lists, entry[k]); });
}

void gather_entries(Exec exec, const RadialLists& of, const Index* entry, double* squared, double* mass)
{
    const double *const from_squared = of.squared, *const from_mass = of.mass;
    for_each(exec, static_cast<Index>(of.lists.n_members), [=] AUREOLE_HD(Index k) {
        const double m = from_mass[entry[k]];
        squared[k] = from_squared[entry[k]];
        mass[k] = m > 0 ? m : 0;
    });
}

void sum_masses(Exec exec, const MembersView& lists, const double* mass, const int* exponent, MassSum* node)
{
    for_each(exec, n_segments(lists, radial_terms), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(lists, number, radial_terms);
        const int to = exponent[segment.list];
        MassSum sum{0, 0};
        for (std::uint64_t k = segment.begin; k < segment.end; ++k)
            if (mass[k] > 0) sum = sum + to_sum(mass[k], to);
        node[number] = sum;
    });
}

void sum_nodes(Exec exec, const MembersView& lists, const MassSum* below, std::uint64_t length, MassSum* node)
{
    const std::uint64_t child = length / radial_terms;
    for_each(exec, n_segments(lists, length), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(lists, number, length);
        MassSum sum{0, 0};
        for (std::uint64_t k = segment.begin; k < segment.end; k += child)
            sum = sum + below[node_below(lists, segment.list, k, child)];
        node[number] = sum;
    });
}

void start_sums(Exec exec, const MembersView& lists, std::uint64_t length, MassSum* node)
{
    for_each(exec, lists.n_lists, [=] AUREOLE_HD(Index l) { node[lists.begin[l] / length + l] = {0, 0}; });
}

void hand_down_sums(Exec exec, const MembersView& lists, const MassSum* node, std::uint64_t length,
                    MassSum* below)
{
    const std::uint64_t child = length / radial_terms;
    for_each(exec, n_segments(lists, length), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(lists, number, length);
        if (segment.begin == segment.end) return;
        MassSum before = node[number];
        for (std::uint64_t k = segment.begin; k < segment.end; k += child) {
            MassSum& part = below[node_below(lists, segment.list, k, child)];
            const MassSum own = part;
            part = before;
            before = before + own;
        }
    });
}

void sum_along(Exec exec, const MembersView& lists, const int* exponent, const MassSum* before, double* mass)
{
    for_each(exec, n_segments(lists, radial_terms), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(lists, number, radial_terms);
        if (segment.begin == segment.end) return;
        const int by = exponent[segment.list];
        MassSum sum = before[number];
        for (std::uint64_t k = segment.begin; k < segment.end; ++k) {
            if (mass[k] > 0) sum = sum + to_sum(mass[k], by);
            mass[k] = to_mass(sum, by);
        }
    });
}

void find_outermost(Exec exec, const RadialOrder& order, Index width, const double* density,
                    std::uint64_t* behind)
{
    for_each(exec, n_segments(order.lists, radial_terms), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(order.lists, number, radial_terms);
        std::uint64_t end;
        const std::uint64_t last = end_of_masses(order, segment, end);
        if (segment.begin >= last) return;
        for (Index t = 0; t < width; ++t) {
            const std::uint64_t at = std::uint64_t{segment.list} * width + t;
            const double rho = density[at];
            // what all of the segment does not reach at its nearest member, none of it reaches
            if (!(rho > 0) || !reaches(order.enclosed[last - 1], rho, order.squared[segment.begin])) continue;
            for (std::uint64_t k = last; k-- > segment.begin;) {
                if (!is_last_there(order, k, end) || !reaches(order.enclosed[k], rho, order.squared[k]))
                    continue;
                atomic_min_of_few(behind + at, end - 1 - k);
                break;
            }
        }
    });
}

void find_innermost(Exec exec, const RadialOrder& order, Index width, const double* density,
                    std::uint64_t* within)
{
    for_each(exec, n_segments(order.lists, radial_terms), [=] AUREOLE_HD(Index number) {
        const auto segment = segment_at(order.lists, number, radial_terms);
        std::uint64_t end;
        const std::uint64_t last = end_of_masses(order, segment, end),
                            begin = order.lists.begin[segment.list];
        if (segment.begin >= last) return;
        for (Index t = 0; t < width; ++t) {
            const std::uint64_t at = std::uint64_t{segment.list} * width + t;
            const double rho = density[at];
            if (!(rho > 0)) continue;
            // where its first member reaches as far as the one behind it, the sphere does not end in it
            if (last < end && reaches(order.enclosed[segment.begin], rho, order.squared[last])) continue;
            for (std::uint64_t k = segment.begin; k < last; ++k) {
                if (!is_last_there(order, k, end)) continue;
                const bool nearest = order.squared[k] == order.squared[begin];
                if (nearest && !reaches(order.enclosed[k], rho, order.squared[k])) {
                    atomic_min_of_few(within + at, 0);
                    break;
                }
                if (!ends_at(order, k, end, rho)) continue;
                atomic_min_of_few(within + at, k + 1 - begin);
                break;
            }
        }
    });
}

void fetch_outermost(Exec exec, const RadialOrder& order, Index width, const std::uint64_t* behind,
                     double* mass)
{
    for_each(exec, order.lists.n_lists * width, [=] AUREOLE_HD(Index at) {
        const Index list = at / width, n = order.n_massive[list];
        mass[at] = behind[at] < n ? order.enclosed[order.lists.begin[list] + (n - 1 - behind[at])] : 0;
    });
}

void fetch_innermost(Exec exec, const RadialOrder& order, Index width, const std::uint64_t* within,
                     double* mass)
{
    for_each(exec, order.lists.n_lists * width, [=] AUREOLE_HD(Index at) {
        const Index list = at / width, n = order.n_massive[list];
        const bool found = within[at] > 0 && within[at] <= n;
        mass[at] = found ? order.enclosed[order.lists.begin[list] + (within[at] - 1)] : 0;
    });
}

void fetch_within(Exec exec, const RadialOrder& order, Index n_spheres, const ListSphere* sphere,
                  double* mass)
{
    for_each(exec, n_spheres, [=] AUREOLE_HD(Index q) {
        const std::uint64_t begin = order.lists.begin[sphere[q].list];
        std::uint64_t low = begin, high = begin + order.n_massive[sphere[q].list];
        while (low < high) {  // the first entry beyond
            const std::uint64_t middle = low + (high - low) / 2;
            if (order.squared[middle] <= sphere[q].squared)
                low = middle + 1;
            else
                high = middle;
        }
        mass[q] = low > begin ? order.enclosed[low - 1] : 0;
    });
}

void fetch_farthest(Exec exec, const RadialOrder& order, double* squared)
{
    for_each(exec, order.lists.n_lists, [=] AUREOLE_HD(Index l) {
        const Index n = order.n_massive[l];
        squared[l] = n > 0 ? order.squared[order.lists.begin[l] + (n - 1)] : 0;
    });
}

}  // namespace aureole::halo
