// Spheres in many lists of masses: by hand, against a slow search and against lists one by one, in any order,
// on each backend.
#include "halo/overdensity/member_spheres.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "sim/core/error.hpp"
#include "tests/support/backends.hpp"
#include "tests/support/close_to.hpp"
#include "tests/support/halo/overdensity_reference.hpp"
#include "tests/support/halo/sorted_spheres.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::member_spheres_test {
namespace {

using halo::Crossing;
using halo::ListSphere;
using halo::OverdensitySphere;
using List = std::vector<halo::RadialMass>;

constexpr Tolerance rounding{1e-12, "sums of some thousand masses in another order"};
constexpr double not_asked_for = std::numeric_limits<double>::quiet_NaN();

/// Lists in the memory of a backend.
class ListsThere {
public:
    ListsThere(Exec exec, const std::vector<List>& lists)
        : arena_(exec.backend), spheres_(exec, uploaded(exec, lists), arena_)
    {
    }
    const halo::MemberSpheres& operator*() const { return spheres_; }
    const halo::MemberSpheres* operator->() const { return &spheres_; }

private:
    halo::RadialLists uploaded(Exec exec, const std::vector<List>& lists)
    {
        std::vector<std::uint64_t> begin{0};
        std::vector<double> squared, mass;
        std::uint64_t longest = 0;
        for (const List& list : lists) {
            for (const halo::RadialMass& member : list) {
                squared.push_back(member.squared);
                mass.push_back(member.mass);
            }
            begin.push_back(squared.size());
            longest = std::max<std::uint64_t>(longest, list.size());
        }
        begin_ = Buffer<std::uint64_t>(exec.backend, std::span<const std::uint64_t>(begin));
        squared_ = Buffer<double>(exec.backend, std::span<const double>(squared));
        mass_ = Buffer<double>(exec.backend, std::span<const double>(mass));
        return {{static_cast<Index>(lists.size()), squared.size(), nullptr, begin_.data()},
                longest,
                squared_.data(),
                mass_.data()};
    }

    Buffer<std::uint64_t> begin_;
    Buffer<double> squared_, mass_;
    halo::Arena arena_;
    halo::MemberSpheres spheres_;
};

class MemberSpheres : public OnEachBackend {
protected:
    ListsThere there(const std::vector<List>& lists) { return {exec(), lists}; }
    OverdensitySphere only(const List& list, double density, Crossing crossing = Crossing::outermost)
    {
        return there({list})->of_densities(std::vector{density}, crossing)[0];
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(MemberSpheres);

TEST_P(MemberSpheres, AreThoseDoneByHand)
{
    // a gap between 1 and 4 in which the mean density falls below 1, and above it again at 4
    const double many = 100 * unit_sphere;
    const List members{{16, many}, {1, unit_sphere}, {0.25, 2 * unit_sphere}, {9, 0}};
    const auto outer = only(members, 1), inner = only(members, 1, Crossing::innermost);
    EXPECT_TRUE(close_to(outer.mass, 103 * unit_sphere, outer.mass, rounding));
    EXPECT_TRUE(close_to(outer.radius, std::cbrt(103), 4, rounding));
    EXPECT_TRUE(close_to(inner.mass, 3 * unit_sphere, inner.mass, rounding));
    EXPECT_TRUE(close_to(inner.radius, std::cbrt(3), 1, rounding));
    EXPECT_EQ(only(members, 100).radius, 0) << "nothing is so dense";
    const ListsThere spheres = there({members});
    EXPECT_EQ(spheres->extents(), std::vector{4.0}) << "the one at 3 has a mass of nothing";
    const std::vector<ListSphere> asked{{0, 0.16}, {0, 1}, {0, 3.9 * 3.9}};
    const std::vector<double> mass = spheres->masses_within(asked);
    EXPECT_EQ(mass[0], 0);
    EXPECT_TRUE(close_to(mass[1], 3 * unit_sphere, 1, rounding)) << "the surface counts";
    EXPECT_TRUE(close_to(mass[2], 3 * unit_sphere, 1, rounding));
}

TEST_P(MemberSpheres, MembersAtOneDistanceCountTogether)
{
    const List pair{{1, 0.6 * unit_sphere}, {1, 0.6 * unit_sphere}};
    for (const Crossing crossing : {Crossing::outermost, Crossing::innermost}) {
        const auto found = only(pair, 1, crossing);
        EXPECT_TRUE(close_to(found.mass, 1.2 * unit_sphere, 1, rounding)) << "one alone is too thin";
        EXPECT_TRUE(close_to(found.radius, std::cbrt(1.2), 1, rounding));
    }
}

TEST_P(MemberSpheres, OfNothingAreNothing)
{
    const ListsThere spheres = there({List(3, {1, 0}), {}, List(40, {2, 0})});
    const std::vector<double> density(3, 1.0);
    for (const Crossing crossing : {Crossing::outermost, Crossing::innermost})
        for (const OverdensitySphere& sphere : spheres->of_densities(density, crossing))
            EXPECT_EQ(sphere.mass + sphere.radius, 0);
    EXPECT_EQ(spheres->masses_within(std::vector<ListSphere>{{0, 100}, {1, 100}, {2, 100}}),
              std::vector<double>(3, 0.0));
    EXPECT_EQ(spheres->extents(), std::vector<double>(3, 0.0));
    const ListsThere none = there({});
    EXPECT_TRUE(none->of_densities({}).empty());
    EXPECT_TRUE(none->extents().empty());
    EXPECT_THROW(spheres->of_densities(std::vector{1.0, 2.0}), Error) << "two densities of three lists";
}

TEST_P(MemberSpheres, AreThoseOfASlowSearchInAnyOrder)
{
    Particles p = particles_at(clustered_points(3000, 5));
    Uniform u(6);
    const Vec3 centre = p.position.load(17);
    List members;
    for (Index i = 0; i < p.size(); ++i) {
        p.mass.host()[i] = i % 7 == 0 ? 0 : 0.1 + u();
        const Vec3 d = p.position.load(i) - centre;
        members.push_back({dot(d, d), p.mass.host()[i]});
    }
    members.push_back(members.back());  // two at one distance
    Particles twice = p.gathered([&] {
        std::vector<Index> all(p.size() + 1);
        for (Index i = 0; i < all.size(); ++i) all[i] = std::min<Index>(i, static_cast<Index>(p.size()) - 1);
        return all;
    }());
    const OverdensityReference slow(twice, centre, 0);
    List shuffled = members;
    std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(7));
    std::vector<double> density;
    for (double rho = 1; rho < 1e9; rho *= 3) density.push_back(rho);
    const std::size_t n = density.size();
    for (std::size_t t = 0; t < n; ++t) density.push_back(density[t]);  // of the other list
    const ListsThere spheres = there({members, shuffled});
    for (const Crossing crossing : {Crossing::outermost, Crossing::innermost}) {
        const auto found = spheres->of_densities(density, crossing);
        for (std::size_t t = 0; t < n; ++t) {
            const auto expected = slow.sphere(density[t], crossing);
            EXPECT_TRUE(close_to(found[t].mass, expected.mass, std::max(1.0, expected.mass), rounding))
                << density[t];
            EXPECT_TRUE(close_to(found[t].radius, expected.radius, 1, rounding)) << density[t];
            EXPECT_EQ(found[n + t].mass, found[t].mass);
            EXPECT_EQ(found[n + t].radius, found[t].radius);
        }
    }
}

/// Lists of lengths around those of segments and of nodes above them, with massless and coincident members,
/// and masses over many powers of ten.
std::vector<List> lists_of_all_kinds()
{
    std::vector<List> lists;
    Uniform u(11);
    for (const std::size_t n :
         {0u, 1u, 2u, 31u, 32u, 33u, 64u, 0u, 1023u, 1024u, 1025u, 32767u, 32769u, 40000u, 5u}) {
        List list(n);
        for (std::size_t k = 0; k < n; ++k) {
            list[k].squared = k % 50 == 7 && k > 0 ? list[k - 1].squared : std::pow(u(), 3);
            list[k].mass = k % 11 == 3 ? 0 : n % 2 == 0 ? 0.25 : std::pow(10.0, 6 * u() - 3);
            if (k % 400 == 30) list[k].squared = 0;
        }
        lists.push_back(std::move(list));
    }
    for (halo::RadialMass& member : lists[4]) member.squared = 0.5;  // all at one distance
    for (halo::RadialMass& member : lists[3]) member.squared = 0;    // all at the centre
    for (halo::RadialMass& member : lists[8]) member.mass = 0;
    lists[13][0] = {1e-6, 1e-30};  // the nearest counts less than the last digit of the sum
    return lists;
}

TEST_P(MemberSpheres, OfManyListsAreThoseOfEachAloneToTheBit)
{
    const std::vector<List> lists = lists_of_all_kinds();
    const ListsThere spheres = there(lists);
    std::vector<double> density;
    std::vector<ListSphere> asked;
    constexpr std::size_t width = 9;
    for (Index l = 0; l < lists.size(); ++l) {
        for (std::size_t t = 0; t + 1 < width; ++t)
            density.push_back(std::pow(10.0, static_cast<double>(t)) * (1 + 0.1 * l));
        density.push_back(not_asked_for);
        for (const double squared : {0.0, 1e-3, 0.3, 0.5, 2.0}) asked.push_back({l, squared});
    }
    const std::vector<double> extent = spheres->extents(), mass = spheres->masses_within(asked);
    std::size_t n_spheres = 0;
    for (const Crossing crossing : {Crossing::outermost, Crossing::innermost}) {
        const auto found = spheres->of_densities(density, crossing);
        for (std::size_t l = 0; l < lists.size(); ++l) {
            const SortedSpheres alone(lists[l]);
            for (std::size_t t = 0; t < width; ++t) {
                const std::size_t at = l * width + t;
                const OverdensitySphere expected = std::isnan(density[at])
                                                       ? OverdensitySphere{0, 0}
                                                       : alone.of_density(density[at], crossing);
                EXPECT_EQ(found[at].mass, expected.mass) << l << ' ' << t;
                EXPECT_EQ(found[at].radius, expected.radius) << l << ' ' << t;
                n_spheres += expected.mass > 0 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(n_spheres, 60u);
    for (std::size_t l = 0; l < lists.size(); ++l)
        EXPECT_EQ(extent[l], SortedSpheres(lists[l]).extent()) << l;
    for (std::size_t q = 0; q < asked.size(); ++q)
        EXPECT_EQ(mass[q], SortedSpheres(lists[asked[q].list]).mass_within(asked[q].squared)) << q;
}

TEST_P(MemberSpheres, OfNoDensityTheFarthestMemberDecides)
{
    const std::vector<double> value{3, 0, 7, 1, 0, 0, 2.5};
    const std::vector<std::uint64_t> begin{0, 3, 3, 6, 7};
    const Buffer<double> values(GetParam(), std::span<const double>(value));
    const Buffer<std::uint64_t> begins(GetParam(), std::span<const std::uint64_t>(begin));
    halo::Arena arena(GetParam());
    EXPECT_EQ(halo::largest_of_lists(exec(), {4, value.size(), nullptr, begins.data()}, values.data(), arena),
              (std::vector<double>{7, 0, 1, 2.5}));
}

}  // namespace
}  // namespace aureole::test::member_spheres_test
