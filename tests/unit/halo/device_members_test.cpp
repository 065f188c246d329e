// Lists of members made from labels where these lie: the same as the host's, on each backend.
#include "halo/device_members.hpp"

#include "tests/support/backends.hpp"
#include "tests/support/point_sets.hpp"

namespace aureole::test::device_members_test {
namespace {

using halo::DeviceMembers;
using halo::Groups;
using halo::Members;

class MembersOnEachBackend : public OnEachBackend {
protected:
    void fill(DeviceMembers& lists, const Groups& groups) const
    {
        const Buffer<std::int32_t> label(exec().backend, std::span(groups.label));
        const Buffer<Index> length(exec().backend, std::span(groups.n_members));
        lists.fill(exec(), {static_cast<Index>(label.size()), static_cast<Index>(length.size()), label.data(),
                            length.data()});
    }

    template <class T>
    std::vector<T> fetched(const T* from, std::size_t n) const
    {
        std::vector<T> to(n);
        if (n == 0) return to;
        if (exec().backend == Backend::cpu)
            std::copy(from, from + n, to.begin());
        else
            device::copy(to.data(), from, n * sizeof(T));
        return to;
    }

    void expect_lists(const DeviceMembers& lists, const Members& expected) const
    {
        const halo::MembersView view = lists.view();
        EXPECT_EQ(lists.where(), exec().backend);
        ASSERT_EQ(view.n_lists, expected.size());
        ASSERT_EQ(view.n_members, expected.particle.size());
        EXPECT_EQ(fetched(view.begin, view.n_lists + 1), expected.begin);
        EXPECT_EQ(fetched(view.particle, view.n_members), expected.particle);
    }
};
AUREOLE_INSTANTIATE_ON_EACH_BACKEND(MembersOnEachBackend);

/// `n` labels below `n_groups`, or none; every eighth group is empty.
Groups random_groups(Index n, Index n_groups, std::uint64_t seed)
{
    Uniform u(seed);
    Groups groups{std::vector<std::int32_t>(n), std::vector<Index>(n_groups, 0)};
    for (std::int32_t& label : groups.label) {
        label = static_cast<std::int32_t>((n_groups + 1) * u()) - 1;
        if (label >= 0 && label % 8 == 5) label = -1;
        if (label >= 0) ++groups.n_members[static_cast<std::size_t>(label)];
    }
    return groups;
}

TEST_P(MembersOnEachBackend, ThreeGroupsDoneByHand)
{
    DeviceMembers lists;
    fill(lists, {{2, 0, -1, 0, 2, 0, -1}, {3, 0, 2}});
    expect_lists(lists, {{1, 3, 5, 0, 4}, {0, 3, 3, 5}});
}

TEST_P(MembersOnEachBackend, AreThoseOfTheHostInInputOrder)
{
    DeviceMembers lists;  // kept: larger and smaller fills follow one another
    for (const Index n : {0u, 1u, 2u, 700u, 70000u, 1000u})
        for (const Index n_groups : {0u, 1u, 2u, 255u, 256u, 257u, 66000u}) {
            const Groups groups = random_groups(n, n_groups, n + n_groups);
            fill(lists, groups);
            expect_lists(lists, members_of(groups));
        }
}

TEST_P(MembersOnEachBackend, CopiesOfListsAreTheLists)
{
    const Members members = members_of(random_groups(500, 20, 3));
    expect_lists(DeviceMembers(exec().backend, members), members);
    expect_lists(DeviceMembers(exec().backend, {}), {});
}

TEST_P(MembersOnEachBackend, ALabelOfNoGroupIsRefused)
{
    DeviceMembers lists;
    EXPECT_THROW(fill(lists, {{0, 1, 2}, {1, 1}}), Error);
    EXPECT_THROW(fill(lists, {{0, 1, 65536 + 1}, {1, 1}}), Error);
    EXPECT_THROW(fill(lists, {{0}, {}}), Error);
}

}  // namespace
}  // namespace aureole::test::device_members_test
