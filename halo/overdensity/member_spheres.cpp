#include "halo/overdensity/member_spheres.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "halo/copy_bytes.hpp"
#include "halo/properties/radial_bins.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

template <class T>
T* uploaded(Exec exec, std::span<const T> values, Arena& arena)
{
    auto* const there = arena.take<T>(values.size());
    copy_bytes(exec, there, values.data(), values.size_bytes());
    return there;
}

template <class T>
std::vector<T> downloaded(Exec exec, const T* there, std::size_t n)
{
    std::vector<T> values(n);
    copy_bytes(exec, values.data(), there, n * sizeof(T));
    return values;
}

/// Each list by itself, which a cache holds: on a host faster than all of them by the bits of distances.
void sort_on_host(const RadialLists& of, const RadialOrder& order)
{
    const MembersView& lists = of.lists;
#pragma omp parallel if (lists.n_members > parallel_threshold)
    {
        std::vector<RadialMass> sorted;
#pragma omp for schedule(dynamic)
        for (Index l = 0; l < lists.n_lists; ++l) {
            sorted.clear();
            for (std::uint64_t k = lists.begin[l]; k < lists.begin[l + 1]; ++k)
                if (of.mass[k] > 0) sorted.push_back({of.squared[k], of.mass[k]});
            std::ranges::sort(sorted, {}, &RadialMass::squared);
            sorted.resize(lists.begin[l + 1] - lists.begin[l], {0, 0});
            for (std::size_t k = 0; k < sorted.size(); ++k) {
                order.squared[lists.begin[l] + k] = sorted[k].squared;
                order.enclosed[lists.begin[l] + k] = sorted[k].mass;
            }
        }
    }
}

std::vector<double> roots_of(std::vector<double> values)
{
    for (double& x : values) x = std::sqrt(x);
    return values;
}

}  // namespace

MemberSpheres::MemberSpheres(Exec exec, const RadialLists& of, Arena& arena)
    : exec_(exec),
      arena_(arena),
      order_{of.lists, arena.take<Index>(of.lists.n_lists), arena.take<double>(of.lists.n_members),
             arena.take<double>(of.lists.n_members)}
{
    sort(of);
    sum_outward(of);
}

/// By distance, then by list, which keeps that order.
void MemberSpheres::sort(const RadialLists& of)
{
    if (exec_.backend == Backend::cpu) return sort_on_host(of, order_);
    const Arena::Frame frame(arena_);
    const std::uint64_t n = of.lists.n_members;
    SortBuffers pairs{arena_.take<std::uint64_t>(n), arena_.take<std::uint64_t>(n), arena_.take<Index>(n),
                      arena_.take<Index>(n)};
    auto* const scratch = arena_.take<std::byte>(sort_pairs_scratch_bytes(exec_.backend, n));
    key_by_distance(exec_, of, pairs);
    constexpr int bits_of_distance = 63;
    sort_pairs(exec_, n, pairs, bits_of_distance, scratch);
    if (of.lists.n_lists > 1) {
        key_by_list(exec_, of.lists, pairs);
        sort_pairs(exec_, n, pairs, static_cast<int>(std::bit_width(of.lists.n_lists - 1)), scratch);
    }
    gather_entries(exec_, of, pairs.value, order_.squared, order_.enclosed);
}

/// Segments, nodes of 32 of them, and so on up to one for each list; then down again.
void MemberSpheres::sum_outward(const RadialLists& of)
{
    const MembersView& lists = of.lists;
    count_positive(exec_, lists, of.mass, order_.n_massive);
    const Arena::Frame frame(arena_);
    const std::vector<Index> n_massive = downloaded(exec_, order_.n_massive, lists.n_lists);
    std::vector<int> exponents(lists.n_lists, 0);
    const std::vector<double> heaviest = largest_of_lists(exec_, lists, of.mass, arena_);
    for (std::size_t l = 0; l < exponents.size(); ++l)
        if (n_massive[l] > 0) exponents[l] = mass_exponent(heaviest[l], n_massive[l]);
    const int* const exponent = uploaded(exec_, std::span<const int>(exponents), arena_);
    std::vector<MassSum*> node;
    std::uint64_t length = radial_terms;
    const auto take = [&] { node.push_back(arena_.take<MassSum>(lists.n_members / length + lists.n_lists)); };
    take();
    sum_masses(exec_, lists, order_.enclosed, exponent, node.back());
    while (length < of.longest) {
        length *= radial_terms;
        take();
        sum_nodes(exec_, lists, node[node.size() - 2], length, node.back());
    }
    start_sums(exec_, lists, length, node.back());
    for (std::size_t level = node.size(); level-- > 1; length /= radial_terms)
        hand_down_sums(exec_, lists, node[level], length, node[level - 1]);
    sum_along(exec_, lists, exponent, node[0], order_.enclosed);
}

std::vector<OverdensitySphere> MemberSpheres::of_densities(std::span<const double> density,
                                                           Crossing crossing) const
{
    std::vector<OverdensitySphere> result(density.size(), {0, 0});
    if (density.empty()) return result;
    const std::size_t n_lists = order_.lists.n_lists;
    AUREOLE_EXPECT(n_lists > 0 && density.size() % n_lists == 0, "{} densities for {} lists", density.size(),
                   n_lists);
    const auto width = static_cast<Index>(density.size() / n_lists);
    const Arena::Frame frame(arena_);
    const double* const rho = uploaded(exec_, density, arena_);
    const std::vector<std::uint64_t> nowhere(density.size(), ~std::uint64_t{0});
    auto* const found = uploaded(exec_, std::span(nowhere), arena_);
    auto* const mass = arena_.take<double>(density.size());
    if (crossing == Crossing::outermost) {
        find_outermost(exec_, order_, width, rho, found);
        fetch_outermost(exec_, order_, width, found, mass);
    } else {
        find_innermost(exec_, order_, width, rho, found);
        fetch_innermost(exec_, order_, width, found, mass);
    }
    // radii on the host: cube roots of different libraries differ in their last digit
    const std::vector<double> masses = downloaded(exec_, mass, density.size());
    for (std::size_t k = 0; k < masses.size(); ++k)
        if (masses[k] > 0) result[k] = {masses[k], radius_of(masses[k], density[k])};
    return result;
}

std::vector<double> MemberSpheres::masses_within(std::span<const ListSphere> spheres) const
{
    const Arena::Frame frame(arena_);
    auto* const mass = arena_.take<double>(spheres.size());
    fetch_within(exec_, order_, static_cast<Index>(spheres.size()), uploaded(exec_, spheres, arena_), mass);
    return downloaded(exec_, mass, spheres.size());
}

std::vector<double> MemberSpheres::extents() const
{
    const Arena::Frame frame(arena_);
    const std::size_t n = order_.lists.n_lists;
    auto* const squared = arena_.take<double>(n);
    fetch_farthest(exec_, order_, squared);
    return roots_of(downloaded(exec_, squared, n));
}

std::size_t MemberSpheres::scratch_bytes(Backend where, std::size_t n)
{
    // distance and mass in order; keys and entries while they are sorted, nodes afterwards; numbers of lists
    constexpr std::size_t order = 2 * sizeof(double), pairs = 2 * (sizeof(std::uint64_t) + sizeof(Index));
    constexpr std::size_t rows = 10;  // 200 bytes of each list
    const std::size_t sorting = where == Backend::cpu ? 0 : n * pairs + sort_pairs_scratch_bytes(where, n);
    return n * (order + rows) + sorting;
}

std::vector<double> largest_of_lists(Exec exec, const MembersView& lists, const double* value, Arena& arena)
{
    const Arena::Frame frame(arena);
    auto* const bits = arena.take<std::uint64_t>(lists.n_lists);
    find_largest(exec, lists, value, bits);
    std::vector<double> largest;
    for (const std::uint64_t x : downloaded(exec, bits, lists.n_lists))
        largest.push_back(std::bit_cast<double>(x));
    return largest;
}

}  // namespace aureole::halo
