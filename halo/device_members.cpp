// Particles with a label are compacted in input order and sorted by label, stably; where each list begins is
// then found by halving in the sorted labels.
#include "halo/device_members.hpp"

#include <algorithm>
#include <bit>

#include "halo/copy_bytes.hpp"
#include "halo/member_lists.hpp"
#include "sim/core/error.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {
namespace {

constexpr std::size_t alignment = 256;

std::size_t aligned(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

void DeviceMembers::fill(Exec exec, const GroupsView& groups)
{
    const Index n = groups.n, n_groups = groups.n_groups;
    const Backend where = exec.backend;
    const std::size_t counter = 0, flags = alignment, scratch = flags + aligned(n);
    scratch_.require(where, scratch + std::max(select_flagged_scratch_bytes(where, n),
                                               sort_pairs_scratch_bytes(where, n)));
    particle_.require(where, n);
    auto* const n_labelled = reinterpret_cast<Index*>(scratch_.data() + counter);
    auto* const flag = reinterpret_cast<std::uint8_t*>(scratch_.data() + flags);
    flag_labelled(exec, groups.label, n, flag);
    select_flagged(exec, n, flag, particle_.data(), n_labelled, scratch_.data() + scratch);
    n_lists_ = n_groups;
    n_members_ = fetched(exec, n_labelled);

    key_.require(where, n_members_);
    spare_key_.require(where, n_members_);
    spare_particle_.require(where, n_members_);
    SortBuffers pairs{key_.data(), spare_key_.data(), particle_.data(), spare_particle_.data()};
    key_by_label(exec, groups.label, n_groups, static_cast<Index>(n_members_), pairs);
    sort_pairs(exec, n_members_, pairs, std::max(1, static_cast<int>(std::bit_width(n_groups))),
               scratch_.data() + scratch);
    if (pairs.value != particle_.data()) std::swap(particle_, spare_particle_);
    if (pairs.key != key_.data()) std::swap(key_, spare_key_);
    begin_.require(where, std::size_t{n_groups} + 1);
    find_beginnings(exec, key_.data(), n_members_, n_groups, begin_.data());
    const std::uint64_t end = fetched(exec, begin_.data() + n_groups);
    AUREOLE_EXPECT(end == n_members_, "{} particles have labels, {} of them of one of {} groups", n_members_,
                   end, n_groups);
    if (where != Backend::cpu) return;  // there memory is soon taken again
    key_ = {};
    spare_key_ = {};
    spare_particle_ = {};
    scratch_ = {};
}

void DeviceMembers::take(Exec exec, const MembersView& members, std::span<const std::size_t> lists)
{
    std::vector<std::uint64_t> all(std::size_t{members.n_lists} + 1), begin{0};
    copy_bytes(exec, all.data(), members.begin, all.size() * sizeof all[0]);
    for (const std::size_t list : lists) begin.push_back(begin.back() + all[list + 1] - all[list]);
    n_lists_ = static_cast<Index>(lists.size());
    n_members_ = begin.back();
    begin_ = Buffer<std::uint64_t>(exec.backend, std::span<const std::uint64_t>(begin));
    particle_.require(exec.backend, n_members_);
    for (std::size_t k = 0; k < lists.size(); ++k) {
        const Index* const from = members.particle + all[lists[k]];
        const std::uint64_t n = begin[k + 1] - begin[k];
        if (exec.backend == Backend::cpu)
            std::copy(from, from + n, particle_.data() + begin[k]);
        else
            device::copy(exec.stream, particle_.data() + begin[k], from, n * sizeof(Index));
    }
}

}  // namespace aureole::halo
