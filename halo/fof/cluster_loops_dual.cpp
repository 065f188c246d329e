#include "halo/fof/cluster_loops.hpp"
#include "sim/core/atomics.hpp"
#include "sim/core/for_each_dual.hpp"

namespace aureole::halo::detail {
namespace {
constexpr Index none = 0xffffffffu;
}

void flag_grouped_cores(Exec exec, const GroupsView& groups, std::uint8_t* flags)
{
    for_each(exec, groups.n, [=] AUREOLE_HD(Index i) {
        flags[i] = groups.core[i] != 0 && groups.label[i] >= 0 ? std::uint8_t{1} : std::uint8_t{0};
    });
}

void find_first_cores(Exec exec, const GroupsView& groups, const std::uint8_t* flags, Index* first)
{
    for_each(exec, groups.n, [=] AUREOLE_HD(Index i) {
        if (flags[i]) atomic_min(first + groups.label[i], i);
    });
}

void flag_first_cores(Exec exec, const GroupsView& groups, const Index* first, std::uint8_t* flags)
{
    for_each(exec, groups.n, [=] AUREOLE_HD(Index i) {
        flags[i] = groups.label[i] >= 0 && first[groups.label[i]] == i ? std::uint8_t{1} : std::uint8_t{0};
    });
}

void flag_clusters(Exec exec, Index n_groups, const Index* first, std::uint8_t* flags)
{
    for_each(exec, n_groups, [=] AUREOLE_HD(Index group) {
        flags[group] = first[group] != none ? std::uint8_t{1} : std::uint8_t{0};
    });
}

void set_numbers(Exec exec, Index n, const Index* selected, const std::int32_t* label, Index* number)
{
    for_each(exec, n, [=] AUREOLE_HD(Index k) {
        number[label ? static_cast<Index>(label[selected[k]]) : selected[k]] = k;
    });
}

void relabel(Exec exec, const GroupsView& groups, const Index* number, std::int64_t* label)
{
    for_each(exec, groups.n, [=] AUREOLE_HD(Index i) {
        const std::int32_t group = groups.label[i];
        if (group < 0 || !number)
            label[i] = group;
        else
            label[i] = number[group] == none ? std::int64_t{-1} : std::int64_t{number[group]};
    });
}

void widen_indices(Exec exec, Index n, const Index* from, std::int64_t* to)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { to[i] = from[i]; });
}

void fill_none(Exec exec, Index n, Index* values)
{
    for_each(exec, n, [=] AUREOLE_HD(Index i) { values[i] = none; });
}

}  // namespace aureole::halo::detail
