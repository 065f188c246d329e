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

constexpr std::size_t most_blocks = 64;

/// The members that one part has of each group, in their sequence there. Every block of particles counts for
/// itself, and then knows where its members of each group come.
Members members_by_label(std::span<const std::int32_t> label, std::size_t n_groups)
{
    const std::size_t n = label.size();
    const std::size_t n_blocks = std::clamp<std::size_t>(n / (4 * n_groups + few), 1, most_blocks);
    std::vector<std::vector<std::uint64_t>> next(n_blocks, std::vector<std::uint64_t>(n_groups, 0));
#pragma omp parallel for if (n_blocks > 1)
    for (std::size_t b = 0; b < n_blocks; ++b)
        for (std::size_t i = b * n / n_blocks; i < (b + 1) * n / n_blocks; ++i)
            if (label[i] >= 0) ++next[b][static_cast<std::size_t>(label[i])];
    Members members;
    members.begin.assign(n_groups + 1, 0);
    std::uint64_t before = 0;
    for (std::size_t g = 0; g < n_groups; ++g) {
        members.begin[g] = before;
        for (std::vector<std::uint64_t>& of_block : next) before += std::exchange(of_block[g], before);
    }
    members.begin[n_groups] = before;
    members.particle.resize(before);
#pragma omp parallel for if (n_blocks > 1)
    for (std::size_t b = 0; b < n_blocks; ++b)
        for (std::size_t i = b * n / n_blocks; i < (b + 1) * n / n_blocks; ++i)
            if (label[i] >= 0)
                members.particle[next[b][static_cast<std::size_t>(label[i])]++] = static_cast<Index>(i);
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

/// Where numbers of members of each group of a batch lie in a box, and behind them array after array of all
/// `n` members: the box holds them as a rank with its byte order has them.
struct BoxLayout {
    std::size_t n_groups, n;

    static constexpr std::size_t n_numbers = 7;  ///< in the order of for_each_moved()

    std::size_t number(std::size_t array) const
    {
        return n_groups * sizeof(std::uint64_t) + array * n * sizeof(double);
    }
    std::size_t id() const { return number(n_numbers); }
    std::size_t serial() const { return id() + n * sizeof(std::uint64_t); }
    std::size_t type() const { return serial() + n * sizeof(std::uint64_t); }
    std::size_t end() const { return type() + n * sizeof(ParticleType); }
};
static_assert(sizeof(double) == sizeof(std::uint64_t));  // all but the last array stay aligned

/// What has come from one part.
class Arrival {
public:
    Arrival(const comm::Parts::Box& box, std::size_t n_groups) : box_(box.data())
    {
        begin.assign(n_groups + 1, 0);
        if (box.empty()) return;
        const auto* const numbers = at<std::uint64_t>(0);
        std::partial_sum(numbers, numbers + n_groups, begin.begin() + 1);
        layout_ = {n_groups, begin.back()};
    }

    double number(std::size_t array, std::size_t i) const { return at<double>(layout_.number(array))[i]; }
    std::uint64_t id(std::size_t i) const { return at<std::uint64_t>(layout_.id())[i]; }
    std::uint64_t serial(std::size_t i) const { return at<std::uint64_t>(layout_.serial())[i]; }
    ParticleType type(std::size_t i) const { return at<ParticleType>(layout_.type())[i]; }

    std::vector<std::size_t> begin;  ///< of the members of each group

private:
    template <class T>
    const T* at(std::size_t offset) const
    {
        return reinterpret_cast<const T*>(box_ + offset);
    }

    const std::byte* box_;
    BoxLayout layout_{};
};

/// A member, by the box that it came in.
struct Source {
    std::uint64_t serial;
    std::uint32_t box;
    Index place;
};

/// The members of all groups, those of each by rising serial.
std::vector<Source> sources_of(const std::vector<Arrival>& arrivals, std::span<const std::size_t> begin)
{
    std::vector<Source> sources(begin.back());
    const std::size_t n_groups = begin.size() - 1;
#pragma omp parallel for schedule(dynamic, 16) if (sources.size() > few)
    for (std::size_t g = 0; g < n_groups; ++g) {
        auto next = sources.begin() + static_cast<std::ptrdiff_t>(begin[g]);
        const auto first = next;
        for (std::uint32_t b = 0; b < arrivals.size(); ++b)
            for (std::size_t i = arrivals[b].begin[g]; i < arrivals[b].begin[g + 1]; ++i)
                *next++ = {arrivals[b].serial(i), b, static_cast<Index>(i)};
        const auto by_serial = [](const Source& a, const Source& b) { return a.serial < b.serial; };
        if (!std::is_sorted(first, next, by_serial)) std::sort(first, next, by_serial);
    }
    return sources;
}

MovedGroups assembled(const std::vector<comm::Parts::Box>& boxes, const GroupBatch& batch)
{
    AUREOLE_EXPECT(batch.n_members < std::numeric_limits<Index>::max(),
                   "a group has {} members, expected less than 2^32", batch.n_members);
    const std::size_t n_groups = batch.group.size();
    std::vector<Arrival> arrivals;
    for (const comm::Parts::Box& box : boxes) arrivals.emplace_back(box, n_groups);
    std::vector<std::size_t> begin(n_groups + 1, 0);
    for (std::size_t g = 0; g <= n_groups; ++g)
        for (const Arrival& arrival : arrivals) begin[g] += arrival.begin[g];
    AUREOLE_EXPECT(begin.back() == batch.n_members, "{} members have come of groups of {}", begin.back(),
                   batch.n_members);
    const std::vector<Source> sources = sources_of(arrivals, begin);
    MovedGroups moved{Particles(Backend::cpu, batch.n_members), {}, {}};
    moved.serial.resize(batch.n_members);
    moved.groups.label.resize(batch.n_members);
    for (std::size_t g = 0; g < n_groups; ++g) {
        moved.groups.n_members.push_back(static_cast<Index>(begin[g + 1] - begin[g]));
        std::fill(moved.groups.label.begin() + static_cast<std::ptrdiff_t>(begin[g]),
                  moved.groups.label.begin() + static_cast<std::ptrdiff_t>(begin[g + 1]),
                  static_cast<std::int32_t>(g));
    }
    std::array<double*, BoxLayout::n_numbers> numbers{};
    std::size_t array = 0;
    for_each_moved(moved.particles, [&](auto& to) { numbers[array++] = to.data(); });
    std::uint64_t* const id = moved.particles.id.data();
    ParticleType* const type = moved.particles.type.data();
#pragma omp parallel for if (sources.size() > few)
    for (std::size_t k = 0; k < sources.size(); ++k) {
        const Arrival& from = arrivals[sources[k].box];
        const std::size_t i = sources[k].place;
        for (std::size_t j = 0; j < numbers.size(); ++j) numbers[j][k] = from.number(j, i);
        id[k] = from.id(i);
        type[k] = from.type(i);
        moved.serial[k] = sources[k].serial;
    }
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
    const Members& members = members_[k];
    std::vector<std::size_t> begin{0};
    for (const std::uint32_t g : batch.group) begin.push_back(begin.back() + members.size(g));
    const BoxLayout layout{batch.group.size(), begin.back()};
    if (layout.n == 0) return;
    box.resize(layout.end());
    const ConstParticlesView& particles = held_[k].particles;
    std::array<const double*, BoxLayout::n_numbers> numbers{};
    std::size_t array = 0;
    for_each_moved(particles, [&](const double* from) { numbers[array++] = from; });
    const auto at = [&]<class T>(std::size_t offset, T) { return reinterpret_cast<T*>(box.data() + offset); };
#pragma omp parallel for schedule(dynamic, 16) if (layout.n > few)
    for (std::size_t g = 0; g < batch.group.size(); ++g) {
        const std::span<const Index> list = members.of(batch.group[g]);
        at(0, std::uint64_t{})[g] = list.size();
        for (std::size_t j = 0; j < numbers.size(); ++j)
            for (std::size_t m = 0; m < list.size(); ++m)
                at(layout.number(j), double{})[begin[g] + m] = numbers[j][list[m]];
        for (std::size_t m = 0; m < list.size(); ++m) {
            const Index i = list[m];
            const std::uint64_t serial = serial_of(k, part, i);
            at(layout.id(), std::uint64_t{})[begin[g] + m] = particles.id ? particles.id[i] : serial;
            at(layout.serial(), std::uint64_t{})[begin[g] + m] = serial;
            at(layout.type(), ParticleType{})[begin[g] + m] = particles.type_of(i);
        }
    }
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
