#include "halo/substructure/phase_points.hpp"

#include "halo/copy_bytes.hpp"
#include "sim/core/spatial/select_flagged.hpp"

namespace aureole::halo {

PointLists make_lists(Exec exec, const std::vector<std::uint64_t>& begin, const Index* point, Arena& arena)
{
    auto* const there = arena.take<std::uint64_t>(begin.size());
    copy_in_order(exec, there, begin.data(), begin.size() * sizeof(std::uint64_t));
    PointLists lists{static_cast<Index>(begin.back()), static_cast<Index>(begin.size() - 1), 0, there, point};
    for (std::size_t l = 0; l + 1 < begin.size(); ++l)
        lists.longest = std::max(lists.longest, begin[l + 1] - begin[l]);
    return lists;
}

Index select_numbers(Exec exec, Index n, const std::uint8_t* flag, Index* selected, Arena& arena)
{
    const Arena::Frame frame(arena);
    auto* const n_selected = arena.take<Index>(1);
    auto* const scratch = arena.take<std::byte>(select_flagged_scratch_bytes(exec.backend, n));
    select_flagged(exec, n, flag, selected, n_selected, scratch);
    Index number = 0;
    fetch_in_order(exec, &number, n_selected, sizeof number);
    return number;
}

}  // namespace aureole::halo
