#include <algorithm>

#include "halo/centres/centre_method.hpp"
#include "halo/centres/each_list.hpp"
#include "halo/centres/gpu/centre_search.hpp"
#include "halo/centres/member_tree.hpp"
#include "halo/separation.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

struct SquaredRange {
    double nearest, farthest;
};

/// Squared distances from x to the points of a node's box.
SquaredRange squared_range(Vec3 x, const MemberNode& node)
{
    const auto axis = [](double at, double low, double high) {
        const double gap = std::max({low - at, at - high, 0.0}), reach = std::max(high - at, at - low);
        return SquaredRange{gap * gap, reach * reach};
    };
    const SquaredRange a = axis(x.x, node.low.x, node.high.x), b = axis(x.y, node.low.y, node.high.y),
                       c = axis(x.z, node.low.z, node.high.z);
    return {a.nearest + b.nearest + c.nearest, a.farthest + b.farthest + c.farthest};
}

/// One group and the query. Distances between the images in the tree decide what is clear beyond their
/// rounding; what is not is decided from the positions as they are stored.
struct FriendWalk {
    const ConstParticlesView& host;
    const Box& box;
    std::span<const Index> members;
    const MemberTree& tree;
    const BodiesView bodies;
    double squared_length;
    double clearly;  ///< squared distances that differ by this factor are in no doubt

    /// Members within reach of the one at place `at` whose image is moved by `shift`, itself included.
    Index count(std::size_t at, Vec3 shift) const
    {
        struct Visitor {
            const FriendWalk& walk;
            std::size_t at;
            Vec3 x;
            Index found = 0;

            bool opens(Index k)
            {
                const SquaredRange range = squared_range(x, walk.tree.node(k));
                const bool inside = range.farthest * walk.clearly <= walk.squared_length;
                const bool outside = range.nearest > walk.squared_length * walk.clearly;
                if (inside) found += walk.tree.shape().size(k);
                return !inside && !outside;
            }
            void leaf(Index k) { found += walk.count_in_leaf(at, x, k); }
        } visitor{*this, at, bodies.position(at) + shift};
        traverse(tree.shape(), BalancedTree::root, visitor);
        return visitor.found;
    }

    Index count_in_leaf(std::size_t at, Vec3 x, Index k) const
    {
        Index found = 0;
        for (Index j = tree.shape().begin(k); j < tree.shape().end(k); ++j) {
            const Vec3 d = bodies.position(j) - x;
            const double squared = dot(d, d);
            if (squared * clearly <= squared_length)
                ++found;
            else if (squared <= squared_length * clearly)
                found += stored_friends(at, j);
        }
        return found;
    }

    bool stored_friends(std::size_t at, std::size_t other) const
    {
        const Vec3 a = host.position.load(members[tree.order(at)]);
        const Vec3 b = host.position.load(members[tree.order(other)]);
        return squared_separation(box, a, b) <= squared_length;
    }
};

/// Shifts by which images of the group may be friends of the group itself.
std::vector<Vec3> useful_shifts(const Box& box, const MemberNode& root, double length)
{
    std::vector<Vec3> shifts{Vec3{}};
    if (!box.periodic()) return shifts;
    const auto touches = [&](int sides, double low, double high) {
        return sides == 0 || high - low + 1.001 * length >= box.side;
    };
    for (int a = -1; a <= 1; ++a)
        for (int b = -1; b <= 1; ++b)
            for (int c = -1; c <= 1; ++c)
                if ((a != 0 || b != 0 || c != 0) && touches(a, root.low.x, root.high.x) &&
                    touches(b, root.low.y, root.high.y) && touches(c, root.low.z, root.high.z))
                    shifts.push_back({a * box.side, b * box.side, c * box.side});
    return shifts;
}

/// Per member, how many others are no farther than `length`: nearest images, decided as the finders do
/// (squared_separation).
std::vector<Index> friend_counts(const ConstParticlesView& host, const Box& box,
                                 std::span<const Index> members, double length)
{
    Bodies images;
    gather_bodies(host, box, members, images);
    const MemberTree tree(images.view());
    const double rounding = length > 0 ? 0x1p-46 * box.side / length : 0;
    const FriendWalk walk{host, box, members, tree, tree.bodies(), length * length, 1 + 1e-9 + rounding};
    const std::vector<Vec3> shifts = useful_shifts(box, tree.node(BalancedTree::root), length);
    std::vector<Index> counts(members.size());
#pragma omp parallel for schedule(dynamic, 64) if (counts.size() > parallel_threshold)
    for (std::size_t at = 0; at < counts.size(); ++at) {
        Index found = 0;
        for (const Vec3 shift : shifts) found += walk.count(at, shift);
        counts[tree.order(at)] = found - 1;
    }
    return counts;
}

class MostConnected final : public CentreMethod {
public:
    void expect_possible(const CentreConfig& config, const Box& box) const override
    {
        const double length = config.linking_length;
        AUREOLE_EXPECT(length > 0 && std::isfinite(length), "linking length {}, expected a positive number",
                       length);
        AUREOLE_EXPECT(!box.periodic() || box.side > 2 * length,
                       "linking length {} in a periodic box of side {}: expected less than half the side",
                       length, box.side);
    }
    bool needs_velocities() const override { return false; }
    bool by_potential() const override { return false; }

    Centres find(const ListsOnHost& lists) const override
    {
        const Members& members = lists.members;
        std::vector<Index> friends(members.particle.size());
        struct Nothing {};
        for_each_list<Nothing>(members, shared_length, [&](std::size_t list, Nothing&) {
            const std::vector<Index> counts =
                friend_counts(lists.particles, lists.box, members.of(list), lists.config.linking_length);
            std::copy(counts.begin(), counts.end(),
                      friends.begin() + static_cast<std::ptrdiff_t>(members.begin[list]));
        });
        CentreList centres(lists);
        for (std::size_t list = 0; list < members.size(); ++list)
            add(centres, list, lists,
                std::span<const Index>(friends).subspan(members.begin[list], members.size(list)));
        return std::move(centres.centres());
    }

    bool runs_on_gpu() const override { return true; }
    std::vector<centre_search::FoundCentre> find_on_gpu(const ListsOnGpu& lists) const override
    {
        if constexpr (with_cuda) {
            centre_search::CentreQuery query = lists.query;
            query.alike = true;
            return lists.search.most_connected(lists.stream, query, lists.config.linking_length, lists.ties);
        }
        throw_not_built(Backend::cuda);
    }

private:
    static void add(CentreList& centres, std::size_t list, const ListsOnHost& lists,
                    std::span<const Index> counts)
    {
        const std::span<const Index> own = lists.members.of(list);
        const Index most = *std::max_element(counts.begin(), counts.end());
        Members& ties = centres.centres().ties;
        Index best = no_particle;
        for (std::size_t k = 0; k < own.size(); ++k) {
            if (counts[k] != most) continue;
            ties.particle.push_back(own[k]);
            if (best == no_particle || lists.particles.id_of(own[k]) < lists.particles.id_of(best))
                best = own[k];
        }
        ties.begin.push_back(ties.particle.size());
        centres.set_particle(list, best, most);
    }
};

}  // namespace

std::unique_ptr<CentreMethod> make_most_connected() { return std::make_unique<MostConnected>(); }

}  // namespace aureole::halo
