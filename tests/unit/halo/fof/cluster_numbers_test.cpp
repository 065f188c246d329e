#include "halo/fof/cluster_numbers.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "halo/groups.hpp"
#include "tests/support/backends.hpp"

namespace aureole::test::cluster_numbers_test {
namespace {

using halo::ClusterOrder;

class ClusterNumbers : public OnEachBackend {
protected:
    struct Found {
        std::vector<std::int64_t> label, core;
    };
    Found number(const halo::Groups& groups, ClusterOrder order)
    {
        const Buffer<std::int32_t> label(GetParam(), std::span<const std::int32_t>(groups.label));
        const Buffer<std::uint8_t> core(GetParam(), std::span<const std::uint8_t>(groups.core));
        const halo::GroupsView view{static_cast<Index>(label.size()), static_cast<Index>(groups.size()),
                                    label.data(), nullptr, core.data()};
        const halo::Clusters clusters = number_clusters(exec(), view, order);
        EXPECT_EQ(wide_labels(exec(), view).to_vector(),
                  (std::vector<std::int64_t>(groups.label.begin(), groups.label.end())));
        return {clusters.label.to_vector(), clusters.core.to_vector()};
    }
};

/// Slow: by sorting groups.
std::vector<std::int64_t> expected(const halo::Groups& groups, ClusterOrder order)
{
    std::map<std::int32_t, std::size_t> first;  // of groups with a core particle
    for (std::size_t i = groups.label.size(); i-- > 0;)
        if (groups.core[i] && groups.label[i] >= 0) first[groups.label[i]] = i;
    std::vector<std::pair<std::size_t, std::int32_t>> by_first;
    for (const auto& [group, i] : first)
        by_first.emplace_back(order == ClusterOrder::size ? static_cast<std::size_t>(group) : i, group);
    std::ranges::sort(by_first);
    std::map<std::int32_t, std::int64_t> number;
    for (const auto& [key, group] : by_first) number.emplace(group, static_cast<std::int64_t>(number.size()));
    std::vector<std::int64_t> label;
    for (const std::int32_t group : groups.label)
        label.push_back(number.contains(group) ? number[group] : -1);
    return label;
}

TEST_P(ClusterNumbers, OfACaseByHand)
{
    halo::Groups groups{{2, 0, 0, -1, 1, 2, 3}, {2, 1, 2, 1}, {0, 0, 1, 1, 0, 1, 0}};
    const Found by_size = number(groups, ClusterOrder::size);
    EXPECT_EQ(by_size.label, (std::vector<std::int64_t>{1, 0, 0, -1, -1, 1, -1}));
    EXPECT_EQ(by_size.core, (std::vector<std::int64_t>{2, 5}));  // one in no group is left out
    groups.core = {1, 0, 1, 0, 0, 1, 0};
    const Found by_first = number(groups, ClusterOrder::first_core_point);
    EXPECT_EQ(by_first.label, (std::vector<std::int64_t>{0, 1, 1, -1, -1, 0, -1}));
    EXPECT_EQ(by_first.core, (std::vector<std::int64_t>{0, 2, 5}));
}

TEST_P(ClusterNumbers, OfRandomGroupsAreThoseOfASlowReference)
{
    std::mt19937_64 random(7);
    for (const std::size_t n : {1u, 2u, 255u, 257u, 5000u})
        for (const std::size_t n_groups : {std::size_t{1}, n / 3 + 1, n}) {
            halo::Groups groups{std::vector<std::int32_t>(n), std::vector<Index>(n_groups),
                                std::vector<std::uint8_t>(n)};
            for (std::size_t i = 0; i < n; ++i) {
                groups.label[i] = static_cast<std::int32_t>(random() % (n_groups + 1)) - 1;
                groups.core[i] = random() % 4 == 0;
            }
            std::vector<std::int64_t> cores;
            for (std::size_t i = 0; i < n; ++i)
                if (groups.core[i] && groups.label[i] >= 0) cores.push_back(static_cast<std::int64_t>(i));
            for (const ClusterOrder order : {ClusterOrder::size, ClusterOrder::first_core_point}) {
                const Found found = number(groups, order);
                EXPECT_EQ(found.label, expected(groups, order)) << n << " " << n_groups;
                EXPECT_EQ(found.core, cores);
            }
        }
}

TEST_P(ClusterNumbers, OfNoParticlesAreNoneAndCoreFlagsAreNeeded)
{
    const halo::Clusters none = number_clusters(exec(), {}, ClusterOrder::size);
    EXPECT_EQ(none.label.size() + none.core.size(), 0u);
    const std::int32_t label = 0;
    EXPECT_THROW(number_clusters(exec(), {.n = 1, .n_groups = 1, .label = &label}, ClusterOrder::size),
                 ArgumentError);
}

AUREOLE_INSTANTIATE_ON_EACH_BACKEND(ClusterNumbers);

}  // namespace
}  // namespace aureole::test::cluster_numbers_test
