#include "halo/ranks/joined_sets.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();

/// What a group is sorted by.
struct Size {
    std::uint64_t n = 0, smallest_id = none, smallest_serial = none;

    void add(const Size& other)
    {
        n += other.n;
        smallest_id = std::min(smallest_id, other.smallest_id);
        smallest_serial = std::min(smallest_serial, other.smallest_serial);
    }
    bool operator<(const Size& b) const
    {
        return std::tie(b.n, smallest_id, smallest_serial) < std::tie(n, b.smallest_id, b.smallest_serial);
    }
    bool operator==(const Size&) const = default;
};

/// The sets of one part that hold points of its own, from 0.
struct OwnSets {
    std::vector<Index>
        of_point;            ///< the own points, then the ghosts; in_no_set also for sets of ghosts alone
    std::vector<Size> size;  ///< by own points

    static OwnSets of(const PartPoints& points, std::vector<Index> sets)
    {
        OwnSets result;
        std::vector<Index> number(sets.size(), in_no_set);
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (sets[i] == in_no_set) continue;
            Index& own = number[sets[i]];
            if (own == in_no_set) {
                own = static_cast<Index>(result.size.size());
                result.size.emplace_back();
            }
            result.size[own].add({1, points.id[i], points.serial[i]});
        }
        for (Index& set : sets)
            if (set != in_no_set) set = number[set];
        result.of_point = std::move(sets);
        return result;
    }
};

/// Sets of two parts that share a point, by their numbers among the sets of all parts; a < b.
struct SetPair {
    std::uint64_t a, b;
    auto operator<=>(const SetPair&) const = default;
};

/// Where the sets of each part begin among those of all parts, and their number.
std::vector<std::uint64_t> first_sets(comm::Parts& parts, const std::vector<OwnSets>& sets)
{
    std::vector<comm::Parts::Box> boxes;
    for (const OwnSets& of_part : sets) {
        const std::uint64_t n = of_part.size.size();
        pack_one(boxes.emplace_back(), n);
    }
    std::vector<std::uint64_t> begin{0};
    for (const comm::Parts::Box& box : parts.all_gather(boxes))
        begin.push_back(begin.back() + values_of<std::uint64_t>(box)[0]);
    return begin;
}

void keep_unique(std::vector<SetPair>& pairs)
{
    std::ranges::sort(pairs);
    const auto rest = std::ranges::unique(pairs);
    pairs.erase(rest.begin(), rest.end());
}

/// Pairs of all parts: the parts that have ghosts tell their owners in which sets these are. All of them do,
/// as a point that joins a ghost is seen in its own part alone.
std::vector<SetPair> pairs_of_sets(comm::Parts& parts, const std::vector<Ghosts>& ghosts,
                                   const std::vector<OwnSets>& sets, const std::vector<std::uint64_t>& begin)
{
    comm::Parts::Boxes out = parts.boxes();
    on_parts(parts, [&](std::size_t k, std::size_t) {
        const std::vector<Index>& of_point = sets[k].of_point;
        const auto of_ghosts = std::span(of_point).last(ghosts[k].points.size());
        for (std::size_t owner = 0; owner < out[k].size(); ++owner) {
            const std::size_t first = ghosts[k].begin[owner];
            pack(out[k][owner], of_ghosts.subspan(first, ghosts[k].begin[owner + 1] - first));
        }
    });
    const comm::Parts::Boxes in = parts.exchange(std::move(out));
    std::vector<comm::Parts::Box> found(ghosts.size());
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        std::vector<SetPair> pairs;
        for (std::size_t from = 0; from < in[k].size(); ++from) {
            const std::vector<Index> of_ghost = values_of<Index>(in[k][from]);
            for (std::size_t g = 0; g < of_ghost.size(); ++g) {
                const Index own = sets[k].of_point[ghosts[k].sent[from][g]];
                if (of_ghost[g] == in_no_set || own == in_no_set) continue;
                const std::uint64_t theirs = begin[from] + of_ghost[g], mine = begin[part] + own;
                pairs.push_back({std::min(theirs, mine), std::max(theirs, mine)});
            }
            keep_unique(pairs);
        }
        pack(found[k], std::span<const SetPair>(pairs));
    });
    std::vector<SetPair> all;
    for (const comm::Parts::Box& box : parts.all_gather(found)) append(all, box);
    return all;
}

/// The sets that share points with others, and what becomes of them.
class JoinedSets {
public:
    explicit JoinedSets(const std::vector<SetPair>& pairs)
    {
        for (const SetPair& pair : pairs) set_.insert(set_.end(), {pair.a, pair.b});
        std::ranges::sort(set_);
        const auto rest = std::ranges::unique(set_);
        set_.erase(rest.begin(), rest.end());
        for (std::size_t k = 0; k < set_.size(); ++k) parent_.push_back(k);
        for (const SetPair& pair : pairs) {
            const std::size_t a = root(place_of(pair.a)), b = root(place_of(pair.b));
            parent_[std::max(a, b)] = std::min(a, b);
        }
        for (std::size_t k = 0; k < set_.size(); ++k) parent_[k] = root(k);
    }

    static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

    /// Of a set among them; nowhere for one that shares nothing.
    std::size_t place_of(std::uint64_t set) const
    {
        const auto at = std::ranges::lower_bound(set_, set);
        return at == set_.end() || *at != set ? nowhere : static_cast<std::size_t>(at - set_.begin());
    }

    /// Adds up the sizes of what is joined; every rank gets all. Collective.
    void add_sizes(comm::Parts& parts, const std::vector<OwnSets>& sets,
                   const std::vector<std::uint64_t>& begin)
    {
        std::vector<comm::Parts::Box> boxes(sets.size());
        on_parts(parts, [&](std::size_t k, std::size_t part) {
            const auto first = std::ranges::lower_bound(set_, begin[part]);
            for (auto at = first; at != set_.end() && *at < begin[part + 1]; ++at)
                pack_one(boxes[k], sets[k].size[*at - begin[part]]);
        });
        std::vector<Size> own;
        for (const comm::Parts::Box& box : parts.all_gather(boxes)) append(own, box);
        size_.resize(own.size());
        for (std::size_t k = 0; k < own.size(); ++k) size_[parent_[k]].add(own[k]);
    }

    bool is_root(std::size_t place) const { return parent_[place] == place; }
    const Size& size(std::size_t place) const { return size_[parent_[place]]; }

private:
    std::size_t root(std::size_t k)
    {
        while (parent_[k] != k) k = parent_[k] = parent_[parent_[k]];
        return k;
    }

    std::vector<std::uint64_t> set_;  ///< rising
    std::vector<std::size_t> parent_;
    std::vector<Size> size_;  ///< of roots
};

/// The size of the group of each set of a part; calls use(size, whether this set stands for its group).
template <class Use>
void for_each_set(const OwnSets& sets, std::uint64_t begin, const JoinedSets& joined, Use use)
{
    for (std::size_t s = 0; s < sets.size.size(); ++s) {
        const std::size_t place = joined.place_of(begin + s);
        if (place == JoinedSets::nowhere)
            use(s, sets.size[s], true);
        else
            use(s, joined.size(place), joined.is_root(place));
    }
}

}  // namespace

NumberedGroups number_groups(comm::Parts& parts, const std::vector<PartPoints>& points,
                             const std::vector<Ghosts>& ghosts, std::vector<std::vector<Index>> sets,
                             Index min_members)
{
    std::vector<OwnSets> numbered(points.size());
    on_parts(parts,
             [&](std::size_t k, std::size_t) { numbered[k] = OwnSets::of(points[k], std::move(sets[k])); });
    const std::vector<std::uint64_t> begin = first_sets(parts, numbered);
    JoinedSets joined(pairs_of_sets(parts, ghosts, numbered, begin));
    joined.add_sizes(parts, numbered, begin);

    std::vector<comm::Parts::Box> heads(points.size());
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        for_each_set(numbered[k], begin[part], joined, [&](std::size_t, const Size& size, bool stands_for) {
            if (stands_for && size.n >= min_members) pack_one(heads[k], size);
        });
    });
    std::vector<Size> groups;
    for (const comm::Parts::Box& box : parts.all_gather(heads)) append(groups, box);
    parts.common_check([&] {
        AUREOLE_EXPECT(groups.size() <= std::numeric_limits<std::int32_t>::max(),
                       "{} groups are more than a label can number: ask for more members than {}",
                       groups.size(), min_members);
    });
    std::ranges::sort(groups, std::less<>());

    NumberedGroups result{std::vector<std::vector<std::int32_t>>(points.size()), {}};
    for (const Size& group : groups) result.n_members.push_back(group.n);
    on_parts(parts, [&](std::size_t k, std::size_t part) {
        std::vector<std::int32_t> row(numbered[k].size.size(), -1);
        for_each_set(numbered[k], begin[part], joined, [&](std::size_t s, const Size& size, bool) {
            if (size.n < min_members) return;
            const auto at = std::lower_bound(groups.begin(), groups.end(), size);
            row[s] = static_cast<std::int32_t>(at - groups.begin());
        });
        for (std::size_t i = 0; i < points[k].size(); ++i) {
            const Index set = numbered[k].of_point[i];
            result.label[k].push_back(set == in_no_set ? -1 : row[set]);
        }
    });
    return result;
}

}  // namespace aureole::halo
