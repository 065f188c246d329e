#include "halo/ranks/moved_groups.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "halo/needed_arrays.hpp"
#include "halo/ranks/part_points.hpp"
#include "sim/core/error.hpp"

namespace aureole::halo {
namespace {

/// The members that one part has of each group, in their sequence there.
Members members_by_label(std::span<const std::int32_t> label, std::size_t n_groups)
{
    Members members;
    members.begin.assign(n_groups + 1, 0);
    for (const std::int32_t group : label)
        if (group >= 0) ++members.begin[static_cast<std::size_t>(group) + 1];
    std::partial_sum(members.begin.begin(), members.begin.end(), members.begin.begin());
    members.particle.resize(members.begin.back());
    std::vector<std::uint64_t> next(members.begin.begin(), members.begin.end() - 1);
    for (std::size_t i = 0; i < label.size(); ++i)
        if (label[i] >= 0)
            members.particle[next[static_cast<std::size_t>(label[i])]++] = static_cast<Index>(i);
    return members;
}

/// Calls act(array of the particles) for each array that travels.
template <class Set, class Act>
void for_each_moved(Set& set, Act act)
{
    act(set.position.x);
    act(set.position.y);
    act(set.position.z);
    act(set.velocity.x);
    act(set.velocity.y);
    act(set.velocity.z);
    act(set.mass);
}

/// What has come from one part: numbers of members of each group of a batch, then array after array.
class Arrival {
public:
    Arrival(std::span<const std::byte> box, std::size_t n_groups) : rest_(box)
    {
        const auto numbers = take<std::uint64_t>(box.empty() ? 0 : n_groups);
        begin.assign(n_groups + 1, 0);
        std::partial_sum(numbers.begin(), numbers.end(), begin.begin() + 1);
        if (numbers.empty()) return;
        const std::size_t n = begin.back();
        for (std::vector<double>& array : number) array = take<double>(n);
        id = take<std::uint64_t>(n);
        serial = take<std::uint64_t>(n);
        type = take<ParticleType>(n);
    }

    std::vector<std::size_t> begin;
    std::array<std::vector<double>, 7> number;  ///< in the order of for_each_moved()
    std::vector<std::uint64_t> id, serial;
    std::vector<ParticleType> type;

private:
    template <class T>
    std::vector<T> take(std::size_t n)
    {
        std::vector<T> values = values_of<T>(rest_.first(n * sizeof(T)));
        rest_ = rest_.subspan(n * sizeof(T));
        return values;
    }

    std::span<const std::byte> rest_;
};

/// A member, by the box that it came in.
struct Source {
    std::uint64_t serial;
    std::uint32_t box;
    Index place;
};

/// The members of one group by rising serial.
std::vector<Source> sources_of(const std::vector<Arrival>& arrivals, std::size_t group)
{
    std::vector<Source> sources;
    for (std::uint32_t b = 0; b < arrivals.size(); ++b)
        for (std::size_t i = arrivals[b].begin[group]; i < arrivals[b].begin[group + 1]; ++i)
            sources.push_back({arrivals[b].serial[i], b, static_cast<Index>(i)});
    const auto by_serial = [](const Source& a, const Source& b) { return a.serial < b.serial; };
    if (!std::ranges::is_sorted(sources, by_serial)) std::ranges::sort(sources, by_serial);
    return sources;
}

MovedGroups assembled(const std::vector<comm::Parts::Box>& boxes, const GroupBatch& batch)
{
    AUREOLE_EXPECT(batch.n_members < std::numeric_limits<Index>::max(),
                   "a group has {} members, expected less than 2^32", batch.n_members);
    std::vector<Arrival> arrivals;
    for (const comm::Parts::Box& box : boxes) arrivals.emplace_back(box, batch.group.size());
    MovedGroups moved{Particles(Backend::cpu, batch.n_members), {}, {}};
    moved.serial.resize(batch.n_members);
    moved.groups.label.resize(batch.n_members);
    std::size_t next = 0;
    for (std::size_t g = 0; g < batch.group.size(); ++g) {
        const std::vector<Source> sources = sources_of(arrivals, g);
        moved.groups.n_members.push_back(static_cast<Index>(sources.size()));
        for (const Source& from : sources) {
            const Arrival& box = arrivals[from.box];
            std::size_t array = 0;
            for_each_moved(moved.particles,
                           [&](auto& to) { to.data()[next] = box.number[array++][from.place]; });
            moved.particles.id.data()[next] = box.id[from.place];
            moved.particles.type.data()[next] = box.type[from.place];
            moved.serial[next] = from.serial;
            moved.groups.label[next++] = static_cast<std::int32_t>(g);
        }
    }
    AUREOLE_EXPECT(next == batch.n_members, "{} members have come of groups of {}", next, batch.n_members);
    return moved;
}

}  // namespace

GroupMoves::GroupMoves(comm::Parts& parts, std::span<const PartParticles> held,
                       std::span<const std::vector<std::int32_t>> label, std::size_t n_groups)
    : parts_(parts), held_(held), members_(held.size())
{
    std::vector<comm::Parts::Box> boxes(held.size());
    on_parts(parts, [&](std::size_t k, std::size_t) {
        const ConstParticlesView& particles = held[k].particles;
        if (particles.n > 0)
            expect_arrays(particles, Backend::cpu, "a catalogue", {.mass = true, .velocity = true});
        AUREOLE_EXPECT(label[k].size() == particles.n, "{} labels for {} particles", label[k].size(),
                       particles.n);
        for (const std::int32_t group : label[k])
            AUREOLE_EXPECT(group < static_cast<std::int64_t>(n_groups), "label {} of {} groups", group,
                           n_groups);
        members_[k] = members_by_label(label[k], n_groups);
        pack_one(boxes[k], std::uint64_t{particles.n});
    });
    begin_.push_back(0);
    for (const comm::Parts::Box& box : parts.all_gather(boxes))
        begin_.push_back(begin_.back() + values_of<std::uint64_t>(box)[0]);
}

void GroupMoves::pack_members(std::size_t k, std::size_t part, const GroupBatch& batch,
                              comm::Parts::Box& box) const
{
    std::vector<Index> list;
    std::vector<std::uint64_t> numbers;
    for (const std::uint32_t g : batch.group) {
        const std::span<const Index> of_group = members_[k].of(g);
        list.insert(list.end(), of_group.begin(), of_group.end());
        numbers.push_back(of_group.size());
    }
    if (list.empty()) return;
    constexpr std::size_t bytes_each = 7 * sizeof(double) + 2 * sizeof(std::uint64_t) + sizeof(ParticleType);
    box.reserve(numbers.size() * sizeof numbers[0] + list.size() * bytes_each);
    pack(box, std::span<const std::uint64_t>(numbers));
    const ConstParticlesView& particles = held_[k].particles;
    const auto pack_each = [&](auto value_of) {
        for (const Index i : list) pack_one(box, value_of(i));
    };
    for_each_moved(particles, [&](const double* array) { pack_each([=](Index i) { return array[i]; }); });
    pack_each([&](Index i) { return particles.id ? particles.id[i] : serial_of(k, part, i); });
    pack_each([&](Index i) { return serial_of(k, part, i); });
    pack_each([&](Index i) { return particles.type_of(i); });
}

std::vector<MovedGroups> GroupMoves::batch(const GroupShares& shares, std::size_t number)
{
    comm::Parts::Boxes out = parts_.boxes();
    on_parts(parts_, [&](std::size_t k, std::size_t part) {
        for (std::size_t to = 0; to < out[k].size(); ++to)
            if (number < shares.of_part[to].size())
                pack_members(k, part, shares.of_part[to][number], out[k][to]);
    });
    comm::Parts::Boxes in = parts_.exchange(std::move(out));
    std::vector<MovedGroups> moved(held_.size());
    on_parts(parts_, [&](std::size_t k, std::size_t part) {
        const std::vector<comm::Parts::Box> boxes = std::exchange(in[k], {});
        if (number < shares.of_part[part].size()) moved[k] = assembled(boxes, shares.of_part[part][number]);
    });
    return moved;
}

}  // namespace aureole::halo
