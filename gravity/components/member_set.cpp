#include "gravity/components/member_set.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace aureole::gravity::components {
namespace {

const scf::Membership& membership_of(const std::vector<scf::Membership>& present, int component)
{
    const auto found = std::ranges::find(present, component, &scf::Membership::component);
    if (found == present.end())
        throw ConfigError(
            fmt::format("gravity.components.solvers: component {} has no particles; expected a solver for "
                        "each of the {} components that have some",
                        component, present.size()));
    return *found;
}

/// The one range of components that lie together; nothing where they do not.
std::optional<IndexRange> joined(std::vector<IndexRange> ranges)
{
    std::ranges::sort(ranges, {}, &IndexRange::begin);
    for (std::size_t k = 1; k < ranges.size(); ++k)
        if (ranges[k].begin != ranges[k - 1].end) return {};
    return IndexRange{ranges.front().begin, ranges.back().end};
}

}  // namespace

MemberSet::MemberSet(const ConstParticlesView& particles, const std::vector<scf::Membership>& present,
                     const Numbers& components)
{
    std::vector<IndexRange> ranges;
    bool contiguous = true;
    for (const int k : components) {
        const scf::Membership& member = membership_of(present, k);
        ranges.push_back(member.range);
        contiguous = contiguous && member.contiguous;
    }
    if (ranges.empty()) return;
    if (const auto range = contiguous ? joined(ranges) : std::nullopt) {
        range_ = *range;
        return;
    }
    std::vector<Component> numbers(particles.n, 0);
    if (particles.where == Backend::cpu)
        std::copy_n(particles.component, particles.n, numbers.begin());
    else
        device::copy(numbers.data(), particles.component, numbers.size() * sizeof(Component));
    for (Index i = 0; i < particles.n; ++i)
        if (std::ranges::binary_search(components, static_cast<int>(numbers[i]))) indices_.push_back(i);
    list_ = Buffer<Index>(particles.where, std::span<const Index>(indices_));
}

Selection MemberSet::within(IndexRange range) const
{
    if (indices_.empty()) {
        const Index begin = std::max(range_.begin, range.begin), end = std::min(range_.end, range.end);
        return begin < end ? Selection(begin, end) : Selection(0, 0);
    }
    const auto begin = std::ranges::lower_bound(indices_, range.begin);
    const auto end = std::lower_bound(begin, indices_.end(), range.end);
    return Selection::listed(list_.data() + (begin - indices_.begin()), static_cast<Index>(end - begin));
}

bool MemberSet::holds(Index particle) const
{
    if (indices_.empty()) return particle >= range_.begin && particle < range_.end;
    return std::ranges::binary_search(indices_, particle);
}

MemberSet MemberSet::among(Backend where, std::span<const Index> list) const
{
    MemberSet found;
    std::ranges::copy_if(list, std::back_inserter(found.indices_), [&](Index i) { return holds(i); });
    if (!found.indices_.empty()) found.list_ = Buffer<Index>(where, std::span<const Index>(found.indices_));
    return found;
}

}  // namespace aureole::gravity::components
