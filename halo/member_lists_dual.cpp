#include "halo/member_lists.hpp"

#include "sim/core/for_each_dual.hpp"

namespace aureole::halo {

void flag_labelled(Exec exec, const std::int32_t* label, Index n, std::uint8_t* flag)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { flag[i] = label[i] >= 0 ? 1 : 0; });
}

void key_by_label(Exec exec, const std::int32_t* label, Index n_groups, Index n_members,
                  const SortBuffers& pairs)
{
    std::uint64_t* const key = pairs.key;
    const Index* const particle = pairs.value;
    for_each(exec, n_members, [=] AUREOLE_HD(Index k) {
        const auto group = static_cast<Index>(label[particle[k]]);
        key[k] = group < n_groups ? group : n_groups;
    });
}

void find_beginnings(Exec exec, const std::uint64_t* key, std::uint64_t n_members, Index n_groups,
                     std::uint64_t* begin)
{
    for_each(exec, n_groups + 1, [=] AUREOLE_HD(Index group) {
        std::uint64_t low = 0, high = n_members;
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            if (key[middle] < group)
                low = middle + 1;
            else
                high = middle;
        }
        begin[group] = low;
    });
}

}  // namespace aureole::halo
